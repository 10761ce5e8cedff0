"""The container engine under kind: which one it is, and what it says of node containers.

kind takes Docker where there is one, else nerdctl, else Podman, unless KIND_EXPERIMENTAL_PROVIDER names one; the same
choice is made here, for a fault that stops a container must talk to the engine that runs it. The three understand the
same verbs with the same JSON for `inspect`.
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from karmadalab.api.errors import BadRequest
from karmadalab.environments.kind.errors import NotInstalled, ToolError
from karmadalab.environments.kind.running import Output, run
from karmadalab.environments.kind.tool import successful

CLUSTER_LABEL = "io.x-k8s.kind.cluster"
_VARIABLE = "KIND_EXPERIMENTAL_PROVIDER"
# In kind's order, with what each answers to `-v`. finch and nerdctl.lima are nerdctl under other names.
_ENGINES = {"docker": "Docker version", "nerdctl": "nerdctl version", "podman": "podman version"}
_ALIASES = {"finch": "nerdctl", "nerdctl.lima": "nerdctl"}


class Node(NamedTuple):
    """A node container.

    Attributes:
        state: `running`, `paused`, `exited`, ... in the engine's words.
        gateways: the addresses from which the host's own connections arrive in it.
        addresses: its own addresses.
    """

    name: str
    state: str
    gateways: tuple[str, ...]
    addresses: tuple[str, ...]


class Engine:
    """Docker, or what stands in for it.

    Args:
        program: `docker`, `podman`, `nerdctl` or `finch`.
        timeout_s: how long one call may take.
    """

    def __init__(self, program: str = "docker", timeout_s: float = 60.0) -> None:
        self.program = program
        self._timeout_s = timeout_s

    @classmethod
    def found(cls, timeout_s: float = 60.0) -> Engine:
        """The engine that kind would take.

        Raises:
            NotInstalled: there is none.
            BadRequest: KIND_EXPERIMENTAL_PROVIDER names one that kind does not know.
        """
        wanted = os.environ.get(_VARIABLE, "")
        if wanted:
            if wanted not in _ENGINES and wanted not in _ALIASES:
                known = ", ".join([*_ENGINES, *_ALIASES])
                raise BadRequest(f"{_VARIABLE}={wanted}: kind knows {known}; unset it to let kind choose")
            return cls(wanted, timeout_s)
        for program, answer in _ENGINES.items():
            try:
                if run(program, "-v", timeout_s=10.0).stdout.startswith(answer):
                    return cls(program, timeout_s)
            except (NotInstalled, ToolError):
                continue
        raise NotInstalled("no container engine found: neither docker nor nerdctl nor podman is on the PATH", "docker")

    def info(self) -> dict[str, Any]:
        """What the engine says about itself. Raises `ToolError` when it does not answer."""
        output = successful(self.run("info", "--format", "{{json .}}"))
        try:
            found = json.loads(output.stdout)
        except ValueError:
            raise ToolError(output, f"no JSON: {output.stdout[:80]!r}") from None
        if not isinstance(found, dict) or found.get("ServerErrors"):
            raise ToolError(output, "; ".join(map(str, found.get("ServerErrors", []))) or "no JSON object")
        return found

    def nodes(self, cluster: str) -> list[Node]:
        """The node containers of a cluster, running or not, by name."""
        listed = self.call("ps", "-a", "--filter", f"label={CLUSTER_LABEL}={cluster}", "--format", "{{.Names}}")
        return [self.node(name) for name in sorted(listed.split())]

    def node(self, name: str) -> Node:
        """One node container."""
        found = json.loads(self.call("inspect", name))[0]
        networks = (found.get("NetworkSettings") or {}).get("Networks") or {}
        return Node(
            name,
            str((found.get("State") or {}).get("Status", "unknown")),
            tuple(n["Gateway"] for n in networks.values() if n.get("Gateway")),
            tuple(n["IPAddress"] for n in networks.values() if n.get("IPAddress")),
        )

    def call(self, *words: str) -> str:
        """What a command prints. Raises `ToolError` with the engine's message."""
        return successful(self.run(*words)).stdout

    def run(self, *words: str) -> Output:
        """Run a command of the engine, whatever it exits with."""
        return run(self.program, *words, timeout_s=self._timeout_s)

    def __repr__(self) -> str:
        return f"<Engine {self.program}>"

"""kind's command line as functions with typed results.

Recorded from v0.31: data comes on stdout, everything else on stderr, the exit code is 0 or 1. Asking about a cluster
that is not there succeeds with nothing (`get nodes`, `delete cluster`): absence is read from the answer, not the code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from karmadalab.environments.kind.errors import ToolError
from karmadalab.environments.kind.running import OnLine, Output, Running, run

# A first image pull on a slow line, then half a minute of kubeadm.
CREATE_TIMEOUT_S = 900.0
_LOAD_TIMEOUT_S = 600.0
_VERSION = re.compile(r"v?(\d+)\.(\d+)\.(\d+)")


class Creation(NamedTuple):
    """What to create.

    Attributes:
        name: the cluster's name; left out where the config file has one.
        config: a kind config file.
        image: the node image; empty for the one this kind was built with.
        kubeconfig: where the access goes, instead of the user's own file.
        wait: how long to wait for the control plane to be Ready, as `5m`; empty for not at all.
        retain: keep the nodes of a cluster that failed, to look into them.
    """

    name: str = ""
    config: str | Path = ""
    image: str = ""
    kubeconfig: str | Path = ""
    wait: str = ""
    retain: bool = False

    def argv(self) -> tuple[str, ...]:
        """The command."""
        flags = {
            "--name": self.name,
            "--config": str(self.config),
            "--image": self.image,
            "--kubeconfig": str(self.kubeconfig),
            "--wait": self.wait,
        }
        words = [word for flag, value in flags.items() if value for word in (flag, value)]
        return ("kind", "create", "cluster", *words, *(["--retain"] if self.retain else []))


class Kind:
    """The `kind` program.

    Args:
        timeout_s: how long a quick command may take; creating and loading have limits of their own.
        env: variables for it, such as `KIND_EXPERIMENTAL_PROVIDER`.

    Every method raises `NotInstalled` without kind, `ToolError` with kind's message when it refuses, and `TimedOut`.
    """

    def __init__(self, timeout_s: float = 60.0, env: Mapping[str, str] | None = None) -> None:
        self._timeout_s = timeout_s
        self._env = dict(env or {})

    def version(self) -> tuple[int, int, int]:
        """Its version, `(0, 31, 0)`."""
        output = self._run("version")
        found = _VERSION.search(output.stdout)
        if found is None:
            raise ToolError(output, f"no version in {output.stdout.strip()!r}")
        return int(found[1]), int(found[2]), int(found[3])

    def clusters(self) -> list[str]:
        """The names of all clusters, the user's own too."""
        return self._run("get", "clusters").stdout.split()

    def nodes(self, name: str = "") -> list[str]:
        """The node containers of a cluster, none for one that is not there; without a name, of all clusters."""
        return self._run("get", "nodes", *(("--name", name) if name else ("-A",))).stdout.split()

    def kubeconfig(self, name: str, internal: bool = False) -> str:
        """The YAML that gives access; `internal` for a caller on the engine's own network."""
        return self._run("get", "kubeconfig", "--name", name, *(["--internal"] if internal else [])).stdout

    def export_kubeconfig(self, name: str, path: str | Path) -> None:
        """Write the access into a file, beside what it has already."""
        self._run("export", "kubeconfig", "--name", name, "--kubeconfig", str(path))

    def start_create(
        self, creation: Creation, on_line: OnLine | None = None, timeout_s: float = CREATE_TIMEOUT_S
    ) -> Running:
        """Begin to create a cluster; several may be under way. End with `finish`."""
        return Running(creation.argv(), timeout_s=timeout_s, on_line=on_line, env=self._env)

    def create(self, creation: Creation, timeout_s: float = CREATE_TIMEOUT_S) -> Output:
        """Create a cluster and wait for it."""
        return finish(self.start_create(creation, timeout_s=timeout_s))

    def delete(self, name: str, kubeconfig: str | Path) -> bool:
        """Delete a cluster and its entry in that kubeconfig; returns whether there was one."""
        output = self._run("delete", "cluster", "--name", name, "--kubeconfig", str(kubeconfig), timeout_s=180.0)
        return "Deleted nodes:" in output.stderr

    def load_image(self, image: str, name: str) -> None:
        """Copy an image of Docker into all nodes of a cluster; kind asks no other engine."""
        self._run("load", "docker-image", image, "--name", name, timeout_s=_LOAD_TIMEOUT_S)

    def load_archive(self, archive: str | Path, name: str) -> None:
        """Copy an image that was saved into a file into all nodes of a cluster."""
        self._run("load", "image-archive", str(archive), "--name", name, timeout_s=_LOAD_TIMEOUT_S)

    def export_logs(self, name: str, folder: str | Path) -> None:
        """Write all logs of a cluster's nodes into a folder."""
        self._run("export", "logs", "--name", name, str(folder), timeout_s=_LOAD_TIMEOUT_S)

    def _run(self, *words: str, timeout_s: float | None = None) -> Output:
        output = run("kind", *words, timeout_s=timeout_s or self._timeout_s, env=self._env)
        return successful(output)


def successful(output: Output) -> Output:
    """The output itself. Raises `ToolError` unless the program succeeded."""
    if output.exit_code:
        raise ToolError(output)
    return output


def finish(running: Running) -> Output:
    """Wait for a creation. Raises `ToolError` with kind's message, `TimedOut`."""
    return successful(running.wait())

"""karmada-agent of a pull member outside this process, so that it can be killed, frozen and started again for real.

It has the handles of a `core.manager.Manager`, so that faults treat all alike. Either it is a process beside this
one (`karmadalab agent`), which works in the member with the account that joining made there, or a pod in the member
(`agent_pod`). Both reach the control plane through the lab's own server.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from karmadalab.api.codec import to_json
from karmadalab.api.errors import BadRequest
from karmadalab.core.settings import Settings
from karmadalab.core.store import Store
from karmadalab.environments.files import load_yaml
from karmadalab.environments.kind.agent_pod import AgentPod, agent_objects
from karmadalab.environments.kind.connection import Connection
from karmadalab.environments.kind.listening import NEAR, Listening
from karmadalab.environments.kind.running import Running
from karmadalab.environments.kind.state import FleetFolder


class Server(Protocol):
    """What serves the control plane."""

    kubeconfig: Path
    port: int

    def close(self) -> None:
        """End it."""
        ...


Serve = Callable[..., Server]


class Agent(Protocol):
    """One agent, with the handles of a `core.manager.Manager`."""

    name: str
    running: bool
    paused: bool

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def leave(self) -> None:
        """End it for good; nothing of it is left."""
        ...


class AgentProcess:
    """One agent.

    Args:
        member: whose.
        argv: what to run.
    """

    def __init__(self, member: str, argv: tuple[str, ...]) -> None:
        self.name = f"karmada-agent@{member}"
        self.running = self.paused = False
        self._argv = argv
        self._process: Running | None = None

    def start(self) -> None:
        """Start it with nothing in memory."""
        if not self.running:
            self._process = Running(self._argv, timeout_s=None)
            self.running = True

    def stop(self) -> None:
        """Kill it (SIGKILL)."""
        self._send(signal.SIGKILL)
        self.running = self.paused = False

    leave = stop

    def pause(self) -> None:
        """Let it stand still (SIGSTOP)."""
        self._send(signal.SIGSTOP)
        self.paused = True

    def resume(self) -> None:
        """Let it go on (SIGCONT)."""
        self._send(signal.SIGCONT)
        self.paused = False

    def _send(self, with_signal: int) -> None:
        if self._process is not None and self.running:
            self._process.end(with_signal)

    def __repr__(self) -> str:
        state = "frozen" if self.paused else "running" if self.running else "stopped"
        return f"<AgentProcess {self.name} {state}>"


class Agents(Protocol):
    """The agents of a fleet that are more than a part of this process, and the server they reach the control plane by.

    Attributes:
        pods: whether they are pods in their members.
        way: for pods, the address and the port of the control plane, as packets to it have them; None where a name
            stands in for the address.
    """

    pods: bool

    @property
    def way(self) -> tuple[str, int] | None: ...

    def open(self) -> str:
        """Start the server; it needs the lab's turn for that, so whoever calls must not have it.

        Returns:
            What a person should know about where it listens, empty when that is loopback.
        """
        ...

    def make(self, connection: Connection, token: str) -> Agent:
        """An agent, not started."""
        ...

    def close(self) -> None:
        """End the server; the agents are ended by whoever has them."""
        ...


class _Serving:
    """A server in front of a store, for as long as agents need it.

    Args:
        serve: serves a store (`karmadalab.server.serve_store`; the layer above, so it is handed in).
        store: the control plane's.
        settings: Karmada's flags, for the agents.
        folder: where kubeconfigs go.
        where: where to listen.
    """

    def __init__(
        self, serve: Serve, store: Store, settings: Settings, folder: FleetFolder, where: Listening = NEAR
    ) -> None:
        self._serve, self._store, self._folder, self.where = serve, store, folder, where
        self.flags = tuple(word for flag, value in settings.changed().items() for word in ("--set", f"{flag}={value}"))
        self._server: Server | None = None

    @property
    def server(self) -> Server:
        """The server. Raises `BadRequest` when there is none."""
        if self._server is None:
            raise BadRequest("the control plane is not served: the lab is closed")
        return self._server

    def open(self) -> str:
        """See `Agents.open`."""
        if self._server is None:
            options = {"folder": self._folder.path / "server", "host": self.where.host, "known_as": self.where.known_as}
            self._server = self._serve(self._store, "karmada-apiserver", **options)
        if not self.where.is_open:
            return ""
        return (
            f"the control plane listens on {self.where.host}, port {self._server.port}, not only on loopback: who "
            "reaches it and has the lab's token can do anything in it"
        )

    def close(self) -> None:
        """See `Agents.close`."""
        if self._server is not None:
            self._server.close()
            self._server = None


class ProcessAgents(_Serving):
    """Agents that are processes of this machine."""

    pods = False
    way = None

    def make(self, connection: Connection, token: str) -> AgentProcess:
        """See `Agents.make`."""
        member = connection.spec.name
        own = self._folder.path / f"{member}.agent.kubeconfig"
        self._folder.write_file(own, to_json(with_token(load_yaml(connection.kubeconfig), token)))
        command = (sys.executable, "-m", "karmadalab", "agent", "--member", member)
        karmada = str(self.server.kubeconfig)
        return AgentProcess(member, (*command, "--karmada", karmada, "--kubeconfig", str(own), *self.flags))


class PodAgents(_Serving):
    """Agents that are pods in their members.

    Args:
        image: what they run.
    """

    pods = True

    def __init__(
        self, serve: Serve, store: Store, settings: Settings, folder: FleetFolder, where: Listening, image: str
    ) -> None:
        super().__init__(serve, store, settings, folder, where)
        self._image = image

    @property
    def way(self) -> tuple[str, int] | None:
        """See `Agents`."""
        return (self.where.known_as, self.server.port) if self.where.is_address else None

    def make(self, connection: Connection, token: str) -> AgentPod:
        """Make its objects in the member, with no pod yet. It works there as a service account of its own."""
        member, kubeconfig = connection.spec.name, self.server.kubeconfig.read_text(encoding="utf-8")
        agent = AgentPod(member, connection.admin, agent_objects(member, self._image, kubeconfig, self.flags))
        agent.make()
        return agent


def with_token(config: Mapping[str, Any], token: str) -> dict[str, Any]:
    """A kubeconfig for the same cluster and somebody else: a service account."""
    users = [{"name": user["name"], "user": {"token": token}} for user in config.get("users") or ()]
    return {**config, "users": users}

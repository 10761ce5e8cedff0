"""karmada-agent of a pull member as a process of its own, which can be killed, frozen and started again for real.

It has the handles of a `core.controller.Manager`, so that faults treat both alike. The process is `karmadalab agent`:
it reaches the control plane through the lab's own server, and the member with the account that joining made there.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from karmadalab.api.errors import BadRequest
from karmadalab.api.scheme import to_json
from karmadalab.core.settings import Settings
from karmadalab.core.store import Store
from karmadalab.environments.files import load_yaml
from karmadalab.environments.kind.running import Running
from karmadalab.environments.kind.state import FleetFolder


class Server(Protocol):
    """What serves the control plane."""

    kubeconfig: Path

    def close(self) -> None:
        """End it."""
        ...


Serve = Callable[..., Server]


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


class Agents:
    """The agents of a fleet, and the server through which they reach the control plane.

    Args:
        serve: serves a store (`karmadalab.server.serve_store`; the layer above, so it is handed in).
        store: the control plane's.
        settings: Karmada's flags, for the processes.
        folder: where their kubeconfigs go.
    """

    def __init__(self, serve: Serve, store: Store, settings: Settings, folder: FleetFolder) -> None:
        self._serve, self._store, self._settings, self._folder = serve, store, settings, folder
        self._server: Server | None = None

    def open(self) -> None:
        """Start the server; it needs the lab's turn for that, so whoever calls must not have it."""
        if self._server is None:
            self._server = self._serve(self._store, "karmada-apiserver", folder=self._folder.path / "server")

    def make(self, member: str, kubeconfig: Path, token: str) -> AgentProcess:
        """An agent, not started."""
        if self._server is None:
            raise BadRequest("the control plane is not served: the lab is closed")
        own = self._folder.path / f"{member}.agent.kubeconfig"
        self._folder.write_file(own, to_json(with_token(load_yaml(kubeconfig), token)))
        flags = [word for flag, value in self._settings.changed().items() for word in ("--set", f"{flag}={value}")]
        command = (sys.executable, "-m", "karmadalab", "agent", "--member", member)
        return AgentProcess(
            member, (*command, "--karmada", str(self._server.kubeconfig), "--kubeconfig", str(own), *flags)
        )

    def close(self) -> None:
        """End the server; the agents are ended by whoever has them."""
        if self._server is not None:
            self._server.close()
            self._server = None


def with_token(config: Mapping[str, Any], token: str) -> dict[str, Any]:
    """A kubeconfig for the same cluster and somebody else: a service account."""
    users = [{"name": user["name"], "user": {"token": token}} for user in config.get("users") or ()]
    return {**config, "users": users}

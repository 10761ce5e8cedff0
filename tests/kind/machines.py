"""Stand-ins for kind clusters: simulated members behind real HTTPS servers, and an engine that switches them.

Everything between the controllers and a cluster's API server is real here: TLS, the official client, watches, tokens,
connections that are refused or stay silent. Only containers are not.
"""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from karmadalab.api.errors import Unreachable
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.trace import Trace
from karmadalab.core.wall_clock import WallClock
from karmadalab.environments.fleet import MemberSpec
from karmadalab.environments.http.transport import LATE, REFUSED, Answer, Stream, Transport
from karmadalab.environments.kind.connection import Connection
from karmadalab.environments.kind.engine import Engine, Node
from karmadalab.environments.kind.official import OfficialTransport
from karmadalab.environments.kind.running import Output
from karmadalab.environments.member import SimulatedMember
from karmadalab.server import serve_store

GATEWAY = "172.18.0.1"


class Machine:
    """One node container with a whole cluster in it."""

    def __init__(self, spec: MemberSpec, speed: float) -> None:
        self.spec = spec
        self.name = f"karmadalab-test-{spec.name}-control-plane"
        self.clock = WallClock(speed=speed)
        self.member = SimulatedMember(spec, self.clock, Trace(self.clock.now), Random(1))
        if self.member.store.find("Namespace", "kube-system") is None:
            self.member.store.create(Unstructured("v1", "Namespace", ObjectMeta(name="kube-system")))
        self.member.store.watch("Secret", self._give_token)
        self.clock.begin()
        self.state = "running"
        self.served = serve_store(self.member.store, spec.name)
        self.port, self.token = self.served.port, self.served.token
        self.rules: list[tuple[str, ...]] = []

    def _give_token(self, event: str, old: Any, new: Any) -> None:
        """What the token controller of a real cluster does."""
        if event == "ADDED" and new.get("type") == "kubernetes.io/service-account-token" and not new.get("data"):
            token = base64.b64encode(self.token.encode()).decode()
            self.clock.call_soon((self.member.store.update, new.with_body(data={"token": token})))

    @property
    def path(self) -> str:
        """`up`, `refused` or `silent`, for who comes from outside."""
        if self.state == "exited":
            return "refused"
        if self.state == "paused" or any("DROP" in rule for rule in self.rules):
            return "silent"
        return "refused" if any("REJECT" in rule and "INPUT" in rule for rule in self.rules) else "up"

    def connection(self) -> Connection:
        """How the lab reaches it."""
        kubeconfig = self.served.kubeconfig
        return Connection(
            self.spec,
            OfficialTransport(kubeconfig),
            lambda token: Gate(OfficialTransport(kubeconfig, token), self),
            lambda: [Node(self.name, self.state, (GATEWAY,), ("172.18.0.2",))],
            self.served.address,
            kubeconfig,
        )


class Gate:
    """A transport through which only what the machine's packet filter lets through."""

    def __init__(self, transport: Transport, machine: Machine) -> None:
        self._transport, self._machine = transport, machine

    def _pass(self, timeout_s: float) -> None:
        end = time.monotonic() + timeout_s
        while self._machine.path == "silent":  # packets are sent again until the caller gives up
            if time.monotonic() >= end:
                raise Unreachable(LATE)
            time.sleep(0.01)
        if self._machine.path == "refused":
            raise Unreachable(REFUSED)

    def request(
        self, method: str, path: str, query: Mapping[str, str], body: Any, timeout_s: float, accept: str = ""
    ) -> Answer:
        self._pass(timeout_s)
        return self._transport.request(method, path, query, body, timeout_s, accept)

    def stream(self, path: str, query: Mapping[str, str], timeout_s: float) -> Stream:
        self._pass(0.5)
        return self._transport.stream(path, query, timeout_s)

    def close(self) -> None:
        self._transport.close()


class FakeEngine(Engine):
    """An engine in this process; it knows the words that measures use, and nothing else."""

    def __init__(self, machines: Mapping[str, Machine]) -> None:
        super().__init__("docker")
        self._machines = {machine.name: machine for machine in machines.values()}
        self.calls: list[tuple[str, ...]] = []
        self.lock = threading.Lock()

    def run(self, *words: str) -> Output:
        with self.lock:
            self.calls.append(words)
        code, said = self._run(words)
        return Output(("docker", *words), code, "", said, 0.0)

    def _run(self, words: tuple[str, ...]) -> tuple[int, str]:
        verb = words[0]
        machine = self._machines[words[2] if verb == "exec" else words[-1]]
        if verb in ("kill", "start", "pause", "unpause"):
            machine.state = {"kill": "exited", "pause": "paused"}.get(verb, "running")
            if verb == "kill":
                machine.rules.clear()
            machine.member.workloads.power(verb != "kill")
            return 0, ""
        if machine.state != "running":
            return 1, f"Error response from daemon: container {machine.name} is not running"
        if words[3] == "iptables":
            return self._filter(machine, words[6], words[7:])
        return (0, "") if words[3] in ("tc", "crictl", "kubectl", "sh") else (99, f"no {words[3]} here")

    @staticmethod
    def _filter(machine: Machine, action: str, rule: tuple[str, ...]) -> tuple[int, str]:
        if action == "-I":
            machine.rules.insert(0, rule)
        elif rule not in machine.rules:
            return 1, "iptables: Bad rule (does a matching rule exist in that chain?)."
        else:
            machine.rules.remove(rule)
        return 0, ""


@contextmanager
def machines(*specs: MemberSpec, speed: float) -> Iterator[dict[str, Machine]]:
    """Running machines, by member."""
    found: dict[str, Machine] = {}
    try:
        for spec in specs:
            found[spec.name] = Machine(spec, speed)
        yield found
    finally:
        for machine in found.values():
            machine.served.close()


def folder(tmp_path: Path) -> Path:
    """A place for the lab's state."""
    return tmp_path / "home"

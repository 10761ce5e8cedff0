"""The world of real clusters: our control plane, kind clusters as its members, the wall clock.

The controllers are the ones of the fake world and can't tell the difference. Time passes by itself, also between two
cells of a notebook, in a thread of its own. The agents of pull members run in this process, behind a link of the lab,
or outside it (`agents`).
"""

from __future__ import annotations

import atexit
import threading
import warnings
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from karmadalab.api.cluster import Cluster, is_ready
from karmadalab.api.errors import BadRequest, KarmadalabError
from karmadalab.core.client import ADDED, DELETED, Handler
from karmadalab.core.trace import CREATE, DELETE, ERROR, UPDATE
from karmadalab.core.wall_clock import WallClock
from karmadalab.environments.control_plane import ControlPlane
from karmadalab.environments.fake import FakeWorld
from karmadalab.environments.faults import combined
from karmadalab.environments.fleet import Fleet, MemberSpec
from karmadalab.environments.http.member import server_version
from karmadalab.environments.kind import agent_pod, join
from karmadalab.environments.kind.agent_pod import AGENT, AgentPod
from karmadalab.environments.kind.agent_pod import NAMESPACE as AGENT_NAMESPACE
from karmadalab.environments.kind.agents import Agents
from karmadalab.environments.kind.connection import Connection
from karmadalab.environments.kind.faults import KindFaults, wanted
from karmadalab.environments.kind.measures import Measures
from karmadalab.environments.kind.member import SETTLE_S, KindMember, as_in_the_fleet, wait_for_answer
from karmadalab.environments.link import UP, Remote

_RECORDED = ("Deployment.apps", "Pod")
_SYSTEM = ("kube-system", "kube-node-lease", "kube-public", "local-path-storage")
_NOT_OURS = frozenset((*_SYSTEM, join.NAMESPACE, AGENT_NAMESPACE))


class KindWorld(FakeWorld):
    """Real members, and the faults that act on them.

    Args:
        control_plane: the control plane, not started, on a `WallClock` that has not begun.
        connections: the members.
        measures: takes what faults ask for, and undoes it.
        agents: makes agents outside this process; without it they run here, behind a link of the lab.
    """

    member_faults = KindFaults

    def __init__(
        self,
        control_plane: ControlPlane,
        connections: Sequence[Connection],
        measures: Measures,
        rng: Random,
        agents: Agents | None = None,
    ) -> None:
        super().__init__(control_plane, Fleet(tuple(c.spec for c in connections)), rng)
        if not isinstance(control_plane.clock, WallClock):
            raise BadRequest("real clusters need a wall clock")
        self.wall_clock = control_plane.clock
        self.measures = measures
        self.processes = agents
        self._connections = {connection.spec.name: connection for connection in connections}
        self._closed = threading.Event()
        self._pacer: threading.Thread | None = None
        self.error: BaseException | None = None

    def start(self) -> None:
        """Undo what an earlier lab left, start the control plane, let all join, and wait until they are Ready.

        Raises:
            Unreachable, ApiError: a member does not answer, or refuses.
            BadRequest: a member did not become Ready in two minutes.
        """
        atexit.register(self.close)
        try:
            self.measures.undo()
            plane = self.control_plane
            plane.controller_manager.start()
            plane.scheduler_process.start()
            self.wall_clock.begin()
            if self.processes is not None and (said := self.processes.open()):
                self.trace.note("lab", "", said)
                warnings.warn(said, stacklevel=2)
            for connection in self._connections.values():
                wait_for_answer(connection)
            for connection in self._connections.values():
                with self.clock.taken():
                    self.join(connection.spec)
            self._wait_until_ready()
        except BaseException:
            self.close()
            raise
        with self.clock.taken():  # the lab begins now
            self.clock.epoch = self.clock.now()
            self.wall_clock.begin()
        self._pacer = threading.Thread(target=self._pace, name="karmadalab clock", daemon=True)
        self._pacer.start()

    def _wait_until_ready(self) -> None:
        end = self.clock.now() + SETTLE_S * self.wall_clock.speed  # processes take real time to start
        while waiting := [c for c in self.control_plane.store.list(Cluster) if not is_ready(c)]:
            if self.clock.now() > end:
                agents: list[Any] = [self.agents.get(cluster.metadata.name) for cluster in waiting]
                pods = [agent.pods() for agent in agents if isinstance(agent, AgentPod)]
                raise BadRequest(f"not Ready after {SETTLE_S:g} s: {'; '.join([*map(repr, waiting), *pods])}")
            self.clock.run_until(self.clock.now() + 0.2)

    def _pace(self) -> None:
        try:
            while not self._closed.is_set():
                try:
                    self.wall_clock.step(0.5)
                except KarmadalabError as error:  # a fault that was due and that the engine refused
                    self.trace.note("fault", "", f"{type(error).__name__}: {error}", verb=ERROR)
        except BaseException as error:  # a thread has nobody to raise it to; `close` tells
            self.error = error

    # --- members

    def join(self, spec: MemberSpec) -> None:
        """Make the control plane's account in a member of the fleet and register it; a bare name means as in the fleet.

        Raises:
            BadRequest: it is no member of the fleet, is one in another mode, or has joined already.
        """
        connection = self._connections.get(spec.name)
        if connection is None:
            known = ", ".join(self._connections)
            raise BadRequest(f"{spec.name} is no cluster of the fleet: {known}; karmadalab kind up makes clusters")
        plane = self.control_plane
        if plane.store.find(Cluster, spec.name) is not None:
            raise BadRequest(f"member {spec.name} has joined already")
        connection = connection._replace(spec=as_in_the_fleet(spec, connection.spec))
        spec = connection.spec
        join.sweep(connection.admin)
        agent_pod.sweep(connection.admin)
        token = join.grant(connection.admin, spec.name)
        version = server_version(connection.admin)
        member = KindMember(connection, token, version, plane, self._rng)
        self.members[spec.name] = member  # type: ignore[assignment] # the fake keeps simulated ones there
        for kind in _RECORDED:
            member.store.watch(kind, self._recorder(spec.name))
        join.register(plane.store, spec, connection.endpoint, token, join.cluster_id(connection.admin))
        if member.pulls:
            agent = self.agents[spec.name] = self._agent(member, token)
            agent.start()
        else:
            plane.push_members[spec.name] = member.from_control_plane

    def _agent(self, member: KindMember, token: str) -> Any:
        name, plane = member.spec.name, self.control_plane
        if self.processes is not None:
            return self.processes.make(member.connection, token)
        client = Remote(plane.store, member.uplink, self.clock, self.trace)
        return plane.agent(name, client, member.from_agent)

    def _recorder(self, name: str) -> Handler:
        """Writes what happens to workloads in a member into the lab's trace, where a simulated one writes it itself."""
        verbs = {ADDED: CREATE, DELETED: DELETE}

        def record(event: str, old: Any, new: Any) -> None:
            meta = new.metadata
            if meta.namespace not in _NOT_OURS:
                key, version = (meta.namespace, meta.name), int(meta.resourceVersion or 0)
                last = None if event == DELETED else new
                self.trace.write(name, verbs.get(event, UPDATE), new.GROUP_KIND, key, old, last, version)

        return record

    def leave(self, name: str) -> None:
        """Let a member leave; its account in the member goes when its Cluster is gone."""
        member = self.member(name)
        plane = self.control_plane
        plane.store.delete(Cluster, name)
        stops: list[Callable[[], None]] = []

        def gone(event: str, old: Any, new: Any) -> None:
            if event == "DELETED" and new.metadata.name == name:
                stops[0]()
                self.clock.call_soon((self._left, member))

        stops.append(plane.store.watch(Cluster, gone))

    def _left(self, member: KindMember) -> None:
        name = member.spec.name
        self.members.pop(name, None)
        self.control_plane.push_members.pop(name, None)
        agent: Any = self.agents.pop(name, None)
        if agent is not None and self.processes is None:
            agent.stop()
        member.store.close()
        join.forget(self.control_plane.store, name)

        def clear() -> None:
            if agent is not None and self.processes is not None:
                agent.leave()
            join.revoke(member.connection.admin, name)

        threading.Thread(target=_quietly, args=(clear,), daemon=True).start()

    # --- faults

    def _rework_member(self, name: str) -> None:
        acting = self.acting.on(name)
        effect = combined([fault.effect for fault in acting])
        member: Any = self.members[name]
        if member.pulls:
            self._rework_link(member.uplink, acting, True, False)
        nodes = [node.name for node in member.nodes]
        self.measures.set(nodes, wanted(acting, effect, member.nodes, member.pulls, self.processes))

    def _wanted(self, process: Any) -> str:
        """As for the fake; but what befalls a machine befalls the pods in it without our doing."""
        if not isinstance(process, AgentPod):
            return super()._wanted(process)
        acting = self.acting.on(process.name, process.name.removeprefix(f"{AGENT}@"))
        return combined([f.effect for f in acting if f.effect.powered and f.effect.api == UP]).process

    def close(self) -> None:
        """Heal everything, end all threads. Doing it twice is no error.

        Raises:
            UndoFailed: something on a machine could not be undone.
        """
        atexit.unregister(self.close)
        self._closed.set()
        self.faults.clear()
        try:
            self.measures.undo()
        finally:
            if self.processes is not None:
                for agent in self.agents.values():
                    agent.leave()  # type: ignore[attr-defined] # they are no managers of this process
                self.processes.close()
            for member in self.members.values():
                member.store.close()  # type: ignore[attr-defined] # they are KindMembers
            with self.clock.taken():
                pass  # wakes the thread that keeps the clock going
        if self._pacer is not None and self._pacer is not threading.current_thread():
            self._pacer.join(5.0)


def _quietly(call: Callable[[], None]) -> None:
    """A cluster that is being left may be gone; then there is nothing to take away."""
    try:
        call()
    except KarmadalabError:
        return

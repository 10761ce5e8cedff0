"""The fake world: simulated members around a real control plane, on a virtual clock.

Everything that a control plane can be surprised by is here: when clusters join, at which beat their probes and
heartbeats fall, and what faults do to them.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from karmadalab.api.cluster import PULL, Cluster, cluster_of_namespace, is_ready
from karmadalab.api.errors import BadRequest
from karmadalab.api.meta import OwnerReference, replace
from karmadalab.api.time import seconds
from karmadalab.api.work import Work
from karmadalab.core.client import ADDED, DELETED
from karmadalab.core.clock import VirtualClock, in_turn
from karmadalab.core.manager import Manager
from karmadalab.core.settings import Settings
from karmadalab.core.trace import FAULT, Trace
from karmadalab.environments.control_plane import CONTROLLER_MANAGER, SCHEDULER, ControlPlane
from karmadalab.environments.credentials import Credentials
from karmadalab.environments.faults import RUNNING, Acting, Effect, Fault, combined
from karmadalab.environments.fleet import Fleet, MemberSpec
from karmadalab.environments.link import REFUSED, SILENT, UP, Link, Remote
from karmadalab.environments.load import Loads
from karmadalab.environments.member import SimulatedMember
from karmadalab.environments.process_states import ProcessStates
from karmadalab.environments.registering import check_same_machines, cluster_object, credentials

if TYPE_CHECKING:  # it needs what a browser does not have
    from karmadalab.core.journal import Journal

_AGENT = "karmada-agent@"


def lead_s(settings: Settings) -> float:
    """How long before the lab begins its clock must start: the control plane first, then a beat in which all join."""
    return settings.cluster_status_update_frequency + settings.cluster_monitor_period


class FakeWorld:
    """A fleet of simulated members and the faults that act on it.

    Args:
        control_plane: the control plane, not started.
        fleet: who joins.
        journal: where the control plane's objects are kept; it is closed with the world.
    """

    def __init__(self, control_plane: ControlPlane, fleet: Fleet, rng: Random, journal: Journal | None = None) -> None:
        self.control_plane = control_plane
        self.clock: VirtualClock = control_plane.clock
        self.trace: Trace = control_plane.trace
        self.fleet = fleet
        self.phases = control_plane.phases
        self.members: dict[str, SimulatedMember] = {}
        self.agents: dict[str, Manager] = {}
        self.faults: list[Fault] = []
        self.to_come: list[Fault] = []
        self.acting = Acting()
        self.loads = Loads(self.clock, self.members)
        control_plane.metrics = self.loads
        self._rng = rng
        self._journal = journal
        self._credentials = Credentials(control_plane.store)
        self._process_states = ProcessStates(self.clock, self.trace, control_plane.settings, self._wanted)
        self._leaving: set[str] = set()
        control_plane.store.watch(Cluster, self._cluster_event)
        control_plane.store.watch(Work, self._work_event)

    def start(self) -> None:
        """Start the control plane and let the fleet join, so that all is settled when the lab begins."""
        plane = self.control_plane
        returning = [spec for spec in self.fleet.members if plane.store.find(Cluster, spec.name) is not None]
        for spec in returning:  # known from before the control plane died: within reach when its processes start
            self._take_in(spec)
        plane.controller_manager.start()
        plane.scheduler_process.start()
        frequency_s = plane.settings.cluster_status_update_frequency
        for spec in self.fleet.members:
            if spec in returning:
                continue
            phase_s = self.phases.probe_s.get(spec.name, 0.0) % frequency_s
            self.clock.call_at(self.clock.epoch - frequency_s + phase_s - self.phases.latency_s, self.join, spec)
        self.clock.run_until(self.clock.epoch)

    def close(self) -> None:
        """Let go of the file; simulated members need no goodbye."""
        if self._journal is not None:
            with self.clock.taken():
                self._journal.close()
            self._journal = None

    # --- members

    def join(self, spec: MemberSpec) -> None:
        """Make a member and register it, as `karmadactl join` or an agent's start would.

        One that has left is registered again as it is now: what was not Karmada's still runs on it. It may come back
        with other labels, taints or places, but it is the same machine.

        Raises:
            BadRequest: it is a member, or was one with other machines or in another mode.
        """
        if self.control_plane.store.find(Cluster, spec.name) is not None:
            raise BadRequest(
                f"the cluster ID {spec.name}-id or the cluster name {spec.name} has been registered: member "
                f"{spec.name} has joined already; choose another name"
            )
        if spec.name in self.members:
            check_same_machines(self.members[spec.name].spec, spec)
        self._take_in(spec)

    def _take_in(self, spec: MemberSpec) -> None:
        plane = self.control_plane
        member = self.members.get(spec.name)
        if member is None:
            member = self.members[spec.name] = SimulatedMember(spec, self.clock, self.trace, self._rng)
        member.spec = spec
        plane.proxied_members[spec.name] = member.from_control_plane
        if spec.mode != PULL:
            plane.push_members[spec.name] = member.from_control_plane
        if plane.store.find(Cluster, spec.name) is None:  # a control plane that comes back knows it already
            secrets = [plane.store.create(secret) for secret in credentials(spec.name)]
            cluster = plane.store.create(cluster_object(spec))
            owner = OwnerReference(cluster.apiVersion, cluster.kind, spec.name, cluster.metadata.uid)
            for secret in secrets:
                owned = replace(secret.metadata, ownerReferences=(owner,))
                plane.store.update(replace(secret, metadata=owned))
        if spec.mode == PULL and spec.name not in self.agents:
            client = Remote(plane.store, member.uplink, self.clock, self.trace)
            agent = self.agents[spec.name] = plane.agent(spec.name, client, member.from_agent)
            if self._wanted(agent) == RUNNING:
                agent.start()

    def leave(self, name: str) -> None:
        """Unregister a member, as `karmadactl unjoin` does, or `unregister` in pull mode.

        Karmada takes what is its own from the member. In pull mode the agent does that, and goes when all is done.

        Raises:
            BadRequest: there is no such cluster.
        """
        if not isinstance(name, str) or self.control_plane.store.find(Cluster, name) is None:
            raise BadRequest(f"no cluster object {name} found in karmada control Plane")
        if name in self.agents:
            self._leaving.add(name)
        self.control_plane.store.delete(Cluster, name)

    def _cluster_event(self, event: str, old: Any, new: Any) -> None:
        """The last step of unregistering; an agent whose Cluster somebody deleted by hand would go on waiting."""
        name = new.metadata.name
        if event == DELETED and name in self._leaving:
            self._leaving.discard(name)
            self.clock.call_at(self.clock.now(), self._remove_agent, name)

    def _work_event(self, event: str, old: Any, new: Any) -> None:
        """A member that leaves while it is not ready keeps what is there: its Works are let go without reaching it."""
        name = cluster_of_namespace(new.metadata.namespace) or ""
        member = self.members.get(name)
        if member is None:
            return
        if event == ADDED:
            member.let_go.discard(new.metadata.name)
        elif event == DELETED:
            cluster = self.control_plane.store.find(Cluster, name)
            if cluster is not None and cluster.metadata.deletionTimestamp is not None and not is_ready(cluster):
                member.let_go.add(new.metadata.name)

    def _remove_agent(self, name: str) -> None:
        agent = self.agents.pop(name)
        agent.stop()
        self._process_states.forget(agent)

    def member(self, name: str) -> SimulatedMember:
        """A member by name. Raises `BadRequest`, with the names there are."""
        found = self.members.get(name) if isinstance(name, str) else None
        if found is None:
            raise BadRequest(f"there is no member {name!r}; there are {', '.join(sorted(self.members)) or 'none'}")
        return found

    def process(self, name: str) -> Manager:
        """A process of the control plane, or an agent as `karmada-agent@member3`. Raises `BadRequest`."""
        plane = self.control_plane
        known = {CONTROLLER_MANAGER: plane.controller_manager, SCHEDULER: plane.scheduler_process}
        known |= {f"{_AGENT}{member}": agent for member, agent in self.agents.items()}
        short = {name.removeprefix("karmada-"): manager for name, manager in known.items()}
        found = known.get(name) or short.get(name)
        if found is None:
            raise BadRequest(f"there is no process {name!r}; there are {', '.join(known)}")
        return found

    # --- faults

    @in_turn
    def inject(self, fault: Fault) -> None:
        """Let a fault act."""
        fault.row = self.trace.note("fault", fault.target, fault.text, verb=FAULT, detail={"fault": fault.name})
        self.faults.append(fault)
        self.acting.add(fault)
        with self.trace.acting("fault", fault.row):
            self._rework(fault.target)

    @in_turn
    def end(self, fault: Fault) -> None:
        """Let a fault cease to act."""
        self.faults.remove(fault)
        self.acting.remove(fault)
        row = self.trace.note("fault", fault.target, f"healed: {fault.text}", verb=FAULT, detail={"healed": fault.name})
        with self.trace.acting("fault", row):
            self._rework(fault.target)

    def _rework(self, target: str) -> None:
        """Bring a member, or a process, to the state that the faults acting on it add up to."""
        name = target.removeprefix(_AGENT)
        culprit = _first(self.acting.on(name, f"{_AGENT}{name}"), _silences)
        if culprit is None:
            self.trace.blame.pop(name, None)
        else:
            self.trace.blame[name] = culprit
        if target not in self.members:
            if not target.startswith(_AGENT) or name in self.agents:  # an agent may have left meanwhile
                self._process_states.rework(self.process(target))
            return
        self._rework_member(target)
        lost = not combined([fault.effect for fault in self.acting.on(target)]).credentials
        self._credentials.set_lost(target, lost)
        if target in self.agents:
            self._process_states.rework(self.agents[target])

    def _rework_member(self, name: str) -> None:
        acting = self.acting.on(name)
        effect = combined([f.effect for f in acting])
        member = self.members[name]
        self._rework_workloads(member, effect, {f.effect.bad_image for f in acting} - {""})
        path = member.uplink if member.pulls else member.from_control_plane.link
        for link in (*member.api_server_links(), member.uplink):
            self._rework_link(link, acting, link is path, link is not member.uplink)

    def _rework_link(self, link: Link, acting: list[Fault], is_path: bool, ends_at_api: bool) -> None:
        """Bring a link to the worst that the faults make of it, and note which of them began that."""

        def state_by(effect: Effect) -> str:
            states = [effect.path if is_path else UP, effect.api if ends_at_api else UP]
            return REFUSED if REFUSED in states else SILENT if SILENT in states else UP

        effect = combined([fault.effect for fault in acting])
        state = state_by(effect)
        link.latency_s = effect.latency_s if is_path else 0.0
        link.loss = effect.loss if is_path else 0.0
        link.cause = _first(acting, lambda e: state_by(e) == state != UP or (is_path and bool(e.latency_s or e.loss)))
        link.set_state(state)

    def _rework_workloads(self, member: SimulatedMember, effect: Effect, bad_images: set[str]) -> None:
        kubelet = member.workloads.kubelet
        kubelet.startup_s = seconds(member.spec.startup) if effect.startup_s is None else effect.startup_s
        had_room, had_images = not kubelet.full, kubelet.bad_images
        kubelet.full, kubelet.bad_images = effect.full, bad_images
        member.workloads.power(effect.powered)
        if had_images - bad_images:
            kubelet.retry_images()
        if not effect.full and not had_room:
            kubelet.retry_scheduling()

    def _wanted(self, process: Manager) -> str:
        """The state that the faults on a process, and on its member, add up to."""
        targets = {process.name, process.name.removeprefix(_AGENT)}
        return combined([fault.effect for fault in self.acting.on(*targets)]).process


def _first(acting: list[Fault], does: Callable[[Effect], bool]) -> int | None:
    """The trace row of the fault that began first among those that do something."""
    return next((fault.row for fault in acting if does(fault.effect)), None)


def _silences(effect: Effect) -> bool:
    """Whether a fault can keep a member from being heard."""
    network = effect.api != UP or effect.path != UP or bool(effect.latency_s or effect.loss)
    return network or effect.process != RUNNING

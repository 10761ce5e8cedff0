"""The face of the package: a control plane with members that one can run, break, question and rewind.

lab = Lab.fake(members=3)
lab.apply("environments/nginx.yaml")
lab.run("1m")
lab.fault("member1").power_off()
lab.run("15m")
lab.timeline
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from karmadalab.api.cluster import Cluster
from karmadalab.api.errors import BadRequest, NotFound, shortly
from karmadalab.api.meta import Resource
from karmadalab.api.naming import binding_name
from karmadalab.api.scheme import AnyObject
from karmadalab.api.time import duration, seconds
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import ClusterResourceBinding, ResourceBinding
from karmadalab.controllers.cluster_status import ThresholdFilter
from karmadalab.core.clock import DEFAULT_EPOCH, GRAIN_S, in_turn
from karmadalab.core.settings import Settings
from karmadalab.core.snapshot import Snapshot
from karmadalab.core.story import Story, parse, tell
from karmadalab.core.timeline import Timeline
from karmadalab.core.view import View, split_name
from karmadalab.environments.check import check
from karmadalab.environments.fake import FakeWorld
from karmadalab.environments.fault_control import MemberFaults, ProcessFaults, fault_control
from karmadalab.environments.fleet import Fleet, MemberSpec, fleet_of, read_fleet
from karmadalab.environments.load import Load
from karmadalab.environments.objects import Objects
from karmadalab.environments.opening import open_fake_world
from karmadalab.environments.phases import Phases
from karmadalab.interpreter import Interpreter
from karmadalab.scheduler import Scheduler
from karmadalab.scheduler.controller import NAME as SCHEDULER_NAME

if TYPE_CHECKING:  # it needs what a browser does not have
    from karmadalab.environments.observe import Observation

_BINDINGS = (ResourceBinding.GROUP_KIND, ClusterResourceBinding.GROUP_KIND)


class Lab(Objects):
    """A control plane and its members. Make one with `Lab.fake`.

    Attributes:
        settings: Karmada's flags.
        store: the control plane's objects.
        trace: everything that happened, row by row.
        world: the members and what can go wrong with them.
    """

    def __init__(self, world: FakeWorld, settings: Settings, seed: int | None) -> None:
        super().__init__(world.control_plane.store, world.clock, world.trace)
        self.world = world
        self.settings = settings
        self.seed = seed
        self._served: list[Any] = []

    @classmethod
    def fake(
        cls,
        fleet: Fleet | str | Path | Mapping[str, Any] | None = None,
        *,
        members: int | None = None,
        pull: int = 0,
        seed: int | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        phases: Phases | None = None,
        scheduler: Scheduler | None = None,
        threshold: ThresholdFilter | None = None,
        interpreter: Interpreter | None = None,
        strict: bool = True,
        epoch: float | None = DEFAULT_EPOCH,
        speed: float | None = None,
        data: str | Path | None = None,
    ) -> Lab:
        """A lab in memory, on a virtual clock.

        Args:
            fleet: a fleet file (or a scenario file, whose fleet is taken), a mapping, or a `Fleet`.
            members, pull: instead of a fleet: so many equal members, the last `pull` of them in pull mode.
            seed: for phases, ids, jitter and the scheduler's coin flips. None: the same each time, no coin flips.
            settings: Karmada's flags that differ from the defaults.
            phases: when probes, heartbeats and monitor passes fall, and how quick the control plane is; None draws the
                beats from the seed.
            scheduler: a scheduler with one's own plugins.
            threshold: one's own filter between a probe's answer and the Ready condition.
            interpreter: what custom kinds mean.
            strict: whether an unexpected exception in a controller ends the run (else it is retried and traced).
            epoch: the Unix time at which the lab begins; None is the default, and now for a live lab.
            speed, data: see `live`.

        Raises:
            BadRequest, Invalid: what is wrong with the arguments; nothing was started.
        """
        chosen = _fleet(fleet, members, pull)
        flags = settings if isinstance(settings, Settings) else Settings().with_flags(settings or {})
        rng = Random(_checked_seed(seed))
        world = open_fake_world(
            chosen,
            flags,
            rng,
            phases=phases,
            epoch=epoch,
            speed=speed,
            data=data,
            chance=None if seed is None else rng,
            scheduler=scheduler,
            threshold=threshold,
            interpreter=interpreter,
            strict=strict,
        )
        return cls(world, flags, seed)

    @classmethod
    def live(cls, fleet: Any = None, *, speed: float = 1.0, strict: bool = False, **options: Any) -> Lab:
        """A lab in which time passes by itself, from now on.

        Args:
            fleet, options: as for `fake`.
            speed: seconds in the lab for each real second.
            strict: a lab that is left alone should not stop at the first defect of a controller.
                An option `data` names a file (SQLite) in which the control plane's objects outlive the process; the
                members, which are simulated in memory, begin empty each time.
        """
        return cls.fake(fleet, speed=speed, strict=strict, **{"epoch": None, **options})

    @classmethod
    def kind(
        cls,
        fleet: Any = "environments/kind-three.yaml",
        *,
        seed: int | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        strict: bool = False,
        agents: str = "here",
        listen: str = "",
        **options: Any,
    ) -> Lab:
        """A lab whose members are real clusters, made before with `karmadalab kind up`; time is real.

        What faults do to machines is undone by `heal`, by `close`, at the end of a `with` block, and at exit.

        Args:
            fleet: a fleet file such as environments/kind-three.yaml, or a mapping.
            seed, settings, strict: as for `live`.
            agents: `here`, in this process and behind a link of the lab that faults can act on; `process`: each agent a
                process of its own, which can really be killed and frozen; `pod`: in its member, from the fleet's
                `agent_image`.
            listen: for pods, which can't reach loopback, where the control plane listens: `gateway` is this machine's
                address in the engine's network; or an address of this machine, or a name that the engine passes on to
                loopback (`host.docker.internal`). Where others could knock, a warning says so.
            options: `scheduler`, `threshold`, `interpreter`, as for `fake`.

        Raises:
            BadRequest: there is no engine, or the clusters are not up; it says what `karmadalab doctor` found.
            ImportError, NotInstalled: the `kind` extra is not installed.
        """
        from karmadalab.environments.kind.opening import open_world

        flags = settings if isinstance(settings, Settings) else Settings().with_flags(settings or {})
        rng = Random(_checked_seed(seed))
        if agents != "here":  # the server stands above the lab
            options["serve"] = import_module("karmadalab.server").serve_store
        world = open_world(fleet, flags, rng, agents=agents, listen=listen, strict=strict, **options)
        return cls(world, flags, seed)

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End what `serve` began, heal what was done to real clusters, and let go of a live lab's file."""
        while self._served:
            self._served.pop().close()
        self.world.close()

    @staticmethod
    def observe(kubeconfig: str | Path, kinds: Iterable[str] | None = None) -> Observation:
        """Watch a real Karmada control plane, or one that `serve` serves, and record its timeline; writes nothing.

        Args:
            kubeconfig: of the control plane; its current context is taken.
            kinds: what to watch besides Karmada's own kinds; the usual workloads without.

        Returns:
            The observation: `.run("30s")`, `.timeline`, `.now`, `.close()`; also a context manager.

        Raises:
            NotInstalled: the `kind` extra is not installed.
            Unreachable, ApiError: the control plane does not answer, or refuses.
        """
        from karmadalab.environments.kind.official import OfficialTransport
        from karmadalab.environments.observe import TEMPLATES, Observation

        return Observation(OfficialTransport(kubeconfig), TEMPLATES if kinds is None else kinds)

    def serve(self, **options: Any) -> Any:
        """Let `kubectl` and other clients in: serve the control plane and every member over HTTPS on loopback.

        Args:
            options: `port`, `folder`; see `karmadalab.server.serve`.

        Returns:
            What runs: `.kubeconfig` is the file to use, `.close()` ends it, and so does closing the lab; also a context
            manager.

        Raises:
            ImportError: the `server` extra is not installed.
        """
        # The server stands above the lab, so the lab can only ask for it by name.
        self._served.append(import_module("karmadalab.server").serve(self, **options))
        return self._served[-1]

    # --- time

    @property
    @in_turn
    def t(self) -> float:
        """Seconds since the lab began."""
        return round(self.clock.elapsed(), 6)

    @in_turn
    def run(self, length: str | float) -> Lab:
        """Let time pass: `lab.run("15m")`. Returns the lab."""
        length_s = seconds(length, "run")
        if length_s < 0:
            raise BadRequest(f"run: time runs one way; to look back use lab.at({self.t + length_s:g})")
        self.clock.run_until(self.clock.now() + length_s)
        return self

    def run_until(self, holds: Callable[[Lab], bool], timeout: str | float = "1h", step: str | float = "1s") -> Lab:
        """Let time pass until something holds, looking every `step`.

        Raises:
            BadRequest: it still does not hold after `timeout`, or is no function.
        """
        if not callable(holds):
            raise BadRequest(f"run_until: expected a function of the lab that says when to stop, got {shortly(holds)}")
        end = self.clock.now() + seconds(timeout, "timeout")
        step_s = seconds(step, "step")
        if step_s < GRAIN_S:
            raise BadRequest(f"step: must be at least {GRAIN_S:.1g}s, or time would not pass, got {step}")
        while not holds(self):
            if (left_s := end - self.clock.now()) < GRAIN_S:
                raise BadRequest(f"run_until: still not so after {timeout}; look at lab.timeline to see what happened")
            self.run(min(step_s, left_s))
        return self

    @in_turn
    def at(self, t: str | float) -> View:
        """The control plane as it was at a moment of the lab.

        Raises:
            BadRequest: that moment has not come yet.
        """
        t_s = seconds(t, "at")
        if t_s < 0:
            raise BadRequest(f"at: the lab began at 0s, there is nothing to see at {t}")
        if t_s > self.t:
            raise BadRequest(f"at: {t} has not come yet, it is {duration(self.t)} in the lab; use run() first")
        until = self.clock.epoch + t_s + GRAIN_S  # `t` and an event's `t` are rounded, maybe to just before the row
        return View(Snapshot.from_rows(self.trace.rows, "", until), f"karmada-apiserver at {duration(t_s)}")

    # --- members

    @in_turn
    def join(self, member: str | Mapping[str, Any] | MemberSpec) -> None:
        """Let a cluster join: a name, or a mapping with the fields of a fleet's member. One that has left comes back.

        Raises:
            BadRequest, Invalid: the name is no name, or is taken; or a cluster comes back as another.
        """
        if isinstance(member, str) and member in self.world.members:
            spec = self.world.members[member].spec
        else:
            spec = member if isinstance(member, MemberSpec) else read_fleet([member], "join").members[0]
        self.world.join(spec)
        self.clock.run_until(self.clock.now())

    @in_turn
    def unjoin(self, member: str) -> None:
        """Let a cluster leave: its workloads go elsewhere, and what Karmada put there is deleted, in half a minute.

        Raises:
            BadRequest: there is no such cluster.
        """
        self.world.leave(member)
        self.clock.run_until(self.clock.now())

    def load(
        self,
        workload: str,
        requests_s: float,
        *,
        cpu_ms: float = 10.0,
        member: str = "",
        namespace: str = "default",
    ) -> None:
        """Put load on a workload; its pods share it, and a FederatedHPA sees what they use.

        Args:
            workload: its name, `web` or `deployment/web`.
            requests_s: requests a second; 0 ends the load.
            cpu_ms: what a request costs, in milliseconds of a core.
            member: where they arrive; the whole fleet by default.

        Raises:
            BadRequest: less than nothing, more than a billion, no number, or there is no such member.
        """
        if member:
            self.world.member(member)
        if not isinstance(workload, str) or "/" in workload:
            _, namespace, workload = split_name(workload, namespace)
        self.world.loads.put(namespace, workload, Load(requests_s, cpu_ms, member))

    def member(self, name: str) -> View:
        """A member's own API server, to look into. Raises `BadRequest` with the names there are."""
        return View(self.world.member(name).store, name)

    @property
    def members(self) -> list[str]:
        """The names of the members, in the order of the fleet; those that joined later come last."""
        fleet = [spec.name for spec in self.world.fleet.members]
        here = self.world.members
        return [name for name in fleet if name in here] + [name for name in here if name not in fleet]

    # --- faults

    def fault(self, target: str) -> MemberFaults | ProcessFaults | Any:
        """What can go wrong with a member, or with a process such as `karmada-controller-manager`."""
        return fault_control(self.world, target)

    @in_turn
    def heal(self, target: str | None = None) -> None:
        """End all faults, or those of one member or process, and cancel those that are still to come."""
        if target is not None:
            self.fault(target).heal()
            return
        for fault in (*self.world.to_come, *self.world.faults):
            fault.heal()

    # --- questions

    @property
    def timeline(self) -> Timeline:
        """What happened since the lab began."""
        return Timeline(self.trace, self.clock.epoch, banner=self.settings.banner())

    @in_turn
    def explain(self, what: str | AnyObject, name: str | None = None) -> Story:
        """How it came to be where it is, in sentences: `lab.explain("deployment/nginx")`, `"cluster/member1"`.

        For a template or a binding, `.scheduling` has every verdict behind its present placement.

        Args:
            what: `kind/name` or `kind/namespace/name`; for an object in a member, `kind/name@member2`. Or the object.
            name: with a kind alone in `what`, the name.

        Raises:
            NotFound, BadRequest: there is no such object, or never was.
        """
        if isinstance(what, (Resource, Unstructured)):
            meta = what.metadata
            what = f"{what.GROUP_KIND}/{f'{meta.namespace}/' if meta.namespace else ''}{meta.name}"
        elif name is not None:
            what = f"{what}/{name}"
        return tell(self.trace, self.clock.epoch, what, self._verdicts(what))

    def _verdicts(self, what: str) -> Any:
        kind, namespace, name, world = parse(what)
        process = self.world.control_plane.scheduler_process
        if world or not process.running:
            return None
        scheduler = process.controller(SCHEDULER_NAME)
        bound = name if kind in _BINDINGS else binding_name(kind.partition(".")[0], name)
        try:
            return scheduler.explain(bound, namespace)
        except NotFound:  # never scheduled, or not since the scheduler started
            return None

    @in_turn
    def check(self) -> None:
        """Verify every invariant of the store, the bindings and the members; see `environments.check`.

        Raises:
            AssertionError: naming the invariant and the object.
        """
        self.clock.run_until(self.clock.now())  # what a fault just caused is part of now
        check(self.world)

    def _repr_html_(self) -> str:
        from html import escape

        acting = {name: [f.name for f in self.world.faults if f.target == name] for name in self.members}
        rows = "".join(
            f"<tr><td>{escape(c.metadata.name)}</td><td>{escape(c.summary().strip())}</td>"
            f"<td>{escape(', '.join(acting.get(c.metadata.name, ())) or 'none')}</td></tr>"
            for c in self.list(Cluster)
        )
        return (
            f"<p>{escape(self.settings.banner())}; {duration(self.t)} into the lab</p><table><thead><tr><th>member</th>"
            f"<th>as Karmada sees it</th><th>faults</th></tr></thead><tbody>{rows}</tbody></table>"
        )

    def __repr__(self) -> str:
        clusters = " ".join(repr(cluster) for cluster in self.list(Cluster)[:6])
        more = f" and {len(self.world.members) - 6} more" if len(self.world.members) > 6 else ""
        return f"<Lab {self.settings.banner()}, {duration(self.t)}, {clusters}{more}>"


def _checked_seed(seed: int | None) -> int:
    if seed is None:
        return 0
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise BadRequest(f"seed: expected a whole number or None, got {seed!r}")
    return seed


def _fleet(fleet: Any, members: int | None, pull: int) -> Fleet:
    if fleet is not None and (members is not None or pull):
        raise BadRequest("fleet: give either a fleet or a number of members, not both")
    return read_fleet(fleet) if fleet is not None else fleet_of(3 if members is None else members, pull)

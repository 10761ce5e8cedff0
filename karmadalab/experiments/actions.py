"""What a scenario does to its lab and when: `{at: 1m, fault: power_off, target: member2, for: 20m}`.

Each action is a small class that knows what must hold before anything runs (`check`) and what to do (`act`). The words
are those of `Lab` and of `lab.fault(...)`, so that a line of a file and a line in a notebook read alike.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Protocol

from karmadalab.api.cluster import PULL
from karmadalab.api.errors import Invalid
from karmadalab.api.meta import Data
from karmadalab.environments.control_plane import CONTROLLER_MANAGER, SCHEDULER
from karmadalab.environments.fleet import Fleet
from karmadalab.experiments.membership import ACTIONS as MEMBERSHIP
from karmadalab.experiments.words import Length, known, length, named, one_of
from karmadalab.lab import Lab

# What each fault must be told besides its target, in the words of `MemberFaults`.
_OPTIONS: dict[str, tuple[str, ...]] = {
    "power_off": (),
    "refuse": (),
    "hang": (),
    "silence": (),
    "cut_off": (),
    "slow": ("latency",),
    "lossy": ("loss",),
    "flapping": ("down", "up", "times"),
    "stop_agent": (),
    "freeze_agent": (),
    "bad_image": ("image",),
    "slow_start": ("startup",),
    "exhaust_capacity": (),
    "lose_credentials": (),
}
_AGENT_FAULTS = ("stop_agent", "freeze_agent")
_PROCESS_FAULTS = ("stop", "freeze")
_PROCESSES = (CONTROLLER_MANAGER, SCHEDULER)


class Action(Protocol):
    """Something that is done at a moment. `name` is how expectations refer to that moment."""

    at: Length
    name: str

    def check(self, fleet: Fleet, where: str) -> None:
        """Raise `Invalid` if it could never be done."""

    def act(self, lab: Lab, base: Path) -> None:
        """Do it now. `base` is the folder that file names start from."""


class FaultAction(Data, rename={"for_": "for"}):
    """Something breaks: a member, or a process such as `karmada-controller-manager`."""

    at: Length
    fault: str
    target: str
    for_: Length | None = None
    name: str = ""
    latency: Length | None = None
    loss: float | None = None
    down: Length | None = None
    up: Length | None = None
    times: int | None = None
    kind: str | None = None
    image: str | None = None
    startup: Length | None = None

    ALL_OPTIONS: ClassVar = ("latency", "loss", "down", "up", "times", "kind", "image", "startup")

    def check(self, fleet: Fleet, where: str) -> None:
        """The target exists and can break in that way; the options are those of the fault."""
        modes = {member.name: member.mode for member in fleet.members}
        known(self.target, [*modes, *_PROCESSES], f"{where}.target", "member or process")
        if self.target in modes:
            known(self.fault, _OPTIONS, f"{where}.fault", "fault")
        else:
            known(self.fault, _PROCESS_FAULTS, f"{where}.fault", "fault of a process")
        if self.fault in _AGENT_FAULTS and modes[self.target] != PULL:
            raise Invalid(f"{where}.fault: {self.target} is in push mode and has no agent; try refuse or power_off")
        if self.fault == "lose_credentials" and modes[self.target] == PULL:
            raise Invalid(f"{where}.fault: {self.target} is in pull mode, its agent has credentials of its own")
        if self.for_ is not None and length(self.for_, f"{where}.for") == 0:
            raise Invalid(f"{where}.for: a fault lasts longer than 0s; leave it out for a fault that stays")
        self._check_options(where)

    def _check_options(self, where: str) -> None:
        needed = _OPTIONS.get(self.fault, ())
        allowed = (*needed, "kind") if self.fault == "flapping" else needed
        for option in needed:
            if getattr(self, option) is None:
                raise Invalid(f"{where}.{option}: required by the fault {self.fault}, but missing")
        for option in self.ALL_OPTIONS:
            if getattr(self, option) is not None and option not in allowed:
                raise Invalid(f"{where}.{option}: means nothing to the fault {self.fault}; leave it out")
        if self.fault == "flapping" and self.for_ is not None:
            raise Invalid(f"{where}.for: flapping lasts as long as down, up and times say; leave it out")

    def act(self, lab: Lab, base: Path) -> None:
        """Let it break."""
        options = {key: value for key in self.ALL_OPTIONS if (value := getattr(self, key)) is not None}
        if self.fault != "flapping":
            options["for_"] = self.for_
        getattr(lab.fault(self.target), self.fault)(**options)


class HealAction(Data):
    """All faults of a target end; `heal: all` ends all there are."""

    at: Length
    heal: str
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The target exists."""
        known(self.heal, ["all", *(m.name for m in fleet.members), *_PROCESSES], f"{where}.heal", "member or process")

    def act(self, lab: Lab, base: Path) -> None:
        """End them."""
        if self.heal == "all":
            lab.heal()
        else:
            lab.fault(self.heal).heal()


class RestartAction(Data):
    """A process of the control plane is killed and started again; what it had in memory is gone."""

    at: Length
    restart: str
    down: Length = "2s"
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """There is such a process."""
        known(self.restart, _PROCESSES, f"{where}.restart", "process")
        if length(self.down, f"{where}.down") == 0:
            raise Invalid(f"{where}.down: must be longer than 0s")

    def act(self, lab: Lab, base: Path) -> None:
        """Kill it, and start it after a while."""
        process: Any = lab.fault(self.restart)
        process.restart(down_for=self.down)


class ApplyAction(Data):
    """Manifests are applied: a file, a manifest, or a list of these."""

    at: Length
    apply: Any
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """Nothing here: the rehearsal applies them, with all of admission's rules."""

    def act(self, lab: Lab, base: Path) -> None:
        """Apply them, all or none."""
        lab.apply(located(self.apply, base))


class ScaleAction(Data):
    """A workload gets another number of replicas."""

    at: Length
    scale: str
    replicas: int
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The kind exists, and the number could be one."""
        named(self.scale, f"{where}.scale")
        if self.replicas < 0:
            raise Invalid(f"{where}.replicas: expected a whole number of 0 or more, got {self.replicas}")

    def act(self, lab: Lab, base: Path) -> None:
        """Scale it."""
        what = named(self.scale, "scale")
        lab.scale(what.name, self.replicas, what.namespace, what.kind)


class DeleteAction(Data):
    """An object is deleted."""

    at: Length
    delete: str
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The kind exists."""
        named(self.delete, f"{where}.delete")

    def act(self, lab: Lab, base: Path) -> None:
        """Delete it."""
        what = named(self.delete, "delete")
        lab.delete(what.kind, what.name, what.namespace)


class TaintAction(Data, rename={"with_": "with"}):
    """A cluster is tainted by hand: `{taint: member1, with: maintenance=true:NoExecute}`."""

    at: Length
    taint: str
    with_: str
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The cluster exists."""
        known(self.taint, [member.name for member in fleet.members], f"{where}.taint", "cluster")

    def act(self, lab: Lab, base: Path) -> None:
        """Taint it."""
        lab.taint(self.taint, self.with_)


class UntaintAction(Data, rename={"with_": "with"}):
    """A taint is taken away."""

    at: Length
    untaint: str
    with_: str
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The cluster exists."""
        known(self.untaint, [member.name for member in fleet.members], f"{where}.untaint", "cluster")

    def act(self, lab: Lab, base: Path) -> None:
        """Take it away."""
        lab.untaint(self.untaint, self.with_)


_CLASSES: dict[str, type[Any]] = {
    "fault": FaultAction,
    "heal": HealAction,
    "restart": RestartAction,
    "apply": ApplyAction,
    "scale": ScaleAction,
    "delete": DeleteAction,
    "taint": TaintAction,
    "untaint": UntaintAction,
    **MEMBERSHIP,
}


def read_action(data: Any, fleet: Fleet, where: str) -> Action:
    """One action of a file, checked as far as it can be before there is a lab.

    Raises:
        Invalid: what is wrong, and where.
    """
    action: Action = one_of(data, _CLASSES, where, "an action")
    length(action.at, f"{where}.at")
    action.check(fleet, where)
    return action


def located(manifests: Any, base: Path) -> Any:
    """Manifests with their file names made to start from a folder; YAML texts and manifests stay as they are."""
    if isinstance(manifests, str) and "\n" not in manifests:
        return base / manifests
    if isinstance(manifests, (list, tuple)):
        return [located(item, base) for item in manifests]
    return manifests

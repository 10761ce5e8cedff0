"""What can go wrong, as data: each fault is what it does to links, machines, processes and workloads.

The state of a member is worked out anew from the set of faults that act on it, so faults may overlap and be healed in
any order. A fault writes a row into the trace, and whatever follows from it names that row as its cause.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from karmadalab.api.time import duration
from karmadalab.environments.link import REFUSED, SILENT, UP

RUNNING, FROZEN, STOPPED = "running", "frozen", "stopped"


class Effect(NamedTuple):
    """What a fault does to a member.

    Attributes:
        api: the state of the member's API server, for whoever calls it.
        path: the state of the way between control plane and member: the control plane's calls in push mode, the
            agent's calls in pull mode.
        latency_s, loss: of that way.
        process: the state of the agent's process, in pull mode, or of the process that is the target.
        powered: whether the machines are on.
        bad_image: an image that can't be pulled.
        startup_s: how long pods take to start instead.
        full: whether there is no room for another pod.
        credentials: whether the control plane has what it takes to make a client, in push mode.
    """

    api: str = UP
    path: str = UP
    latency_s: float = 0.0
    loss: float = 0.0
    process: str = RUNNING
    powered: bool = True
    bad_image: str = ""
    startup_s: float | None = None
    full: bool = False
    credentials: bool = True


NOTHING = Effect()

_WORST = {UP: 0, SILENT: 1, REFUSED: 2, RUNNING: 0, FROZEN: 1, STOPPED: 2}


def combined(effects: list[Effect]) -> Effect:
    """The effect of several faults at once: of each part the worst."""
    if not effects:
        return NOTHING
    return Effect(
        api=max((e.api for e in effects), key=_WORST.__getitem__),
        path=max((e.path for e in effects), key=_WORST.__getitem__),
        latency_s=max(e.latency_s for e in effects),
        loss=max(e.loss for e in effects),
        process=max((e.process for e in effects), key=_WORST.__getitem__),
        powered=all(e.powered for e in effects),
        startup_s=max((e.startup_s for e in effects if e.startup_s is not None), default=None),
        full=any(e.full for e in effects),
        credentials=all(e.credentials for e in effects),
    )


class Fault:
    """A fault that was asked for; `heal` ends it, also before it began.

    Attributes:
        name: which fault, a method of `FaultControl`.
        target: the member or process it acts on.
        row: the trace row of its beginning, None before.
    """

    def __init__(self, name: str, target: str, effect: Effect, text: str, begin: Callable[[Fault], None]) -> None:
        self.name, self.target, self.effect, self.text = name, target, effect, text
        self.row: int | None = None
        self.healed = False
        self._begin = begin
        self._end: Callable[[Fault], None] | None = None

    def begin(self) -> None:
        """Let it act, unless it was healed before."""
        if not self.healed and self.row is None:
            self._begin(self)

    def heal(self) -> None:
        """End it; healing twice is no error."""
        if self.healed:
            return
        self.healed = True
        if self.row is not None and self._end is not None:
            self._end(self)

    def on_heal(self, end: Callable[[Fault], None]) -> Fault:
        """What to do when it ends."""
        self._end = end
        return self

    @property
    def acts(self) -> bool:
        """Whether it acts now."""
        return self.row is not None and not self.healed

    def __repr__(self) -> str:
        state = "healed" if self.healed else "acting" if self.acts else "to come"
        return f"<Fault {self.name} on {self.target}, {state}>"


class Acting:
    """The faults that act, by target. Equal ones count as one, so that thousands cost no more than a few."""

    def __init__(self) -> None:
        self._by_target: dict[str, dict[tuple[str, Effect], dict[Fault, None]]] = {}

    def add(self, fault: Fault) -> None:
        """It begins."""
        kinds = self._by_target.setdefault(fault.target, {})
        kinds.setdefault((fault.name, fault.effect), {})[fault] = None

    def remove(self, fault: Fault) -> None:
        """It ends."""
        kinds, kind = self._by_target[fault.target], (fault.name, fault.effect)
        del kinds[kind][fault]
        if not kinds[kind]:
            del kinds[kind]

    def on(self, *targets: str) -> list[Fault]:
        """Of equal faults on these targets the one that acts longest, in the order in which they began."""
        first = (next(iter(faults)) for name in targets for faults in self._by_target.get(name, {}).values())
        return sorted(first, key=lambda fault: fault.row or 0)


def effect_of(name: str, pulls: bool, **options: float | str) -> tuple[Effect, str]:
    """What a fault does, and the sentence for the trace.

    Args:
        name: the fault.
        pulls: whether the member is in pull mode; some faults differ there.
        options: `latency_s`, `loss`, `image`, `startup_s`, as the fault needs.
    """
    return _EFFECTS[name](pulls, **options)


def _power_off(pulls: bool) -> tuple[Effect, str]:
    return Effect(api=REFUSED, process=STOPPED, powered=False), "power off: connections are refused, nothing runs"


def _refuse(pulls: bool) -> tuple[Effect, str]:
    return Effect(api=REFUSED), "API server down: connections are refused, workloads go on"


def _hang(pulls: bool) -> tuple[Effect, str]:
    return Effect(api=SILENT), "API server hangs: calls get no answer, workloads go on"


def _silence(pulls: bool) -> tuple[Effect, str]:
    who = "from the agent" if pulls else "from the control plane"
    return Effect(path=SILENT), f"silence: packets {who} are dropped, workloads go on"


def _cut(pulls: bool) -> tuple[Effect, str]:
    who = "the agent's" if pulls else "the control plane's"
    return Effect(path=REFUSED), f"cut off: {who} connections are refused, workloads go on"


def _slow(pulls: bool, latency_s: float) -> tuple[Effect, str]:
    return Effect(latency_s=latency_s), f"slow link: every answer takes {duration(latency_s)}"


def _lossy(pulls: bool, loss: float) -> tuple[Effect, str]:
    return Effect(loss=loss), f"lossy link: {loss:.0%} of the calls get no answer"


def _stop_agent(pulls: bool) -> tuple[Effect, str]:
    return Effect(process=STOPPED), "agent stopped (SIGKILL)"


def _freeze_agent(pulls: bool) -> tuple[Effect, str]:
    return Effect(process=FROZEN), "agent frozen (SIGSTOP)"


def _bad_image(pulls: bool, image: str) -> tuple[Effect, str]:
    return Effect(bad_image=image), f"bad image: {image} can't be pulled"


def _slow_start(pulls: bool, startup_s: float) -> tuple[Effect, str]:
    return Effect(startup_s=startup_s), f"slow start: pods take {duration(startup_s)} to become ready"


def _exhaust_capacity(pulls: bool) -> tuple[Effect, str]:
    return Effect(full=True), "capacity exhausted: new pods stay pending"


def _lose_credentials(pulls: bool) -> tuple[Effect, str]:
    return Effect(credentials=False), "lost credentials: the control plane can't make a client, the member is well"


_EFFECTS: dict[str, Callable[..., tuple[Effect, str]]] = {
    "power_off": _power_off,
    "refuse": _refuse,
    "hang": _hang,
    "silence": _silence,
    "cut_off": _cut,
    "slow": _slow,
    "lossy": _lossy,
    "stop_agent": _stop_agent,
    "freeze_agent": _freeze_agent,
    "bad_image": _bad_image,
    "slow_start": _slow_start,
    "exhaust_capacity": _exhaust_capacity,
    "lose_credentials": _lose_credentials,
}

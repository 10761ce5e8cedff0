"""One replica on m1, which is cut off for a while and serves on; m2 takes over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from karmadalab.analysis import serving
from karmadalab.core.timeline import Event
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.manifests import ONE_CLUSTER, deployment, policy

BEGIN_S = 60.0
OLD_WORKS = "karmada-es-m1"
AT_ONCE: dict[str, Any] = {
    "failover-eviction-timeout": "0s",
    "default-not-ready-toleration-seconds": 0,
    "default-unreachable-toleration-seconds": 0,
}


class Double(NamedTuple):
    """A student's own numbers.

    Attributes:
        base_s, max_s: `--rate-limiter-base-delay` and `--rate-limiter-max-delay` in 35.1.
        outage_s: how long m1 is cut off in 35.1.
        harmless_s: the longest partition that must not move anything, in 35.3.
        replaced_s: how soon after a death somebody else must serve, in 35.3.
    """

    base_s: float = 0.005
    max_s: float = 1000.0
    outage_s: int = 900
    harmless_s: int = 720
    replaced_s: int = 960


def drawn(rng: Random) -> Double:
    """A student's own."""
    harmless_s = rng.choice((660, 720, 780, 840))
    return Double(
        rng.choice((0.005, 0.01, 0.1, 1.0, 2.0)),
        rng.choice((100.0, 150.0, 300.0, 1000.0)),
        rng.choice((300, 420, 540, 660, 780)),
        harmless_s,
        harmless_s + 240,
    )


def partition(
    outage_s: float,
    flags: Mapping[str, Any] | None = None,
    change: Callable[[Lab], object] | None = None,
    run: str | float = "1h",
    kind: str = "cut_off",
) -> Lab:
    """m1 is cut off after a minute.

    Args:
        outage_s: for how long.
        flags: instead of those that evict at once.
        change: what is done to the control plane before anything happens.
        run: cluster time from the fault on.
        kind: `cut_off`, or `power_off` for a death.
    """
    members = [{"name": name, "startup": "20s"} for name in ("m1", "m2")]
    lab = Lab.fake({"members": members}, settings=AT_ONCE if flags is None else dict(flags))
    if change is not None:
        change(lab)
    lab.apply([deployment("web", 1), policy("web", ONE_CLUSTER)])
    lab.run(BEGIN_S)
    getattr(MemberFaults(lab.world, "m1"), kind)(for_=outage_s)
    return lab.run(run)


def twice_s(lab: Lab) -> float:
    """For how many seconds two copies served."""
    return serving(lab).total.above(1, 0, lab.t)


def _first(lab: Lab, holds: Callable[[Event], bool], since_s: float = 0.0) -> float | None:
    return next((event.t for event in lab.timeline if event.t >= since_s and holds(event)), None)


def asked_at(lab: Lab) -> float | None:
    """When the deletion of the old Work was asked for."""
    return _first(lab, lambda e: e.kind == "Work" and e.namespace == OLD_WORKS and e.what == "deletionTimestamp set")


def ready_at(lab: Lab) -> float | None:
    """When m1 was Ready again."""
    return _first(lab, lambda e: e.name == "m1" and e.what == "condition Ready False -> True")


def gone_at(lab: Lab) -> float | None:
    """When the old Deployment was deleted in m1."""
    return _first(lab, lambda e: e.kind == "Deployment@m1" and e.what == "deleted")


def tries(asked_s: float, base_s: float, max_s: float) -> Iterator[float]:
    """The moments at which a deletion is tried: at once, then with pauses that double up to a cap."""
    pause_s = base_s
    while True:
        yield asked_s
        asked_s += min(pause_s, max_s)
        pause_s *= 2

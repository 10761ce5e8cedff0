"""A control plane under attack: somebody pulls a cable for a second, again and again, and knows when probes come.

The fewest blips are found by trying, not by a formula alone: as many in a row as turn Ready False, then one wherever
the next would let it turn True again, until the workload moves. Probes have a beat, and one comes out of it: the taint
NoExecute changes the Cluster, and the status controller looks at once at a Cluster that changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import ceil
from random import Random
from typing import Any, NamedTuple

from karmadalab import Phases
from karmadalab.analysis import outages
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.manifests import ONE_CLUSTER, deployment, policy

BEGIN_S = 60.0
BLIP_S = 1.0
PROBE_S = 3.5  # from the beginning of the attack to the first probe: a blip at 3 meets it
MEMBER = "member1"
MOST = 60  # blips


class Target(NamedTuple):
    """The flags that matter for a false alarm, in seconds.

    Attributes:
        frequency_s: `cluster-status-update-frequency`, from one probe to the next.
        failure_s: `cluster-failure-threshold`.
        success_s: `cluster-success-threshold`.
        wait_s: `failover-eviction-timeout`.
        toleration_s: `default-not-ready-toleration-seconds`.
    """

    frequency_s: int = 10
    failure_s: int = 30
    success_s: int = 30
    wait_s: int = 30
    toleration_s: int = 60

    @property
    def flags(self) -> dict[str, Any]:
        """The flags in Karmada's words."""
        return {
            "cluster-status-update-frequency": self.frequency_s,
            "cluster-failure-threshold": self.failure_s,
            "cluster-success-threshold": self.success_s,
            "failover-eviction-timeout": self.wait_s,
            "default-not-ready-toleration-seconds": self.toleration_s,
        }


DRAWN = (
    Target(10, 20, 30, 40, 60),
    Target(10, 40, 30, 20, 80),
    Target(10, 25, 40, 30, 70),
    Target(10, 30, 50, 60, 30),
    Target(15, 30, 45, 45, 60),
    Target(15, 40, 30, 30, 90),
    Target(5, 20, 15, 20, 40),
    Target(5, 12, 30, 10, 60),
)


def drawn(rng: Random) -> Target:
    """A student's own target."""
    return rng.choice(DRAWN)


def attacked(target: Target = Target(), blips: Iterable[float] = (), run_s: float = 0.0) -> Lab:  # noqa: B008, it is frozen
    """A lab with `web` on member1, whose link is down for a second at each of some moments.

    Args:
        target: the flags.
        blips: seconds after the beginning of the attack, which is at 60 s.
        run_s: cluster time from there on; 0: as long as the last blip may have an effect.
    """
    moments = sorted(blips)
    lab = _lab(target)
    for first, length_s in _runs(moments):
        MemberFaults(lab.world, MEMBER).refuse(at=BEGIN_S + first, for_=length_s)
    after_s = 3 * target.frequency_s + target.success_s + target.wait_s + target.toleration_s
    return lab.run(BEGIN_S + (run_s or max(moments, default=0) + after_s))


def _runs(moments: Iterable[float]) -> list[tuple[float, float]]:
    """Blips that follow each other without a gap are one outage: (begin, length) of each, in seconds."""
    found: list[tuple[float, float]] = []
    for moment in moments:
        begin, length_s = found[-1] if found else (-BLIP_S, 0.0)
        if begin + length_s == moment:
            found[-1] = (begin, length_s + BLIP_S)
        else:
            found.append((moment, BLIP_S))
    return found


def _lab(target: Target, probe_s: float = PROBE_S) -> Lab:
    fleet = {"members": [{"name": MEMBER}, {"name": "member2"}]}
    lab = Lab.fake(fleet, settings=target.flags, phases=Phases(1.0, {MEMBER: BEGIN_S + probe_s}, jitter=False))
    lab.apply([deployment("web"), policy("web", ONE_CLUSTER)])
    return lab


def ready_changes(lab: Lab) -> list[tuple[float, str]]:
    """When Ready changed since the attack began, in seconds after that, and to what."""
    events = lab.timeline.where("Cluster", MEMBER, "condition Ready ", since_s=BEGIN_S)
    return [(event.t - BEGIN_S, event.what.rpartition(" ")[2]) for event in events]


def moved_s(lab: Lab) -> float | None:
    """When `web` left member1, in seconds after the attack began; None if it never did."""
    events = lab.timeline.where("ResourceBinding", what="spec.clusters changed", since_s=BEGIN_S)
    return next((event.t - BEGIN_S for event in events if MEMBER not in event.detail["to"]), None)


def cheapest(target: Target) -> list[int] | None:
    """The fewest blips that move `web`, or None if `MOST` are not enough."""
    row = ceil(target.failure_s / target.frequency_s) + 1
    blips = [int(PROBE_S) + target.frequency_s * n for n in range(row)]
    while len(blips) <= MOST:
        lab = attacked(target, blips)
        if moved_s(lab) is not None:
            return blips
        # Nothing is gained by an earlier blip than at the very probe that would turn Ready True.
        blips.append(int(next(t for t, status in ready_changes(lab) if status == "True")))
    return None


@cache
def price(target: Target) -> float:
    """How many blips of a second it takes to move `web`; infinite if 60 are not enough."""
    blips = cheapest(target)
    return float("inf") if blips is None else len(blips)


@cache
def replaced_s(target: Target) -> float:
    """How long a real outage lasts, from the fault to the replacement that serves, in seconds, with an unlucky beat."""
    lab = _lab(target, target.frequency_s - 0.1)
    lab.run(BEGIN_S)
    MemberFaults(lab.world, MEMBER).power_off()
    lab.run(sum(target) + 60)
    total_s = outages(lab)[0].total_s
    return float("inf") if total_s is None else total_s

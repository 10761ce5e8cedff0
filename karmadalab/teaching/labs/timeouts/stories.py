"""Failovers to take apart and to shorten: one member fails at 120 s, and `web` has to go elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from karmadalab import Phases
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.manifests import ONE_CLUSTER, deployment, policy

FAULT_S = 120.0
MEMBER = "member1"

_DIVIDED = {"replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted"}}


@dataclass(frozen=True)
class Story:
    """What is different from one failover to the other.

    Attributes:
        fault: what happens to member1 at 120 s, in the words of `lab.fault`.
        for_: how long.
        pull: whether member1 is in pull mode.
        placement: that of `web`.
        replicas: of `web`.
        slow: clusters whose pods take 40 s to start.
        earlier: whether member1 and member3 were away before, for 45 s.
    """

    fault: str = "power_off"
    for_: str = "1h"
    pull: bool = False
    placement: Mapping[str, Any] = field(default_factory=lambda: ONE_CLUSTER)
    replicas: int = 2
    slow: tuple[str, ...] = ()
    earlier: bool = False


STORIES: dict[str, Story] = {
    "a push member loses its power": Story(),
    "the second outage of the day": Story(earlier=True),
    "a pull member is cut off": Story(fault="cut_off", pull=True),
    "an outage of 45 s": Story(for_="45s"),
    "an outage of 15 s": Story(for_="15s"),
    "nowhere to go": Story(placement={"clusterAffinity": {"clusterNames": [MEMBER]}}),
    "two others take over": Story(placement=_DIVIDED, replicas=6, slow=("member2",)),
}


def failover(
    story: str = "a push member loses its power",
    flags: Mapping[str, Any] | None = None,
    probe_s: float = 3.0,
    monitor_s: float = 1.0,
    run: str = "14m",
) -> Lab:
    """A lab with three members in which one of the stories has happened to member1.

    Args:
        story: one of `STORIES`.
        flags: Karmada's flags that differ from the defaults.
        probe_s: from the fault to the next probe or heartbeat of member1, modulo the update frequency.
        monitor_s: from the fault to the next pass of the health monitor, modulo its period.
        run: cluster time from the fault on.
    """
    told = STORIES[story]
    members = [{"name": f"member{n}", "mode": "pull" if told.pull and n == 1 else "push"} for n in (1, 2, 3)]
    phases = Phases(FAULT_S + monitor_s, {MEMBER: FAULT_S + probe_s}, jitter=False)
    lab = Lab.fake({"members": members}, settings=dict(flags or {}), phases=phases)
    lab.apply([deployment("web", told.replicas), policy("web", told.placement)])
    for name in (MEMBER, "member3") if told.earlier else ():
        MemberFaults(lab.world, name).refuse(at=10, for_="45s")
    lab.run(FAULT_S - lab.t)
    for name in told.slow:
        MemberFaults(lab.world, name).slow_start("40s")
    getattr(MemberFaults(lab.world, MEMBER), told.fault)(for_=told.for_)
    return lab.run(run)

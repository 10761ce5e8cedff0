"""Check 11.2: the learner's filter in a running control plane, a link that flaps, and an outage that is real."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from karmadalab import Phases
from karmadalab.api.time import seconds
from karmadalab.controllers.cluster_status import ThresholdFilter
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.labs.thresholds.driving import call
from karmadalab.teaching.labs.thresholds.misconceptions import diagnose
from karmadalab.teaching.manifests import deployment, policy
from karmadalab.teaching.verdict import Finding, Mistake

BEGIN_S = 60.0
MEMBER = "member1"
_AFTER_S = 120.0  # long enough to come back


class Change(NamedTuple):
    """A change of a cluster's Ready condition: when, and to what."""

    t: float
    status: str


def flapping(
    threshold: ThresholdFilter | None = None,
    down: str = "20s",
    up: str = "20s",
    times: int = 4,
    probe_s: float = 3.0,
    settings: Mapping[str, Any] | None = None,
) -> Lab:
    """A lab in which the link to member1 goes down and comes back, again and again, from 60 s on.

    Args:
        threshold: the filter in the status controller; None for Karmada's own.
        down, up, times: how long each time, and how often.
        probe_s: how long after the beginning of the first outage a probe falls, modulo the update frequency.
        settings: flags that differ from the defaults.
    """
    lab = _lab(threshold, probe_s, settings)
    MemberFaults(lab.world, MEMBER).flapping(down, up, times, at=BEGIN_S)
    return lab.run(BEGIN_S + times * (seconds(down, "down") + seconds(up, "up")) + _AFTER_S)


def outage(
    length: str | float = "45s",
    threshold: ThresholdFilter | None = None,
    probe_s: float = 3.0,
    settings: Mapping[str, Any] | None = None,
) -> Lab:
    """A lab in which the link to member1 is down once, from 60 s on. Arguments as for `flapping`."""
    lab = _lab(threshold, probe_s, settings)
    MemberFaults(lab.world, MEMBER).refuse(at=BEGIN_S, for_=length)
    return lab.run(BEGIN_S + seconds(length, "length") + _AFTER_S)


def _lab(threshold: ThresholdFilter | None, probe_s: float, settings: Mapping[str, Any] | None) -> Lab:
    phases = Phases(probe_s={MEMBER: BEGIN_S + probe_s})
    guarded = None if threshold is None else partial(call, threshold)
    lab = Lab.fake(members=1, phases=phases, settings=settings, threshold=guarded)
    # Something that runs on member1 all the time, so that a figure shows what the flapping is about: nothing.
    lab.apply([deployment("web"), policy("web", {"clusterAffinity": {"clusterNames": [MEMBER]}})])
    return lab


def ready_changes(lab: Lab) -> list[Change]:
    """When member1's Ready condition changed since the lab began."""
    events = lab.timeline.where(kind="Cluster", name=MEMBER, what="condition Ready ")
    return [Change(event.t, event.what.rpartition(" ")[2]) for event in events]


# --- the check -------------------------------------------------------------------------------------------------------


def judge(adjust: ThresholdFilter) -> Finding | None:
    """Plug a filter in: flapping must not turn Ready, an outage must, whatever the beat of the probes."""
    for every_s, probe_s in ((10, 1.0), (10, 5.0), (10, 9.0), (5, 2.0)):
        flags = {"cluster-status-update-frequency": every_s}
        finding = _quiet(flapping(adjust, probe_s=probe_s, settings=flags))
        finding = finding or _seen(outage("45s", adjust, probe_s, flags), every_s)
        if finding is not None:
            return finding._replace(why=_cause(adjust, finding.why))
    return None


def _quiet(lab: Lab) -> Finding | None:
    changes = ready_changes(lab)
    if not changes:
        return None
    return Finding(
        f"member1's link flaps four times for 20 s, and Ready turns {changes[0].status} at {changes[0].t:g} s "
        f"({len(changes)} changes in all); with Karmada's filter it never does.",
        "no outage here is as long as the threshold of 30 s.",
        "the timeline: `flapping(my_filter).timeline.important()`.",
    )


def _seen(lab: Lab, every_s: float) -> Finding | None:
    look = 'the timeline: `outage("45s", my_filter).timeline.important()`.'
    probes = f"with a probe every {every_s:g} s"
    changes = ready_changes(lab)
    if not changes:
        what = f"member1 is away for 45 s, {probes}, and Ready stays True."
        return Finding(what, "45 s are longer than the threshold and one more probe: this outage is always seen.", look)
    seen_s = changes[0].t - BEGIN_S
    if not 30 <= seen_s < 30 + every_s:
        what = f"member1 is away for 45 s, {probes}, and Ready turns False {seen_s:g} s after the beginning."
        why = (
            f"the first failing probe comes 0 to {every_s:g} s after the beginning, and the threshold runs from there."
        )
        return Finding(what, why, look)
    if len(changes) != 2 or not 30 <= changes[1].t - (BEGIN_S + 45) < 30 + every_s:
        back = f"at {changes[1].t - BEGIN_S - 45:g} s after its end" if len(changes) > 1 else "never"
        what = f"member1 is back after 45 s, {probes}, and Ready turns True {back}."
        return Finding(what, "the way up has its own threshold, counted from the first good probe.", look)
    return None


def _cause(adjust: ThresholdFilter, why: str) -> str:
    """The reason that the check on paper would give, if it gives one: the run shows the same mistake at work."""
    try:
        finding = diagnose(adjust)
    except Mistake as mistake:
        finding = mistake.finding
    return f"{why[0].upper()}{why[1:]}" if finding is None else f"{why} And 11.1 would tell you: {finding.why}"

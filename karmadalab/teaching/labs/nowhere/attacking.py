"""Checks 34.1 and 34.2: does the adversary's plan leave `shop` with nowhere to go, and does it keep to the terms?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from karmadalab.lab import Lab
from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.nowhere.fleet import (
    Fleet,
    Outage,
    attacked,
    drained,
    nowhere_s,
    placements,
    read_outages,
)
from karmadalab.teaching.verdict import Finding

LONGEST_DRAIN_S, DARK_S = 60.0, 300
_FIRST_S, _OTHER_S = 720.0, 90.0


def budget_s(fleet: Fleet) -> float:
    """How many seconds of outage 34.1 may cost in all."""
    return _FIRST_S + _OTHER_S * (len(fleet.candidates) - 1)


def by_power(answer: Callable[[], Any], own: Fleet | None = None) -> Finding | None:
    """34.1: power failures within a budget, one a cluster."""
    fleet = own or Fleet()
    outages = read_outages(called(answer), fleet)
    if finding := _strangers(outages, fleet) or _too_dear(outages, fleet):
        return finding
    lab = attacked(outages, fleet)
    if nowhere_s(lab) > 0:
        return None
    return _went_on(lab, "a cluster that is seen as dead is refused; one that is not seen yet, or no more, is taken.")


def by_drains(answer: Callable[[], Any], own: Fleet | None = None) -> Finding | None:
    """34.2: short drains, never two at once, and every cluster healthy."""
    fleet = own or Fleet()
    outages = read_outages(called(answer), fleet)
    if finding := _strangers(outages, fleet) or _too_rough(outages):
        return finding
    lab = drained(outages, fleet)
    dark_s = nowhere_s(lab)
    if dark_s >= DARK_S:
        return None
    if dark_s > 0:
        what = f"`shop` is scheduled nowhere for {dark_s} s; {DARK_S} are wanted."
        why = "a task lives for ten minutes, or until the replacement is healthy."
        return Finding(what, why, "when the first task begins, and when the last cluster is given up.")
    return _went_on(
        lab, "a cluster with an open task is refused, and its task is open until the replacement is healthy."
    )


def _strangers(outages: Sequence[Outage], fleet: Fleet) -> Finding | None:
    for outage in outages:
        if outage.member not in fleet.candidates:
            reason = "is closed" if outage.member in fleet.closed else f"is in the {fleet.regions[outage.member]}"
            what = f"{outage.member} {reason}; `shop` can't run there anyway."
            return Finding(what, "what is not chosen needs no fault.", "the affinity of `POLICY`, and `fleet.closed`.")
    return None


def _too_dear(outages: Sequence[Outage], fleet: Fleet) -> Finding | None:
    names = [outage.member for outage in outages]
    if len(set(names)) < len(names):
        return Finding(f"{names}.", "one outage a cluster is all that you have.", "the clusters in your list.")
    cost_s, most_s = sum(outage.length_s for outage in outages), budget_s(fleet)
    if cost_s > most_s:
        return Finding(
            f"your outages last {cost_s:.0f} s in all, and you have {most_s:.0f}.",
            "only the cluster that `shop` runs on must be dead until it is given up. The others need only be seen as "
            "dead at that one moment.",
            "when the eviction comes (`placements(trial)`), and how long a failure takes to be seen.",
        )
    return None


def _too_rough(outages: Sequence[Outage]) -> Finding | None:
    for outage in outages:
        if outage.length_s > LONGEST_DRAIN_S:
            what = f"{outage.member} is drained for {outage.length_s:.0f} s; {LONGEST_DRAIN_S:.0f} are allowed."
            return Finding(what, "an eviction is decided in the moment in which the taint comes.", "the lengths.")
    for first, second in pairwise(outages):
        if second.begin_s < first.end_s:
            what = f"{first.member} and {second.member} are drained at once."
            return Finding(what, "a task outlives its taint; the drains may follow one another.", "the beginnings.")
    return None


def _went_on(lab: Lab, why: str) -> Finding:
    path = [(begin, clusters) for begin, _, clusters in placements(lab) if clusters]
    if len(path) == 1:
        what = f"`shop` stays on {', '.join(path[0][1])} all the time: nobody gave it up."
        return Finding(what, "a workload leaves when the taint outlasts its toleration.", "how long that takes.")
    told = ", then ".join(f"{', '.join(clusters)} at {begin:.0f} s" for begin, clusters in path[1:])
    return Finding(f"`shop` finds another cluster each time: {told}.", why, f"{', '.join(path[-1][1])} at that moment.")

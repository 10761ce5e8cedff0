"""Check 34.3: a placement that the adversary of 34.1 and 34.2 cannot harm, and that still leaves what is dead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from karmadalab.api.errors import KarmadalabError
from karmadalab.lab import Lab
from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.nowhere.fleet import AFTER_S, Fleet, attacked, drained, nowhere_s, placements
from karmadalab.teaching.verdict import Finding

DEATH_S, DRAIN_S, MOST_CLUSTERS = 720.0, 300.0, 2
STRIKE_S = 60.0

Placement = Mapping[str, Any]


def judge(answer: Callable[[], Placement], own: Fleet | None = None) -> Finding | None:
    """Four stories; the adversary knows the placement, and strikes when it hurts."""
    fleet = own or Fleet()
    placement = called(answer)
    if not isinstance(placement, Mapping):
        return Finding(f"you return {placement!r:.60}.", "a placement is a dict.", "`POLICY`, as it is now.")
    try:
        quiet = attacked([], fleet, placement)
    except (KarmadalabError, TypeError, ValueError) as error:
        return Finding(f"the policy is refused: {error}", "the API server does not take it.", "field by field.")
    in_use = next((clusters for _, _, clusters in placements(quiet)), [])
    if not in_use:
        return Finding("`shop` runs nowhere.", "no cluster passes your placement.", "the affinity.")
    return (
        _contract(quiet, fleet)
        or _leaves(in_use, fleet, placement)
        or _strike(in_use, fleet, placement)
        or _drains(in_use, fleet, placement)
    )


def _contract(lab: Lab, fleet: Fleet) -> Finding | None:
    for _, _, clusters in placements(lab):
        if strangers := sorted(set(clusters) - set(fleet.candidates)):
            what = f"`shop` is on {', '.join(strangers)}."
            return Finding(what, "it may run in the east, and not on a closed cluster.", "affinity and tolerations.")
        if len(clusters) > MOST_CLUSTERS:
            what = f"`shop` is on {', '.join(clusters)}."
            return Finding(what, f"you pay for {MOST_CLUSTERS} copies.", "maxGroups.")
    return None


def _leaves(in_use: Sequence[str], fleet: Fleet, placement: Placement) -> Finding | None:
    """What is dead, or drained, for good must be left."""
    home = in_use[0]
    for words, story, most_s, look in (
        ("dies for good", attacked, DEATH_S, "tolerations for Karmada's own taints."),
        ("is drained for good", drained, DRAIN_S, "`tolerationSeconds` for `maintenance`."),
    ):
        lab = story([(home, STRIKE_S, AFTER_S - STRIKE_S)], fleet, placement)
        left_s = left_after(lab, home)
        if left_s is None or left_s > STRIKE_S + most_s:
            told = "and is not left" if left_s is None else f"and is left after {left_s - STRIKE_S:.0f} s"
            what = f"{home} {words} {told}; at most {most_s:.0f} s are allowed."
            why = "a toleration is patience. Too much of it, and a real failure is sat out."
            return Finding(what, why, look)
        if finding := _contract(lab, fleet):
            return finding
    return None


def left_after(lab: Lab, home: str) -> float | None:
    """When `shop` left a cluster; None if it did not."""
    return next((begin for begin, _, clusters in placements(lab) if begin > 0 and home not in clusters), None)


def _strike(in_use: Sequence[str], fleet: Fleet, placement: Placement) -> Finding | None:
    """34.1's attack, at the moment at which this placement gives the first cluster up."""
    home = in_use[0]
    alone = attacked([(home, STRIKE_S, AFTER_S - STRIKE_S)], fleet, placement)
    moment_s = round(left_after(alone, home) or DEATH_S)
    outages = [(home, STRIKE_S, moment_s - STRIKE_S + 30)]
    outages += [(name, moment_s - 60, 80) for name in fleet.candidates if name != home]
    return _dark(
        f"power failures {outages}",
        attacked(outages, fleet, placement),
        "a workload on one cluster loses its whole placement with that cluster, in the very moment in which nobody "
        "else may be ready. On two clusters it has one to lose.",
        "minGroups and maxGroups.",
    )


def _drains(in_use: Sequence[str], fleet: Fleet, placement: Placement) -> Finding | None:
    """34.2's drains, one after the other."""
    order = [*in_use, *(name for name in fleet.candidates if name not in in_use)]
    outages = [(name, 10.0 + 10 * number, 5.0) for number, name in enumerate(order)]
    return _dark(
        f"drains {outages}",
        drained(outages, fleet, placement),
        "nobody had the patience to wait for the end of a drain of five seconds, and a cluster that was given up is "
        "out for ten minutes.",
        "`clusterTolerations`, for the taint that a drain sets.",
    )


def _dark(words: str, lab: Lab, why: str, look: str) -> Finding | None:
    dark_s = nowhere_s(lab)
    return Finding(f"{words}: `shop` is scheduled nowhere for {dark_s} s.", why, look) if dark_s else None

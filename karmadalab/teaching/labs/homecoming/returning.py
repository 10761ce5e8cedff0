"""Check 33.1: which workloads are on their cluster again, by themselves, when it comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.homecoming.fleet import AGGREGATED, DYNAMIC, Fleet, Workload, drained_and_back, world
from karmadalab.teaching.verdict import Finding

ComesHome = Callable[[str, Sequence[str], int, Mapping[str, Any]], bool]


class _Case(NamedTuple):
    """A workload, and what a wrong answer about it shows."""

    workload: Workload
    words: str
    why: str
    look: str


def _spread(least: int, most: int) -> dict[str, Any]:
    return {"spreadConstraints": [{"spreadByField": "cluster", "minGroups": least, "maxGroups": most}]}


def _groups(*groups: Sequence[str]) -> dict[str, Any]:
    return {
        "clusterAffinities": [
            {"affinityName": f"group{number}", "clusterNames": list(names)} for number, names in enumerate(groups, 1)
        ]
    }


def _only(*names: str) -> dict[str, Any]:
    return {"clusterAffinity": {"clusterNames": list(names)}}


def cases(fleet: Fleet) -> list[_Case]:
    """All kinds of workloads for a fleet."""
    home, (second, third) = fleet.home, fleet.others
    stays = "a divided workload whose sum is right is not looked at, whoever comes back."
    anew = "what is not divided is decided anew each time that a cluster changes, and goes wherever it may."
    full = "the constraint was met without the home cluster; whoever is in use is preferred, so nobody makes room."
    groups = "the scheduler never goes back to an earlier group."
    return [
        _Case(Workload("copies", {}), "a Deployment, Duplicated", anew, "Duplicated."),
        _Case(Workload("dynamic", DYNAMIC), "a Deployment, Divided by room", stays, "replicaSchedulingType."),
        _Case(Workload("packed", AGGREGATED), "a Deployment, Divided and Aggregated", stays, "replicaSchedulingType."),
        _Case(Workload("page", {}, 0), "a ConfigMap", anew, "`replicas`."),
        _Case(
            Workload("page-divided", DYNAMIC, 0),
            "a ConfigMap under a policy that says Divided",
            "without replicas there is nothing to divide, and so it is decided anew each time.",
            "`replicas` and replicaSchedulingType together.",
        ),
        _Case(Workload("one", _spread(1, 1)), "Duplicated, in exactly one cluster", full, "maxGroups."),
        _Case(Workload("two", _spread(2, 2)), "Duplicated, in exactly two clusters of three", full, "maxGroups."),
        _Case(Workload("page-one", _spread(1, 1), 0), "a ConfigMap in exactly one cluster", full, "maxGroups."),
        _Case(
            Workload("three", _spread(1, 3)),
            "Duplicated, in up to three clusters of three",
            "two of three were in use, so there is a place left for the home cluster.",
            "how many may be used, against maxGroups.",
        ),
        _Case(
            Workload("both", {**_only(home, second), **_spread(2, 2)}),
            "Duplicated, two clusters wanted and two allowed",
            "the affinity allows two, so the home cluster's place could not be taken.",
            "how many the affinity allows, against maxGroups.",
        ),
        _Case(Workload("pair", _only(home, third)), "Duplicated, two clusters allowed", anew, "`clusterAffinity`."),
        _Case(
            Workload("backup", _groups([home], [second])),
            f"ordered affinities, [{home}] and then [{second}]",
            groups,
            "what is left of the first group during the drain.",
        ),
        _Case(
            Workload("first-group", _groups([home, second], [third])),
            f"ordered affinities, [{home}, {second}] and then [{third}]",
            "the first group still had a cluster, so it was never left.",
            "what is left of the first group during the drain.",
        ),
        _Case(
            Workload("alone", {**DYNAMIC, **_only(home)}),
            "Divided, and only the home cluster allowed",
            "it had nowhere to go, so its sum is short. A short sum is looked at again when a cluster changes.",
            "how many clusters the affinity allows, before you ask whether it is divided.",
        ),
    ]


def judge(answer: ComesHome, own: Fleet | None = None) -> Finding | None:
    """Hold a rule against a drain with all kinds of workloads, in the usual fleet and in the learner's."""
    for fleet in [Fleet(), *([own] if own else [])]:
        known = cases(fleet)
        lab = drained_and_back(world(fleet.members), [case.workload for case in known], fleet.home)
        for case in known:
            workload = case.workload
            came = fleet.home in lab.placement[workload.binding]
            said = called(answer, fleet.home, fleet.members, workload.replicas, deepcopy(workload.placement))
            if not isinstance(said, bool):
                why = "the question has two answers, True and False."
                return Finding(f"{case.words}: you say {said!r}.", why, "what your function returns.")
            if said != came:
                where = ", ".join(lab.placement[workload.binding])
                what = f"{case.words}: you say {said}; after the drain of {fleet.home} it is on {where}."
                return Finding(what, case.why, case.look)
    return None

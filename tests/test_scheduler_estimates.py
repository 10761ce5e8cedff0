"""How much room the scheduler sees in a cluster, at the corners of what clusters report."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab.api.cluster import (
    AllocatableModeling,
    Cluster,
    ResourceModel,
    ResourceModelRange,
    ResourceSummary,
)
from karmadalab.api.meta import replace
from karmadalab.api.work import ReplicaRequirements
from karmadalab.scheduler import BindingInfo, Scheduler, Snapshot
from karmadalab.scheduler.behaviour import behaviour_of
from karmadalab.scheduler.estimator import GeneralEstimator
from karmadalab.scheduler.integers import MAX_INT32
from tests.scheduler_worlds import AGGREGATE, binding, cluster


def reporting(models: dict[int, dict[str, Any]] | None = None, counts: dict[int, int] | None = None, **summary: Any):
    """A cluster with a resource summary, and perhaps with models and counts by grade."""
    made = cluster("member1")
    modelings = tuple(AllocatableModeling(grade, count) for grade, count in (counts or {}).items())
    ranges = {
        grade: tuple(ResourceModelRange(name, least, least) for name, least in sizes.items())
        for grade, sizes in (models or {}).items()
    }
    return replace(
        made,
        spec=replace(made.spec, resourceModels=tuple(ResourceModel(grade, sizes) for grade, sizes in ranges.items())),
        status=replace(made.status, resourceSummary=ResourceSummary(**summary, allocatableModelings=modelings)),
    )


def room(profile: str, fleet: Cluster, **request: Any) -> int:
    """What the general estimator says of one cluster."""
    spec = replace(binding(5), replicaRequirements=ReplicaRequirements(resourceRequest=request))
    (info,) = Snapshot([fleet])
    return GeneralEstimator().estimate(BindingInfo.of(spec, None, behaviour_of(profile)), info)


EIGHT_CPUS = {"cpu": 8, "memory": "8Gi"}
PLENTY = {"pods": 1000, "cpu": 100, "memory": "100Gi"}
LARGE_ONLY = reporting({0: {"cpu": 1}, 1: {"cpu": 8}}, {1: 1}, allocatable=PLENTY)

CASES = {
    "a node of v1.18 takes 110 pods, however small they are": (
        ("v1.18", reporting({0: EIGHT_CPUS}, {0: 1}, allocatable=PLENTY), {"cpu": "50m", "memory": "64Mi"}),
        110,
    ),
    "v1.13 knows no such limit": (
        ("v1.13", reporting({0: EIGHT_CPUS}, {0: 1}, allocatable=PLENTY), {"cpu": "50m", "memory": "64Mi"}),
        128,
    ),
    "nodes are counted, but no model says how large: v1.13 finds no node for who asks for nothing": (
        ("v1.13", reporting(counts={0: 1}, allocatable=PLENTY), {"cpu": 0}),
        0,
    ),
    "... goes by the sums for others": (("v1.13", reporting(counts={0: 1}, allocatable=PLENTY), {"cpu": 10}), 10),
    "... and v1.18 goes by the sums for all": (
        ("v1.18", reporting(counts={0: 1}, allocatable=PLENTY), {"cpu": 0}),
        1000,
    ),
    "v1.18 counts nodes by their grade": (("v1.18", LARGE_ONLY, {"cpu": "100m"}), 80),
    "v1.13 counts nodes by their place in the list": (("v1.13", LARGE_ONLY, {"cpu": "100m"}), 10),
    "pods are rounded before they are subtracted": (
        (
            "v1.13",
            reporting(allocatable={"pods": "2200m"}, allocated={"pods": "500m"}, allocating={"pods": "500m"}),
            {},
        ),
        1,
    ),
    "all else is rounded after that": (
        ("v1.13", reporting(allocatable={**PLENTY, "memory": "2200m"}, allocated={"memory": "1"}), {"memory": "1"}),
        2,
    ),
    "a report beyond 64 bits is cut to the largest number": (
        ("v1.13", reporting(allocatable={**PLENTY, "memory": "8Ei", "cpu": "1e19"}), {"memory": "1Ei"}),
        7,
    ),
    "so is a model": (
        ("v1.18", reporting({0: {"memory": "10E"}}, {0: 1}, allocatable=PLENTY), {"memory": "1Ei"}),
        7,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_room(case):
    (profile, fleet, request), expected = CASES[case]
    assert room(profile, fleet, **request) == expected


def test_nobody_is_asked_for_room_for_no_replicas():
    """v1.18 divides the replicas of a workload that is scaled to 0, yet it counts as fitting everywhere."""

    class Proud:
        name = "Proud"

        def estimate(self, binding, cluster):
            raise AssertionError("I was asked")

    spec = replace(binding(0, AGGREGATE), replicaRequirements=ReplicaRequirements(resourceRequest={"cpu": 1}))
    explanation = Scheduler("v1.18", estimator=Proud()).schedule(spec, None, [cluster("member1")]).explain()
    assert explanation["member1"].estimate == MAX_INT32


def test_an_estimate_of_minus_one_is_no_answer():
    """32 bits make -1 of 2^32-1 free pods, and -1 is how Karmada's estimators say that they don't know."""
    fleet = [cluster("member1", pods=2**32 - 1)]
    assert Scheduler().schedule(binding(4, AGGREGATE), None, fleet).replicas == {"member1": 4}

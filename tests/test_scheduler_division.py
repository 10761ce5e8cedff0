"""Division in small numbers, where one can check by hand; and the two releases side by side."""

from __future__ import annotations

import pytest

from karmadalab.api.meta import replace
from karmadalab.api.policy import SpreadConstraint
from karmadalab.scheduler import ClusterWeight, CrashError, Scheduler
from karmadalab.scheduler.division import largest_weight_first
from karmadalab.scheduler.webster import webster
from tests.scheduler_worlds import AGGREGATE, DEDICATED, DYNAMIC, binding, cluster, static

WEST, EAST, NORTH = ClusterWeight("eastus", 170), ClusterWeight("northeu", 110), ClusterWeight("westus", 60)
THREE = [cluster("member1", 10), cluster("member2", 10), cluster("member3", 10)]


def decide(spec, fleet=THREE, profile="v1.13"):
    decision = Scheduler(profile).schedule(spec, None, fleet)
    return decision.replicas if decision.error is None else str(decision.error)


@pytest.mark.parametrize(
    ("replicas", "v1_13", "v1_18"),
    [
        (4, (3, 1, 0), (2, 1, 1)),
        (5, (3, 2, 0), (2, 2, 1)),
        (6, (4, 1, 1), (3, 2, 1)),  # one replica more, and under v1.13 the second cluster loses one
        (7, (4, 2, 1), (4, 2, 1)),
    ],
)
def test_weights_170_110_60(replicas, v1_13, v1_18):
    weights = [WEST, EAST, NORTH]
    names = [claim.name for claim in weights]
    old, new = largest_weight_first(replicas, weights), webster(replicas, weights)
    assert tuple(old[name] for name in names) == v1_13
    assert tuple(new[name] for name in names) == v1_18


@pytest.mark.parametrize(
    ("replicas", "weights", "dealt"),
    [
        (1, (2**63 - 1, 2**63 - 1, 2**31 - 1), (7, 7, 2)),  # the sum wraps to 2^31-3, each quotient to 32 bits
        (1431655765, (3, 1, -2), (-(2**31), 715827882, -1431655765)),  # the odd one is one too many for 32 bits
    ],
)
def test_absurd_weights_are_counted_as_go_counts(replicas, weights, dealt):
    claims = [ClusterWeight(str(index), weight) for index, weight in enumerate(weights)]
    assert largest_weight_first(replicas, claims) == {str(index): count for index, count in enumerate(dealt)}


CASES = {
    "the remainder goes to the largest weight": (
        binding(9, static(member1=1, member2=3)),
        {"member1": 2, "member2": 7},
    ),
    "clusters without a weight get nothing": (binding(3, static(member2=1)), {"member2": 3}),
    "nobody has a weight: equal shares": (binding(3, static(member9=1)), {"member1": 1, "member2": 1, "member3": 1}),
    "duplicated: all replicas everywhere": (binding(2), {"member1": 2, "member2": 2, "member3": 2}),
    "aggregated: as few clusters as have room": (binding(10, AGGREGATE), {"member1": 10}),
    "aggregated: one more than fits": (binding(11, AGGREGATE), {"member1": 6, "member2": 5}),
    "a lost cluster's replicas move, the others stay": (
        binding(6, static(), on={"member1": 2, "member2": 2}, evicting=["member3"]),
        {"member1": 3, "member2": 3},
    ),
    "dynamic: what runs stays": (
        binding(9, DYNAMIC, on={"member1": 5, "member2": 1}),
        {"member1": 6, "member2": 2, "member3": 1},
    ),
    "dynamic: scaling down goes by what each has": (
        binding(3, DYNAMIC, on={"member1": 4, "member2": 2}),
        {"member1": 2, "member2": 1},
    ),
    "a preference for dividing without the word Divided": (
        binding(3, replace(AGGREGATE, replicaSchedulingType="")),
        "failed to assign replicas: unsupported replica scheduling strategy, replicaSchedulingType: , "
        "replicaDivisionPreference: Aggregated, please try another scheduling strategy",
    ),
    "too little room": (
        binding(31, DYNAMIC),
        "failed to assign replicas: failed to scale up: Clusters available replicas 30 are not enough to schedule.",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_small_divisions(case):
    spec, expected = CASES[case]
    assert decide(spec) == expected


def test_a_lost_cluster_can_get_replicas_again_in_v1_13_only():
    """Scaling down weighs all of spec.clusters, even one that is tainted out, gone, or being evicted."""
    shrinking = binding(2, DYNAMIC, on={"member1": 2, "lost": 4})
    fleet = [cluster("member1"), cluster("member2")]
    assert decide(binding(1, DYNAMIC, on={"member1": 3, "lost": 4}), fleet) == {"lost": 1}
    assert decide(binding(1, DYNAMIC, on={"member1": 3, "lost": 4}), fleet, "v1.18") == {"member1": 1}
    assert decide(shrinking, fleet) == {"member1": 2}


@pytest.mark.parametrize("strategy", [None, AGGREGATE], ids=["Duplicated", "Aggregated"])
def test_no_region_and_no_cluster_demanded_is_no_selection(strategy):
    """Without any minimum the search is content with nothing at once; Karmada takes that for a failure."""
    spec = binding(1, strategy, spreadConstraints=(SpreadConstraint("region", maxGroups=1),))
    assert decide(spec, [cluster("member1", region="ra")]) == (
        "failed to select clusters: the number of clusters is less than the cluster spreadConstraint.MinGroups"
    )


def test_where_karmada_crashes_the_lab_says_so():
    spec = binding(5, spreadConstraints=(SpreadConstraint("region", minGroups=1, maxGroups=1),))
    fleet = [cluster("member1", pods=3, region="ra")]
    decision = Scheduler("v1.13").schedule(spec, None, fleet)
    assert isinstance(decision.error, CrashError)
    assert "region 'ra': none of its clusters can hold all 5 replicas" in str(decision.error)
    assert Scheduler("v1.18").schedule(spec, None, fleet).replicas == {"member1": 5}


def test_a_tainted_cluster_is_refused_unless_it_runs_the_workload_already():
    fleet = [cluster("member1", taints=[DEDICATED]), cluster("member2")]
    assert decide(binding(2), fleet) == {"member2": 2}
    assert decide(binding(2, on={"member1": 2}), fleet) == {"member1": 2, "member2": 2}

"""What holds for every decision, whatever the fleet and the policy."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from karmadalab.api.meta import Taint, replace
from karmadalab.api.policy import ClusterAffinity
from karmadalab.api.work import GracefulEvictionTask
from karmadalab.scheduler import BindingInfo, ClusterWeight, Scheduler, Strategy
from karmadalab.scheduler.division import largest_weight_first
from karmadalab.scheduler.webster import webster
from tests.scheduler_worlds import NAMES, bindings, cluster, fleets, new_bindings

PROFILES = ("v1.13", "v1.18")
BAD = Taint(key="bad", effect="NoSchedule")

profiles = st.sampled_from(PROFILES)


def divided(spec):
    return BindingInfo.of(spec).strategy is not Strategy.DUPLICATED


def outcome(decision):
    return decision.replicas, str(decision.error)


@given(bindings(), fleets(), profiles)
def test_all_replicas_are_assigned_or_there_is_an_error(spec, fleet, profile):
    decision = Scheduler(profile).schedule(spec, None, fleet)
    if decision.error is not None:
        assert decision.clusters == ()
    elif divided(spec):
        assert sum(decision.replicas.values()) == spec.replicas
    else:
        assert set(decision.replicas.values()) <= {spec.replicas}


@given(bindings(), fleets(), profiles)
def test_no_replica_on_a_cluster_that_was_refused_or_not_selected(spec, fleet, profile):
    decision = Scheduler(profile).schedule(spec, None, fleet)
    explanation = decision.explain()
    used = {name for name, count in decision.replicas.items() if count}
    evicting = {task.fromCluster for task in spec.gracefulEvictionTasks}
    shrinking = explanation.step == "scale down" and profile == "v1.13"  # v1.13 may give replicas to a lost cluster
    if not shrinking:
        assert all(explanation[name].selected and not explanation[name].refusals for name in used)
        assert not used & evicting


@given(bindings(), fleets(), profiles, st.randoms(use_true_random=False))
def test_the_order_of_the_clusters_never_matters(spec, fleet, profile, random):
    shuffled = random.sample(fleet, len(fleet))
    assert outcome(Scheduler(profile).schedule(spec, None, fleet)) == outcome(
        Scheduler(profile).schedule(spec, None, shuffled)
    )


@given(bindings(), fleets(), profiles, st.integers(0, 2**32))
def test_a_seed_means_the_same_in_every_order(spec, fleet, profile, seed):
    first = Scheduler(profile, rng=Random(seed)).schedule(spec, None, fleet)
    second = Scheduler(profile, rng=Random(seed)).schedule(spec, None, fleet[::-1])
    assert outcome(first) == outcome(second)


@given(bindings(), fleets(), profiles)
def test_a_taint_on_a_cluster_that_is_refused_anyway_changes_nothing(spec, fleet, profile):
    elsewhere = cluster("zz-far-away")
    spec = replace(spec, placement=replace(spec.placement, clusterAffinity=ClusterAffinity(exclude=("zz-far-away",))))
    tainted = replace(elsewhere, spec=replace(elsewhere.spec, taints=(BAD,)))
    before = Scheduler(profile).schedule(spec, None, [*fleet, elsewhere])
    after = Scheduler(profile).schedule(spec, None, [*fleet, tainted])
    assert before.replicas == after.replicas
    assert type(before.error) is type(after.error)


@given(bindings(), fleets(), profiles)
def test_a_taint_on_a_cluster_in_use_moves_nothing(spec, fleet, profile):
    """NoSchedule keeps new workloads out; it does not drive old ones away."""
    first = Scheduler(profile).schedule(spec, None, fleet)
    assume(first.clusters)
    spec = replace(spec, clusters=first.clusters)
    tainted = [
        replace(c, spec=replace(c.spec, taints=(BAD,))) if c.metadata.name in first.replicas else c for c in fleet
    ]
    calm, alarmed = Scheduler(profile).schedule(spec, None, fleet), Scheduler(profile).schedule(spec, None, tainted)
    assert outcome(calm) == outcome(alarmed)


@given(new_bindings(), fleets(), profiles, st.sets(st.sampled_from(NAMES), max_size=2))
def test_steady_rescheduling_never_moves_what_is_healthy(spec, fleet, profile, evicting):
    """Decide again with nothing changed but some clusters elsewhere: the very same list comes back."""
    first = Scheduler(profile).schedule(spec, None, fleet)
    tasks = tuple(GracefulEvictionTask(name) for name in evicting - set(first.replicas))
    spec = replace(spec, clusters=first.clusters, gracefulEvictionTasks=tasks)
    if first.clusters:
        assert Scheduler(profile).schedule(spec, None, fleet).clusters is spec.clusters


@given(new_bindings(), fleets(), profiles)
def test_growing_never_takes_away(spec, fleet, profile):
    """The careful strategies only add, or say that there is no room."""
    first = Scheduler(profile).schedule(spec, None, fleet)
    more = Scheduler(profile).schedule(replace(spec, replicas=spec.replicas + 5, clusters=first.clusters), None, fleet)
    if more.error is None:
        assert all(more.replicas[name] >= count for name, count in first.replicas.items())


@given(new_bindings(), fleets(), profiles)
def test_a_lost_cluster_moves_only_its_own_replicas(spec, fleet, profile):
    """What the taint manager leaves of the binding stays; what is missing goes elsewhere."""
    first = Scheduler(profile).schedule(spec, None, fleet)
    left = first.clusters[1:]
    tasks = tuple(GracefulEvictionTask(target.name) for target in first.clusters[:1])
    after = Scheduler(profile).schedule(replace(spec, clusters=left, gracefulEvictionTasks=tasks), None, fleet)
    if after.error is None:
        assert all(after.replicas[target.name] >= target.replicas for target in left)
        assert not any(task.fromCluster in after.replicas for task in tasks)


@given(bindings(), fleets(), profiles, st.one_of(st.none(), st.integers(0, 9)))
def test_an_explanation_tells_of_the_decision_that_was_made(spec, fleet, profile, seed):
    def scheduler(explanations):
        rng = None if seed is None else Random(seed)
        return Scheduler(profile, rng=rng, explanations=explanations)

    decision = scheduler(False).schedule(spec, None, fleet)
    replayed, kept = decision.explain(), scheduler(True).schedule(spec, None, fleet).explain()
    assert replayed.clusters == kept.clusters == decision.clusters
    assert replayed.rows() == kept.rows()
    assert {v.cluster: v.replicas for v in replayed if v.replicas is not None} == decision.replicas
    assert str(replayed) == str(kept)


claims = st.lists(st.integers(1, 10_000), min_size=1, max_size=12).map(
    lambda weights: [ClusterWeight(f"c{i:02d}", weight) for i, weight in enumerate(weights)]
)


@given(claims, st.integers(0, 5000))
def test_division_deals_out_exactly_what_there_is(weights, replicas):
    assert sum(largest_weight_first(replicas, weights).values()) == replicas
    assert sum(webster(replicas, weights).values()) == replicas


@given(claims, st.integers(0, 300))
def test_webster_is_one_seat_after_the_other(weights, replicas):
    """The shortcut over the certain seats leads where the long way leads."""
    seats = dict.fromkeys((claim.name for claim in weights), 0)
    for _ in range(replicas):
        best = min(
            weights, key=lambda claim: (-claim.weight / (2 * seats[claim.name] + 1), seats[claim.name], claim.name)
        )
        seats[best.name] += 1
    assert webster(replicas, weights) == seats


@given(claims, st.integers(0, 300))
def test_under_webster_one_more_replica_never_takes_one_away(weights, replicas):
    before, after = webster(replicas, weights), webster(replicas + 1, weights)
    assert all(after[name] >= count for name, count in before.items())


@pytest.mark.parametrize("replicas", [2**31 - 1])
@given(claims)
def test_webster_takes_no_longer_for_many_replicas(replicas, weights):
    assert sum(webster(replicas, weights).values()) == replicas

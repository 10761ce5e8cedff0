"""What students plug in: filters, scores, estimators, ways to divide; and what they hear when theirs breaks."""

from __future__ import annotations

from random import Random

import pytest

from karmadalab.api.errors import BadRequest
from karmadalab.api.policy import SpreadConstraint
from karmadalab.lab import Lab
from karmadalab.scheduler import FILTERS, SCORES, GeneralEstimator, PluginError, Scheduler
from tests.scheduler_worlds import DEDICATED, DYNAMIC, binding, cluster, static

FLEET = [
    cluster("member1", 5, region="eu-west"),
    cluster("member2", 5, region="us-east"),
    cluster("member3", 8, region="eu-north"),
]


class InEurope:
    name = "InEurope"

    def filter(self, binding, cluster):
        return None if cluster.region.startswith("eu") else "cluster(s) outside Europe"


class PreferNorth:
    name = "PreferNorth"

    def score(self, binding, cluster):
        return 100 if cluster.region.endswith("north") else 0


class HalfRoom:
    name = "HalfRoom"

    def estimate(self, binding, cluster):
        return GeneralEstimator().estimate(binding, cluster) // 2


class AllToFirst:
    name = "all-to-first"

    def divide(self, binding, replicas, weights, chance):
        return {weights[0].name: replicas}


def test_a_filter_keeps_clusters_out_and_is_named_in_the_explanation():
    decision = Scheduler(filters=[*FILTERS, InEurope()]).schedule(binding(4, DYNAMIC), None, FLEET)
    assert set(decision.replicas) == {"member1", "member3"}
    assert decision.explain()["member2"].refusals == (("InEurope", "cluster(s) outside Europe"),)


def test_the_reason_of_a_filter_is_counted_in_the_error():
    decision = Scheduler(filters=[*FILTERS, InEurope()]).schedule(binding(4), None, FLEET[1:2])
    assert str(decision.error) == "0/1 clusters are available: 1 cluster(s) outside Europe."


def test_a_score_decides_who_is_chosen():
    one = binding(2, spreadConstraints=(SpreadConstraint("cluster", minGroups=1, maxGroups=1),))
    poor = [cluster("member1", 50), cluster("member3", 8, region="eu-north")]
    assert set(Scheduler().schedule(one, None, poor).replicas) == {"member1"}
    assert set(Scheduler(scores=[*SCORES, PreferNorth()]).schedule(one, None, poor).replicas) == {"member3"}


def test_an_estimator_changes_the_room():
    decision = Scheduler(estimator=HalfRoom()).schedule(binding(9, DYNAMIC), None, FLEET)
    assert "Clusters available replicas 8 are not enough" in str(decision.error)


def test_a_way_to_divide():
    decision = Scheduler(division=AllToFirst()).schedule(binding(4, static(member1=1, member2=1)), None, FLEET)
    assert decision.replicas == {"member1": 4}


class TooFew:
    name = "too-few"

    def divide(self, binding, replicas, weights, chance):
        return {weights[0].name: 1}


class Broken:
    name = "Broken"

    def __init__(self, answer=None):
        self.answer = answer

    def filter(self, binding, cluster):
        return self.answer if self.answer is not None else cluster.cluster.no_such_field

    score = estimate = filter

    def divide(self, binding, replicas, weights, chance):
        return {"member9": replicas}


class Unsure(InEurope):
    name = "Unsure"

    def skips(self, binding):
        raise ValueError("no idea")


class Writing:
    name = "Writing"

    def __init__(self, field):
        self.field = field

    def filter(self, binding, cluster):
        getattr(cluster, self.field)["cpu"] = 0


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"filters": [Broken()]},
            r"plugin Broken: filter\(\) raised AttributeError on cluster member1: .*no_such_field",
        ),
        (
            {"filters": [Broken(True)]},
            r"plugin Broken: filter\(\) returned True for cluster member1; it must return None",
        ),
        (
            {"scores": [Broken("high")]},
            r"plugin Broken: score\(\) returned 'high' for cluster member1; .* a whole number",
        ),
        ({"scores": [Broken()]}, r"plugin Broken: filter\(\) raised|plugin Broken: score\(\) raised AttributeError"),
        (
            {"filters": [Unsure()]},
            r"plugin Unsure: skips\(\) raised ValueError: no idea; mend the plugin",
        ),
        (
            {"filters": [Writing("free")]},
            r"plugin Writing: filter\(\) raised TypeError on cluster member1: .*does not support item assignment",
        ),
        (
            {"filters": [Writing("labels")]},
            r"plugin Writing: filter\(\) raised TypeError on cluster member1: .*does not support item assignment",
        ),
        (
            {"estimator": Broken(2**31)},
            r"plugin Broken: estimate\(\) returned 2147483648 for cluster member1; .* a whole number of 32 bits",
        ),
        ({"estimator": Broken(1.5)}, r"plugin Broken: estimate\(\) returned 1.5 for cluster member1"),
        ({"division": Broken()}, r"plugin Broken: divide\(\) returned \{'member9': 4\}; .* for each cluster that has"),
        ({"division": TooFew()}, r"plugin too-few: divide\(\) returned \{'member3': 1\}; .* that add up to 4"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_a_broken_plugin_is_named(kwargs, message):
    with pytest.raises(PluginError, match=message):
        Scheduler(**kwargs).schedule(binding(4, DYNAMIC), None, FLEET)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"filters": [*FILTERS, InEurope]}, r"filters\[5\] is the class InEurope; make an object of it: InEurope\(\)"),
        ({"filters": [PreferNorth()]}, r"filters\[0\]: PreferNorth has no method filter\(\)"),
        ({"scores": [*SCORES, SCORES[0]]}, r"scores\[2\]: there are two plugins named ClusterLocality"),
        ({"estimator": InEurope()}, r"estimator\[0\]: InEurope has no method estimate\(\)"),
        ({"filters": 3}, r"filters: expected a list of objects with filter\(\), got 3"),
        ({"scores": PreferNorth()}, r"scores: expected a list of objects with score\(\), got <.*PreferNorth"),
        ({"profile": "v1.99"}, r"there is no scheduler profile 'v1.99'; write one of v1.13, v1.18"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_what_is_no_plugin_is_refused_at_once(kwargs, message):
    with pytest.raises(BadRequest, match=message):
        Scheduler(**kwargs)


def test_coin_flips_come_from_the_generator_and_without_one_go_by_name():
    spec = binding(1, static(member1=1, member2=1, member3=1))
    assert Scheduler().schedule(spec, None, FLEET).replicas == {"member1": 1}
    rng = Random(7)
    seen = {next(iter(Scheduler(rng=rng).schedule(spec, None, FLEET).replicas)) for _ in range(50)}
    assert seen == {"member1", "member2", "member3"}


def test_each_scheduler_with_a_generator_draws_the_order_of_its_filters_once():
    twice_refused = binding(1, evicting=["member1"])
    fleet = [cluster("member1", taints=[DEDICATED])]
    texts = {str(Scheduler(rng=Random(seed)).schedule(twice_refused, None, fleet).error) for seed in range(20)}
    assert texts == {
        "0/1 clusters are available: 1 cluster(s) had untolerated taint {dedicated=a:NoSchedule}.",
        "0/1 clusters are available: 1 cluster(s) is in the process of eviction.",
    }
    assert [plugin.name for plugin in Scheduler(filters=FILTERS, rng=Random(1)).filters] == [p.name for p in FILTERS]


def test_a_labs_settings_fill_in_what_was_left_open():
    open_ = Scheduler().completed("v1.18", True, Random(1))
    assert (open_.behaviour.profile, open_.division.name, open_.enable_empty_workload_propagation) == (
        "v1.18",
        "webster",
        True,
    )
    decided = Scheduler("v1.13", enable_empty_workload_propagation=False, division=AllToFirst()).completed(
        "v1.18", True
    )
    assert (decided.behaviour.profile, decided.division.name) == ("v1.13", "all-to-first")
    assert not decided.enable_empty_workload_propagation


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Scheduler, r"scheduler: is the class Scheduler; make an object of it: Scheduler\(\)"),
        (InEurope(), r"scheduler: expected a Scheduler with your plugins in it, got <.*InEurope"),
    ],
)
def test_a_lab_takes_a_scheduler_and_nothing_else(given, message):
    with pytest.raises(BadRequest, match=message):
        Lab.fake(members=1, scheduler=given)

"""Lab 34: attacks that win and repairs that hold pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab.teaching import check, parameters
from karmadalab.teaching.labs.nowhere import (
    POLICY,
    Fleet,
    attacked,
    budget_s,
    drained,
    nowhere_s,
    placements,
)
from tests.answers import mistake

USUAL = Fleet()
EVICTED_S = 639  # seconds from a power failure at 60 s to the eviction, with this fleet's beats
DRAIN = {"key": "maintenance", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 120}
DEAD = {"key": "cluster.karmada.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 370}


def spread(least: int, most: int) -> dict[str, Any]:
    return {"spreadConstraints": [{"spreadByField": "cluster", "minGroups": least, "maxGroups": most}]}


def order(fleet: Fleet) -> list[str]:
    """The candidates, the one in use first."""
    home = next(iter(placements(attacked([], fleet))))[2][0]
    return [home, *(name for name in fleet.candidates if name != home)]


def power(fleet: Fleet) -> list[tuple[str, float, float]]:
    home, *others = order(fleet)
    return [(home, 60, EVICTED_S + 40), *((name, EVICTED_S, 80) for name in others)]


def drains(fleet: Fleet, apart_s: float = 10) -> list[tuple[str, float, float]]:
    return [(name, 10 + apart_s * number, 5) for number, name in enumerate(order(fleet))]


REPAIRED = {**POLICY, **spread(2, 2), "clusterTolerations": [DRAIN]}

POWER: dict[str, tuple[Any, str]] = {
    "all for the whole time": ([(name, 60, 680) for name in ("ash", "oak", "pine")], "2040 s in all, and you have 900"),
    "too short": ([("ash", 60, 300), ("oak", 60, 100), ("pine", 60, 100)], "stays on ash all the time"),
    "the others too early": ([("ash", 60, 680), ("oak", 60, 100), ("pine", 60, 100)], "oak at 699 s"),
    "the others too late": ([("ash", 60, 680), ("oak", 690, 80), ("pine", 690, 80)], "one that is not seen yet"),
    "one is forgotten": ([("ash", 60, 680), ("oak", 640, 80)], "pine at 699 s"),
    "one in the west": ([("ash", 60, 680), ("elm", 640, 80)], "elm is in the west"),
    "a closed one": ([("ash", 60, 680), ("fir", 640, 80)], "fir is closed"),
    "one twice": ([("ash", 60, 300), ("ash", 400, 300)], "one outage a cluster"),
    "a stranger": ([("beech", 1, 2)], "there is no cluster 'beech'"),
    "nothing": ([], "stays on ash"),
    "names only": (["ash"], "each item is (cluster"),
    "a time in words": ([("ash", "1m", "11m")], "times are seconds from 0"),
    "no length": ([("ash", 1, 0)], "an outage has a length"),
}


@pytest.mark.parametrize(("outages", "says"), POWER.values(), ids=POWER)
def test_power_failures_that_do_not_win(outages: Any, says: str) -> None:
    assert says in mistake("34.1", lambda: outages)


DRAINS: dict[str, tuple[Any, str]] = {
    "at once": ([("ash", 10, 30), ("oak", 20, 30), ("pine", 30, 30)], "ash and oak are drained at once"),
    "too long": ([("ash", 10, 61)], "60 are allowed"),
    "too far apart": (drains(USUAL, 200), "finds another cluster each time"),
    "only one": (drains(USUAL)[:1], "oak at 10 s"),
    "the wrong order": (list(zip(("oak", "pine", "ash"), (10, 20, 30), (5, 5, 5), strict=True)), "another cluster"),
    "one in the west": ([("elm", 10, 5)], "elm is in the west"),
}


@pytest.mark.parametrize(("outages", "says"), DRAINS.values(), ids=DRAINS)
def test_drains_that_do_not_win(outages: Any, says: str) -> None:
    assert says in mistake("34.2", lambda: outages)


REPAIRS: dict[str, tuple[Any, str]] = {
    "as it is": (POLICY, "On two clusters it has one to lose"),
    "two copies, no patience": ({**POLICY, **spread(2, 2)}, "nobody had the patience"),
    "patience, one copy": ({**POLICY, "clusterTolerations": [DRAIN]}, "power failures"),
    "more patience with death": ({**POLICY, "clusterTolerations": [DRAIN, DEAD]}, "power failures"),
    "much more patience with death": (
        {**POLICY, "clusterTolerations": [DRAIN, {**DEAD, "tolerationSeconds": 900}]},
        "ash dies for good and is left after 1239 s; at most 720",
    ),
    "patience without end": (
        {**REPAIRED, "clusterTolerations": [{**DRAIN, "tolerationSeconds": None}]},
        "drained for good and is not left",
    ),
    "everything is tolerated": ({**REPAIRED, "clusterTolerations": [{"operator": "Exists"}]}, "on fir"),
    "out of the east": ({**REPAIRED, "clusterAffinity": {}}, "it may run in the east"),
    "in all of them": ({**REPAIRED, **spread(1, 3)}, "you pay for 2 copies"),
    "the wrong effect": (
        {**REPAIRED, "clusterTolerations": [{"key": "maintenance", "operator": "Exists", "effect": "NoSchedule"}]},
        "nobody had the patience",
    ),
    "refused": ({"spreadConstraints": [{"spreadByField": "street"}]}, "the policy is refused"),
    "nowhere": ({"clusterAffinity": {"clusterNames": ["beech"]}}, "no cluster passes"),
    "no dict": ("two", "a placement is a dict"),
}


@pytest.mark.parametrize(("placement", "says"), REPAIRS.values(), ids=REPAIRS)
def test_repairs_that_do_not_hold(placement: Any, says: str) -> None:
    assert says in mistake("34.3", lambda: placement)


@pytest.mark.parametrize("student", ["", "anna", "bo"])
def test_the_right_answers_pass(student: str) -> None:
    fleet = parameters("34", student)
    assert "within the budget" in check("34.1", lambda: power(fleet), fleet).text
    assert "every cluster is healthy" in check("34.2", lambda: drains(fleet), fleet).text
    assert "does no harm" in check("34.3", lambda: REPAIRED, fleet).text


def test_one_or_two_clusters_hold_as_well_as_exactly_two() -> None:
    check("34.3", lambda: {**REPAIRED, **spread(1, 2)})


def test_a_policy_that_was_changed_in_place_changes_the_attack_on_nobody_else() -> None:
    changed, before = POLICY["spreadConstraints"][0], nowhere_s(attacked(power(USUAL)))
    try:
        changed["maxGroups"] = changed["minGroups"] = 2
        assert nowhere_s(attacked(power(USUAL))) == before > 0
    finally:
        changed["maxGroups"] = changed["minGroups"] = 1


@pytest.mark.parametrize("student", ["", "s1", "s2", "s3", "s4", "s5"])
def test_every_students_fleet_can_be_beaten_within_its_budget_and_not_without_timing(student: str) -> None:
    fleet = parameters("34", student)
    assert 2 <= len(fleet.candidates) <= 3
    assert sum(length for _, _, length in power(fleet)) <= budget_s(fleet) < 660 * len(fleet.candidates)
    assert nowhere_s(attacked(power(fleet), fleet)) > 0
    assert nowhere_s(drained(drains(fleet), fleet)) >= 300

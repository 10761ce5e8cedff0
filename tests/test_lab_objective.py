"""Lab 49: a right measure and a good plan pass, and whoever misses the objective hears by what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from karmadalab.teaching import Mistake, check, parameters
from karmadalab.teaching.labs.objective import (
    DIVIDED,
    OBJECTIVE,
    ONE,
    USUAL,
    Plan,
    availability,
    lived,
    moves,
    tolerates,
)
from karmadalab.teaching.labs.objective.measuring import share
from karmadalab.teaching.labs.objective.week import FIRST_S, GAP_S, MEMBERS, week

Changes = Sequence[tuple[float, int]]
AT_ONCE = {"failover-eviction-timeout": "0s"}


def spread(clusters: int) -> dict[str, Any]:
    return {"spreadConstraints": [{"spreadByField": "cluster", "minGroups": clusters, "maxGroups": clusters}]}


def plan(
    web_s: int = 300,
    api_s: int = 200,
    web: dict[str, Any] | None = None,
    api: dict[str, Any] | None = None,
    flags: dict[str, Any] | None = None,
) -> Plan:
    """The plan of the solution, or one that differs from it."""
    return Plan(
        AT_ONCE if flags is None else flags,
        {**(web or spread(2)), "clusterTolerations": tolerates(web_s)},
        {**(api or DIVIDED), "clusterTolerations": tolerates(api_s)},
    )


def weighed(changes: Changes, wanted: int, begin_s: float, end_s: float, rule: Any = min, hold: bool = True) -> float:
    """The share of the wanted replica-seconds, by a rule for a piece that may be wrong."""
    inside = [t for t, _ in changes if begin_s < t < end_s]
    marks = [begin_s, *inside, end_s] if hold else [*inside, end_s]
    served = 0.0
    for begin, end in pairwise(marks):
        value = next((value for t, value in reversed(changes) if t <= begin), 0)
        served += (end - begin) * rule(value, wanted)
    return served / (wanted * (end_s - begin_s))


def test_the_right_answers_pass() -> None:
    assert "47 stretches" in check("49.1", weighed).text
    assert "asked" in check("49.2", plan).text
    assert "not seen" in check("49.3", plan).text


def test_patience_may_come_before_the_verdict_too() -> None:
    before = {**AT_ONCE, "cluster-failure-threshold": "220s", "cluster-monitor-grace-period": "220s"}
    assert check("49.2", lambda: plan(api_s=10, flags=before))


MEASURES = [
    pytest.param(lambda *a: None, "a number from 0 to 1", id="nothing"),
    pytest.param(lambda *a: float("nan"), "a number from 0 to 1", id="nan"),
    pytest.param(lambda *a: 100 * share(*a), "not to 100", id="percent"),
    pytest.param(partial(weighed, rule=lambda v, w: v), "a second copy now does not serve", id="a surplus counts"),
    pytest.param(partial(weighed, rule=lambda v, w: w * (v >= w)), "half of the replicas", id="all or nothing"),
    pytest.param(partial(weighed, rule=lambda v, w: w * (v > 0)), "a quarter of the service", id="one is enough"),
    pytest.param(partial(weighed, hold=False), "a value holds until the next change", id="the first piece is left out"),
    pytest.param(lambda *a: 1 / 0, "raises ZeroDivisionError", id="raises"),
]


@pytest.mark.parametrize(("answer", "says"), MEASURES)
def test_a_wrong_measure_gets_its_own_sentence(answer: Any, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        check("49.1", answer)


PLANS = [
    pytest.param(lambda: None, "holds the flags and the two placements", id="nothing"),
    pytest.param(lambda: Plan({"failover-eviction-timout": "0s"}), "plan is refused: there is no flag", id="a typo"),
    pytest.param(lambda: plan(web={"spread": 2}), "plan is refused", id="no placement"),
    pytest.param(Plan, "web is served to 98.*single copy", id="the defaults"),
    pytest.param(lambda: plan(0, 0, web=ONE), "moves are needless.*out of sight", id="haste"),
    pytest.param(lambda: plan(api_s=100), "moves are needless.*half a minute more", id="a bit too hasty"),
    pytest.param(lambda: plan(api_s=300, flags={}), "api is served to 97.*lost while you wait", id="patience"),
    pytest.param(lambda: plan(web=ONE), "web is served to.*however hasty", id="one copy of web"),
    pytest.param(lambda: plan(web=spread(3)), "web runs on 3 clusters", id="three copies of web"),
    pytest.param(lambda: plan(web=DIVIDED), "web is duplicated", id="web divided"),
    pytest.param(lambda: plan(api=spread(2)), "api is divided", id="api duplicated"),
]


@pytest.mark.parametrize(("answer", "says"), PLANS)
def test_whoever_misses_the_objective_hears_by_what(answer: Any, says: str) -> None:
    with pytest.raises(Mistake, match=f"(?s){says}"):
        check("49.2", answer)


def test_a_plan_that_fits_one_week_only_is_found_out() -> None:
    calm = tuple(incident for incident in USUAL if incident.kind == "power_off" and incident.for_s > 600)
    assert check("49.2", lambda: plan(api_s=60), calm)
    with pytest.raises(Mistake, match=r"(?s)in a week that you have not seen.*for weeks to come"):
        check("49.3", lambda: plan(api_s=60))


@pytest.mark.slow
@pytest.mark.parametrize("student", ["s1", "s2", "s3", "s4"])
def test_each_students_week_can_be_met_and_neither_by_waiting_nor_by_haste(student: str) -> None:
    mine = parameters("49", student)
    assert check("49.2", plan, mine)
    assert availability(lived(Plan(), mine), "api") < OBJECTIVE.api
    assert any(move.needless for move in moves(lived(plan(0, 0, web=ONE), mine)))


def test_a_week_has_its_share_for_everybody_and_room_between() -> None:
    drawn = week(Random(5))
    long_ones = [incident.member for incident in drawn if incident.kind == "power_off" and incident.for_s > 600]
    assert sorted(long_ones) == list(MEMBERS)
    assert [incident.at_s for incident in drawn] == [FIRST_S + GAP_S * n for n in range(12)]
    assert all(2 * incident.times * incident.for_s < GAP_S * 1.7 for incident in drawn)
    assert drawn != USUAL

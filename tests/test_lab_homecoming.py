"""Lab 33: right rules, orders and runbooks pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from karmadalab.teaching import check, parameters
from karmadalab.teaching.labs.homecoming import Fleet, carried_out, returned, serving_of
from tests.answers import mistake

Placement = Mapping[str, Any]


def allowed_by(members: Sequence[str], placement: Placement) -> list[str]:
    groups = placement.get("clusterAffinities", [])
    term = groups[0] if groups else placement.get("clusterAffinity", {})
    return list(term.get("clusterNames", members))


def divided(placement: Placement) -> bool:
    return bool(placement.get("replicaScheduling", {}).get("replicaSchedulingType") == "Divided")


def has_place(members: Sequence[str], placement: Placement) -> bool:
    allowed = allowed_by(members, placement)
    return all(limit["maxGroups"] >= len(allowed) for limit in placement.get("spreadConstraints", []))


def right(home: str, members: Sequence[str], replicas: int, placement: Placement) -> bool:
    if allowed_by(members, placement) == [home]:
        return len(placement.get("clusterAffinities", [])) < 2
    return not (replicas and divided(placement)) and has_place(members, placement)


def order(fleet: Fleet, *more: tuple[str, str], **changes: Any) -> Callable[[], Any]:
    """A manifest that names the divided workloads, and more."""
    named = [*fleet.divided.items(), *more]
    base = {"apiVersion": "apps/v1", "kind": "Deployment"}
    workloads = [{**base, "namespace": space, "name": name, **changes} for name, space in named]
    head = {"apiVersion": "apps.karmada.io/v1alpha1", "kind": "WorkloadRebalancer", "metadata": {"name": "home"}}
    return lambda: {**head, "spec": {"workloads": workloads}}


def runbook(fleet: Fleet) -> list[tuple[Any, ...]]:
    wait = ("wait", fleet.startup_s + 10)
    return [("scale", 2 * fleet.replicas), wait, ("rebalance",), wait, ("scale", fleet.replicas)]


USUAL = Fleet()

RULES: dict[str, tuple[Any, str]] = {
    "everybody returns": (lambda *_: True, "a divided workload whose sum is right is not looked at"),
    "nobody returns": (lambda *_: False, "decided anew each time that a cluster changes"),
    "divided is divided, replicas or not": (
        lambda home, members, replicas, placement: not divided(placement) and right(home, members, replicas, placement),
        "nothing to divide",
    ),
    "no constraint": (
        lambda home, members, replicas, placement: right(
            home, members, replicas, {k: v for k, v in placement.items() if k != "spreadConstraints"}
        ),
        "whoever is in use is preferred",
    ),
    "any constraint keeps it out": (
        lambda home, members, replicas, placement: (
            "spreadConstraints" not in placement and right(home, members, replicas, placement)
        ),
        "there is a place left",
    ),
    "the fleet in place of the affinity": (
        lambda home, members, replicas, placement: (
            right(home, members, replicas, placement)
            and all(limit["maxGroups"] >= len(members) for limit in placement.get("spreadConstraints", []))
        ),
        "the affinity allows two",
    ),
    "back to the first group": (
        lambda home, members, replicas, placement: (
            right(home, members, replicas, placement) or len(placement.get("clusterAffinities", [])) > 1
        ),
        "never goes back to an earlier group",
    ),
    "never with groups": (
        lambda home, members, replicas, placement: (
            "clusterAffinities" not in placement and right(home, members, replicas, placement)
        ),
        "it was never left",
    ),
    "divided never, nowhere or not": (
        lambda home, members, replicas, placement: (
            not (replicas and divided(placement)) and right(home, members, replicas, placement)
        ),
        "it had nowhere to go, so its sum is short",
    ),
    "no truth value": (lambda *_: "yes", "two answers, True and False"),
    "it raises": (lambda home, m, r, placement: placement["clusterAffinity"], "raises KeyError"),
}


@pytest.mark.parametrize(("answer", "says"), RULES.values(), ids=RULES)
def test_a_mistake_about_who_returns(answer: Any, says: str) -> None:
    assert says in mistake("33.1", answer)


ORDERS: dict[str, tuple[Any, str]] = {
    "no namespace": (order(USUAL, namespace=""), "the namespace first"),
    "the wrong namespace": (order(USUAL, namespace="team-b"), "no binding belongs to"),
    "bindings": (order(USUAL, kind="ResourceBinding"), "Karmada finds their bindings itself"),
    "one who is home": (order(USUAL, ("login", "team-a")), "login, which is on lagos already"),
    "one is forgotten": (
        order(USUAL._replace(divided={"billing": "default"})),
        "an order counts for the workloads that it names",
    ),
    "another kind": (lambda: {"kind": "PropagationPolicy"}, "not a WorkloadRebalancer"),
    "no spec": (lambda: {**order(USUAL)(), "spec": None}, "your manifest is refused"),
    "a list": (lambda: [1], "not a WorkloadRebalancer"),
    "no version": (lambda: {"kind": "WorkloadRebalancer", "metadata": {"name": "x"}}, "your manifest is refused"),
    "a misspelt field": (order(USUAL, nmae="x"), "your manifest is refused"),
}


@pytest.mark.parametrize(("answer", "says"), ORDERS.values(), ids=ORDERS)
def test_a_mistake_in_an_order(answer: Any, says: str) -> None:
    assert says in mistake("33.2", answer)


def gone_soon(manifest: Any) -> Any:
    return {**manifest, "spec": {**manifest["spec"], "ttlSecondsAfterFinished": 10}}


def test_an_order_that_is_gone_soon_is_judged_like_one_that_stays() -> None:
    too_many = order(USUAL, ("login", "team-a"))
    assert "login, which is on lagos already" in mistake("33.2", lambda: gone_soon(too_many()))
    assert "everybody is home" in check("33.2", lambda: gone_soon(order(USUAL)())).text


BOOKS: dict[str, tuple[Any, str]] = {
    "a rebalance alone": ([("rebalance",)], "step 1, rebalance: after 0 s 1 of the 6 replicas serve"),
    "no wait": ([("scale", 12), ("rebalance",), ("wait", 60), ("scale", 6)], "an order has no grace"),
    "too few spare ones": (
        [("scale", 9), ("wait", 40), ("rebalance",), ("wait", 40), ("scale", 6)],
        "step 3, rebalance: after 41 s 5",
    ),
    "no order": ([("scale", 12), ("wait", 40), ("scale", 6)], "nobody moves without an order"),
    "nothing": ([], "has 0, and had 5 before"),
    "too many": ([("scale", 13), ("wait", 40), ("scale", 6)], "the budget is 12"),
    "left large": ([("scale", 12), ("wait", 40), ("rebalance",), ("wait", 40)], "at the end there are 12"),
    "too slow": ([("wait", 900), ("rebalance",)], "a quarter of an hour"),
    "an unknown step": ([("drain", "oslo")], "is no step"),
    "half a replica": ([("scale", 7.5)], "is no step"),
    "too long a book": ([("wait", 1)] * 21, "21 steps"),
    "no list": (7, "a runbook is a list of steps"),
}


@pytest.mark.parametrize(("steps", "says"), BOOKS.values(), ids=BOOKS)
def test_a_mistake_in_a_runbook(steps: Any, says: str) -> None:
    assert says in mistake("33.3", lambda: steps)


@pytest.mark.parametrize("student", ["", "anna", "bo"])
def test_the_right_answers_pass(student: str) -> None:
    fleet = parameters("33", student)
    assert "fourteen kinds" in check("33.1", right, fleet).text
    assert "everybody is home" in check("33.2", order(fleet), fleet).text
    assert "at no moment" in check("33.3", lambda: runbook(fleet), fleet).text


def test_a_rule_that_takes_its_arguments_apart_harms_nobody() -> None:
    def greedy(home: str, members: Sequence[str], replicas: int, placement: dict[str, Any]) -> bool:
        said = right(home, members, replicas, placement)
        placement.clear()
        return said

    check("33.1", greedy)
    check("33.1", right)


def test_another_way_home_without_any_order_passes() -> None:
    steps = [("scale", 8), ("wait", 35), ("scale", 6)] * 5
    assert max(level for _, level in serving_of(carried_out(steps))) == 8
    check("33.3", lambda: steps)


@pytest.mark.parametrize("student", ["", "s1", "s2", "s3", "s4"])
def test_every_students_fleet_has_somebody_away_and_somebody_home(student: str) -> None:
    fleet = parameters("33", student)
    placed = returned(fleet).placement
    away = {name for name, where in placed.items() if fleet.home not in where}
    assert away == {f"{space}/{name}-deployment" for name, space in fleet.divided.items()}
    assert len(placed) == len(fleet.divided) + len(fleet.copied) + 1

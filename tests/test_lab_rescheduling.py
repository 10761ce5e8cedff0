"""Lab 31: right placements pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from karmadalab.teaching import check, parameters
from karmadalab.teaching.labs.rescheduling import deal, moved, unlucky_share
from tests.answers import mistake

Placed = dict[str, int]


def left_of(before: Placed, dead: str) -> Placed:
    return {name: count for name, count in before.items() if name != dead}


def added(first: Placed, second: Placed) -> Placed:
    return {name: first.get(name, 0) + second.get(name, 0) for name in {**first, **second}}


def right(rule: str, replicas: int, before: Placed, dead: str, weights: Placed, room: Placed) -> Placed:
    left = left_of(before, dead)
    if rule == "everywhere" or dead not in before:
        return left
    if rule == "two":
        return left | {min((name for name in room if name not in before), key=lambda n: (-room[n], n)): replicas}
    return deal(replicas, left_of(weights, dead), left)


def wrong(rule: str, instead: Callable[..., Any]) -> Callable[..., Any]:
    """The right answer but for one rule."""

    def answer(asked: str, replicas: int, before: Placed, dead: str, weights: Placed, room: Placed) -> Any:
        if asked != rule or dead not in before:
            return right(asked, replicas, before, dead, weights, room)
        return instead(replicas, before, dead, weights, room)

    return answer


def right_room(before: Placed, dead: str, room: Placed) -> Placed:
    return added(left_of(before, dead), deal(before.get(dead, 0), room, left_of(before, dead)))


def unlucky() -> Any:
    return 11, {"member1": 1, "member2": 1, "member3": 5}, "member2"


BY_RULE: dict[str, tuple[Callable[..., Any], str]] = {
    "the dead one stays": (wrong("everywhere", lambda r, before, *_: before), "has no replicas in the binding"),
    "everywhere shares the lost copy": (
        wrong("everywhere", lambda r, b, dead, w, room: added(left_of(b, dead), deal(b[dead], left_of(w, dead)))),
        "knows whole copies only",
    ),
    "two takes nobody in": (wrong("two", lambda r, b, dead, *_: left_of(b, dead)), "one is left"),
    "two takes all in": (wrong("two", lambda r, b, dead, w, room: dict.fromkeys(room, r)), "and no more"),
    "two goes by the name": (
        wrong("two", lambda r, b, dead, w, room: left_of(b, dead) | {min(n for n in room if n not in b): r}),
        "the one with the most room",
    ),
    "static deals what is lost": (
        wrong("static", lambda r, b, dead, w, room: added(left_of(b, dead), deal(b[dead], left_of(w, dead)))),
        "divide *all* replicas anew",
    ),
    "static leaves it": (wrong("static", lambda r, b, dead, *_: left_of(b, dead)), "a reason to schedule"),
    "static divides with the dead one": (
        wrong("static", lambda r, b, dead, w, room: deal(r, w)),
        "has no replicas in the binding",
    ),
    "zeros stay": (wrong("static", lambda r, b, dead, w, room: {**b, dead: 0}), "has no replicas in the binding"),
    "no dict": (lambda *_: [1, 2], "a placement is a dict"),
    "a word for a number": (lambda *_: {"member1": "x"}, "your function returns {'member1': 'x'}"),
    "it raises": (lambda *_: {}["member9"], "raises KeyError: 'member9'"),
}


@pytest.mark.parametrize(("answer", "says"), BY_RULE.values(), ids=BY_RULE)
def test_a_mistake_about_a_rule(answer: Any, says: str) -> None:
    assert says in mistake("31.1", answer)


BY_ROOM: dict[str, tuple[Callable[..., Any], str]] = {
    "all anew": (lambda b, dead, room: deal(sum(b.values()), room), "stays there"),
    "by what they have": (
        lambda b, dead, room: added(left_of(b, dead), deal(b.get(dead, 0), left_of(b, dead))),
        "you deal by what the clusters have",
    ),
    "equal shares": (
        lambda b, dead, room: added(left_of(b, dead), deal(b.get(dead, 0), dict.fromkeys(room, 1), left_of(b, dead))),
        "you deal equal shares",
    ),
    "a list for a number": (lambda b, dead, room: {"member1": [1]}, "its replicas, a whole number"),
    "what each has already plays no part": (
        lambda b, dead, room: added(left_of(b, dead), deal(b.get(dead, 0), room)),
        "who has more replicas already comes first",
    ),
    "nothing": (lambda b, dead, room: left_of(b, dead), "a reason to schedule"),
    "zeros": (lambda b, dead, room: {**dict.fromkeys(room, 0), "x": 0}, "a cluster without replicas"),
}


@pytest.mark.parametrize(("answer", "says"), BY_ROOM.values(), ids=BY_ROOM)
def test_a_mistake_about_room(answer: Any, says: str) -> None:
    assert says in mistake("31.2", answer)


UNLUCKY: dict[str, tuple[Any, str]] = {
    "a lucky fleet": ((6, {"member1": 1, "member2": 2, "member3": 3}, "member3"), "nobody on a healthy cluster"),
    "the dead one had nothing": ((2, {"member1": 1, "member2": 1, "member3": 5}, "member1"), "nothing to give up"),
    "too large": ((11, {"member1": 1, "member2": 1, "member3": 9}, "member2"), "weights of 1 to 5"),
    "half a replica": ((1.5, {"member1": 1, "member2": 1, "member3": 5}, "member2"), "weights of 1 to 5"),
    "another fleet": ((11, {"a": 1}, "a"), "the weights of member1, member2 and member3"),
    "a list of the dead": ((11, {"member1": 1, "member2": 1, "member3": 5}, ["member2"]), "one of which dies"),
    "no triple": (7, "the check needs a number"),
}


@pytest.mark.parametrize(("fleet", "says"), UNLUCKY.values(), ids=UNLUCKY)
def test_a_fleet_that_is_not_unlucky(fleet: Any, says: str) -> None:
    assert says in mistake("31.3", lambda: fleet)


def test_the_right_answers_pass() -> None:
    assert "ten fleets" in check("31.1", right, parameters("31", "anna")).text
    assert "22 fleets" in check("31.2", right_room, parameters("31", "anna")).text
    assert "stops a healthy pod" in check("31.3", unlucky).text


def test_the_value_in_place_of_the_function_gets_a_sentence() -> None:
    assert "the check wants your function and got 7" in mistake("31.1", 7)


@pytest.mark.parametrize("student", ["", "s1", "s2", "s3"])
def test_every_student_has_a_fleet_that_shows_something(student: str) -> None:
    case = parameters("31", student)
    assert moved("everywhere", case).before.keys() == case.weights.keys()
    for rule in ("static", "dynamic"):
        run = moved(rule, case)
        assert case.dead in run.before
        assert case.dead not in run.after
        assert sum(run.before.values()) == sum(run.after.values()) == case.replicas


def test_bad_luck_begins_at_weight_five() -> None:
    assert unlucky_share(4) == 0
    assert 0 < unlucky_share(5) < 0.1

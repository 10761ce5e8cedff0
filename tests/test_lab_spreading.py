"""Lab 22: right witnesses, the right selection and right constraints pass; each mistake gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from karmadalab.teaching import check, parameters
from karmadalab.teaching.labs.spreading import CULPRITS, Spot, karmada, plugged
from karmadalab.teaching.labs.spreading.goal import Goal, drawn
from tests.answers import mistake

WITNESSES: dict[str, Any] = {
    "ada": (1, [Spot("a", 0, 5)], 2, 2),
    "bob": (1, [Spot("a", 0, 5), Spot("b", 0, 6)], 1, 1),
    "cyd": (10, [Spot("p", 100, 5), Spot("q", 50, 2), Spot("r", 0, 9)], 2, 2),
}


def witness(**other: Any) -> Callable[[str], Any]:
    return lambda name: {**WITNESSES, **other}[name]


FIVE = [Spot(name, 0, 1) for name in "abcde"]

WRONG_WITNESSES: dict[str, tuple[Any, str]] = {
    "all agree about ada": (witness(ada=(1, FIVE[:2], 1, 1)), "one of the two ends of the constraint"),
    "all agree about bob": (witness(bob=(1, FIVE[:2], 1, 1)), "when two clusters are equal in one thing"),
    "all agree about cyd": (witness(cyd=(1, FIVE[:2], 1, 1)), "somebody must give way"),
    "five clusters": (witness(ada=(1, FIVE, 6, 6)), "4 are enough"),
    "a demand above the limit": (witness(ada=(1, FIVE[:1], 3, 2)), "a webhook would refuse it"),
    "nothing to divide": (witness(ada=(0, FIVE[:1], 2, 2)), "a webhook would refuse it"),
    "a cluster twice": (witness(bob=(1, [FIVE[0], FIVE[0]], 1, 1)), "has a cluster twice"),
    "negative room": (witness(bob=(1, [Spot("a", 0, -1)], 1, 1)), "negative room"),
    "not a question": (witness(ada=[1, 2]), "it should return (replicas, spots, least, most)"),
    "room that nobody knows": (witness(bob=(1, [Spot("a", 0, None)], 1, 1)), "and whole numbers in all of them"),  # type: ignore[arg-type]
    "a score as text": (witness(bob=(1, [Spot("a", "0", 5)], 1, 1)), "and whole numbers in all of them"),  # type: ignore[arg-type]
    "a name it does not know": (lambda name: {"ada": WITNESSES["ada"]}[name], "for each of the three names"),
}


@pytest.mark.parametrize(("function", "says"), WRONG_WITNESSES.values(), ids=WRONG_WITNESSES)
def test_a_witness_that_shows_nothing_is_told_so(function: Any, says: str) -> None:
    assert says in mistake("22.1", function)


def test_each_culprit_has_one_bug_and_is_right_about_the_others() -> None:
    for about, question in WITNESSES.items():
        wrong = [name for name, choose in CULPRITS.items() if choose(*question) != karmada(*question)]
        assert wrong == [about]


def bent(**bends: Any) -> Callable[[int, Sequence[Spot], int, int], Any]:
    """The right selection with one thing bent."""

    def choose(replicas: int, spots: Sequence[Spot], least: int, most: int) -> Any:
        order = sorted(spots, key=bends.get("key", lambda s: (-s.score, -s.room, s.name)))
        if len(order) < least and not bends.get("no_demand"):
            return None
        chosen, rest = order[:most], order[most:]
        if bends.get("only_needed"):
            while len(chosen) > 1 and sum(s.room for s in chosen[:-1]) >= replicas:
                rest.insert(0, chosen.pop())
        places = range(len(chosen)) if bends.get("from_the_first") else reversed(range(len(chosen)))
        for count, place in enumerate(places):
            enough = sum(s.room for s in chosen) >= replicas and not bends.get("always")
            if not rest or enough or count >= bends.get("rounds", 99):
                break
            roomiest = max(rest, key=lambda s: s.room)
            if roomiest.room > chosen[place].room:
                rest[rest.index(roomiest)], chosen[place] = chosen[place], roomiest
                rest = [s for s in rest if s in order[most:]] if bends.get("gone_for_good") else rest
        if bends.get("any_room"):
            return [s.name for s in chosen]
        return [s.name for s in chosen] if chosen and sum(s.room for s in chosen) >= replicas else None

    return choose


CHOICES: dict[str, tuple[Any, str]] = {
    "room before score": (bent(key=lambda s: (-s.room, -s.score, s.name)), "the larger score comes first"),
    "room plays no part": (bent(key=lambda s: (-s.score, s.name)), "the one with more room comes first"),
    "the name plays no part": (bent(key=lambda s: (-s.score, -s.room)), "the smaller name comes first"),
    "nothing is demanded": (bent(no_demand=True), "the demand cannot be met, None"),
    "as few as possible": (bent(only_needed=True), "as many as `most`"),
    "too little room will do": (bent(any_room=True), "all the room there is: None"),
    "the best gives way": (bent(from_the_first=True), "The *last* of the chosen gives way"),
    "somebody always gives way": (bent(always=True), "nobody gives way"),
    "only one gives way": (bent(rounds=1), "one that gave way is not enough"),
    "who gives way is gone for good": (bent(gone_for_good=True), "may come in at the next place"),
    "nobody gives way": (bent(rounds=0), "The *last* of the chosen gives way"),
    "it returns spots": (
        lambda replicas, spots, least, most: spots[:most],
        "it should return a list of names, or None",
    ),
}


@pytest.mark.parametrize(("choose", "says"), CHOICES.values(), ids=CHOICES)
def test_a_wrong_selection_is_told_what_is_wrong(choose: Any, says: str) -> None:
    assert says in mistake("22.2", choose)


def spread(**ends: tuple[int, int]) -> Callable[[], Any]:
    return lambda: ends


SPREADS: dict[str, tuple[Any, str]] = {
    "no region demanded": (spread(cluster=(3, 3)), "asia fails, and nothing serves for a while"),
    "one region demanded": (spread(region=(1, 3), cluster=(3, 3)), "all copies were in one region"),
    "every region demanded": (spread(region=(3, 3), cluster=(3, 3)), "a demand for more fails for the whole binding"),
    "too few copies": (spread(region=(2, 2), cluster=(2, 2)), "in peace web has 2 copies; 3 are wanted"),
    "regions alone": (spread(region=(2, 2)), "the policy is refused"),
    "ends the wrong way round": (spread(region=(2, 2), cluster=(4, 3)), "the policy is refused"),
    "a list": (lambda: [("region", 2, 2)], "it should return such as"),
}


@pytest.mark.parametrize(("function", "says"), SPREADS.values(), ids=SPREADS)
def test_wrong_constraints_are_told_what_is_wrong(function: Any, says: str) -> None:
    assert says in mistake("22.3", function)


def test_the_right_answers_pass() -> None:
    assert "three questions" in check("22.1", witness()).text
    assert "300 random ones" in check("22.2", bent()).text
    goal = Goal(2, (("asia", 4), ("africa", 2), ("oceania", 1)))
    assert "whichever region fails" in check("22.3", spread(region=(2, 2), cluster=(2, 2)), goal).text


def test_the_scheduler_asks_the_learners_selection() -> None:
    def smallest(replicas: int, spots: Sequence[Spot], least: int, most: int) -> list[str]:
        return ["member1"]

    assert dict(plugged(smallest, 3).placement["default/web-deployment"]) == {"member1": 3}
    assert dict(plugged(None, 3).placement["default/web-deployment"]) == {"member4": 3}


def test_each_student_has_a_goal_that_can_be_met() -> None:
    assert len({parameters("22", f"s{n}") for n in range(40)}) > 10
    for seed in range(100):
        goal = drawn(Random(seed))
        assert sum(size for _, size in goal.sizes[1:]) >= goal.copies
        assert goal.sizes[0][1] >= goal.copies, "all copies fit into the largest region, so a region must be demanded"

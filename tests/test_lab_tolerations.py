"""Lab 30: right arithmetic passes, and each mistake that people make gets its own sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

import pytest

from karmadalab.api.meta import Taint, Toleration, replace, tolerates
from karmadalab.controllers.taint_manager import eviction_deadline
from karmadalab.teaching import check, parameters
from karmadalab.teaching.labs.tolerations import leaves, plugged
from karmadalab.teaching.labs.tolerations.scenarios import Patience, drawn
from tests.answers import mistake


def bent_match(**bends: Any) -> Callable[[Toleration, Taint], Any]:
    """The right match with one thing bent."""

    def match(toleration: Toleration, taint: Taint) -> Any:
        asked = bool(toleration.effect) or bends.get("effect") == "asked"
        if asked and bends.get("effect") != "ignored" and toleration.effect != taint.effect:
            return False
        if (toleration.key or bends.get("key") == "asked") and toleration.key != taint.key:
            return False
        if toleration.operator == "Equal" or (toleration.operator == "" and not bends.get("no_operator")):
            return bool(bends.get("any_value")) or toleration.value == taint.value
        return bends.get("last", toleration.operator == "Exists")

    return match


MATCHES: dict[str, tuple[Any, str]] = {
    "it ignores the effect": (bent_match(effect="ignored"), "another effect is another taint"),
    "it asks for the effect": (bent_match(effect="asked"), "an empty effect matches any effect"),
    "it asks for the key": (bent_match(key="asked"), "an empty key matches any key"),
    "it never looks at the value": (bent_match(any_value=True), "`Equal` asks for the same value"),
    "no operator is unknown to it": (bent_match(no_operator=True), "no operator is as good as `Equal`"),
    "any other operator will do": (bent_match(last=True), "an operator that nobody knows matches nothing"),
    "it returns nothing": (bent_match(last=None), "returns nothing"),
    "it takes one argument": (lambda toleration: True, "raises TypeError"),
    "it is no function": (3, "the check wants your function and got 3"),
}


@pytest.mark.parametrize(("match", "says"), MATCHES.values(), ids=MATCHES)
def test_a_wrong_match_is_told_what_is_wrong(match: Any, says: str) -> None:
    assert says in mistake("30.1", match)


def bent(**bends: Any) -> Callable[[Sequence[Taint], Sequence[Toleration]], float]:
    """The right arithmetic with one thing bent."""
    pick: Callable[[list[Toleration]], Toleration] = bends.get("pick", lambda matching: matching[0])
    join: Callable[[list[float]], float] = bends.get("join", lambda ends: min(ends, default=math.inf))
    start: Callable[[Taint], float] = bends.get("start", lambda taint: float(taint.timeAdded or 0.0))

    def rule(taints: Iterable[Taint], tolerations: Sequence[Toleration]) -> float:
        serious = [t for t in taints if t.effect == "NoExecute" or bends.get("any_effect")]
        used, ends = [], []
        for taint in serious:
            matching = [t for t in tolerations if tolerates(t, taint)]
            if not matching:
                if bends.get("one_is_enough") and len(serious) > 1:
                    continue
                return bends.get("untolerated", -math.inf)
            used.append((taint, pick(matching)))
        for mine, toleration in used:
            counted = [mine] if bends.get("own_only") else [t for t in serious if tolerates(toleration, t)]
            seconds = toleration.tolerationSeconds
            if (not seconds if bends.get("zero") else seconds is None) or seconds is None:
                continue
            ends += [start(t) + seconds for t in counted if t.timeAdded is not None or bends.get("ageless")]
        return join(ends)

    return rule


def by_seconds(t: Toleration) -> float:
    return math.inf if t.tolerationSeconds is None else t.tolerationSeconds


def seconds_of_any_effect(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> float:
    return eviction_deadline(taints, [replace(t, effect="") for t in tolerations])


RULES: dict[str, tuple[Any, str]] = {
    "NoSchedule moves it": (bent(any_effect=True), "NoSchedule speaks to the scheduler"),
    "untolerated it stays": (bent(untolerated=math.inf), "a NoExecute taint that nothing tolerates means: now"),
    "NoSchedule's seconds count": (seconds_of_any_effect, "so they mean nothing"),
    "it counts from now": (bent(start=lambda taint: 1_767_225_600.0), "not from now"),
    "0 seconds are no end": (bent(zero=True), "0 seconds are a number"),
    "the shortest match is used": (bent(pick=lambda those: min(those, key=by_seconds)), "the *first* toleration"),
    "the longest match is used": (
        bent(pick=lambda those: max(those, key=by_seconds)),
        "the first that matches has 200",
    ),
    "the latest deadline counts": (bent(join=lambda ends: max(ends, default=math.inf)), "the earliest counts"),
    "one match is enough": (bent(one_is_enough=True), "one taint that nothing tolerates is enough to leave"),
    "each for its own taint": (bent(own_only=True), "its seconds count from every NoExecute taint that it matches"),
    "no time is 1970": (bent(ageless=True), "nobody knows when the taint was added"),
    "min of nothing": (bent(join=min), "`min` of nothing raises"),
    "it says yes": (lambda taints, tolerations: True, "returns True"),
    "it says nothing": (lambda taints, tolerations: None, "returns nothing"),
}


@pytest.mark.parametrize(("rule", "says"), RULES.values(), ids=RULES)
def test_wrong_arithmetic_is_told_what_is_wrong(rule: Any, says: str) -> None:
    assert says in mistake("30.2", rule)


def test_min_of_nothing_is_blamed_for_what_it_raises_and_for_nothing_else() -> None:
    def empty_handed(taints: Any, tolerations: Any) -> float:
        return math.inf if taints else [][0]

    said = mistake("30.2", empty_handed)
    assert "raises IndexError" in said
    assert "`min`" not in said


def test_the_right_answers_pass() -> None:
    assert "eleven cases" in check("30.1", bent_match()).text
    assert "60 decisions recorded" in check("30.2", bent()).text
    assert "four stories" in check("30.3", bent(), Patience(45, 130)).text


def test_the_control_plane_asks_the_learners_function() -> None:
    everybody = dict.fromkeys(("plain", "patient", "careful", "loyal", "easy"))
    assert leaves(plugged(lambda taints, tolerations: math.inf)) == everybody
    assert leaves(plugged(None)) == {**everybody, "plain": 0, "patient": 60, "careful": 0}


def test_a_rule_that_takes_each_toleration_for_its_own_taint_is_seen_in_the_run() -> None:
    told = mistake("30.3", bent(own_only=True))
    assert "a second taint after 50 s: with your rule `easy` leaves member1 after 170 s" in told


def test_each_student_has_numbers_by_which_the_story_can_be_told() -> None:
    assert parameters("30", "s1") != parameters("30", "s2")
    for seed in range(200):
        patience = drawn(Random(seed))
        assert 30 < patience.patient_s < patience.easy_s

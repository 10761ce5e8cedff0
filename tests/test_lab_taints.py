"""Lab 13: the right rules pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from karmadalab.api.cluster import NOT_READY_NO_SCHEDULE, UNREACHABLE_NO_SCHEDULE
from karmadalab.api.meta import Condition, Taint, replace
from karmadalab.api.taints import taints_by_condition, with_taints
from karmadalab.api.time import Time
from karmadalab.teaching import check
from tests.answers import mistake


def merged(taints: tuple[Taint, ...], add: Iterable[Taint], remove: Iterable[Taint], now: float, **bends: Any) -> Any:
    """`with_taints` with one thing bent."""
    name: Callable[[Taint], Any] = bends.get("name", lambda t: (t.key, t.effect))
    stamp: Callable[[Taint], Taint] = bends.get("stamp", lambda t: replace(t, timeAdded=Time(now)))
    present, gone = {name(t) for t in taints}, {name(t) for t in remove}
    if bends.get("removes_first"):
        present -= gone
    new = [stamp(t) for t in add if name(t) not in present]
    kept = [t for t in taints if name(t) not in gone]
    return (*new, *kept) if bends.get("in_front") else (*kept, *new)


def merge(**bends: Any) -> Callable[..., Any]:
    return lambda taints, add, remove, now: merged(taints, add, remove, now, **bends)


MERGES: dict[str, tuple[Callable[..., Any], str]] = {
    "it forgets the time": (merge(stamp=lambda t: t), "stamped with `now`"),
    "it puts new ones in front": (merge(in_front=True), "new taints go to the end"),
    "it stamps anew": (
        lambda taints, add, remove, now: with_taints(with_taints(taints, [], add, now), add, remove, now),
        "keeps its time",
    ),
    "the key alone is the name": (merge(name=lambda t: t.key), "two taints"),
    "the value is part of the name": (merge(name=lambda t: (t.key, t.effect, t.value)), "its value belongs to"),
    "it removes before it adds": (merge(removes_first=True), "both lists are decided on the taints as they are given"),
    "it always makes a new tuple": (merge(), "returns another tuple than it was given"),
    "it returns a list": (
        lambda taints, add, remove, now: list(with_taints(taints, add, remove, now)),
        "a tuple of `Taint`",
    ),
    "it writes into a taint": (
        lambda taints, add, remove, now: tuple(setattr(t, "timeAdded", Time(now)) or t for t in add),  # type: ignore[func-returns-value]
        "a taint is frozen",
    ),
}


@pytest.mark.parametrize(("function", "says"), MERGES.values(), ids=MERGES)
def test_a_wrong_merge_is_told_what_is_wrong(function: Any, says: str) -> None:
    assert says in mistake("13.1", function)


def without_removal(ready: Condition | None, taints: tuple[Taint, ...], now: float) -> tuple[Taint, ...]:
    if ready is None or ready.status == "False":
        return with_taints(taints, [NOT_READY_NO_SCHEDULE], [], now)
    if ready.status == "Unknown":
        return with_taints(taints, [UNREACHABLE_NO_SCHEDULE], [], now)
    return with_taints(taints, [], [NOT_READY_NO_SCHEDULE, UNREACHABLE_NO_SCHEDULE], now)


TAINT_RULES: dict[str, tuple[Callable[..., Any], str]] = {
    "it never removes the other key": (
        without_removal,
        "Ready is False and the taints are unreachable:NoSchedule (old)",
    ),
    "True clears the list": (
        lambda ready, taints, now: () if ready and ready.status == "True" else taints_by_condition(ready, taints, now),
        "only these two",
    ),
    "None is as good as False": (
        lambda ready, taints, now: taints_by_condition(ready or Condition("Ready", "False"), taints, now),
        "Ready is absent",
    ),
    "it always makes a new tuple": (
        lambda ready, taints, now: (*taints_by_condition(ready, taints, now),),
        "you return a new tuple",
    ),
}


@pytest.mark.parametrize(("rule", "says"), TAINT_RULES.values(), ids=TAINT_RULES)
def test_a_wrong_rule_of_taints_is_told_what_is_wrong(rule: Any, says: str) -> None:
    assert says in mistake("13.2", rule)


def test_the_right_answers_pass() -> None:
    assert "nine cases" in check("13.1", with_taints).text
    assert "each state of Ready" in check("13.2", taints_by_condition).text
    assert "four stories" in check("13.3", taints_by_condition).text


def test_a_rule_that_takes_unknown_for_false_is_seen_in_the_running_control_plane() -> None:
    def rule(ready: Condition | None, taints: tuple[Taint, ...], now: float) -> tuple[Taint, ...]:
        bad = ready if ready is None or ready.status == "True" else replace(ready, status="False")
        return taints_by_condition(bad, taints, now)

    assert "a pull member is cut off for 2 minutes: only with your rule member2 at " in mistake("13.3", rule)

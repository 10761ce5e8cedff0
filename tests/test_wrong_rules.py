"""Labs 12 and 13: each wrong answer is told what is wrong with it, and not something else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from karmadalab.api.cluster import NOT_READY_NO_SCHEDULE, UNREACHABLE_NO_SCHEDULE
from karmadalab.api.health import Heard
from karmadalab.api.meta import Condition, Taint, replace
from karmadalab.api.taints import taints_by_condition, with_taints
from karmadalab.api.time import Time
from karmadalab.teaching import Mistake, Unsolved, check
from karmadalab.teaching.checks import LABS


def right(saved: Heard | None, ready: Condition, renewed_at: float | None, now: float, grace_s: float) -> Any:
    if saved is None:
        return Heard(now, ready, renewed_at), False
    changed = ready != saved.ready
    renewed = renewed_at is not None and (saved.renewed_at is None or renewed_at > saved.renewed_at)
    at = now if changed or renewed else saved.at
    known = renewed_at if renewed else None if changed else saved.renewed_at
    return Heard(at, ready, known), now > at + grace_s


def bent(**bends: Any) -> Callable[..., Any]:
    """The right rule with one thing bent."""

    def rule(saved: Heard | None, ready: Condition, renewed_at: float | None, now: float, grace_s: float) -> Any:
        if saved is None:
            at = renewed_at if bends.get("first") and renewed_at is not None else now
            return Heard(at, ready, renewed_at), now > at + grace_s
        changed = ready.status != saved.ready.status if bends.get("status_only") else ready != saved.ready  # type: ignore[union-attr]
        changed = changed and not bends.get("condition_is_nothing")
        later: Callable[[float, float], bool] = bends.get("later", lambda new, old: new > old)
        renewed = renewed_at is not None and (saved.renewed_at is None or later(renewed_at, saved.renewed_at))
        at = now if changed or renewed else saved.at
        if renewed and bends.get("member_time"):
            at = renewed_at or 0.0
        known = renewed_at if renewed else None if changed and not bends.get("never_forgets") else saved.renewed_at
        return Heard(at, ready, known), now >= at + grace_s if bends.get("at_its_end") else now > at + grace_s

    return rule


RULES: dict[str, tuple[Callable[..., Any], str]] = {
    "it takes the first lease at its word": (bent(first=True), "at the very first look the lease is an hour old"),
    "any lease will do": (bent(later=lambda new, old: True), "the lease is never renewed, for five minutes"),
    "the end of the grace period counts": (bent(at_its_end=True), "exactly 40 s ago"),
    "it remembers the member's time": (bent(member_time=True), "the member's clock is an hour slow"),
    "another lease is a newer one": (bent(later=lambda new, old: new != old), "goes *back* by 5 s"),
    "a condition says nothing": (bent(condition_is_nothing=True), "the Ready condition changes (its status)"),
    "only the status counts": (bent(status_only=True), "the Ready condition changes (only its message)"),
    "it never forgets": (bent(never_forgets=True), "rule 4"),
    "it never speaks": (lambda saved, ready, renewed_at, now, grace_s: (Heard(now, ready, renewed_at), False), "never"),
    "it fails without a lease": (
        lambda saved, ready, renewed_at, now, grace_s: (
            (Heard(now, ready, renewed_at), False) if saved is None else
            (replace(saved, at=now if renewed_at > saved.renewed_at else saved.at, renewed_at=renewed_at),
             now > (now if renewed_at > saved.renewed_at else saved.at) + grace_s)
        ),
        "raises TypeError",
    ),
    "it returns the verdict alone": (lambda *_: True, "your rule returns True"),
    "it returns nothing": (lambda *_: None, "your rule returns None"),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_a_wrong_rule_of_silence_is_told_what_is_wrong(name: str) -> None:
    rule, says = RULES[name]
    with pytest.raises(Mistake) as caught:
        check("12.1", rule)
    assert says in str(caught.value)
    assert 'Stuck? hint("12.1")' in str(caught.value)


def test_the_right_rule_passes() -> None:
    assert check("12.1", right).check_id == "12.1"
    assert check("12.2", right).check_id == "12.2"


def test_a_hasty_rule_is_seen_in_the_running_control_plane() -> None:
    def hasty(*arguments: Any) -> Any:
        return right(*arguments[:4], 20.0)

    with pytest.raises(Mistake, match="the agent freezes for 25 s: with your rule Ready True -> Unknown"):
        check("12.2", hasty)


# --- lab 13


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
    "it returns a list": (lambda taints, add, remove, now: list(with_taints(taints, add, remove, now)), "a list"),
    "it writes into a taint": (
        lambda taints, add, remove, now: tuple(setattr(t, "timeAdded", Time(now)) or t for t in add),  # type: ignore[func-returns-value]
        "a taint is frozen",
    ),
}


@pytest.mark.parametrize("name", MERGES)
def test_a_wrong_merge_is_told_what_is_wrong(name: str) -> None:
    function, says = MERGES[name]
    with pytest.raises(Mistake) as caught:
        check("13.1", function)
    assert says in str(caught.value)


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


@pytest.mark.parametrize("name", TAINT_RULES)
def test_a_wrong_rule_of_taints_is_told_what_is_wrong(name: str) -> None:
    rule, says = TAINT_RULES[name]
    with pytest.raises(Mistake) as caught:
        check("13.2", rule)
    assert says in str(caught.value)


def test_a_rule_that_takes_unknown_for_false_is_seen_in_the_running_control_plane() -> None:
    def rule(ready: Condition | None, taints: tuple[Taint, ...], now: float) -> tuple[Taint, ...]:
        bad = ready if ready is None or ready.status == "True" else replace(ready, status="False")
        return taints_by_condition(bad, taints, now)

    with pytest.raises(Mistake, match="a pull member is cut off for 2 minutes: only with your rule member2 at "):
        check("13.3", rule)


# --- both


def never_written(*_: Any) -> Any:
    raise NotImplementedError


@pytest.mark.parametrize("check_id", [name for lab in ("12", "13") for name in LABS[lab].checks])
def test_an_answer_not_written_yet_is_told_so(check_id: str) -> None:
    with pytest.raises(Unsolved):
        check(check_id, never_written)

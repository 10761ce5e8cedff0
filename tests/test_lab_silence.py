"""Lab 12: the right rule passes, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from karmadalab.api.health import Heard
from karmadalab.api.meta import Condition, replace
from karmadalab.teaching import check
from tests.answers import mistake


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
    "it returns the verdict alone": (lambda *_: True, "your function returns True"),
    "it returns nothing": (lambda *_: None, "your function returns nothing"),
}  # fmt: skip


@pytest.mark.parametrize(("rule", "says"), RULES.values(), ids=RULES)
def test_a_wrong_rule_of_silence_is_told_what_is_wrong(rule: Any, says: str) -> None:
    assert says in mistake("12.1", rule)


def test_the_right_answers_pass() -> None:
    assert "sixty random sequences" in check("12.1", right).text
    assert "five stories" in check("12.2", right).text


def test_a_hasty_rule_is_seen_in_the_running_control_plane() -> None:
    def hasty(*arguments: Any) -> Any:
        return right(*arguments[:4], 20.0)

    assert "the agent freezes for 25 s: with your rule Ready True -> Unknown" in mistake("12.2", hasty)

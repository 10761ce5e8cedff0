"""Lab 35: right answers pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from karmadalab.teaching import check, parameters
from karmadalab.teaching.labs.double import CASES, SUSPECTS, Double, case_of, partition, twice_s
from karmadalab.teaching.labs.double.suspects import _culprit
from tests.answers import mistake

BINDING, EXECUTION, EVICTION, NOBODY = SUSPECTS


def gone(asked_s: float, ready_s: float, base_s: float, max_s: float) -> float:
    pause_s = base_s
    while asked_s < ready_s:
        asked_s += min(pause_s, max_s)
        pause_s *= 2
    return asked_s


def last_failure(asked_s: float, ready_s: float, base_s: float, max_s: float) -> float:
    pause_s, before = base_s, asked_s
    while asked_s < ready_s:
        before = asked_s
        asked_s += min(pause_s, max_s)
        pause_s *= 2
    return before


def guilty(numbers: Double | None = None, **changes: Any) -> Callable[[], Any]:
    """The right accusations, and changes to them."""
    found = {name: _culprit(name, numbers) for name in CASES}
    return lambda: {**found, **changes}


def case_with(culprit: str | None) -> str:
    return next(name for name in CASES if _culprit(name, None) == culprit)


def flags(numbers: Double, wait_s: float | None = None, most: str = "30s", **more: Any) -> dict[str, Any]:
    each = (numbers.harmless_s + 60) / 2 if wait_s is None else wait_s / 2
    waits = {"failover-eviction-timeout": f"{each:g}s", "default-not-ready-toleration-seconds": int(each)}
    return {**waits, "rate-limiter-max-delay": most, **more}


GONE: dict[str, tuple[Any, str]] = {
    "Ready wakes it": (lambda asked, ready, base, most: max(asked, ready), "nothing wakes the controller"),
    "no cap": (lambda asked, ready, base, most: gone(asked, ready, base, 1e9), "no pause is longer than the longest"),
    "powers of two": (
        lambda asked, ready, base, most: (
            next(t for n in count() if (t := asked + base * 2**n) >= ready) if asked < ready else asked
        ),
        "the pauses add up",
    ),
    "the last failure": (last_failure, "finds m1 not Ready, and fails"),
    "steady pauses": (
        lambda asked, ready, base, most: next(t for n in count() if (t := asked + base * n) >= ready),
        "twice as long as the one before",
    ),
    "no number": (lambda *_: "soon", "a number of seconds"),
    "something else": (lambda *_: 7.0, "the first try at which m1 is Ready succeeds"),
    "it raises": (lambda asked, ready, base, most: asked / 0, "raises ZeroDivisionError"),
}


@pytest.mark.parametrize(("answer", "says"), GONE.values(), ids=GONE)
def test_a_mistake_about_the_moment(answer: Any, says: str) -> None:
    assert says in mistake("35.1", answer)


ACCUSED: dict[str, tuple[Any, str]] = {
    "the evicting one, who was slow only": (guilty(**{case_with(NOBODY): EVICTION}), "its task ended at 124 s"),
    "the executing one, who was slow only": (guilty(**{case_with(NOBODY): EXECUTION}), "it deleted the copy in m1 at"),
    "the binding one, who was slow only": (
        guilty(**{case_with(NOBODY): BINDING}),
        "asked for the deletion of the Work",
    ),
    "the executing one, whom nobody asked": (guilty(**{case_with(BINDING): EXECUTION}), "has no deletionTimestamp"),
    "the binding one, who had to wait": (guilty(**{case_with(EVICTION): BINDING}), "it has one still"),
    "the binding one, who did ask": (guilty(**{case_with(EXECUTION): BINDING}), "what became of that Work"),
    "nobody, and two copies run": (guilty(**{case_with(BINDING): NOBODY}), "still serves at the end"),
    "a stranger": (guilty(A="kubelet"), "'kubelet' is no suspect"),
    "three cases": (lambda: dict.fromkeys(CASES[:3]), "for each of A, B, C and D"),
    "no dict": (lambda: 7, "for each of A, B, C and D"),
}


@pytest.mark.parametrize(("answer", "says"), ACCUSED.values(), ids=ACCUSED)
def test_the_innocent_have_a_witness(answer: Any, says: str) -> None:
    assert says in mistake("35.2", answer)


USUAL = Double()

FLAGS: dict[str, tuple[Any, str]] = {
    "the defaults": ({}, "two copies run for"),
    "only the pauses": ({"rate-limiter-max-delay": "30s"}, "the eviction came before m1 was Ready again"),
    "forgets detection": (flags(USUAL, USUAL.harmless_s - 60), "the eviction came before"),
    "too patient": (flags(USUAL, 1200), "m1 dies for good"),
    "without end": (flags(USUAL, 20000), "nobody serves for an hour"),
    "long pauses": (flags(USUAL, most="1000s"), "sleeps to the end of its pause"),
    "pauses a second too long": (flags(USUAL, most="46s"), "is gone 45.4 s after it; 45 s are allowed"),
    "a minute between tries": (flags(USUAL, most="60s"), "sleeps to the end of its pause"),
    "cheap pauses": (flags(USUAL, most="5s"), "it paces the retries of all controllers"),
    "another flag": (flags(USUAL, **{"cluster-failure-threshold": "10m"}), "only these flags are yours"),
    "no length": (flags(USUAL, most="short"), "a flag is refused"),
    "no dict": (30, "only these flags are yours"),
}


@pytest.mark.parametrize(("chosen", "says"), FLAGS.values(), ids=FLAGS)
def test_flags_that_do_not_meet_the_terms(chosen: Any, says: str) -> None:
    assert says in mistake("35.3", lambda: chosen)


@pytest.mark.parametrize("student", ["", "anna", "bo"])
def test_the_right_answers_pass(student: str) -> None:
    numbers = parameters("35", student)
    assert "seven partitions" in check("35.1", gone, numbers).text
    assert "the guilty are named" in check("35.2", guilty(numbers), numbers).text
    assert "short partitions move nothing" in check("35.3", lambda: flags(numbers), numbers).text


@pytest.mark.parametrize("culprit", SUSPECTS, ids=str)
def test_two_copies_run_for_ever_where_somebody_forgot(culprit: str | None) -> None:
    lab = case_of(case_with(culprit))
    assert (twice_s(lab) > 3000) is (culprit is not None)
    assert round(twice_s(partition(300))) == 328


def test_students_have_cases_of_their_own() -> None:
    orders = {tuple(_culprit(name, parameters("35", f"s{n}")) for name in CASES) for n in range(12)}
    assert len(orders) > 5

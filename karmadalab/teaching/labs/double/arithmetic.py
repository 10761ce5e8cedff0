"""Check 35.1: when the old copy is gone, by the learner's formula and in a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from karmadalab.teaching.asking import called, is_number
from karmadalab.teaching.labs.double.story import (
    AT_ONCE,
    Double,
    asked_at,
    gone_at,
    partition,
    ready_at,
    tries,
)
from karmadalab.teaching.verdict import Finding

GoneS = Callable[[float, float, float, float], float]
CLOSE_S = 0.002
_RUNS = ((0.005, 1000, 300), (0.005, 1000, 900), (0.005, 100, 900), (1, 300, 700), (2, 1000, 1100), (0.1, 40, 400))


class Case(NamedTuple):
    """What a formula is asked, and what happened."""

    asked_s: float
    ready_s: float
    base_s: float
    max_s: float
    gone_s: float


def cases(own: Double | None = None) -> Iterator[Case]:
    """Partitions, and a deletion while all is well."""
    usual = own or Double()
    for base_s, max_s, outage_s in ((usual.base_s, usual.max_s, usual.outage_s), *_RUNS):
        flags = {**AT_ONCE, "rate-limiter-base-delay": f"{base_s}s", "rate-limiter-max-delay": f"{max_s}s"}
        lab = partition(outage_s, flags)
        asked, ready, gone = asked_at(lab), ready_at(lab), gone_at(lab)
        if asked is not None and ready is not None and gone is not None:
            yield Case(asked, ready, base_s, max_s, gone)
    yield Case(500.0, 100.0, 0.005, 1000.0, 500.0)  # Ready all along: the first try is the last


def judge(answer: GoneS, own: Double | None = None) -> Finding | None:
    """Hold a formula against runs."""
    for case in cases(own):
        said = called(answer, *case[:4])
        if not is_number(said):
            return Finding(f"you return {said!r}.", "a moment is a number of seconds.", "what your function returns.")
        if abs(said - case.gone_s) > CLOSE_S:
            what = (
                f"asked for at {case.asked_s:.3f} s, Ready at {case.ready_s:.3f} s, pauses from {case.base_s:g} s up "
                f"to {case.max_s:g} s: you say {said:.3f} s; in the run it is gone at {case.gone_s:.3f} s."
            )
            return Finding(what, *_why(said, case))
    return None


def _why(said: float, case: Case) -> tuple[str, str]:
    asked_s, ready_s, base_s, _, gone_s = case
    uncapped = next(t for t in tries(asked_s, base_s, math.inf) if t >= ready_s)
    powers = next(t for n in range(60) if (t := asked_s + base_s * 2**n) >= ready_s)
    steady = asked_s + base_s * max(0, math.ceil((ready_s - asked_s) / base_s))
    before = max((t for t in _until(case) if t < gone_s - CLOSE_S), default=None)
    for wrong, why, look in (
        (
            ready_s,
            "nothing wakes the controller when the cluster is Ready; it sleeps to the end of its pause.",
            "`>=`.",
        ),
        (uncapped, "no pause is longer than the longest one.", "`max_s`."),
        (powers, "the pauses add up: after the second try 1 + 2 bases have passed, not 2.", "the sum of the pauses."),
        (steady, "each pause is twice as long as the one before.", "what becomes of the pause after a try."),
        (before, "that try finds m1 not Ready, and fails.", "the comparison with `ready_s`."),
    ):
        if wrong is not None and abs(said - wrong) <= CLOSE_S:
            return why, look
    return (
        "it is tried at once, then after a base, then after twice that; the first try at which m1 is Ready succeeds.",
        "the list of tries, written down by hand.",
    )


def _until(case: Case) -> Iterator[float]:
    for t in tries(case.asked_s, case.base_s, case.max_s):
        if t > case.gone_s:
            return
        yield t

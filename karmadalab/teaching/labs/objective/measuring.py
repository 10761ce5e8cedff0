"""Check 49.1: the share of what was wanted that was served, and what people get wrong about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from karmadalab.analysis import Steps
from karmadalab.api.errors import shortly
from karmadalab.teaching.asking import called, is_number
from karmadalab.teaching.verdict import Finding

Changes = Sequence[tuple[float, int]]
Measure = Callable[[Changes, int, float, float], float]
Case = tuple[list[tuple[float, int]], int, float, float]

_NEAR = 1e-6
_PLAIN: tuple[Case, ...] = (
    ([(0, 2)], 2, 100, 200),
    ([(0, 2), (150, 0)], 2, 100, 200),
    ([(0, 2), (120, 0), (130, 2)], 2, 100, 200),
    ([(0, 4), (150, 3)], 4, 100, 200),
    ([(0, 2), (110, 0), (150, 4)], 2, 100, 200),
    ([(0, 2), (50, 0), (60, 2), (250, 0)], 2, 100, 200),
    ([], 2, 100, 200),
)


def share(changes: Changes, wanted: int, begin_s: float, end_s: float) -> float:
    """The right answer."""
    steps = Steps(tuple(t for t, _ in changes), tuple(value for _, value in changes))
    return 1 - steps.lacking(wanted, begin_s, end_s) / (wanted * (end_s - begin_s))


def judge(measure: Measure) -> Finding | None:
    """Seven plain cases, then random ones."""
    for case in (*_PLAIN, *_random(40)):
        said = called(measure, *case)
        if not is_number(said):
            return Finding(
                f"you return {shortly(said)}.", "an availability is a number from 0 to 1.", "what you return."
            )
        right = share(*case)
        if abs(said - right) > _NEAR:
            changes, wanted, begin_s, end_s = case
            what = f"{changes}, {wanted} wanted, {begin_s:g} to {end_s:g} s: you say {said:g}, and it is {right:g}."
            return Finding(what, *_cause(said, case))
    return None


def _random(number: int) -> Iterator[Case]:
    rng = Random(49)
    for _ in range(number):
        times = sorted(rng.sample(range(300), rng.randint(1, 8)))
        yield [(t, rng.randint(0, 5)) for t in times], rng.randint(1, 4), 100, 200


def _cause(said: float, case: Case) -> tuple[str, str]:
    """The idea behind a wrong number, and where to look."""
    changes, wanted, begin_s, end_s = case
    steps = Steps(tuple(t for t, _ in changes), tuple(value for _, value in changes))
    pieces = list(steps.pieces(begin_s, end_s))
    whole = wanted * (end_s - begin_s)
    served = sum((end - begin) * value for begin, end, value in pieces)
    if abs(said - 100 * share(*case)) < _NEAR:
        return "an availability runs from 0 to 1, not to 100.", "the unit of what you return."
    if abs(said - served / whole) < _NEAR:
        return "a second copy now does not serve the requests of a minute ago.", "moments with more than is wanted."
    if abs(said - sum(end - begin for begin, end, value in pieces if value >= wanted) / (end_s - begin_s)) < _NEAR:
        return "half of the replicas are half of the service here, not none.", "moments with some, but too few."
    if abs(said - sum(end - begin for begin, end, value in pieces if value) / (end_s - begin_s)) < _NEAR:
        return "one replica of four is a quarter of the service here, not all.", "moments with some, but too few."
    inside = [t for t, _ in changes if begin_s < t < end_s]
    if not inside or changes[0][0] < begin_s:
        return (
            "a value holds until the next change: also the last one before the span, and the last one within it.",
            "the beginning and the end of the span, and what is cut off there.",
        )
    return "each piece counts with what was served in it, but with no more than was wanted.", "the sum over the pieces."

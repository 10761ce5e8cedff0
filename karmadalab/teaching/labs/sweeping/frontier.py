"""Check 42.3: which points of a cloud are still a matter of taste?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any

from karmadalab.api.errors import shortly
from karmadalab.teaching.asking import called
from karmadalab.teaching.verdict import Finding

Cloud = Mapping[str, tuple[float, float]]
Frontier = Callable[[Cloud], Iterable[str]]


def frontier(cloud: Cloud) -> set[str]:
    """The points that no other is better than: nowhere worse, and better somewhere."""
    return {name for name, point in cloud.items() if not any(_beats(other, point) for other in cloud.values())}


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one != other and one[0] <= other[0] and one[1] <= other[1]


def judge(answer: Frontier) -> Finding | None:
    """Small clouds with a point of each kind, then random ones with ties."""
    for cloud in (*_PLAIN, *_random(60)):
        said = called(answer, dict(cloud))
        mine, right = _names(said), frontier(cloud)
        if mine is None:
            return Finding(f"you return {shortly(said)}.", "the frontier is a set of names.", "what you return.")
        if mine != right:
            return Finding(f"of {cloud} you keep {sorted(mine)}, and not {sorted(right)}.", *_cause(mine, cloud))
    return None


def _names(said: Any) -> set[str] | None:
    """The names in an answer, whatever holds them; None if there is anything else in it."""
    if isinstance(said, str) or not isinstance(said, Iterable):
        return None
    found = list(said)
    return set(found) if all(isinstance(name, str) for name in found) else None


_PLAIN: tuple[dict[str, tuple[float, float]], ...] = (
    {"hasty": (10, 90), "middle": (50, 60), "calm": (90, 10)},
    {"hasty": (10, 90), "silly": (60, 95), "calm": (90, 10)},
    {"one": (10, 10), "same": (10, 10), "worse": (10, 20)},
    {"only": (5, 5)},
    {},
)


def _random(number: int) -> Iterator[dict[str, tuple[float, float]]]:
    rng = Random(42)
    for _ in range(number):
        yield {name: (rng.randint(0, 5), rng.randint(0, 5)) for name in "abcdefg"[: rng.randint(2, 7)]}


def _cause(mine: set[Any], cloud: Cloud) -> tuple[str, str]:
    strict = {n for n, p in cloud.items() if not any(q[0] < p[0] and q[1] < p[1] for q in cloud.values())}
    alone = {n for n, p in cloud.items() if not any(m != n and q[0] <= p[0] and q[1] <= p[1] for m, q in cloud.items())}
    cheapest = {n for n, p in cloud.items() if sum(p) == min(map(sum, cloud.values()))}
    if mine == strict:
        return "a point is out, too, when another is as good in one direction and better in the other.", "< and <=."
    if mine == alone:
        return "two equal points don't beat each other: both stay.", "what a point is compared with."
    if mine == cheapest:
        return "a sum is a taste: it says that a second here is worth a second there.", "what you add up."
    return "a point is out when another is nowhere worse, and better somewhere. All others stay.", "your comparison."

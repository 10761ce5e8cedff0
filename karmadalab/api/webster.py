"""Webster's method (Sainte-Laguë), by which Karmada divides replicas and Job completions since v1.15.

Parliaments use it to turn votes into seats: one seat after the other goes to the party with the largest
votes / (2 * seats + 1). Weights are votes, replicas are seats. There is no chance in it, and unlike v1.13's remainder
rule nobody ever loses a replica because there is one more to deal out.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Claim(Protocol):
    """Who wants a share, and how much."""

    @property
    def name(self) -> str: ...
    @property
    def weight(self) -> int: ...


class Weight(NamedTuple):
    """A claim with nothing else to it."""

    name: str
    weight: int


def webster(replicas: int, weights: Sequence[Claim], descending: bool = False) -> dict[str, int]:
    """Deal out `replicas`.

    Args:
        replicas: how many.
        weights: the claims.
        descending: of equal claims with equally many replicas, the last name goes first.

    >>> webster(4, [Weight("a", 1200), Weight("b", 900), Weight("c", 400)])
    {'a': 2, 'b': 1, 'c': 1}
    """
    claims = sorted((claim for claim in weights if claim.weight > 0), key=lambda claim: claim.name, reverse=descending)
    seats = _certain_seats(replicas, claims)
    queue = [(-claim.weight / (2 * seats[i] + 1), seats[i], i) for i, claim in enumerate(claims)]
    heapq.heapify(queue)
    for _ in range(replicas - sum(seats)) if claims else ():
        _, held, index = queue[0]
        heapq.heapreplace(queue, (-claims[index].weight / (2 * held + 3), held + 1, index))
        seats[index] += 1
    return {claim.name: count for claim, count in zip(claims, seats, strict=True)}


def _certain_seats(replicas: int, claims: Sequence[Claim]) -> list[int]:
    """Seats that everybody gets before the last few are contested, so that the work grows with claims, not replicas.

    With any divisor d, the round(weight / d) first seats of each claim all come before any later seat. This d is chosen
    so large that they never are more seats than there are: rounding adds at most a half for each claim.
    """
    total, twice = sum(claim.weight for claim in claims), 2 * replicas - len(claims)
    if twice <= 0 or total == 0:
        return [0] * len(claims)
    return [(claim.weight * twice + total) // (2 * total) for claim in claims]

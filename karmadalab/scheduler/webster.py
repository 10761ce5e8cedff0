"""Webster's method (Sainte-Laguë), by which Karmada divides replicas since v1.15.

Parliaments use it to turn votes into seats: one seat after the other goes to the party with the largest
votes / (2 * seats + 1). Weights are votes, replicas are seats. There is no chance in it, and unlike v1.13's remainder
rule nobody ever loses a replica because there is one more to deal out.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from random import Random

from karmadalab.api.naming import fnv32a
from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.plugins import ClusterWeight


class Webster:
    """v1.18: Webster's method; ties go to who has fewer, then by name.

    Whether names count up or down is settled by the template's uid, so that among many small workloads it is not always
    the first cluster of the alphabet that gets the odd one.
    """

    name = "webster"

    def divide(
        self, binding: BindingInfo, replicas: int, weights: Sequence[ClusterWeight], chance: Random | None
    ) -> Mapping[str, int]:
        uid = binding.spec.resource.uid
        return webster(replicas, weights, descending=bool(uid) and fnv32a(uid) & 1 == 1)


def webster(replicas: int, weights: Sequence[ClusterWeight], descending: bool = False) -> dict[str, int]:
    """Deal out `replicas`.

    Args:
        replicas: how many.
        weights: the claims.
        descending: of equal claims with equally many replicas, the last name goes first.

    >>> webster(4, [ClusterWeight("a", 1200), ClusterWeight("b", 900), ClusterWeight("c", 400)])
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


def _certain_seats(replicas: int, claims: Sequence[ClusterWeight]) -> list[int]:
    """Seats that everybody gets before the last few are contested, so that the work grows with claims, not replicas.

    With any divisor d, the round(weight / d) first seats of each claim all come before any later seat. This d is chosen
    so large that they never are more seats than there are: rounding adds at most a half for each claim.
    """
    total, twice = sum(claim.weight for claim in claims), 2 * replicas - len(claims)
    if twice <= 0 or total == 0:
        return [0] * len(claims)
    return [(claim.weight * twice + total) // (2 * total) for claim in claims]

"""How often a failover stops a pod on a healthy cluster, counted over all small fleets."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from karmadalab.teaching.labs.rescheduling.fleets import deal

_NAMES = ("member1", "member2", "member3")
_MOST_REPLICAS = 12


def unlucky_share(most: int) -> float:
    """Of all failovers in fleets of three, how many in a hundred stop a healthy pod.

    Args:
        most: the largest static weight; weights are 1 to `most`, replicas 1 to 12, and each member dies once.
    """
    fleets = [dict(zip(_NAMES, weights, strict=True)) for weights in product(range(1, most + 1), repeat=3)]
    told = [
        _is_unlucky(replicas, weights, dead)
        for weights in fleets
        for replicas in range(1, _MOST_REPLICAS + 1)
        for dead in _NAMES
    ]
    return 100 * sum(told) / len(told)


def _is_unlucky(replicas: int, weights: Mapping[str, int], dead: str) -> bool:
    before = deal(replicas, weights)
    if dead not in before:
        return False
    after = deal(replicas, {name: weight for name, weight in weights.items() if name != dead}, before)
    return any(after.get(name, 0) < count for name, count in before.items() if name != dead)

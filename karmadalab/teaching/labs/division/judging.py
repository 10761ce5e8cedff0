"""Checks 23.1 and 23.3: what people get wrong about dividing by weight, told by what their function answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from karmadalab.api.webster import webster
from karmadalab.scheduler import ClusterWeight
from karmadalab.scheduler.division import largest_weight_first
from karmadalab.teaching.asking import ask
from karmadalab.teaching.labs.division.scenarios import Division
from karmadalab.teaching.verdict import Finding

Claims = Sequence[ClusterWeight]

US = (ClusterWeight("eastus", 170), ClusterWeight("centralus", 110), ClusterWeight("westus", 60))
HELD = (ClusterWeight("a", 1, 0), ClusterWeight("b", 1, 2), ClusterWeight("c", 1, 1))
TIED = (ClusterWeight("a", 3), ClusterWeight("b", 5), ClusterWeight("c", 1))  # at the fourth, 3 / 3 is as much as 1 / 1


def by_largest_weight(divide: Division) -> Finding | None:
    """23.1: v1.13's rule."""
    for replicas, claims in ((3, US), (5, US), (6, US), (4, US), (4, HELD), (5, HELD), (3, US[:1]), *_random(40)):
        answer, karmada = _answer(divide, replicas, claims), _plain(largest_weight_first(replicas, claims))
        if finding := _sum(answer, replicas) or _zero(answer):
            return finding
        if answer != karmada:
            return _diagnosis(answer, karmada, replicas, claims)
    return None


def by_webster(divide: Division) -> Finding | None:
    """23.3: v1.18's rule."""
    plain = ((5, US), (6, US), (2, (ClusterWeight("a", 2), ClusterWeight("b", 1))), (4, TIED))
    for replicas, claims in (*plain, *_random(40)):
        answer, karmada = _answer(divide, replicas, claims), _plain(webster(replicas, claims))
        if finding := _sum(answer, replicas) or _zero(answer):
            return finding
        if answer != karmada:
            old = answer == _plain(largest_weight_first(replicas, claims))
            return Finding(
                f"{replicas} replicas over {_words(claims)}: you say {answer}, Karmada v1.18 says {karmada}.",
                "that is the rule of v1.13, in which a cluster can lose a replica when there is one more."
                if old
                else "each replica in turn goes to the largest weight / (2 n + 1), n being what the cluster has got so "
                "far; between equals to the one with fewer, then to the smaller name.",
                "the loop: one replica a turn, and the quotients anew at each turn.",
            )
    return None


def _random(count: int) -> Iterator[tuple[int, Claims]]:
    """The same cases each time: weights and replicas held, ties among them."""
    rng = Random(23)
    for _ in range(count):
        names = rng.sample("abcdefgh", rng.randint(2, 5))
        yield rng.randint(1, 30), [ClusterWeight(name, rng.randint(1, 4), rng.randint(0, 3)) for name in names]


def _answer(divide: Division, replicas: int, claims: Claims) -> dict[str, int]:
    wanted = "a dict: the name of a cluster, and how many replicas it gets"
    return dict(ask(divide, replicas, list(claims), fits=_is_division, wanted=wanted))


def _is_division(said: Any) -> bool:
    return isinstance(said, Mapping) and all(type(count) is int for count in said.values())


def _plain(dealt: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in dealt.items() if count}


def _words(claims: Claims) -> str:
    return ", ".join(f"{c.name} {c.weight}" + (f" (has {c.last})" if c.last else "") for c in claims)


def _sum(answer: Mapping[str, int], replicas: int) -> Finding | None:
    if sum(answer.values()) == replicas:
        return None
    return Finding(
        f"you deal out {sum(answer.values())} replicas of {replicas}.",
        "rounding each share by itself does not give the right sum; what is left over has to go somewhere, one by one.",
        "what your function does with the difference between `replicas` and the sum of the shares.",
    )


def _zero(answer: Mapping[str, int]) -> Finding | None:
    if all(answer.values()):
        return None
    return Finding(
        f"your answer names a cluster with 0 replicas: {dict(answer)}.",
        "a cluster that gets nothing is not in the placement at all.",
        "the last line, where you return the result.",
    )


def _diagnosis(answer: dict[str, int], karmada: dict[str, int], replicas: int, claims: Claims) -> Finding:
    what = f"{replicas} replicas over {_words(claims)}: you say {answer}, Karmada v1.13 says {karmada}."
    if answer == _plain(largest_weight_first(replicas, [ClusterWeight(c.name, c.weight) for c in claims])):
        return Finding(
            what,
            "between equal weights, who has more replicas already comes first, so that as little as possible moves.",
            "`last`, the third field of a claim.",
        )
    if answer == _plain(_largest_fraction(replicas, claims)):
        return Finding(
            what,
            "you give the rest to the largest *fractions*, as one learns at school. Karmada gives it to the largest "
            "weights.",
            "by what you sort before you deal out the rest.",
        )
    return Finding(
        what,
        "everybody's share is rounded down; the rest goes one by one to the largest weights, then to those who have "
        "more, then by name.",
        "the two steps one after the other: the sum after rounding down, and the order in which the rest is dealt.",
    )


def _largest_fraction(replicas: int, claims: Claims) -> dict[str, int]:
    total = sum(claim.weight for claim in claims)
    dealt = {claim.name: claim.weight * replicas // total for claim in claims}
    order = sorted(claims, key=lambda claim: (-(claim.weight * replicas % total), claim.name))
    for claim in order[: replicas - sum(dealt.values())]:
        dealt[claim.name] += 1
    return dealt

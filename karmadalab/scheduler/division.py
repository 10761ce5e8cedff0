"""Dealing replicas out by weight.

Karmada v1.13 rounds everybody down and gives the remainder one by one to the *largest weights* (not to the largest
fractions). Where weights are equal and so are the replicas held before, it flips a coin, so the same question can have
several answers; see `LargestWeightFirst`. Mirrors `pkg/util/helper/binding.go` (`Dispenser`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from operator import attrgetter
from random import Random

from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.integers import MAX_INT64, int32, int64, quotient
from karmadalab.scheduler.plugins import ClusterWeight, DivisionStrategy, plugin_error, wrong_answer
from karmadalab.scheduler.webster import Webster


class LargestWeightFirst:
    """v1.13: round down, the remainder to the largest weights, then to those with more replicas before.

    Ties after that are chance in Karmada (a coin flip inside a sort). Here the generator decides when there is one;
    without, the name does. Any outcome is one that Karmada can have.
    """

    name = "largest-weight"

    def divide(
        self, binding: BindingInfo, replicas: int, weights: Sequence[ClusterWeight], chance: Random | None
    ) -> Mapping[str, int]:
        return largest_weight_first(replicas, weights, chance)


def largest_weight_first(
    replicas: int, weights: Sequence[ClusterWeight], chance: Random | None = None
) -> dict[str, int]:
    """Deal out `replicas`, or as many as there are claims for.

    >>> largest_weight_first(9, [ClusterWeight("a", 1), ClusterWeight("b", 3)])
    {'b': 7, 'a': 2}
    """
    exact = sum(claim.weight for claim in weights)
    total = int64(exact)
    if total == 0:
        return {}
    claims = _by_claim(weights, chance)
    if 0 < total == exact and claims[-1].weight >= 0 and 0 <= claims[0].weight * replicas <= MAX_INT64:
        dealt = {claim.name: claim.weight * replicas // total for claim in claims}
    else:  # nothing that a fleet would ask for, but Go's answer is known
        dealt = {claim.name: int32(quotient(int64(claim.weight * replicas), total)) for claim in claims}
    remainder = int32(replicas - sum(dealt.values()))
    for name in islice(dealt, remainder if remainder >= 0 else None):  # Go counts down, and from below 0 to no end
        dealt[name] = int32(dealt[name] + 1)
    return dealt


def _by_claim(weights: Sequence[ClusterWeight], chance: Random | None) -> list[ClusterWeight]:
    claims = sorted(weights, key=attrgetter("name"))  # so that a seed means the same in every input order
    if chance is not None:
        chance.shuffle(claims)
    return sorted(claims, key=attrgetter("weight", "last"), reverse=True)  # equals stay as they were


def merge(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    """Replicas of both, added up by cluster.

    >>> merge({"a": 1}, {"a": 2, "b": 1})
    {'a': 3, 'b': 1}
    """
    merged = dict(first)
    for name, replicas in second.items():
        merged[name] = merged.get(name, 0) + replicas
    return merged


def deal(
    strategy: DivisionStrategy,
    binding: BindingInfo,
    replicas: int,
    weights: Sequence[ClusterWeight],
    chance: Random | None,
) -> dict[str, int]:
    """Ask a division strategy, and name it when it fails.

    Raises:
        PluginError: it raised, or returned no mapping of whole numbers, or named a cluster that has no claim, or dealt
            out more or less than there is.
    """
    try:
        dealt = dict(strategy.divide(binding, replicas, weights, chance))
    except Exception as error:
        raise plugin_error(strategy, "divide", None, error) from error
    if isinstance(strategy, (LargestWeightFirst, Webster)):
        return dealt  # Karmada's own, which on absurd weights deal out what Go's integers say
    names = {claim.name for claim in weights}
    if not all(name in names and type(count) is int and count >= 0 for name, count in dealt.items()):
        wanted = "a whole number for each cluster that has a weight, and no others"
        raise wrong_answer(strategy, "divide", None, dealt, wanted)
    if sum(dealt.values()) != replicas:
        raise wrong_answer(strategy, "divide", None, dealt, f"numbers that add up to {replicas}")
    return dealt

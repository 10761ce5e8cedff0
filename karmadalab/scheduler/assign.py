"""How many replicas each selected cluster gets.

Duplicated and static weights are worked out anew each time. Dynamic weights and Aggregated are careful: replicas that
run somewhere stay there; only what is missing is placed, only what is too much is taken away. Mirrors
`pkg/scheduler/core/assignment.go` and `division_algorithm.go`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from karmadalab.api.affinity import affinity_matches
from karmadalab.scheduler.binding_info import BindingInfo, Strategy
from karmadalab.scheduler.candidates import Candidate
from karmadalab.scheduler.division import deal, merge
from karmadalab.scheduler.errors import AssignError, CapacityError
from karmadalab.scheduler.integers import int32
from karmadalab.scheduler.notes import Notes
from karmadalab.scheduler.plugins import ClusterWeight, DivisionStrategy
from karmadalab.scheduler.snapshot import ClusterInfo


class Dealer(NamedTuple):
    """Who deals the replicas out, where coin flips come from, and where it is written down."""

    strategy: DivisionStrategy
    chance: Random | None = None
    notes: Notes | None = None

    def deal(
        self,
        binding: BindingInfo,
        replicas: int,
        weights: Sequence[ClusterWeight],
        held: Mapping[str, int] = MappingProxyType({}),
    ) -> dict[str, int]:
        """Deal out by weight, on top of what the clusters hold. With nothing to deal, all stays as it is."""
        if replicas == 0 and held:
            return dict(held)
        dealt = deal(self.strategy, binding, replicas, weights, self.chance)
        if self.notes is not None:
            self.notes.divided(replicas, weights, dealt)
        return merge(held, dealt)


def assign_replicas(binding: BindingInfo, selected: Sequence[Candidate], dealer: Dealer) -> dict[str, int]:
    """Replicas by cluster. Clusters that get none are left out; a template without replicas has 0 everywhere.

    Args:
        binding: whose replicas.
        selected: the clusters to use, in order of preference.
        dealer: who deals.

    Raises:
        AssignError: there is no cluster, too little room, or no such strategy.
    """
    if not selected:
        raise AssignError("no clusters available to schedule")
    if not binding.is_workload:
        return {candidate.name: 0 for candidate in selected}
    return {name: count for name, count in _assign(binding, selected, dealer).items() if count > 0}


def _assign(binding: BindingInfo, selected: Sequence[Candidate], dealer: Dealer) -> dict[str, int]:
    if binding.strategy is Strategy.DUPLICATED:
        return {candidate.name: binding.replicas for candidate in selected}
    if binding.strategy is Strategy.STATIC_WEIGHT:
        weights = static_weights(binding, [candidate.info for candidate in selected])
        return dealer.deal(binding, binding.replicas, weights)
    if binding.strategy is Strategy.UNSUPPORTED:
        raise _unsupported(binding)
    return _assign_by_room(binding, selected, dealer)


def static_weights(binding: BindingInfo, clusters: Sequence[ClusterInfo]) -> list[ClusterWeight]:
    """The claims under static weights: of all rules that match a cluster the largest counts, not their sum.

    Clusters without weight have no claim. If nobody has one all get weight 1, and then, unlike under a missing
    `weightPreference`, replicas held before do not break ties.
    """
    scheduling, last = binding.placement.replicaScheduling, binding.previous
    if scheduling is None or scheduling.weightPreference is None:
        return [ClusterWeight(cluster.name, 1, last.get(cluster.name, 0)) for cluster in clusters]
    rules, any_zone = scheduling.weightPreference.staticWeightList, binding.behaviour.any_zone_matches
    claims = []
    for cluster in clusters:
        matching = [rule.weight for rule in rules if affinity_matches(rule.targetCluster, cluster, any_zone)]
        weight = max(matching, default=0)
        if weight > 0:
            claims.append(ClusterWeight(cluster.name, weight, last.get(cluster.name, 0)))
    return claims or [ClusterWeight(cluster.name, 1) for cluster in clusters]


def _assign_by_room(binding: BindingInfo, selected: Sequence[Candidate], dealer: Dealer) -> dict[str, int]:
    """Dynamic weights and Aggregated: which of four situations is this?"""
    previous, names = binding.previous, {candidate.name for candidate in selected}
    kept = {name: count for name, count in previous.items() if name in names}
    missing = int32(binding.replicas - int32(sum(kept.values())))
    if binding.fresh:
        room = [(candidate.name, int32(candidate.available)) for candidate in selected]
        return _divide(binding, room, binding.replicas, {}, dealer, "do fresh scale")
    if missing > 0:
        room = [(candidate.name, candidate.estimate) for candidate in selected]
        return _divide(binding, room, missing, kept, dealer, "scale up")
    if missing < 0:
        # v1.13 weighs all previous clusters, so that even a lost one can be given replicas again.
        held = kept if binding.behaviour.scale_down_to_selected_only else previous
        return _divide(binding, list(held.items()), binding.replicas, {}, dealer, "scale down")
    return kept


def _divide(
    binding: BindingInfo,
    room: list[tuple[str, int]],
    replicas: int,
    kept: Mapping[str, int],
    dealer: Dealer,
    step: str,
) -> dict[str, int]:
    """Deal `replicas` out in proportion to room, the roomiest first, on top of what is kept."""
    # Karmada sorts with an algorithm that is stable for up to twelve clusters; this one always is.
    room = sorted(room, key=lambda item: -item[1])
    if dealer.notes is not None:
        dealer.notes.step = step
    try:
        return divide_by_room(binding, room, replicas, kept, dealer)
    except CapacityError as error:
        raise error.within(step) from None


def divide_by_room(
    binding: BindingInfo, room: list[tuple[str, int]], replicas: int, kept: Mapping[str, int], dealer: Dealer
) -> dict[str, int]:
    """Replicas by cluster: dealt to all clusters by weight or, if Aggregated, to as few clusters as have room.

    Raises:
        CapacityError: there is too little room in all of them together.
    """
    if binding.strategy not in (Strategy.AGGREGATED, Strategy.DYNAMIC_WEIGHT):
        raise AssignError(f"undefined strategy type: {_preference(binding)}")
    total = int32(sum(count for _, count in room))
    if total < replicas:
        raise CapacityError(total, binding.behaviour.capacity_error_reason)
    if binding.strategy is Strategy.AGGREGATED:
        room = _fewest(room, replicas, kept)
    return dealer.deal(binding, replicas, [ClusterWeight(name, count, kept.get(name, 0)) for name, count in room], kept)


def _fewest(room: list[tuple[str, int]], replicas: int, kept: Mapping[str, int]) -> list[tuple[str, int]]:
    """Clusters in use first, then the roomiest, until all replicas fit."""
    ordered = sorted(room, key=lambda item: kept.get(item[0], 0) <= 0)
    total = 0
    for index, (_, count) in enumerate(ordered):
        total = int32(total + count)
        if total >= replicas:
            return ordered[: index + 1]
    return ordered


def _unsupported(binding: BindingInfo) -> AssignError:
    scheduling = binding.placement.replicaScheduling
    return AssignError(
        "unsupported replica scheduling strategy, "
        f"replicaSchedulingType: {scheduling.replicaSchedulingType if scheduling else ''}, "
        f"replicaDivisionPreference: {_preference(binding)}, please try another scheduling strategy"
    )


def _preference(binding: BindingInfo) -> str:
    scheduling = binding.placement.replicaScheduling
    return scheduling.replicaDivisionPreference if scheduling else ""

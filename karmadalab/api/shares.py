"""Who gets which share of a workload's replicas and completions."""

from __future__ import annotations

from collections.abc import Sequence

from karmadalab.api.naming import fnv32a
from karmadalab.api.policy import DIVIDED
from karmadalab.api.webster import Weight, webster
from karmadalab.api.work import ResourceBindingSpec, TargetCluster


def places_divided(spec: ResourceBindingSpec) -> bool:
    """Whether the placement divides replicas between clusters, rather than giving each of them all."""
    strategy = spec.placement.replicaScheduling if spec.placement else None
    return strategy is not None and strategy.replicaSchedulingType == DIVIDED


def is_divided(spec: ResourceBindingSpec) -> bool:
    """Whether each cluster gets a share of the replicas."""
    return places_divided(spec) and spec.replicas > 0


def is_workload(spec: ResourceBindingSpec) -> bool:
    """Whether the binding is of something that has replicas."""
    return spec.replicas > 0 or spec.replicaRequirements is not None or bool(spec.components)


def completions_by_rank(total: int, targets: Sequence[TargetCluster]) -> list[int]:
    """A Job's completions in proportion to its replicas, with v1.13's defect.

    What is left over goes one by one to the targets with the most replicas. The shares are then listed by descending
    replicas, but dealt out in the order of the targets.

    >>> completions_by_rank(11, [TargetCluster("a", 3), TargetCluster("b", 5), TargetCluster("c", 2)])
    [6, 3, 2]
    """
    ranked = sorted((target.replicas for target in targets), reverse=True)
    weight = sum(ranked)
    if weight == 0:
        return [0] * len(ranked)
    shares = [total * replicas // weight for replicas in ranked]
    left = total - sum(shares)
    return [share + (rank < left) for rank, share in enumerate(shares)]


def completions_by_name(total: int, targets: Sequence[TargetCluster], uid: str) -> list[int]:
    """A Job's completions in proportion to its replicas by Webster's method, as since v1.15.

    >>> completions_by_name(11, [TargetCluster("a", 3), TargetCluster("b", 5), TargetCluster("c", 2)], "")
    [3, 6, 2]
    """
    descending = bool(uid) and fnv32a(uid) & 1 == 1
    shares = webster(total, [Weight(target.name, target.replicas) for target in targets], descending)
    return [shares.get(target.name, 0) for target in targets]

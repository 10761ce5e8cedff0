"""Resource models: clusters report how many nodes they have of each size ("grade"), and room is counted node by node.

The pessimist's view: a node counts as no bigger than the smallest node of its grade. Mirrors
`getMaximumReplicasBasedOnResourceModels` (v1.13) and the node simulation that replaced it later.
"""

from __future__ import annotations

from collections.abc import Sequence

from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.integers import MAX_INT64, int64
from karmadalab.scheduler.snapshot import NodeGrade

PODS_PER_NODE = 110


def room_by_simulation(binding: BindingInfo, grades: Sequence[NodeGrade]) -> int | None:
    """v1.18: replicas that fit when each node is filled on its own, up to the pods that a kubelet takes.

    None when there are no models.
    """
    if not grades:
        return None
    return sum(grade.count_of_grade * _fit(binding, grade) for grade in grades)


def _fit(binding: BindingInfo, grade: NodeGrade) -> int:
    return min([PODS_PER_NODE, *(grade.least.get(resource, 0) // units for resource, units in binding.requests)])


def room_by_models(binding: BindingInfo, grades: Sequence[NodeGrade]) -> int | None:
    """v1.13: replicas that fit; None when some request is for a resource that no model speaks of.

    A request that is larger than the smallest node of every grade fits nowhere. Without any model there is no node
    either, and replicas that ask for nothing fit nowhere.
    """
    start = 0
    for resource, units in binding.requests:
        if not any(resource in grade.least for grade in grades):
            return None
        first = next((i for i, grade in enumerate(grades) if grade.least.get(resource, -1) >= units), None)
        if first is None:
            return 0
        start = max(start, first)
    total = 0
    for grade in grades[start:]:
        total = int64(total + int64(grade.count * _replicas_per_node(binding, grade)))
    return total


def _replicas_per_node(binding: BindingInfo, grade: NodeGrade) -> int:
    """At least 1, and without any request "no limit", which Karmada then multiplies past the end of 64 bits."""
    return max(1, min((grade.least[resource] // units for resource, units in binding.requests), default=MAX_INT64))

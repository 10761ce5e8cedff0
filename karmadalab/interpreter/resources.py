"""How much room a member has, as its status reports it: sums over nodes and pods, and nodes counted by grade.

Part of the cluster status controller. The grades (resource models) let the scheduler see that sixteen nodes with half a
core free each do not hold a pod of four cores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from karmadalab.api.cluster import AllocatableModeling, NodeSummary, ResourceModel, ResourceSummary
from karmadalab.api.quantity import format_bytes, format_cpu, milli
from karmadalab.api.unstructured import Unstructured

Amounts = dict[str, int]  # resource name -> thousandths


def node_summary(nodes: Sequence[Unstructured]) -> NodeSummary:
    """How many nodes there are and how many are ready."""
    ready = sum(
        1
        for node in nodes
        if any(c["type"] == "Ready" and c["status"] == "True" for c in node.status.get("conditions") or ())
    )
    return NodeSummary(len(nodes), ready)


def pod_requests(pod: Unstructured) -> Amounts:
    """What the containers of a pod ask for; init containers count where they ask for more."""
    total: Amounts = {}
    for container in pod.spec.get("containers") or ():
        for name, amount in _requests(container).items():
            total[name] = total.get(name, 0) + milli(amount)
    for container in pod.spec.get("initContainers") or ():
        for name, amount in _requests(container).items():
            total[name] = max(total.get(name, 0), milli(amount))
    return total


def _requests(container: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Mapping[str, str]:
    return (container.get("resources") or {}).get("requests") or {}


def resource_summary(
    nodes: Sequence[Unstructured], pods: Sequence[Unstructured], models: Sequence[ResourceModel] = ()
) -> ResourceSummary:
    """The room of a cluster.

    `allocatable` is summed over all nodes, ready or not; `allocating` over pods that have no node yet; `allocated` over
    pods that have one and have not ended.
    """
    bound = [pod for pod in pods if pod.spec.get("nodeName") and pod.status.get("phase") not in ("Succeeded", "Failed")]
    waiting = [pod for pod in pods if not pod.spec.get("nodeName")]
    return ResourceSummary(
        allocatable=_written(_sum(_allocatable(node) for node in nodes)),
        allocating=_written(_with_pods(waiting)),
        allocated=_written(_with_pods(bound)),
        allocatableModelings=modelings(nodes, bound, models),
    )


def _allocatable(node: Unstructured) -> Amounts:
    return {name: milli(amount) for name, amount in (node.status.get("allocatable") or {}).items()}


def _sum(parts: Iterable[Amounts]) -> Amounts:
    total: Amounts = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, 0) + amount
    return total


def _with_pods(pods: Sequence[Unstructured]) -> Amounts:
    if not pods:
        return {}
    return {**_sum(pod_requests(pod) for pod in pods), "pods": 1000 * len(pods)}


def _written(amounts: Amounts) -> dict[str, str | int | float]:
    return {
        name: format_cpu(amount) if name == "cpu" else format_bytes(-(-amount // 1000))
        for name, amount in sorted(amounts.items())
    }


def modelings(
    nodes: Sequence[Unstructured], bound: Sequence[Unstructured], models: Sequence[ResourceModel]
) -> tuple[AllocatableModeling, ...]:
    """How many nodes have room of each grade; counting stops at the first node without room for pods.

    A node's grade is the lowest that any of its resources reaches.
    """
    if not models:
        return ()
    floors = {
        name: [milli(r.min) for model in models for r in model.ranges if r.name == name]
        for name in {r.name for model in models for r in model.ranges}
    }
    counts = [0] * len(models)
    for node in nodes:
        used = [pod for pod in bound if pod.spec["nodeName"] == node.metadata.name]
        free = _allocatable(node)
        if free.get("pods", 0) - 1000 * len(used) <= 0:
            break
        for name, amount in _sum(pod_requests(pod) for pod in used).items():
            free[name] = free.get(name, 0) - amount
        grade = min(_grade(floors[name], free.get(name, 0)) for name in floors)
        counts[grade] += 1
    return tuple(AllocatableModeling(model.grade, count) for model, count in zip(models, counts, strict=True))


def _grade(floors: Sequence[int], amount: int) -> int:
    """The last grade whose minimum the amount reaches."""
    return max(sum(1 for floor in floors if floor <= amount) - 1, 0)

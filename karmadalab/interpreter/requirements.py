"""What one replica asks of a node: its requests, and where it may run.

The effective request of a pod: per resource the larger of the sum over its containers and the largest init container,
plus the overhead. A limit counts as the request where a container names no request. Restartable init containers
("sidecars") are treated as plain init containers, as in Karmada (`util.Resource.AddPodTemplateRequest`).
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.codec import convert
from karmadalab.api.meta import Toleration
from karmadalab.api.quantity import format_bytes, format_cpu, milli, value
from karmadalab.api.work import NodeClaim, ReplicaRequirements

PodSpec = dict[str, Any]
_Amounts = dict[str, int]

_BINARY = ("memory", "ephemeral-storage")


def replica_requirements(pod: PodSpec) -> ReplicaRequirements | None:
    """What one pod of this spec needs, None when it needs nothing in particular.

    >>> replica_requirements({"containers": [{"name": "web", "resources": {"requests": {"cpu": "0.5"}}}]})
    ReplicaRequirements(nodeClaim=None, resourceRequest={'cpu': '500m'}, namespace='', priorityClassName='')
    """
    claim, request = node_claim(pod), resource_request(pod)
    if claim is None and not request:
        return None
    return ReplicaRequirements(nodeClaim=claim, resourceRequest=dict(request))


def node_claim(pod: PodSpec) -> NodeClaim | None:
    """The node selector, the required node affinity and the tolerations of a pod, None without any."""
    affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    claim = NodeClaim(
        hardNodeAffinity=affinity.get("requiredDuringSchedulingIgnoredDuringExecution"),
        nodeSelector=pod.get("nodeSelector") or {},
        tolerations=tuple(convert(item, Toleration, "toleration") for item in pod.get("tolerations") or ()),
    )
    return None if claim == NodeClaim() else claim


def resource_request(pod: PodSpec) -> dict[str, str]:
    """The effective request of a pod as canonical quantities; resources of zero are left out."""
    amounts: _Amounts = {}
    for container in pod.get("containers") or ():
        _add(amounts, _container_request(container))
    for container in pod.get("initContainers") or ():
        for name, amount in _container_request(container).items():
            amounts[name] = max(amounts.get(name, 0), amount)
    _add(amounts, _amounts(pod.get("overhead")))
    return {name: _format(name, amount) for name, amount in amounts.items() if amount > 0}


def _container_request(container: dict[str, Any]) -> _Amounts:
    resources = container.get("resources") or {}
    return _amounts(resources.get("limits")) | _amounts(resources.get("requests"))


def _amounts(quantities: dict[str, Any] | None) -> _Amounts:
    """cpu in thousandths, all else in whole units; a name that no node counts is dropped."""
    return {
        name: milli(quantity) if name == "cpu" else value(quantity)
        for name, quantity in (quantities or {}).items()
        if name in ("cpu", "pods", *_BINARY) or _is_scalar(name)
    }


def _is_scalar(name: str) -> bool:
    """Extended resources, huge pages and attachable volumes."""
    domain, slash, _ = name.partition("/")
    extended = bool(slash) and not domain.endswith("kubernetes.io") and not name.startswith("requests.")
    return extended or name.startswith(("hugepages-", "attachable-volumes-"))


def _add(amounts: _Amounts, more: _Amounts) -> None:
    for name, amount in more.items():
        amounts[name] = amounts.get(name, 0) + amount


def _format(name: str, amount: int) -> str:
    if name == "cpu":
        return format_cpu(amount)
    return format_bytes(amount) if name in _BINARY else str(amount)

"""What can be said of a pod by looking at it, and how its owners make one."""

from __future__ import annotations

from typing import Any

from karmadalab.api.meta import ObjectMeta, OwnerReference
from karmadalab.api.quantity import milli
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured

POD = "Pod"
PENDING, RUNNING, SUCCEEDED, FAILED = "Pending", "Running", "Succeeded", "Failed"


def is_ready(pod: Unstructured) -> bool:
    """Whether a pod answers requests."""
    return any(c["type"] == "Ready" and c["status"] == "True" for c in pod.status.get("conditions") or ())


def is_leaving(pod: Unstructured) -> bool:
    """Whether somebody has deleted the pod."""
    return pod.metadata.deletionTimestamp is not None


def is_finished(pod: Unstructured) -> bool:
    """Whether the pod has run to its end."""
    return pod.status.get("phase") in (SUCCEEDED, FAILED)


def holds_room(pod: Unstructured) -> bool:
    """Whether the pod takes room on a node; one that has run to its end does not."""
    return "nodeName" in pod.spec and not is_finished(pod)


def pod_requests(pod: Unstructured) -> dict[str, int]:
    """What a pod asks of its node, in thousandths, the pod itself included."""
    total = {"pods": 1000}
    for container in pod.spec.get("containers") or ():
        for key, amount in ((container.get("resources") or {}).get("requests") or {}).items():
            total[key] = total.get(key, 0) + milli(amount)
    return total


def owner_of(obj: Unstructured, kind: str) -> OwnerReference | None:
    """The owner of that kind, or None."""
    for owner in obj.metadata.ownerReferences:
        if owner.kind == kind:
            return owner
    return None


def workload_of(pod: Unstructured) -> str:
    """The name of the workload a pod belongs to: its Deployment rather than the ReplicaSet in between."""
    for owner in pod.metadata.ownerReferences:
        suffix = f"-{pod.metadata.labels.get('pod-template-hash')}"
        return owner.name.removesuffix(suffix) if owner.kind == "ReplicaSet" else owner.name
    return pod.metadata.name


def owned_by(owner: Unstructured) -> tuple[OwnerReference, ...]:
    """The reference that makes an object the owner's."""
    meta = owner.metadata
    return (
        OwnerReference(owner.apiVersion, owner.kind, meta.name, meta.uid, controller=True, blockOwnerDeletion=True),
    )


def pod_of(owner: Unstructured, name: str, labels: dict[str, str], **spec: Any) -> Unstructured:
    """A pod made of its owner's template.

    Args:
        owner: a ReplicaSet, StatefulSet, DaemonSet or Job.
        labels: beside those of the template.
        spec: fields beside those of the template.
    """
    template = owner.spec.get("template") or {}
    meta = template.get("metadata") or {}
    return Unstructured(
        apiVersion="v1",
        kind="Pod",
        metadata=ObjectMeta(
            name=name,
            namespace=owner.metadata.namespace,
            labels={**(meta.get("labels") or {}), **labels},
            annotations=meta.get("annotations") or {},
            ownerReferences=owned_by(owner),
        ),
        body={"spec": {**(template.get("spec") or {}), **spec}},
    )


def pod_condition(type_: str, status: str, reason: str = "", now: float | None = None) -> dict[str, Any]:
    """A condition of a pod, with its time when one is given."""
    condition: dict[str, Any] = {"type": type_, "status": status}
    if reason:
        condition["reason"] = reason
    if now is not None:
        condition["lastTransitionTime"] = str(Time(now))
    return condition


def first_to_go(pods: list[Unstructured], count: int) -> list[Unstructured]:
    """The pods that a shrinking owner deletes: those without a node, then those not ready, then by name."""
    if count <= 0:
        return []
    return sorted(pods, key=lambda pod: ("nodeName" in pod.spec, is_ready(pod)))[:count]

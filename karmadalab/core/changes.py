"""What a row of the trace means, kind by kind: the vocabulary in which failovers of a real Karmada were recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from karmadalab.api.apps import WorkloadRebalancer
from karmadalab.api.cluster import Cluster
from karmadalab.api.codec import plain
from karmadalab.api.meta import Condition, condition
from karmadalab.api.native import Lease
from karmadalab.api.policy import APPLIED_PLACEMENT_ANNOTATION, AnyPropagationPolicy
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import AnyBinding, Work
from karmadalab.core.trace import API_SERVER, CREATE, DELETE, ERROR, FAULT, NOTE, Row

Change = tuple[str, Any]  # what, detail

_COUNTS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas")


def _condition_list(item: Condition | None) -> list[str] | None:
    return None if item is None else [item.status, item.reason, item.message]


def _condition_changes(old: tuple[Condition, ...], new: tuple[Condition, ...]) -> Iterator[Change]:
    for type_ in dict.fromkeys(item.type for item in (*old, *new)):
        before, after = _condition_list(condition(old, type_)), _condition_list(condition(new, type_))
        if before != after:
            word = "added" if before is None else "removed" if after is None else "changed"
            yield f"condition {type_} {word}", {"from": before, "to": after}


def _cluster(old: Cluster | None, new: Cluster) -> Iterator[Change]:
    if old is None:
        conditions = {c.type: _condition_list(c) for c in new.status.conditions}
        yield "initial", {"conditions": conditions, "taints": {str(t): plain(t.timeAdded) for t in new.spec.taints}}
        return
    for after in new.status.conditions:
        before = condition(old.status.conditions, after.type)
        if before is None or before.status != after.status:
            word = (
                f"condition {after.type} {before.status} -> {after.status}"
                if before
                else f"condition {after.type} added"
            )
            time = None if after.lastTransitionTime is None else str(after.lastTransitionTime)
            detail = {"status": after.status, "reason": after.reason, "message": after.message}
            yield word, {**detail, "lastTransitionTime": time}
    had, has = ({f"{t.key}:{t.effect}": t for t in c.spec.taints} for c in (old, new))
    for name in had:
        if name not in has:
            yield f"taint removed {name}", {"timeAdded": _time(had[name].timeAdded)}
    for name in has:
        if name not in had:
            yield f"taint added {name}", {"timeAdded": _time(has[name].timeAdded)}
    if new.metadata.deletionTimestamp and not old.metadata.deletionTimestamp:
        yield "deletionTimestamp set", {"deletionTimestamp": str(new.metadata.deletionTimestamp)}


def _time(moment: Any) -> str | None:
    return None if moment is None else str(moment)


def _lease(old: Lease | None, new: Lease) -> Iterator[Change]:
    detail = {"renewTime": _time(new.spec.renewTime), "leaseDurationSeconds": new.spec.leaseDurationSeconds}
    yield "created" if old is None else "renewed", detail


def _policy(old: AnyPropagationPolicy | None, new: AnyPropagationPolicy) -> Iterator[Change]:
    tolerations = plain(new.spec.placement.clusterTolerations)
    if old is None:
        yield "created", {"clusterTolerations": list(tolerations), "failover": plain(new.spec.failover)}
    elif old.spec != new.spec:
        yield "spec changed", None
    yield from _leaving(old, new)


def _leaving(old: Any, new: Any) -> Iterator[Change]:
    stamp = new.metadata.deletionTimestamp
    if stamp is not None and (old is None or old.metadata.deletionTimestamp is None):
        yield "deletionTimestamp set", {"deletionTimestamp": str(stamp), "finalizers": list(new.metadata.finalizers)}


def _targets(binding: AnyBinding) -> dict[str, int]:
    return {target.name: target.replicas for target in binding.spec.clusters}


def _tasks(binding: AnyBinding) -> Any:
    return [plain(task) for task in binding.spec.gracefulEvictionTasks] or None


def _binding(old: AnyBinding | None, new: AnyBinding) -> Iterator[Change]:
    if old is None:
        yield "created", {"clusters": _targets(new), "gracefulEvictionTasks": _tasks(new)}
        return
    if _targets(old) != _targets(new):
        yield "spec.clusters changed", {"from": _targets(old), "to": _targets(new)}
    if old.spec.gracefulEvictionTasks != new.spec.gracefulEvictionTasks:
        yield "gracefulEvictionTasks changed", {"from": _tasks(old), "to": _tasks(new)}
    before, after = (b.metadata.annotations.get(APPLIED_PLACEMENT_ANNOTATION) for b in (old, new))
    if before != after:
        yield "applied-placement annotation set", after
    asked, asks = (_time(b.spec.rescheduleTriggeredAt) for b in (old, new))
    if asked != asks:
        yield "spec.rescheduleTriggeredAt changed", {"from": asked, "to": asks}
    term, terms = (b.status.schedulerObservingAffinityName or None for b in (old, new))
    if term != terms:
        yield "schedulerObservingAffinityName changed", {"from": term, "to": terms}
    yield from _condition_changes(old.status.conditions, new.status.conditions)
    if (old.status.schedulerObservedGeneration, old.status.lastScheduledTime) != (
        new.status.schedulerObservedGeneration,
        new.status.lastScheduledTime,
    ):
        yield (
            "scheduler observed",
            {
                "generation": new.metadata.generation,
                "schedulerObservedGeneration": new.status.schedulerObservedGeneration,
                "lastScheduledTime": _time(new.status.lastScheduledTime),
            },
        )
    yield from _aggregated(old, new)
    yield from _leaving(old, new)


def _aggregated(old: AnyBinding, new: AnyBinding) -> Iterator[Change]:
    had, has = ({item.clusterName: item for item in b.status.aggregatedStatus} for b in (old, new))
    for name in sorted({*had, *has}):
        if had.get(name) == has.get(name):
            continue
        word = "added" if name not in had else "removed" if name not in has else "changed"
        item = has.get(name)
        to = None
        if item is not None:
            to = {
                "applied": item.applied,
                "health": item.health,
                "appliedMessage": item.appliedMessage or None,
                "status": _counts(item.status or {}),
            }
        yield f"aggregatedStatus[{name}] {word}", {"to": to}


def _counts(status: dict[str, Any]) -> dict[str, Any]:
    return {key: status[key] for key in _COUNTS if status.get(key)}


def _manifest_replicas(work: Work) -> Any:
    manifests = work.spec.workload.manifests
    return (manifests[0].get("spec") or {}).get("replicas") if manifests else None


def _work(old: Work | None, new: Work) -> Iterator[Change]:
    if old is None:
        yield (
            "created",
            {
                "replicas": _manifest_replicas(new),
                "conditions": {},
                "suspendDispatching": bool(new.spec.suspendDispatching),
                "preserveResourcesOnDeletion": bool(new.spec.preserveResourcesOnDeletion),
            },
        )
        return
    if _manifest_replicas(old) != _manifest_replicas(new):
        yield "manifest replicas changed", {"from": _manifest_replicas(old), "to": _manifest_replicas(new)}
    elif old.spec != new.spec:
        yield "spec changed", None
    yield from _condition_changes(old.status.conditions, new.status.conditions)
    if old.status.manifestStatuses != new.status.manifestStatuses:
        statuses = new.status.manifestStatuses
        yield (
            "manifestStatuses changed",
            {
                "health": [item.health for item in statuses],
                "status": [_counts(item.status or {}) for item in statuses],
            },
        )
    yield from _leaving(old, new)


def _template(old: Unstructured | None, new: Unstructured) -> Iterator[Change]:
    if old is None:
        yield "created", {"replicas": new.spec.get("replicas"), "status": _counts(new.status)}
        return
    if old.spec.get("replicas") != new.spec.get("replicas"):
        yield "spec.replicas changed", {"from": old.spec.get("replicas"), "to": new.spec.get("replicas")}
    elif {**old.body, "status": 0} != {**new.body, "status": 0}:
        yield "spec changed", None
    if _counts(old.status) != _counts(new.status):
        yield "status changed", _counts(new.status)
    yield from _leaving(old, new)


def _pod(old: Unstructured | None, new: Unstructured) -> Iterator[Change]:
    if old is None:
        yield "created", {"ready": _pod_ready(new)}
        return
    if new.metadata.deletionTimestamp and not old.metadata.deletionTimestamp:
        yield "terminating", None
    if _pod_ready(old) != _pod_ready(new):
        yield "Ready" if _pod_ready(new) else "NotReady", None
    reason = _waiting_reason(new)
    if reason and reason != _waiting_reason(old):
        yield reason, None


def _pod_ready(pod: Unstructured) -> bool:
    return any(c["type"] == "Ready" and c["status"] == "True" for c in pod.status.get("conditions") or ())


def _waiting_reason(pod: Unstructured) -> str | None:
    """Why a pod does not start: no node for it, or a container that waits."""
    for item in pod.status.get("conditions") or ():
        if item["type"] == "PodScheduled" and item["status"] == "False":
            return str(item.get("reason"))
    for container in pod.status.get("containerStatuses") or ():
        return str(container["state"].get("waiting", {}).get("reason"))
    return None


def _rebalancer(old: WorkloadRebalancer | None, new: WorkloadRebalancer) -> Iterator[Change]:
    if old is None:
        yield "created", {"workloads": [plain(item) for item in new.spec.workloads]}
        return
    if old.spec != new.spec:
        yield "spec changed", None
    if old.status != new.status:
        results = [plain(item) for item in new.status.observedWorkloads]
        yield "status changed", {"observedWorkloads": results, "finishTime": _time(new.status.finishTime)}
    yield from _leaving(old, new)


def _other(old: Any, new: Any) -> Iterator[Change]:
    if old is None:
        yield "created", None
    elif getattr(old, "body", None) != getattr(new, "body", None) or getattr(old, "spec", None) != getattr(
        new, "spec", None
    ):
        yield "changed", None
    yield from _leaving(old, new)


_READERS: dict[str, Callable[[Any, Any], Iterator[Change]]] = {
    "Cluster.cluster.karmada.io": _cluster,
    "Lease.coordination.k8s.io": _lease,
    "PropagationPolicy.policy.karmada.io": _policy,
    "ClusterPropagationPolicy.policy.karmada.io": _policy,
    "ResourceBinding.work.karmada.io": _binding,
    "ClusterResourceBinding.work.karmada.io": _binding,
    "Work.work.karmada.io": _work,
    "WorkloadRebalancer.apps.karmada.io": _rebalancer,
    "Deployment.apps": _template,
    "StatefulSet.apps": _template,
    "Pod": _pod,
}


def changes_of(row: Row) -> Iterator[Change]:
    """What a row of the trace means, in an observer's words; what API servers make for themselves means nothing."""
    if row.actor == API_SERVER:
        return
    if row.verb in (FAULT, NOTE, ERROR):
        yield row.text, row.detail
    elif row.verb == DELETE:
        yield "deleted", None
    else:
        yield from _READERS.get(row.kind, _other)(row.old if row.verb != CREATE else None, row.new)

"""What of a member's status is sent up to the control plane.

Workloads report their counters together with two generations: the member's own, and the template's that the member was
given (an annotation written when the Work was made). Aggregation needs both to tell whether a member is up to date.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import Invalid
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import TEMPLATE_GENERATION_ANNOTATION
from karmadalab.interpreter.status import StatusDict, put

_DEPLOYMENT = (
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "observedGeneration",
)
_REPLICA_SET = ("replicas", "readyReplicas", "availableReplicas", "observedGeneration")
_STATEFUL_SET = ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
_DAEMON_SET = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "observedGeneration",
)
_BUDGET = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


def deployment_status(obj: Unstructured) -> StatusDict | None:
    """Deployment: replica counters and generations."""
    return _workload_status(obj, _DEPLOYMENT)


def replica_set_status(obj: Unstructured) -> StatusDict | None:
    """ReplicaSet (v1.18): replica counters and generations."""
    return _workload_status(obj, _REPLICA_SET, ("replicas",))


def stateful_set_status(obj: Unstructured) -> StatusDict | None:
    """StatefulSet: replica counters and generations, but not the observed one.

    Recorded so; after its first update a template's `observedGeneration` therefore stays behind for good.
    """
    return _workload_status(obj, _STATEFUL_SET, ("replicas", "availableReplicas"))


def daemon_set_status(obj: Unstructured) -> StatusDict | None:
    """DaemonSet: node counters and generations."""
    return _workload_status(obj, _DAEMON_SET, _DAEMON_SET[:4])


def job_status(obj: Unstructured) -> StatusDict | None:
    """Job: pod counters, times and conditions."""
    status = obj.body.get("status")
    if status is None:
        return None
    picked = {name: status.get(name) for name in ("active", "succeeded", "failed", "startTime", "completionTime")}
    return put({}, picked | {"conditions": [job_condition(c) for c in status.get("conditions") or ()]})


def job_condition(condition: dict[str, Any]) -> dict[str, Any]:
    """A Job condition as Go writes it: times always, empty texts never."""
    times = {"lastProbeTime": None, "lastTransitionTime": None}
    return times | {name: value for name, value in condition.items() if value or name in times}


def autoscaler_status(obj: Unstructured) -> StatusDict | None:
    """HorizontalPodAutoscaler: how many replicas there are and should be."""
    status = obj.body.get("status")
    if status is None:
        return None
    current, desired = status.get("currentReplicas") or 0, status.get("desiredReplicas") or 0
    counters = {"currentMetrics": None, "currentReplicas": current, "desiredReplicas": desired}
    return put({}, counters, ("currentMetrics", "desiredReplicas"))


def service_status(obj: Unstructured) -> StatusDict | None:
    """Service: the address of a load balancer; other types have no status worth collecting."""
    status = obj.body.get("status")
    return status if obj.spec.get("type") == "LoadBalancer" else None


def disruption_budget_status(obj: Unstructured) -> StatusDict | None:
    """PodDisruptionBudget: its counters and the pods being disrupted."""
    status = obj.body.get("status")
    if status is None:
        return None
    counters = {name: status.get(name) or 0 for name in _BUDGET}
    return put({}, counters | {"disruptedPods": status.get("disruptedPods")}, _BUDGET)


def _workload_status(obj: Unstructured, fields: tuple[str, ...], always: tuple[str, ...] = ()) -> StatusDict | None:
    status = obj.body.get("status")
    if status is None:
        return None
    counters = {name: status.get(name) or 0 for name in fields}
    generations = {"generation": obj.metadata.generation, "resourceTemplateGeneration": _template_generation(obj)}
    return put({}, counters | generations, always)


def _template_generation(obj: Unstructured) -> int:
    text = obj.metadata.annotations.get(TEMPLATE_GENERATION_ANNOTATION, "")
    try:
        return int(text)
    except ValueError:
        raise Invalid(
            f"{obj!r}: annotation {TEMPLATE_GENERATION_ANNOTATION}: "
            f'strconv.ParseInt: parsing "{text}": invalid syntax; '
            "the execution controller writes it, so this object was not applied by Karmada"
        ) from None

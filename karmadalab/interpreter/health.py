"""Whether a member's object does its job.

A workload is healthy when the member has seen the newest spec, all replicas run it, and all of those are available. An
object without a hook here (Job, ConfigMap ...) is reported healthy, and can never take part in application failover.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.unstructured import Unstructured


def workload_healthy(obj: Unstructured) -> bool:
    """Deployment and StatefulSet: observed, fully updated, fully available."""
    status = obj.status
    updated = status.get("updatedReplicas") or 0
    return (
        _observed(obj)
        and updated >= (obj.spec.get("replicas") or 0)
        and (status.get("availableReplicas") or 0) >= updated
    )


def replica_set_healthy(obj: Unstructured) -> bool:
    """ReplicaSet: observed, and as many available as asked for."""
    return _observed(obj) and (obj.status.get("availableReplicas") or 0) >= (obj.spec.get("replicas") or 0)


def daemon_set_healthy(obj: Unstructured) -> bool:
    """DaemonSet: observed, updated on every node that should run it, and available there."""
    status = obj.status
    updated = status.get("updatedNumberScheduled") or 0
    return (
        _observed(obj)
        and updated >= (status.get("desiredNumberScheduled") or 0)
        and (status.get("numberAvailable") or 0) >= updated
    )


def pod_healthy(obj: Unstructured) -> bool:
    """Pod: succeeded, or running with every condition Karmada looks at: Ready."""
    phase = obj.status.get("phase")
    return phase == "Succeeded" or (phase == "Running" and _condition_is_true(obj, "Ready"))


def service_healthy(obj: Unstructured) -> bool:
    """Service: one of type LoadBalancer needs an address, others are always fine."""
    return obj.spec.get("type") != "LoadBalancer" or _has_address(obj)


def ingress_healthy(obj: Unstructured) -> bool:
    """Ingress: some address or host name was assigned."""
    return _has_address(obj)


def volume_claim_healthy(obj: Unstructured) -> bool:
    """PersistentVolumeClaim: bound."""
    return obj.status.get("phase") == "Bound"


def disruption_budget_healthy(obj: Unstructured) -> bool:
    """PodDisruptionBudget: as many healthy pods as it wants."""
    status = obj.status
    return (status.get("currentHealthy") or 0) >= (status.get("desiredHealthy") or 0)


def _observed(obj: Unstructured) -> bool:
    return bool((obj.status.get("observedGeneration") or 0) == obj.metadata.generation)


def _has_address(obj: Unstructured) -> bool:
    ingress: list[dict[str, Any]] = (obj.status.get("loadBalancer") or {}).get("ingress") or []
    return any(item.get("hostname") or item.get("ip") for item in ingress)


def _condition_is_true(obj: Unstructured, type_: str) -> bool:
    return any(c.get("type") == type_ and c.get("status") == "True" for c in obj.status.get("conditions") or ())

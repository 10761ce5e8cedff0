"""How many replicas a template wants, and writing another number into it.

A Job with fixed completions never runs more pods than are left to complete, so its replicas are the smaller of the two.
A number is only ever replaced: a template that leaves `replicas` out keeps leaving it out.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import Invalid
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import ReplicaRequirements
from karmadalab.interpreter.requirements import replica_requirements


def pod_template(obj: Unstructured) -> dict[str, Any]:
    """The pod spec inside `spec.template`, empty when there is none."""
    return (obj.spec.get("template") or {}).get("spec") or {}


def workload_replicas(obj: Unstructured) -> tuple[int, ReplicaRequirements | None]:
    """Deployment and StatefulSet: `spec.replicas`, zero when it is left out."""
    return _count(obj, "replicas") or 0, replica_requirements(pod_template(obj))


def job_replicas(obj: Unstructured) -> tuple[int, ReplicaRequirements | None]:
    """Job: `spec.parallelism`, but not more than `spec.completions`."""
    parallelism, completions = _count(obj, "parallelism") or 0, _count(obj, "completions")
    if completions is not None:
        parallelism = min(parallelism, completions)
    return parallelism, replica_requirements(pod_template(obj))


def pod_replicas(obj: Unstructured) -> tuple[int, ReplicaRequirements | None]:
    """A Pod is one replica of itself."""
    return 1, replica_requirements(obj.spec)


def revise_workload(obj: Unstructured, replicas: int) -> Unstructured:
    """Deployment and StatefulSet: set `spec.replicas`."""
    return _revise(obj, "replicas", replicas)


def revise_job(obj: Unstructured, replicas: int) -> Unstructured:
    """Job: set `spec.parallelism`."""
    return _revise(obj, "parallelism", replicas)


def _revise(obj: Unstructured, field: str, replicas: int) -> Unstructured:
    return obj if _count(obj, field) is None else obj.with_spec(**{field: replicas})


def _count(obj: Unstructured, field: str) -> int | None:
    count = obj.spec.get(field)
    if count is not None and (isinstance(count, bool) or not isinstance(count, int)):
        raise Invalid(f"{obj!r}: spec.{field}: expected a whole number, got {count!r}")
    return count

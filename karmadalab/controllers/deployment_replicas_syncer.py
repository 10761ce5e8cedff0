"""deploymentReplicasSyncer: replicas that a member's own autoscaler chose come back into the template.

With a HorizontalPodAutoscaler in each member the members decide about replicas, and the template's number goes stale.
For Deployments with the label `resourcetemplate.karmada.io/retain-replicas` this controller copies the sum that the
members report into `spec.replicas`, once all of them have reported. Off by default in Karmada.

Mirrors pkg/controllers/deploymentreplicassyncer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karmadalab.api.naming import binding_name
from karmadalab.api.shares import places_divided
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import RETAIN_REPLICAS_LABEL, AnyBinding, ResourceBinding
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "deployment-replicas-syncer"
KIND = "Deployment.apps"
REQUEUE_S = 1.0


# --- decisions -------------------------------------------------------------------------------------------------------


def replicas_changed(old: Unstructured, new: Unstructured) -> bool:
    """Whether an update of a Deployment is of interest: it got the label, or has it and its replicas moved."""
    if not _retains(new):
        return False
    if not _retains(old):
        return True
    before, after = old.spec.get("replicas"), new.spec.get("replicas")
    if before is None or after is None:
        return False
    return bool(before != after or old.status.get("replicas", 0) != new.status.get("replicas", 0))


def _retains(deployment: Unstructured) -> bool:
    return deployment.metadata.labels.get(RETAIN_REPLICAS_LABEL) == "true"


def is_collected(deployment: Unstructured, binding: AnyBinding) -> bool:
    """Whether the Deployment's status is what all of its clusters have now.

    The binding must know the template's replicas and the scheduler the binding; every cluster must have reported some
    replicas, and their sum must be in the template's status.
    """
    spec, status = binding.spec, binding.status
    if deployment.spec.get("replicas") != spec.replicas:
        return False
    if binding.metadata.generation != status.schedulerObservedGeneration:
        return False
    reported = [(item.status or {}).get("replicas", 0) for item in status.aggregatedStatus]
    if len(reported) != len(spec.clusters) or not all(count > 0 for count in reported):
        return False
    return bool(deployment.status.get("replicas", 0) == sum(reported))


# --- the controller --------------------------------------------------------------------------------------------------


class DeploymentReplicasSyncer:
    """The reconciler."""

    name = NAME

    def __init__(self, store: Store) -> None:
        self._store = store

    def watches(self) -> Sequence[Watch]:
        """Deployments, when their replicas move."""
        return [Watch(self._store, KIND, self._event)]

    @staticmethod
    def _event(event: str, old: Any, new: Any) -> Sequence[Request]:
        if event != "MODIFIED" or not replicas_changed(old, new):
            return ()
        return (Request(new.metadata.namespace, new.metadata.name),)

    def reconcile(self, request: Request) -> Result:
        """Copy the replicas that the clusters report into the template; come again while they haven't all."""
        deployment: Unstructured | None = self._store.find(KIND, request.name, request.namespace)
        if deployment is None:
            return DONE
        reported = deployment.status.get("replicas", 0)
        if deployment.spec.get("replicas") == reported:
            return DONE
        name = binding_name("Deployment", request.name)
        binding: ResourceBinding | None = self._store.find(ResourceBinding, name, request.namespace)
        if binding is None or not places_divided(binding.spec):
            return DONE
        if not is_collected(deployment, binding):
            return Result(REQUEUE_S)
        self._store.update(deployment.with_spec(replicas=reported))
        return DONE

"""execution-controller: carry a Work out in its member cluster.

A Work is a promise that a cluster runs some manifests. This controller keeps it: creates what is missing, updates what
differs, deletes what is no longer promised. A cluster that is not Ready gets nothing: the attempt fails and is retried
with a back-off that nothing resets, which is why the old copy of a moved workload can live on for minutes after its
cluster is back. Runs in the control plane for push clusters and in the agent for pull clusters.

Mirrors pkg/controllers/execution/execution_controller.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from karmadalab.api.cluster import Cluster, cluster_of_namespace, is_ready
from karmadalab.api.codec import decode
from karmadalab.api.errors import KarmadalabError
from karmadalab.api.meta import Condition, ObjectMeta, replace, set_condition
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import (
    APPLIED,
    CONFLICT_RESOLUTION_ANNOTATION,
    DISPATCHING,
    EXECUTION_FINALIZER,
    PROPAGATION_INSTRUCTION_LABEL,
    Work,
)
from karmadalab.core.client import Client
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.member import MemberCluster, Members
from karmadalab.core.queue import Request
from karmadalab.interpreter.object_watcher import ObjectWatcher, is_managed

NAME = "execution-controller"

APPLIED_SUCCESSFUL, APPLIED_FAILED = "AppliedSuccessful", "AppliedFailed"
SUPPRESSED = "suppressed"


# --- decisions --------------------------------------------------------------------------------------------------------


def applied_condition(errors: Sequence[str], manifests: int) -> Condition:
    """The Applied condition after an attempt with so many manifests."""
    if not errors:
        return Condition(APPLIED, "True", APPLIED_SUCCESSFUL, "Manifest has been successfully applied")
    text = errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"
    done = manifests - len(errors)
    message = f"Failed to apply all manifests ({done}/{manifests}): {text}"
    return Condition(APPLIED, "False", APPLIED_FAILED, message)


def dispatching_condition(suspended: bool) -> Condition:
    """The Dispatching condition."""
    if suspended:
        return Condition(DISPATCHING, "False", "SuspendDispatching", "Work dispatching is in a suspended state.")
    return Condition(DISPATCHING, "True", "Dispatching", "Work is being dispatched to member clusters.")


# --- the controller ---------------------------------------------------------------------------------------------------


class ExecutionController:
    """The reconciler.

    Args:
        manager: the process: the controller manager, or an agent.
        client: the control plane, near or behind the agent's link.
        members: the clusters this process carries out Works in.
        objects: writes to the members; shared with the work status controller.
        namespace: the one execution namespace an agent watches; None for all.
    """

    name = NAME

    def __init__(
        self,
        manager: Manager,
        client: Client,
        members: Members,
        objects: ObjectWatcher,
        namespace: str | None = None,
    ) -> None:
        self._client = client
        self._members = members
        self._objects = objects
        self._namespace = namespace
        self._now: Callable[[], float] = manager.clock.now

    def watches(self) -> Sequence[Watch]:
        """Works, when their spec changes."""
        return [Watch(self._client, Work, self._work_event)]

    def _work_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        if self._namespace is not None and new.metadata.namespace != self._namespace:
            return ()
        if old is not None and old.metadata.generation == new.metadata.generation:
            return ()
        if new.metadata.labels.get(PROPAGATION_INSTRUCTION_LABEL) == SUPPRESSED:
            return ()
        return (Request(new.metadata.namespace, new.metadata.name),)

    def reconcile(self, request: Request) -> Result:
        """Carry out one Work, or undo it when it is being deleted."""
        name = cluster_of_namespace(request.namespace)
        work = self._client.find(Work, request.name, request.namespace)
        member = self._members.reach(name) if name else None
        if work is None or name is None or member is None:
            return DONE
        cluster = self._client.find(Cluster, name)
        if cluster is None:
            raise Retry(f"cluster {name} not found")
        if work.metadata.deletionTimestamp is not None:
            return self._undo(work, cluster, member)
        suspended = bool(work.spec.suspendDispatching)
        work = self._set_condition(work, dispatching_condition(suspended))
        if suspended:
            return DONE
        if not is_ready(cluster):
            raise Retry(f"cluster {name} is not ready")
        return self._carry_out(work, member)

    # --- creating and updating

    def _carry_out(self, work: Work, member: MemberCluster) -> Result:
        errors = []
        for manifest in work.spec.workload.manifests:
            try:
                self._apply(_as_object(manifest), member)
            except KarmadalabError as error:
                errors.append(str(error))
        self._set_condition(work, applied_condition(errors, len(work.spec.workload.manifests)))
        if errors:
            raise Retry(f"failed to sync Work {work.metadata.namespace}/{work.metadata.name}: {'; '.join(errors)}")
        return DONE

    def _apply(self, desired: Unstructured, member: MemberCluster) -> None:
        meta = desired.metadata
        observed = member.client.find(desired.GROUP_KIND, meta.name, meta.namespace)
        if observed is None:
            self._objects.create(member, desired)
        else:
            self._objects.update(member, desired, observed)

    # --- deleting

    def _undo(self, work: Work, cluster: Cluster, member: MemberCluster) -> Result:
        if EXECUTION_FINALIZER not in work.metadata.finalizers:
            return DONE
        if work.spec.preserveResourcesOnDeletion:
            self._release_all(work, member)
        elif is_ready(cluster):
            self._delete_all(work, member)
        elif cluster.metadata.deletionTimestamp is None:
            raise Retry(f"cluster {cluster.metadata.name} is not ready, so nothing can be deleted there")
        finalizers = tuple(f for f in work.metadata.finalizers if f != EXECUTION_FINALIZER)
        self._client.update(replace(work, metadata=replace(work.metadata, finalizers=finalizers)))
        return DONE

    def _delete_all(self, work: Work, member: MemberCluster) -> None:
        for manifest in work.spec.workload.manifests:
            self._objects.delete(member, _as_object(manifest))

    def _release_all(self, work: Work, member: MemberCluster) -> None:
        """Leave the objects in the member, without Karmada's marks."""
        for manifest in work.spec.workload.manifests:
            obj = _as_object(manifest)
            observed = member.client.find(obj.GROUP_KIND, obj.metadata.name, obj.metadata.namespace)
            if observed is not None and not is_managed(observed):
                raise Retry(f"{observed!r} in {member.name} is not managed by Karmada, so it can't be released")
            if observed is not None:
                member.client.update(replace(observed, metadata=_unmarked(observed.metadata)))

    def _set_condition(self, work: Work, condition: Condition) -> Work:
        conditions = set_condition(work.status.conditions, condition, self._now())
        if conditions is work.status.conditions:
            return work
        updated: Work = self._client.update_status(replace(work, status=replace(work.status, conditions=conditions)))
        return updated


def _as_object(manifest: dict[str, Any]) -> Any:
    return decode(manifest)


def _unmarked(meta: ObjectMeta) -> ObjectMeta:
    def plain(items: dict[str, str]) -> dict[str, str]:
        kept = CONFLICT_RESOLUTION_ANNOTATION  # stays behind, as recorded
        return {key: value for key, value in items.items() if "karmada.io/" not in key or key == kept}

    return replace(meta, labels=plain(meta.labels), annotations=plain(meta.annotations))

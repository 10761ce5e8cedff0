"""work-status-controller: bring back what became of a Work in its member.

For every kind that an applied Work holds, it watches the member. When an object there changes, its status and health go
into the Work; when somebody changed it by hand it is set right; when it was deleted it is created again. Runs in the
control plane for push clusters and in the agent for pull clusters.

Mirrors pkg/controllers/status/work_status_controller.go. A Work with several manifests keeps the status of the one
reported last, as in Karmada v1.13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from karmadalab.api.cluster import Cluster, cluster_of_namespace, is_ready
from karmadalab.api.codec import decode
from karmadalab.api.errors import KarmadalabError
from karmadalab.api.meta import Condition, condition, replace, set_condition
from karmadalab.api.naming import work_name
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.api.work import (
    APPLIED,
    HEALTHY,
    PROPAGATION_INSTRUCTION_LABEL,
    UNKNOWN,
    WORK_NAME_ANNOTATION,
    WORK_NAMESPACE_ANNOTATION,
    ManifestStatus,
    ResourceIdentifier,
    Work,
)
from karmadalab.core.client import DELETED, Client
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.member import MemberCluster, Members
from karmadalab.core.queue import Request
from karmadalab.interpreter import Interpreter
from karmadalab.interpreter.object_watcher import ObjectWatcher

NAME = "work-status-controller"


def identifier_of(obj: Unstructured, ordinal: int) -> ResourceIdentifier:
    """How a manifest is named in a Work's status; Karmada leaves `resource` empty."""
    group, _, version = obj.apiVersion.rpartition("/")
    return ResourceIdentifier(
        ordinal=ordinal,
        group=group,
        version=version,
        kind=obj.kind,
        resource="",
        namespace=obj.metadata.namespace,
        name=obj.metadata.name,
    )


class WorkStatusController:
    """The reconciler. Its requests are Works.

    Args:
        manager, client, members, objects: as for the execution controller.
        interpreter: what kinds mean.
        namespace: the one execution namespace an agent watches; None for all.
    """

    name = NAME

    def __init__(
        self,
        manager: Manager,
        client: Client,
        members: Members,
        interpreter: Interpreter,
        objects: ObjectWatcher,
        namespace: str | None = None,
    ) -> None:
        self._manager = manager
        self._client = client
        self._members = members
        self._interpreter = interpreter
        self._objects = objects
        self._namespace = namespace
        self._now: Callable[[], float] = manager.clock.now
        self._informers: set[tuple[str, str]] = set()

    def watches(self) -> Sequence[Watch]:
        """Works, once they are applied; the members' objects are watched from then on."""
        return [Watch(self._client, Work, self._work_event)]

    def _work_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        meta = new.metadata
        if event == "DELETED" or (self._namespace is not None and meta.namespace != self._namespace):
            return ()
        applied = condition(new.status.conditions, APPLIED)
        if applied is None or applied.status != "True":
            return ()
        if old is not None and condition(old.status.conditions, APPLIED) == applied and old.spec == new.spec:
            return ()
        return (Request(meta.namespace, meta.name),)

    @staticmethod
    def _member_event(event: str, old: Any, new: Any) -> Sequence[Request]:
        meta = new.metadata
        namespace, name = meta.annotations.get(WORK_NAMESPACE_ANNOTATION), meta.annotations.get(WORK_NAME_ANNOTATION)
        if event == DELETED:
            # Karmada then has no object to ask and goes by the rule for names. It does not hold for the slices that a
            # MultiClusterService dispatches, so that these are not created again.
            name = work_name(new.kind, meta.name, meta.namespace)
        return (Request(namespace, name),) if namespace and name else ()

    def reconcile(self, request: Request) -> Result:
        """Watch what the Work holds, set it right, report its status."""
        name = cluster_of_namespace(request.namespace)
        work = self._client.find(Work, request.name, request.namespace)
        member = self._members.reach(name) if name else None
        if work is None or name is None or member is None:
            return DONE
        cluster = self._client.find(Cluster, name)
        if cluster is None:
            return DONE
        if not is_ready(cluster):
            raise Retry(f"cluster {name} is not ready")
        if work.metadata.deletionTimestamp is not None:
            return DONE
        for ordinal, manifest in enumerate(work.spec.workload.manifests):
            self._watch_kind(member, manifest)
            work = self._report(work, ordinal, decode(manifest), member)
        return DONE

    def _watch_kind(self, member: MemberCluster, manifest: dict[str, Any]) -> None:
        kind = group_kind(manifest["apiVersion"], manifest["kind"])
        if (member.name, kind) not in self._informers:
            self._informers.add((member.name, kind))
            self._manager.watch(NAME, Watch(member.client, kind, self._member_event))

    def _report(self, work: Work, ordinal: int, desired: Any, member: MemberCluster) -> Work:
        meta = desired.metadata
        observed = member.client.find(desired.GROUP_KIND, meta.name, meta.namespace)
        suppressed = work.metadata.labels.get(PROPAGATION_INSTRUCTION_LABEL) == "suppressed"
        if not suppressed and not work.spec.suspendDispatching:
            if observed is None:
                return self._recreate(work, desired, member)
            if self._objects.needs_update(member, desired, observed):
                # Its status is reported all the same: an update that changes nothing makes no event.
                self._objects.update(member, desired, observed)
        if observed is None:
            return work
        return self._write(work, self.status_of(observed, ordinal))

    def _recreate(self, work: Work, desired: Unstructured, member: MemberCluster) -> Work:
        """An object that a Work promises is missing in its member; one that was never carried out promises nothing."""
        if condition(work.status.conditions, APPLIED) is None:
            return work
        try:
            self._objects.create(member, desired)
        except KarmadalabError as error:
            message = f"Failed to recreate resource({desired.kind}/{desired.metadata.name}): {error}"
            self._set_condition(work, Condition(APPLIED, "False", "ReCreateFailed", message))
            raise Retry(message) from None
        message = "Manifest has been successfully applied"
        return self._set_condition(work, Condition(APPLIED, "True", "ReCreateSuccessful", message))

    def _set_condition(self, work: Work, new: Condition) -> Work:
        conditions = set_condition(work.status.conditions, new, self._now())
        updated: Work = self._client.update_status(replace(work, status=replace(work.status, conditions=conditions)))
        return updated

    def status_of(self, observed: Unstructured, ordinal: int) -> ManifestStatus:
        """Status and health of a member's object, as the Work reports them."""
        kind = observed.GROUP_KIND
        status = self._interpreter.reflect_status(observed)
        if not self._interpreter.hook_enabled(kind, "interpret_health"):
            health = HEALTHY
        else:
            try:
                health = self._interpreter.interpret_health(observed)
            except KarmadalabError:
                health = UNKNOWN
        return ManifestStatus(identifier_of(observed, ordinal), status, health)

    def _write(self, work: Work, status: ManifestStatus) -> Work:
        if work.status.manifestStatuses == (status,):
            return work
        updated: Work = self._client.update_status(
            replace(work, status=replace(work.status, manifestStatuses=(status,)))
        )
        return updated

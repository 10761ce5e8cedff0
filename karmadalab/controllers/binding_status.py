"""binding-status-controller: many clusters' statuses become one, on the binding and on the template.

Collects the Works of a binding into `status.aggregatedStatus` and the FullyApplied condition, then writes the sum to
the template's own status, so that `kubectl get deployment` in the control plane shows the whole fleet. The old copy on
a cluster that is being evicted is still counted: that is how a template comes to show READY 6/2.

Mirrors pkg/controllers/status/{rb,crb}_status_controller.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from karmadalab.api.cluster import cluster_of_namespace
from karmadalab.api.meta import Condition, condition, replace, set_condition
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.api.work import (
    APPLIED,
    BINDING_ID_LABEL,
    BINDING_KINDS,
    BINDING_NAME_ANNOTATION,
    BINDING_NAMESPACE_ANNOTATION,
    CLUSTER_BINDING_ID_LABEL,
    CLUSTER_BINDING_NAME_ANNOTATION,
    FULLY_APPLIED,
    UNKNOWN,
    AggregatedStatusItem,
    AnyBinding,
    ClusterResourceBinding,
    ManifestStatus,
    ObjectReference,
    ResourceBinding,
    Work,
    existing_clusters,
)
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.indexes import WORKS_BY_BINDING_ID
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store
from karmadalab.interpreter import Interpreter

NAME = "binding-status-controller"


def aggregate(works: Iterable[Work], resource: ObjectReference) -> tuple[AggregatedStatusItem, ...]:
    """One status item a cluster, by cluster name; Works that are being deleted don't count.

    Args:
        resource: the template; a Work may hold other manifests as well.
    """
    items = [_item(work, resource) for work in works if work.metadata.deletionTimestamp is None]
    return tuple(sorted(items, key=lambda item: item.clusterName))


def _item(work: Work, resource: ObjectReference) -> AggregatedStatusItem:
    cluster = cluster_of_namespace(work.metadata.namespace) or work.metadata.namespace
    applied = condition(work.status.conditions, APPLIED)
    if applied is None or applied.status != "True":
        message = applied.message if applied else ""
        return AggregatedStatusItem(cluster, applied=False, appliedMessage=message, health=UNKNOWN)
    reported = _reported(work, resource)
    if reported is None:
        return AggregatedStatusItem(cluster, applied=True, health=UNKNOWN)
    return AggregatedStatusItem(cluster, status=reported.status, applied=True, health=reported.health)


def _reported(work: Work, resource: ObjectReference) -> ManifestStatus | None:
    """What a Work reports about the template's manifest, if anything: the same object at the same place."""
    group, _, version = resource.apiVersion.rpartition("/")
    wanted = (group, version, resource.kind, resource.namespace, resource.name)
    for reported in work.status.manifestStatuses:
        known = reported.identifier
        if (known.group, known.version, known.kind, known.namespace, known.name) == wanted:
            return reported if known.ordinal == _ordinal(work, resource) else None
    return None


def _ordinal(work: Work, resource: ObjectReference) -> int:
    """The place of the template's manifest in a Work; -1 where it isn't."""
    wanted = (resource.apiVersion, resource.kind, resource.namespace, resource.name)
    for ordinal, manifest in enumerate(work.spec.workload.manifests):
        meta = manifest.get("metadata") or {}
        if (manifest.get("apiVersion"), manifest.get("kind"), meta.get("namespace") or "", meta.get("name")) == wanted:
            return ordinal
    return -1


def fully_applied(binding: AnyBinding, items: Sequence[AggregatedStatusItem]) -> Condition:
    """Whether the clusters that have applied a Work are exactly those that should have one, evicted ones included.

    A binding without clusters is not fully applied.
    """
    applied = {item.clusterName for item in items if item.applied}
    if applied and len(applied) == len(items) and applied == existing_clusters(binding.spec):
        return Condition(FULLY_APPLIED, "True", "FullyAppliedSuccess", "All works have been successfully applied")
    message = "Failed to apply all works, see status.aggregatedStatus for details"
    return Condition(FULLY_APPLIED, "False", "FullyAppliedFailed", message)


class BindingStatusController:
    """The reconciler, for bindings of both kinds."""

    name = NAME

    def __init__(self, manager: Manager, store: Store, interpreter: Interpreter) -> None:
        self._store = store
        self._interpreter = interpreter
        self._now: Callable[[], float] = manager.clock.now

    def watches(self) -> Sequence[Watch]:
        """New bindings and new template versions; Works whose status changed or that are gone."""
        bindings = [Watch(self._store, kind, self._binding_event) for kind in BINDING_KINDS]
        return [*bindings, Watch(self._store, Work, self._work_event)]

    @staticmethod
    def _binding_event(event: str, old: Any, new: Any) -> Sequence[Request]:
        if event == "DELETED" or (old is not None and old.spec.resource == new.spec.resource):
            return ()
        return (Request(new.metadata.namespace, new.metadata.name, new.kind),)

    @staticmethod
    def _work_event(event: str, old: Any, new: Any) -> Sequence[Request]:
        if event == "ADDED" or (event == "MODIFIED" and old.status == new.status):
            return ()
        annotations = new.metadata.annotations
        if name := annotations.get(BINDING_NAME_ANNOTATION):
            return (Request(annotations.get(BINDING_NAMESPACE_ANNOTATION, ""), name, "ResourceBinding"),)
        if name := annotations.get(CLUSTER_BINDING_NAME_ANNOTATION):
            return (Request("", name, "ClusterResourceBinding"),)
        return ()

    def reconcile(self, request: Request) -> Result:
        """Collect the statuses of a binding's Works and pass them up."""
        kind = ResourceBinding if request.kind == "ResourceBinding" else ClusterResourceBinding
        binding: AnyBinding | None = self._store.find(kind, request.name, request.namespace)
        if binding is None or binding.metadata.deletionTimestamp is not None:
            return DONE
        label = BINDING_ID_LABEL if kind is ResourceBinding else CLUSTER_BINDING_ID_LABEL
        works = self._store.indexed(Work, WORKS_BY_BINDING_ID, binding.metadata.labels.get(label, ""))
        items = aggregate(works, binding.spec.resource)
        status = replace(binding.status, aggregatedStatus=items)
        conditions = set_condition(status.conditions, fully_applied(binding, items), self._now())
        status = replace(status, conditions=conditions)
        if status != binding.status:
            self._store.update_status(replace(binding, status=status))
        self._pass_up(binding, items)
        return DONE

    def _pass_up(self, binding: AnyBinding, items: tuple[AggregatedStatusItem, ...]) -> None:
        resource = binding.spec.resource
        kind = group_kind(resource.apiVersion, resource.kind)
        template: Unstructured | None = self._store.find(kind, resource.name, resource.namespace)
        if template is None or not self._interpreter.hook_enabled(kind, "aggregate_status"):
            return
        changed = self._interpreter.aggregate_status(template, items, self._now())
        if changed is not template:
            self._store.update_status(changed)

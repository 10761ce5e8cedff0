"""endpointslice-controller: reported endpoints become EndpointSlices of the control plane.

From there they travel like any template: they are dependencies of the ServiceImport of their service, and so reach
every cluster that imports it. A slice is named after the cluster it comes from, and belongs to the derived service.

Mirrors pkg/controllers/mcs/endpointslice_controller.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karmadalab.api.cluster import cluster_of_namespace
from karmadalab.api.codec import decode
from karmadalab.api.endpoints import (
    BY_SERVICE_EXPORT,
    COLLECT_FINALIZER,
    ENDPOINT_SLICE,
    EXPORT_NAME_LABEL,
    IMPORTED_BY,
    SERVICE_NAME_LABEL,
    SLICE_MANAGED_BY_LABEL,
    managers_of,
)
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.naming import derived_service_name, endpoint_slice_name
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import WORK_ID_LABEL, WORK_NAME_ANNOTATION, WORK_NAMESPACE_ANNOTATION, Work
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "endpointslice-controller"


def imported_slice(work: Work, reported: Unstructured) -> Unstructured:
    """The slice of the control plane that a reported one becomes; its own labels stay behind."""
    meta = work.metadata
    cluster = cluster_of_namespace(meta.namespace) or ""
    service = reported.metadata.labels.get(SERVICE_NAME_LABEL, "")
    metadata = ObjectMeta(
        name=endpoint_slice_name(cluster, reported.metadata.name),
        namespace=reported.metadata.namespace,
        labels={
            WORK_ID_LABEL: meta.labels.get(WORK_ID_LABEL, ""),
            SERVICE_NAME_LABEL: derived_service_name(service),
            SLICE_MANAGED_BY_LABEL: IMPORTED_BY,
        },
        annotations={WORK_NAMESPACE_ANNOTATION: meta.namespace, WORK_NAME_ANNOTATION: meta.name},
    )
    return replace(reported, metadata=metadata)


class EndpointSliceController:
    """The reconciler. Its requests are Works."""

    name = NAME

    def __init__(self, store: Store) -> None:
        self._store = store

    def watches(self) -> Sequence[Watch]:
        """Works that carry a slice of an exported service."""
        return [Watch(self._store, Work, self._event)]

    @staticmethod
    def _event(event: str, old: Any, new: Any) -> Sequence[Request]:
        carries = any(EXPORT_NAME_LABEL in work.metadata.labels for work in (old, new) if work is not None)
        return (Request(new.metadata.namespace, new.metadata.name),) if carries and event != "DELETED" else ()

    def reconcile(self, request: Request) -> Result:
        """Write the slice that a Work carries, or remove it when the Work goes or serves others only."""
        work: Work | None = self._store.find(Work, request.name, request.namespace)
        if work is None:
            return DONE
        if work.metadata.deletionTimestamp is not None or BY_SERVICE_EXPORT not in managers_of(work.metadata.labels):
            self._remove(work)
            return DONE
        for manifest in work.spec.workload.manifests:
            self._write(imported_slice(work, decode(manifest)))  # type: ignore[arg-type] # slices are unstructured
        return DONE

    def _write(self, wanted: Unstructured) -> None:
        meta = wanted.metadata
        old = self._store.find(ENDPOINT_SLICE, meta.name, meta.namespace)
        if old is None:
            self._store.create(wanted)
            return
        merged = replace(
            old.metadata,
            labels={**old.metadata.labels, **meta.labels},
            annotations={**old.metadata.annotations, **meta.annotations},
        )
        self._store.update(replace(wanted, metadata=merged))

    def _remove(self, work: Work) -> None:
        work_id = work.metadata.labels.get(WORK_ID_LABEL)
        for found in self._store.list(ENDPOINT_SLICE):
            if work_id and found.metadata.labels.get(WORK_ID_LABEL) == work_id:
                self._store.delete(ENDPOINT_SLICE, found.metadata.name, found.metadata.namespace)
        finalizers = tuple(item for item in work.metadata.finalizers if item != COLLECT_FINALIZER)
        if finalizers != work.metadata.finalizers:
            self._store.update(replace(work, metadata=replace(work.metadata, finalizers=finalizers)))

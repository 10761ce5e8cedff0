"""endpointslice-dispatch-controller: reported endpoints of a MultiClusterService go to its consumers.

Each Work that carries a provider's slice becomes a Work of the same name in the execution namespace of every other
consumer; the slice in it is named after the provider and belongs to the Service there. What no consumer should have any
more is taken back.

Mirrors pkg/controllers/multiclusterservice/endpointslice_dispatch_controller.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from karmadalab.api.cluster import Cluster, cluster_of_namespace, execution_namespace, is_ready
from karmadalab.api.endpoints import (
    BY_MULTI_CLUSTER_SERVICE,
    DISPATCH_FINALIZER,
    DISPATCHED_BY,
    PROVIDER_ANNOTATION,
    SERVICE_NAME_LABEL,
    SLICE_MANAGED_BY_LABEL,
    managers_of,
)
from karmadalab.api.meta import Condition, ObjectMeta, replace, set_condition
from karmadalab.api.multicluster import (
    ENDPOINT_SLICE_DISPATCHED,
    MULTI_CLUSTER_SERVICE_NAME,
    MULTI_CLUSTER_SERVICE_NAMESPACE,
    MultiClusterService,
    consumer_clusters,
    provider_clusters,
)
from karmadalab.api.work import EXECUTION_FINALIZER, Work, WorkloadTemplate, WorkSpec
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store
from karmadalab.interpreter.manifest import marked
from karmadalab.interpreter.works import write_work

NAME = "endpointslice-dispatch-controller"
DISPATCHED = Condition(
    ENDPOINT_SLICE_DISPATCHED, "True", "EndpointSliceDispatchedSucceed", "EndpointSlice are dispatched successfully"
)


def dispatched_work(reported: Work, consumer: str) -> Work:
    """The Work that brings a reported slice to a consumer."""
    provider = cluster_of_namespace(reported.metadata.namespace) or ""
    origin = (MULTI_CLUSTER_SERVICE_NAMESPACE, MULTI_CLUSTER_SERVICE_NAME)
    metadata = ObjectMeta(
        name=reported.metadata.name,
        namespace=execution_namespace(consumer),
        labels={key: reported.metadata.labels[key] for key in origin},
        annotations={PROVIDER_ANNOTATION: provider},
        finalizers=(EXECUTION_FINALIZER,),
    )
    manifests = [_as_dispatched(manifest, provider) for manifest in reported.spec.workload.manifests]
    own = [marked(manifest, ObjectMeta(), metadata, {}, {}) for manifest in manifests]
    return Work(metadata=metadata, spec=WorkSpec(workload=WorkloadTemplate(tuple(own))))


def _as_dispatched(manifest: dict[str, Any], provider: str) -> dict[str, Any]:
    meta = manifest["metadata"]
    service = (meta.get("labels") or {}).get(SERVICE_NAME_LABEL, "")
    renamed = {
        **meta,
        "name": f"{provider}-{meta['name']}",
        "labels": {SERVICE_NAME_LABEL: service, SLICE_MANAGED_BY_LABEL: DISPATCHED_BY},
        "annotations": {PROVIDER_ANNOTATION: provider},
    }
    return {**manifest, "metadata": renamed}


def carries_slice(work: Work) -> bool:
    """Whether a Work reports a slice on behalf of a MultiClusterService."""
    return BY_MULTI_CLUSTER_SERVICE in managers_of(work.metadata.labels)


class EndpointSliceDispatchController:
    """The reconciler. Its requests are Works that report slices."""

    name = NAME

    def __init__(self, manager: Manager, store: Store) -> None:
        self._store = store
        self._now: Callable[[], float] = manager.clock.now

    def watches(self) -> Sequence[Watch]:
        """Reported slices; MultiClusterServices and clusters, which concern those that were reported for them."""
        return [
            Watch(self._store, Work, self._work_event),
            Watch(self._store, MultiClusterService, self._service_event),
            Watch(self._store, Cluster, self._cluster_event),
        ]

    @staticmethod
    def _work_event(event: str, old: Any, new: Any) -> Sequence[Request]:
        concerned = carries_slice(new) or (old is not None and carries_slice(old))
        return (Request(new.metadata.namespace, new.metadata.name),) if concerned and event != "DELETED" else ()

    def _service_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        if event == "MODIFIED" and old.metadata.generation == new.metadata.generation:
            return
        yield from self._reported_for(new)

    def _cluster_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        if event == "MODIFIED" and is_ready(old) == is_ready(new):
            return
        for service in self._store.list(MultiClusterService):
            yield from self._reported_for(service)

    def _reported_for(self, service: MultiClusterService) -> Iterable[Request]:
        for work in self._works_for(service):
            if carries_slice(work):
                yield Request(work.metadata.namespace, work.metadata.name)

    def _works_for(self, service: MultiClusterService) -> list[Work]:
        meta = service.metadata
        origin = {MULTI_CLUSTER_SERVICE_NAMESPACE: meta.namespace, MULTI_CLUSTER_SERVICE_NAME: meta.name}
        return [work for work in self._store.list(Work) if origin.items() <= work.metadata.labels.items()]

    def reconcile(self, request: Request) -> Result:
        """Bring one reported slice to the consumers, or take it back from all of them."""
        work: Work | None = self._store.find(Work, request.name, request.namespace)
        if work is None:
            return DONE
        if work.metadata.deletionTimestamp is not None or not carries_slice(work):
            self._take_back(work)
            return DONE
        labels = work.metadata.labels
        service: MultiClusterService | None = self._store.find(
            MultiClusterService,
            labels.get(MULTI_CLUSTER_SERVICE_NAME, ""),
            labels.get(MULTI_CLUSTER_SERVICE_NAMESPACE, ""),
        )
        if service is not None and service.metadata.deletionTimestamp is None:
            self._remove_orphans(service)
            self._dispatch(work, service)
        return DONE

    def _known(self) -> list[str]:
        return [cluster.metadata.name for cluster in self._store.list(Cluster)]

    def _dispatch(self, work: Work, service: MultiClusterService) -> None:
        provider = cluster_of_namespace(work.metadata.namespace)
        for name in sorted(consumer_clusters(service, self._known())):
            cluster = self._store.find(Cluster, name)
            if name != provider and cluster is not None and is_ready(cluster):
                write_work(self._store, dispatched_work(work, name))
        conditions = set_condition(service.status.conditions, DISPATCHED, self._now())
        self._store.update_status(replace(service, status=replace(service.status, conditions=conditions)))

    def _remove_orphans(self, service: MultiClusterService) -> None:
        """What was dispatched from a cluster that provides no more, or to one that consumes no more, goes."""
        known = self._known()
        providers, consumers = provider_clusters(service, known), consumer_clusters(service, known)
        for work in self._works_for(service):
            provider = work.metadata.annotations.get(PROVIDER_ANNOTATION)
            consumer = cluster_of_namespace(work.metadata.namespace)
            if provider is not None and (provider not in providers or consumer not in consumers):
                self._delete(work)

    def _take_back(self, reported: Work) -> None:
        provider = cluster_of_namespace(reported.metadata.namespace)
        for work in self._store.list(Work):
            same = work.metadata.name == reported.metadata.name
            if same and work.metadata.annotations.get(PROVIDER_ANNOTATION) == provider:
                self._delete(work)
        finalizers = tuple(item for item in reported.metadata.finalizers if item != DISPATCH_FINALIZER)
        if finalizers != reported.metadata.finalizers:
            self._store.update(replace(reported, metadata=replace(reported.metadata, finalizers=finalizers)))

    def _delete(self, work: Work) -> None:
        if work.metadata.deletionTimestamp is None:
            self._store.delete(Work, work.metadata.name, work.metadata.namespace)

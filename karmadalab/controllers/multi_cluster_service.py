"""multiclusterservice-controller: one Service in many clusters, whose endpoints in some are reached from the others.

The Service goes to providers and consumers alike, by a binding that this controller writes itself, whatever the
policies say. Each provider also gets a Work with the MultiClusterService in it, which nobody carries out: it tells the
collector which endpoints to report.

Mirrors pkg/controllers/multiclusterservice/mcs_controller.go. Needs the gate `MultiClusterService`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from karmadalab.api.claims import unclaimed
from karmadalab.api.cluster import Cluster, cluster_of_namespace, execution_namespace, is_ready, ready_condition
from karmadalab.api.codec import to_dict
from karmadalab.api.endpoints import BY_MULTI_CLUSTER_SERVICE, managers_of
from karmadalab.api.errors import KarmadalabError, NotFound
from karmadalab.api.meta import Condition, ObjectMeta, OwnerReference, replace, set_condition
from karmadalab.api.multicluster import (
    BINDING_MANAGED_BY_LABEL,
    CROSS_CLUSTER,
    MULTI_CLUSTER_SERVICE_FINALIZER,
    MULTI_CLUSTER_SERVICE_ID_LABEL,
    MULTI_CLUSTER_SERVICE_NAME,
    MULTI_CLUSTER_SERVICE_NAMESPACE,
    SERVICE_APPLIED,
    MultiClusterService,
    consumer_clusters,
    provider_clusters,
)
from karmadalab.api.naming import binding_name, work_name
from karmadalab.api.policy import ClusterAffinity, Placement
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import (
    BINDING_FINALIZER,
    CLAIMED_BY_LABEL,
    PROPAGATION_INSTRUCTION_LABEL,
    ObjectReference,
    ResourceBinding,
    ResourceBindingSpec,
    Work,
    WorkloadTemplate,
    WorkSpec,
)
from karmadalab.core.controller import DONE, Result, Retry, Watch, on_spec_change
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store
from karmadalab.interpreter.endpoint_works import unreport_slice
from karmadalab.interpreter.works import write_work

NAME = "multiclusterservice-controller"
KIND, SERVICE = "MultiClusterService", "Service"
_LABELS = (MULTI_CLUSTER_SERVICE_NAMESPACE, MULTI_CLUSTER_SERVICE_NAME)


# --- decisions -------------------------------------------------------------------------------------------------------


def applied_condition(error: str) -> Condition:
    """Whether the Service is on its way; `error` says why not."""
    if error:
        return Condition(SERVICE_APPLIED, "False", "ServiceAppliedFailed", error)
    return Condition(SERVICE_APPLIED, "True", "ServiceAppliedSucceed", "Service is propagated to target clusters.")


def serves_slices(cluster: Cluster | None) -> bool:
    """Whether endpoints can be had from, or brought to, a cluster now."""
    if cluster is None or not is_ready(cluster):
        return False
    return any(item.groupVersion == "discovery.k8s.io/v1" for item in cluster.status.apiEnablements)


def origin_of(service: MultiClusterService) -> dict[str, str]:
    """The labels of a Work, or the annotations of other objects, that lead back to the MultiClusterService."""
    meta = service.metadata
    return {MULTI_CLUSTER_SERVICE_NAMESPACE: meta.namespace, MULTI_CLUSTER_SERVICE_NAME: meta.name}


def work_for(service: MultiClusterService, cluster: str) -> Work:
    """The Work that tells a provider's collector which endpoints to report."""
    meta = service.metadata
    service_id = {MULTI_CLUSTER_SERVICE_ID_LABEL: meta.labels.get(MULTI_CLUSTER_SERVICE_ID_LABEL, "")}
    kept = ObjectMeta(name=meta.name, namespace=meta.namespace, labels=meta.labels, annotations=meta.annotations)
    manifest = to_dict(replace(service, metadata=kept, status=type(service.status)()))
    metadata = ObjectMeta(
        name=work_name(KIND, meta.name, meta.namespace),
        namespace=execution_namespace(cluster),
        labels={**service_id, **origin_of(service), PROPAGATION_INSTRUCTION_LABEL: "suppressed"},
    )
    return Work(metadata=metadata, spec=WorkSpec(workload=WorkloadTemplate((manifest,))))


def binding_for(service: MultiClusterService, template: Unstructured, clusters: Iterable[str]) -> ResourceBinding:
    """The binding that brings the Service to clusters; it overwrites what is there."""
    meta = template.metadata
    service_id = service.metadata.labels.get(MULTI_CLUSTER_SERVICE_ID_LABEL, "")
    reference = ObjectReference("v1", SERVICE, meta.namespace, meta.name, meta.uid, meta.resourceVersion)
    return ResourceBinding(
        metadata=ObjectMeta(
            name=binding_name(SERVICE, meta.name),
            namespace=meta.namespace,
            labels={BINDING_MANAGED_BY_LABEL: KIND, MULTI_CLUSTER_SERVICE_ID_LABEL: service_id},
            annotations=origin_of(service),
            finalizers=(BINDING_FINALIZER,),
            ownerReferences=(OwnerReference("v1", SERVICE, meta.name, meta.uid),),
        ),
        spec=ResourceBindingSpec(
            resource=reference,
            placement=Placement(clusterAffinity=ClusterAffinity(clusterNames=tuple(sorted(clusters)))),
            conflictResolution="Overwrite",
        ),
    )


# --- the controller --------------------------------------------------------------------------------------------------


class MultiClusterServiceController:
    """The reconciler."""

    name = NAME

    def __init__(self, manager: Manager, store: Store) -> None:
        self._store = store
        self._now: Callable[[], float] = manager.clock.now

    def watches(self) -> Sequence[Watch]:
        """MultiClusterServices, the Services of the same names, and clusters that come, go or change."""
        return [
            Watch(self._store, MultiClusterService, on_spec_change),
            Watch(self._store, SERVICE, self._service_event),
            Watch(self._store, Cluster, self._cluster_event),
        ]

    def _service_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        if event == "MODIFIED" and old.metadata == new.metadata and old.spec == new.spec:
            return ()
        found = self._store.find(MultiClusterService, new.metadata.name, new.metadata.namespace)
        return () if found is None else (Request(new.metadata.namespace, new.metadata.name),)

    def _cluster_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        if event == "MODIFIED" and ready_condition(old) == ready_condition(new):
            return
        for found in self._store.list(MultiClusterService):
            yield Request(found.metadata.namespace, found.metadata.name)

    def reconcile(self, request: Request) -> Result:
        """Bring Works, Service and binding to what a MultiClusterService says."""
        service: MultiClusterService | None = self._store.find(MultiClusterService, request.name, request.namespace)
        if service is None:
            return DONE
        if service.metadata.deletionTimestamp is not None or CROSS_CLUSTER not in service.spec.types:
            return self._withdraw(service)
        if MULTI_CLUSTER_SERVICE_FINALIZER not in service.metadata.finalizers:
            service = self._with_finalizers(service, (*service.metadata.finalizers, MULTI_CLUSTER_SERVICE_FINALIZER))
        error = ""
        try:
            self._provide(service)
        except KarmadalabError as problem:
            error = str(problem)
        conditions = set_condition(service.status.conditions, applied_condition(error), self._now())
        self._store.update_status(replace(service, status=replace(service.status, conditions=conditions)))
        if error:
            raise Retry(error)
        return DONE

    def _provide(self, service: MultiClusterService) -> None:
        known = [cluster.metadata.name for cluster in self._store.list(Cluster)]
        providers, consumers = provider_clusters(service, known), consumer_clusters(service, known)
        for name in sorted(providers):
            if serves_slices(self._store.find(Cluster, name)):
                write_work(self._store, work_for(service, name))
        self._retrieve(service, providers)
        template: Unstructured | None = self._store.find(SERVICE, service.metadata.name, service.metadata.namespace)
        if template is None:
            raise NotFound(f'Service "{service.metadata.name}" not found')
        template = self._claim(service, template)
        self._write_binding(binding_for(service, template, providers | consumers))

    def _claim(self, service: MultiClusterService, template: Unstructured) -> Unstructured:
        """Mark the Service as this one's; policies let go of it."""
        meta = unclaimed(template.metadata)
        service_id = service.metadata.labels.get(MULTI_CLUSTER_SERVICE_ID_LABEL, "")
        labels = {**meta.labels, CLAIMED_BY_LABEL: KIND, MULTI_CLUSTER_SERVICE_ID_LABEL: service_id}
        annotations = {**meta.annotations, **origin_of(service)}
        updated: Unstructured = self._store.update(
            replace(template, metadata=replace(meta, labels=labels, annotations=annotations))
        )
        return updated

    def _write_binding(self, binding: ResourceBinding) -> None:
        meta = binding.metadata
        old = self._store.find(ResourceBinding, meta.name, meta.namespace)
        if old is None:
            self._store.create(binding)
            return
        if old.metadata.deletionTimestamp is not None:
            raise Retry(f"resource binding {meta.namespace}/{meta.name} is being deleted")
        plain = unclaimed(old.metadata)
        merged = replace(
            plain,
            labels={**plain.labels, **meta.labels},
            annotations={**plain.annotations, **meta.annotations},
            finalizers=meta.finalizers,
            ownerReferences=meta.ownerReferences,
        )
        wanted = binding.spec
        spec = replace(
            old.spec,
            resource=wanted.resource,
            placement=wanted.placement,
            conflictResolution=wanted.conflictResolution,
        )
        self._store.update(replace(old, metadata=merged, spec=spec))

    # --- taking back

    def _retrieve(self, service: MultiClusterService, providers: frozenset[str]) -> None:
        """Take the Work, and what was reported for it, from clusters that provide no more, or can't now."""
        origin = origin_of(service)
        own = work_name(KIND, service.metadata.name, service.metadata.namespace)
        for work in self._store.list(Work):
            if work.metadata.name != own or not origin.items() <= work.metadata.labels.items():
                continue
            name = cluster_of_namespace(work.metadata.namespace) or ""
            cluster = self._store.find(Cluster, name)
            if name in providers and cluster is not None and is_ready(cluster):
                continue
            for reported in self._store.list(Work, work.metadata.namespace):
                labels = reported.metadata.labels
                if BY_MULTI_CLUSTER_SERVICE in managers_of(labels) and origin.items() <= labels.items():
                    unreport_slice(self._store, reported, BY_MULTI_CLUSTER_SERVICE, _LABELS)
            if work.metadata.deletionTimestamp is None:
                self._store.delete(Work, own, work.metadata.namespace)

    def _withdraw(self, service: MultiClusterService) -> Result:
        """Take everything back; the Service stays where it is, and so does its binding, without an owner's mark."""
        self._retrieve(service, frozenset())
        meta = service.metadata
        template = self._store.find(SERVICE, meta.name, meta.namespace)
        binding = self._store.find(ResourceBinding, binding_name(SERVICE, meta.name), meta.namespace)
        ours = meta.labels.get(MULTI_CLUSTER_SERVICE_ID_LABEL)
        gone = (CLAIMED_BY_LABEL, MULTI_CLUSTER_SERVICE_ID_LABEL, BINDING_MANAGED_BY_LABEL)
        for obj, notes in ((template, ()), (binding, _LABELS)):
            if obj is None or obj.metadata.labels.get(MULTI_CLUSTER_SERVICE_ID_LABEL) != ours:
                continue
            labels = {key: value for key, value in obj.metadata.labels.items() if key not in gone}
            annotations = {key: value for key, value in obj.metadata.annotations.items() if key not in notes}
            self._store.update(replace(obj, metadata=replace(obj.metadata, labels=labels, annotations=annotations)))
        if MULTI_CLUSTER_SERVICE_FINALIZER in meta.finalizers:
            self._with_finalizers(
                service, tuple(item for item in meta.finalizers if item != MULTI_CLUSTER_SERVICE_FINALIZER)
            )
        return DONE

    def _with_finalizers(self, service: MultiClusterService, finalizers: tuple[str, ...]) -> MultiClusterService:
        updated: MultiClusterService = self._store.update(
            replace(service, metadata=replace(service.metadata, finalizers=finalizers))
        )
        return updated

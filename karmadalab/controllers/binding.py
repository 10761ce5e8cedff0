"""binding-controller: from a binding to the Works of its clusters.

A binding says where; a Work says what, for one cluster. In between lie the number of replicas this cluster gets, the
overrides that apply to it, and everything in the template that must not travel (its uid, its status, its owner). A
cluster that is being evicted keeps its old Work, untouched, until its task ends; then the Work is an orphan and goes.

Mirrors pkg/controllers/binding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karmadalab.api.cluster import Cluster, execution_namespace
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.naming import work_name
from karmadalab.api.policy import (
    APPLIED_CLUSTER_OVERRIDES_ANNOTATION,
    APPLIED_OVERRIDES_ANNOTATION,
    DIVIDED,
    IMMEDIATELY,
    ClusterOverridePolicy,
    OverridePolicy,
    Suspension,
)
from karmadalab.api.scheme import to_json
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.api.work import (
    BINDING_FINALIZER,
    BINDING_ID_LABEL,
    BINDING_KINDS,
    BINDING_NAME_ANNOTATION,
    BINDING_NAMESPACE_ANNOTATION,
    CLUSTER_BINDING_FINALIZER,
    CLUSTER_BINDING_ID_LABEL,
    CLUSTER_BINDING_NAME_ANNOTATION,
    CONFLICT_RESOLUTION_ANNOTATION,
    EXECUTION_FINALIZER,
    AnyBinding,
    ClusterResourceBinding,
    ResourceBinding,
    ResourceBindingSpec,
    TargetCluster,
    Work,
    WorkloadTemplate,
    WorkSpec,
)
from karmadalab.core.controller import DONE, Request, Result, Watch
from karmadalab.core.indexes import WORKS_BY_BINDING_ID
from karmadalab.core.store import Store
from karmadalab.interpreter import Interpreter
from karmadalab.interpreter.manifest import marked, pruned
from karmadalab.interpreter.overrides import Overridden, apply_overrides

NAME = "binding-controller"

_FINALIZERS = (BINDING_FINALIZER, CLUSTER_BINDING_FINALIZER)


# --- decisions --------------------------------------------------------------------------------------------------------


def target_clusters(spec: ResourceBindingSpec) -> tuple[TargetCluster, ...]:
    """The clusters to write Works for: the scheduled ones, then those that dependents need; the first mention counts."""
    seen: dict[str, TargetCluster] = {}
    for target in (*spec.clusters, *(t for snapshot in spec.requiredBy for t in snapshot.clusters)):
        seen.setdefault(target.name, target)
    return tuple(seen.values())


def clusters_to_keep(spec: ResourceBindingSpec) -> frozenset[str]:
    """The clusters whose Works are no orphans: the targets, and those being evicted other than immediately."""
    evicting = {task.fromCluster for task in spec.gracefulEvictionTasks if task.purgeMode != IMMEDIATELY}
    return frozenset(evicting | {target.name for target in target_clusters(spec)})


def suspends(suspension: Suspension | None, cluster: str) -> bool:
    """Whether dispatching to a cluster is suspended."""
    if suspension is None:
        return False
    listed = suspension.dispatchingOnClusters
    return bool(suspension.dispatching) or (listed is not None and cluster in listed.clusterNames)


def conflict_resolution(template: Unstructured, binding: AnyBinding) -> str:
    """`overwrite` or `abort`: the template's own annotation wins, then the policy, then abort."""
    own = template.metadata.annotations.get(CONFLICT_RESOLUTION_ANNOTATION)
    if own in ("overwrite", "abort"):
        return own
    return "overwrite" if binding.spec.conflictResolution == "Overwrite" else "abort"


def applied_overrides(overridden: Overridden) -> dict[str, str]:
    """The annotations that say which override policies shaped a manifest."""
    texts = {}
    for key, applied in (
        (APPLIED_CLUSTER_OVERRIDES_ANNOTATION, overridden.cluster_overrides),
        (APPLIED_OVERRIDES_ANNOTATION, overridden.overrides),
    ):
        if applied:
            texts[key] = to_json([{"policyName": item.policy, "overriders": item.overriders} for item in applied])
    return texts


def is_divided(spec: ResourceBindingSpec) -> bool:
    """Whether each cluster gets a share of the replicas."""
    strategy = spec.placement.replicaScheduling if spec.placement else None
    return strategy is not None and strategy.replicaSchedulingType == DIVIDED and spec.replicas > 0


# --- the controller ---------------------------------------------------------------------------------------------------


class BindingController:
    """The reconciler, for bindings of both kinds.

    Args:
        store, interpreter: the control plane's.
    """

    name = NAME

    def __init__(self, store: Store, interpreter: Interpreter) -> None:
        self._store = store
        self._interpreter = interpreter

    def watches(self) -> Sequence[Watch]:
        """Bindings whose spec changed; override policies that may concern them."""
        bindings = [Watch(self._store, kind, self._binding_event) for kind in BINDING_KINDS]
        policies = [Watch(self._store, kind, self._policy_event) for kind in (OverridePolicy, ClusterOverridePolicy)]
        return [*bindings, *policies]

    @staticmethod
    def _binding_event(event: str, old: Any, new: Any) -> Sequence[Request]:
        if event == "DELETED" or (old is not None and old.metadata.generation == new.metadata.generation):
            return ()
        return (Request(new.metadata.namespace, new.metadata.name, new.kind),)

    def _policy_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        selectors = [s for policy in (old, new) if policy is not None for s in policy.spec.resourceSelectors]
        for kind in BINDING_KINDS:
            for binding in self._store.list(kind):
                resource = binding.spec.resource
                if new.metadata.namespace and resource.namespace != new.metadata.namespace:
                    continue
                if not selectors or any((s.apiVersion, s.kind) == (resource.apiVersion, resource.kind) for s in selectors):
                    yield Request(binding.metadata.namespace, binding.metadata.name, binding.kind)

    def reconcile(self, request: Request) -> Result:
        """Bring the Works of a binding to what it says."""
        kind = ResourceBinding if request.kind == "ResourceBinding" else ClusterResourceBinding
        binding: AnyBinding | None = self._store.find(kind, request.name, request.namespace)
        if binding is None:
            return DONE
        works = self._works_of(binding)
        if binding.metadata.deletionTimestamp is not None:
            return self._remove(binding, works)
        keep = clusters_to_keep(binding.spec)
        for work in works:
            if work.metadata.namespace.removeprefix("karmada-es-") not in keep:
                self._delete(work)
        resource = binding.spec.resource
        template = self._store.find(group_kind(resource.apiVersion, resource.kind), resource.name, resource.namespace)
        if template is not None:
            self._write_works(binding, template)
        return DONE

    def _works_of(self, binding: AnyBinding) -> list[Work]:
        return self._store.indexed(Work, WORKS_BY_BINDING_ID, binding.metadata.labels.get(_id_label(binding), ""))

    def _remove(self, binding: AnyBinding, works: list[Work]) -> Result:
        for work in works:
            self._delete(work)
        finalizers = tuple(f for f in binding.metadata.finalizers if f not in _FINALIZERS)
        self._store.update(replace(binding, metadata=replace(binding.metadata, finalizers=finalizers)))
        return DONE

    def _delete(self, work: Work) -> None:
        if work.metadata.deletionTimestamp is None:
            self._store.delete(Work, work.metadata.name, work.metadata.namespace)

    # --- making Works

    def _write_works(self, binding: AnyBinding, template: Unstructured) -> None:
        for target in target_clusters(binding.spec):
            cluster = self._store.find(Cluster, target.name)
            if cluster is not None:
                self._write(self.work_for(binding, template, target, cluster))

    def work_for(
        self, binding: AnyBinding, template: Unstructured, target: TargetCluster, cluster: Cluster
    ) -> Work:
        """The Work that a cluster should have."""
        manifest = pruned(template)
        if is_divided(binding.spec) and self._interpreter.hook_enabled(template.GROUP_KIND, "revise_replica"):
            manifest = self._interpreter.revise_replica(manifest, target.replicas)
        overridden = apply_overrides(
            manifest, cluster, self._store.list(ClusterOverridePolicy), self._policies(binding)
        )
        labels = {_id_label(binding): binding.metadata.labels.get(_id_label(binding), "")}
        annotations = {**_origin(binding), CONFLICT_RESOLUTION_ANNOTATION: conflict_resolution(template, binding)}
        meta = ObjectMeta(
            name=work_name(template.kind, template.metadata.name, template.metadata.namespace),
            namespace=execution_namespace(target.name),
            labels=labels,
            annotations={**annotations, **applied_overrides(overridden)},
            finalizers=(EXECUTION_FINALIZER,),
        )
        manifest = marked(overridden.manifest, template.metadata, meta, labels, annotations)
        return Work(
            metadata=meta,
            spec=WorkSpec(
                workload=WorkloadTemplate((manifest,)),
                suspendDispatching=suspends(binding.spec.suspension, target.name),
                preserveResourcesOnDeletion=bool(binding.spec.preserveResourcesOnDeletion),
            ),
        )

    def _policies(self, binding: AnyBinding) -> list[OverridePolicy]:
        namespace = binding.spec.resource.namespace
        return self._store.list(OverridePolicy, namespace) if namespace else []

    def _write(self, work: Work) -> None:
        meta = work.metadata
        old = self._store.find(Work, meta.name, meta.namespace)
        if old is None:
            self._store.create(work)
        elif old.metadata.deletionTimestamp is None:
            merged = replace(
                old.metadata,
                labels={**old.metadata.labels, **meta.labels},
                annotations={**_without_overrides(old.metadata.annotations), **meta.annotations},
                finalizers=meta.finalizers,
            )
            self._store.update(replace(old, metadata=merged, spec=work.spec))


def _without_overrides(annotations: dict[str, str]) -> dict[str, str]:
    gone = (APPLIED_OVERRIDES_ANNOTATION, APPLIED_CLUSTER_OVERRIDES_ANNOTATION)
    return {key: value for key, value in annotations.items() if key not in gone}


def _id_label(binding: AnyBinding) -> str:
    return BINDING_ID_LABEL if isinstance(binding, ResourceBinding) else CLUSTER_BINDING_ID_LABEL


def _origin(binding: AnyBinding) -> dict[str, str]:
    """The annotations that lead back to the binding."""
    meta = binding.metadata
    if isinstance(binding, ResourceBinding):
        return {BINDING_NAME_ANNOTATION: meta.name, BINDING_NAMESPACE_ANNOTATION: meta.namespace}
    return {CLUSTER_BINDING_NAME_ANNOTATION: meta.name}


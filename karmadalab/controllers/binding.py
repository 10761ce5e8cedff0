"""binding-controller: from a binding to the Works of its clusters.

A binding says where; a Work says what, for one cluster. In between lie the number of replicas this cluster gets, the
overrides that apply to it, and everything in the template that must not travel (its uid, its status, its owner). A
cluster that is being evicted keeps its old Work, untouched, until its task ends; then the Work is an orphan and goes.

Mirrors pkg/controllers/binding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karmadalab.api.cluster import Cluster, cluster_of_namespace, execution_namespace
from karmadalab.api.errors import KarmadalabError, NotFound
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.naming import work_name
from karmadalab.api.override import ClusterOverridePolicy, OverridePolicy
from karmadalab.api.policy import AT_ONCE, Suspension
from karmadalab.api.shares import completions_by_name, completions_by_rank, is_divided, is_workload
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
    existing_clusters,
)
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.indexes import WORKS_BY_BINDING_ID
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store
from karmadalab.interpreter import Interpreter
from karmadalab.interpreter.manifest import marked, pruned
from karmadalab.interpreter.overrides import apply_overrides
from karmadalab.interpreter.works import applied_overrides, write_work

NAME = "binding-controller"
PURGE_REQUEUE_S = 5.0


# --- decisions --------------------------------------------------------------------------------------------------------


def target_clusters(spec: ResourceBindingSpec) -> tuple[TargetCluster, ...]:
    """The clusters to write Works for: the scheduled ones, then those of dependents; the first mention counts."""
    seen: dict[str, TargetCluster] = {}
    for target in (*spec.clusters, *(t for snapshot in spec.requiredBy for t in snapshot.clusters)):
        seen.setdefault(target.name, target)
    return tuple(seen.values())


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


def preserved_state_for(spec: ResourceBindingSpec, cluster: str) -> dict[str, str]:
    """The labels with the state of a workload that has just left another cluster at once."""
    task = spec.gracefulEvictionTasks[-1] if spec.gracefulEvictionTasks else None
    if task is None or task.purgeMode not in AT_ONCE or cluster in task.clustersBeforeFailover:
        return {}
    return task.preservedLabelState


def with_labels(manifest: dict[str, Any], labels: dict[str, str]) -> dict[str, Any]:
    """A manifest with more labels."""
    if not labels:
        return manifest
    meta = manifest["metadata"]
    return {**manifest, "metadata": {**meta, "labels": {**(meta.get("labels") or {}), **labels}}}


# --- the controller ---------------------------------------------------------------------------------------------------


class BindingController:
    """The reconciler, for bindings of both kinds.

    Args:
        manager: the process.
        store, interpreter: the control plane's.
    """

    name = NAME

    def __init__(self, manager: Manager, store: Store, interpreter: Interpreter) -> None:
        self._store = store
        self._interpreter = interpreter
        self._profile = manager.settings.profile
        self._injects = manager.settings.gate("StatefulFailoverInjection")

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
                if not selectors or any(
                    (s.apiVersion, s.kind) == (resource.apiVersion, resource.kind) for s in selectors
                ):
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
        keep = existing_clusters(binding.spec)
        for work in works:
            if cluster_of_namespace(work.metadata.namespace) not in keep:
                self._delete(work)
        if self._profile != "v1.13" and self._is_purging(binding):
            return Result(PURGE_REQUEUE_S)
        resource = binding.spec.resource
        template = self._store.find(group_kind(resource.apiVersion, resource.kind), resource.name, resource.namespace)
        if template is not None:
            self._write_works(binding, template)
        return DONE

    def _is_purging(self, binding: AnyBinding) -> bool:
        """Whether a copy that has to go at once is still there; in v1.18 nothing is written meanwhile.

        A task for a cluster that is a target again blocks the binding until the task ends, because its Work stays.
        """
        leaving = {task.fromCluster for task in binding.spec.gracefulEvictionTasks if task.purgeMode in AT_ONCE}
        return any(cluster_of_namespace(work.metadata.namespace) in leaving for work in self._works_of(binding))

    def _works_of(self, binding: AnyBinding) -> list[Work]:
        return self._store.indexed(Work, WORKS_BY_BINDING_ID, binding.metadata.labels.get(_id_label(binding), ""))

    def _remove(self, binding: AnyBinding, works: list[Work]) -> Result:
        for work in works:
            self._delete(work)
        own = BINDING_FINALIZER if isinstance(binding, ResourceBinding) else CLUSTER_BINDING_FINALIZER
        finalizers = tuple(f for f in binding.metadata.finalizers if f != own)
        self._store.update(replace(binding, metadata=replace(binding.metadata, finalizers=finalizers)))
        return DONE

    def _delete(self, work: Work) -> None:
        if work.metadata.deletionTimestamp is None:
            self._store.delete(Work, work.metadata.name, work.metadata.namespace)

    # --- making Works

    def _write_works(self, binding: AnyBinding, template: Unstructured) -> None:
        """Write the Work of every cluster; what goes wrong with one doesn't keep the others from theirs.

        Raises:
            Retry: with all that went wrong.
        """
        targets = target_clusters(binding.spec)
        completions = self._completions(binding, template, targets)
        errors = []
        for index, target in enumerate(targets):
            try:
                share = completions[index] if completions else None
                write_work(self._store, self.work_for(binding, template, target, share, alone=len(targets) == 1))
            except KarmadalabError as error:
                errors.append(str(error))
        if errors:
            raise Retry(errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]")

    def _completions(self, binding: AnyBinding, template: Unstructured, targets: Sequence[TargetCluster]) -> list[int]:
        """The completions of each target; empty when the Job's are not divided, or it is none."""
        total = template.spec.get("completions")
        if template.GROUP_KIND != "Job.batch" or total is None or not is_divided(binding.spec):
            return []
        if self._profile == "v1.13":
            return completions_by_rank(total, targets)
        return completions_by_name(total, targets, template.metadata.uid)

    def work_for(
        self,
        binding: AnyBinding,
        template: Unstructured,
        target: TargetCluster,
        completions: int | None = None,
        alone: bool = False,
    ) -> Work:
        """The Work that a cluster should have.

        Args:
            completions: the cluster's share, for a Job whose completions are divided.
            alone: whether this is the binding's only target, so that preserved state may be given to it.

        Raises:
            NotFound: there is no such cluster.
            KarmadalabError: an override can't be applied.
        """
        cluster = self._cluster(target.name)
        manifest = self._revised(binding, pruned(template), target, completions)
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
        state = preserved_state_for(binding.spec, target.name) if self._injects and alone else {}
        body = marked(with_labels(overridden.manifest, state), template.metadata, meta, labels, annotations)
        return Work(
            metadata=meta,
            spec=WorkSpec(
                workload=WorkloadTemplate((body,)),
                suspendDispatching=suspends(binding.spec.suspension, target.name),
                preserveResourcesOnDeletion=bool(binding.spec.preserveResourcesOnDeletion),
            ),
        )

    def _cluster(self, name: str) -> Cluster:
        cluster: Cluster | None = self._store.find(Cluster, name)
        if cluster is None:
            raise NotFound(f'clusters.cluster.karmada.io "{name}" not found')
        return cluster

    def _revised(
        self, binding: AnyBinding, manifest: Unstructured, target: TargetCluster, completions: int | None
    ) -> Unstructured:
        """The manifest with the cluster's share of the replicas; v1.18 sets it for Duplicated placements too."""
        spec = binding.spec
        divided = is_divided(spec) if self._profile == "v1.13" else is_workload(spec)
        if divided and self._interpreter.hook_enabled(manifest.GROUP_KIND, "revise_replica"):
            manifest = self._interpreter.revise_replica(manifest, target.replicas)
        return manifest if completions is None else manifest.with_spec(completions=completions)

    def _policies(self, binding: AnyBinding) -> list[OverridePolicy]:
        namespace = binding.spec.resource.namespace
        return self._store.list(OverridePolicy, namespace) if namespace else []


def _id_label(binding: AnyBinding) -> str:
    return BINDING_ID_LABEL if isinstance(binding, ResourceBinding) else CLUSTER_BINDING_ID_LABEL


def _origin(binding: AnyBinding) -> dict[str, str]:
    """The annotations that lead back to the binding."""
    meta = binding.metadata
    if isinstance(binding, ResourceBinding):
        return {BINDING_NAME_ANNOTATION: meta.name, BINDING_NAMESPACE_ANNOTATION: meta.namespace}
    return {CLUSTER_BINDING_NAME_ANNOTATION: meta.name}

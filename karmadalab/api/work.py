"""work.karmada.io: a template bound to clusters (ResourceBinding), and what one cluster shall run (Work)."""

from __future__ import annotations

from typing import Any, ClassVar

from karmadalab.api.cluster import Quantity
from karmadalab.api.meta import Condition, Data, Resource, Toleration, condition
from karmadalab.api.policy import AT_ONCE, FailoverBehavior, Placement, Suspension
from karmadalab.api.time import Time

SCHEDULED, FULLY_APPLIED = "Scheduled", "FullyApplied"
APPLIED, DISPATCHING = "Applied", "Dispatching"

HEALTHY, UNHEALTHY, UNKNOWN = "Healthy", "Unhealthy", "Unknown"

BINDING_FINALIZER = "karmada.io/binding-controller"
CLUSTER_BINDING_FINALIZER = "karmada.io/cluster-resource-binding-controller"
EXECUTION_FINALIZER = "karmada.io/execution-controller"

BINDING_ID_LABEL = "resourcebinding.karmada.io/permanent-id"
CLUSTER_BINDING_ID_LABEL = "clusterresourcebinding.karmada.io/permanent-id"
WORK_ID_LABEL = "work.karmada.io/permanent-id"
BINDING_NAMESPACE_ANNOTATION = "resourcebinding.karmada.io/namespace"
BINDING_NAME_ANNOTATION = "resourcebinding.karmada.io/name"
CLUSTER_BINDING_NAME_ANNOTATION = "clusterresourcebinding.karmada.io/name"
WORK_NAME_ANNOTATION = "work.karmada.io/name"
WORK_NAMESPACE_ANNOTATION = "work.karmada.io/namespace"
CONFLICT_RESOLUTION_ANNOTATION = "work.karmada.io/conflict-resolution"
TEMPLATE_UID_ANNOTATION = "resourcetemplate.karmada.io/uid"
TEMPLATE_GENERATION_ANNOTATION = "resourcetemplate.karmada.io/generation"
MANAGED_LABELS_ANNOTATION = "resourcetemplate.karmada.io/managed-labels"
MANAGED_ANNOTATIONS_ANNOTATION = "resourcetemplate.karmada.io/managed-annotations"
DEPENDENCIES_ANNOTATION = "resourcebinding.karmada.io/dependencies"
DEPENDED_BY_PREFIX = "resourcebinding.karmada.io/depended-by-"
DEPENDENCIES_FINALIZER = "karmada.io/binding-dependencies-distributor"
CLAIMED_BY_LABEL = "resourcetemplate.karmada.io/claimed-by"
RETAIN_REPLICAS_LABEL = "resourcetemplate.karmada.io/retain-replicas"
PROPAGATION_INSTRUCTION_LABEL = "propagation.karmada.io/instruction"
MANAGED_LABEL = "karmada.io/managed"


class ObjectReference(Data):
    apiVersion: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resourceVersion: str = ""


class NodeClaim(Data):
    hardNodeAffinity: dict[str, Any] | None = None
    nodeSelector: dict[str, str] = {}
    tolerations: tuple[Toleration, ...] = ()


class ReplicaRequirements(Data):
    nodeClaim: NodeClaim | None = None
    resourceRequest: dict[str, Quantity] = {}
    namespace: str = ""
    priorityClassName: str = ""


class TargetCluster(Data):
    name: str
    replicas: int = 0


class GracefulEvictionTask(Data):
    """A cluster that lost the workload but keeps its copy until the replacement is healthy, or time is up."""

    fromCluster: str
    purgeMode: str = ""
    replicas: int | None = None
    reason: str = ""
    message: str = ""
    producer: str = ""
    gracePeriodSeconds: int | None = None
    suppressDeletion: bool | None = None
    preservedLabelState: dict[str, str] = {}
    creationTimestamp: Time | None = None
    clustersBeforeFailover: tuple[str, ...] = ()


class BindingSnapshot(Data):
    namespace: str = ""
    name: str = ""
    clusters: tuple[TargetCluster, ...] = ()


class BindingSchedulePriority(Data):
    priority: int = 0


class ComponentRequirements(Data):
    """v1.18: one kind of pod of a workload that has several."""

    name: str = ""
    replicas: int = 0
    replicaRequirements: ReplicaRequirements | None = None


class WorkloadAffinityGroups(Data):
    """v1.18: the groups of workloads a workload belongs to, as `label=value`."""

    affinityGroup: str = ""
    antiAffinityGroup: str = ""


class ResourceBindingSpec(Data):
    resource: ObjectReference = ObjectReference()
    propagateDeps: bool = False
    replicaRequirements: ReplicaRequirements | None = None
    replicas: int = 0
    components: tuple[ComponentRequirements, ...] = ()
    clusters: tuple[TargetCluster, ...] = ()
    placement: Placement | None = None
    gracefulEvictionTasks: tuple[GracefulEvictionTask, ...] = ()
    requiredBy: tuple[BindingSnapshot, ...] = ()
    schedulerName: str = ""
    failover: FailoverBehavior | None = None
    conflictResolution: str = ""
    rescheduleTriggeredAt: Time | None = None
    suspension: Suspension | None = None
    preserveResourcesOnDeletion: bool | None = None
    schedulePriority: BindingSchedulePriority | None = None
    workloadAffinityGroups: WorkloadAffinityGroups | None = None


class AggregatedStatusItem(Data):
    clusterName: str
    status: dict[str, Any] | None = None
    applied: bool = False
    appliedMessage: str = ""
    health: str = ""


class ResourceBindingStatus(Data):
    schedulerObservedGeneration: int = 0
    schedulerObservingAffinityName: str = ""
    lastScheduledTime: Time | None = None
    conditions: tuple[Condition, ...] = ()
    aggregatedStatus: tuple[AggregatedStatusItem, ...] = ()


class _Binding(Resource, kw_only=True):
    """What the namespaced and the cluster-scoped binding share, which is all but the name."""

    spec: ResourceBindingSpec = ResourceBindingSpec()
    status: ResourceBindingStatus = ResourceBindingStatus()

    def summary(self) -> str:
        clusters = ", ".join(f"{target.name}:{target.replicas}" for target in self.spec.clusters)
        leaving = ", ".join(task.fromCluster for task in self.spec.gracefulEvictionTasks)
        scheduled = condition(self.status.conditions, SCHEDULED)
        word = "" if scheduled is None or scheduled.status == "True" else f" not scheduled: {scheduled.reason}"
        return f" on {{{clusters}}}" + (f" leaving [{leaving}]" if leaving else "") + word


class ResourceBinding(_Binding, kw_only=True):
    """A namespaced template, the placement it was given and the clusters chosen for it."""

    GROUP_KIND: ClassVar[str] = "ResourceBinding.work.karmada.io"

    apiVersion: str = "work.karmada.io/v1alpha2"
    kind: str = "ResourceBinding"


class ClusterResourceBinding(_Binding, kw_only=True):
    """The same for a template without a namespace."""

    GROUP_KIND: ClassVar[str] = "ClusterResourceBinding.work.karmada.io"

    apiVersion: str = "work.karmada.io/v1alpha2"
    kind: str = "ClusterResourceBinding"


AnyBinding = ResourceBinding | ClusterResourceBinding
BINDING_KINDS: tuple[type[AnyBinding], ...] = (ResourceBinding, ClusterResourceBinding)


class WorkloadTemplate(Data):
    manifests: tuple[dict[str, Any], ...] = ()


class WorkSpec(Data):
    workload: WorkloadTemplate = WorkloadTemplate()
    suspendDispatching: bool | None = None
    preserveResourcesOnDeletion: bool | None = None


class ResourceIdentifier(Data, kw_only=True):
    ordinal: int
    group: str = ""
    version: str
    kind: str
    resource: str
    namespace: str
    name: str


class ManifestStatus(Data):
    identifier: ResourceIdentifier
    status: dict[str, Any] | None = None
    health: str = ""


class WorkStatus(Data):
    conditions: tuple[Condition, ...] = ()
    manifestStatuses: tuple[ManifestStatus, ...] = ()


class Work(Resource, kw_only=True):
    """What one member cluster shall run: manifests, in the execution namespace of that cluster."""

    GROUP_KIND: ClassVar[str] = "Work.work.karmada.io"

    apiVersion: str = "work.karmada.io/v1alpha1"
    kind: str = "Work"
    spec: WorkSpec = WorkSpec()
    status: WorkStatus = WorkStatus()

    def summary(self) -> str:
        manifests = self.spec.workload.manifests
        held = ", ".join(f"{m.get('kind')}/{(m.get('metadata') or {}).get('name')}" for m in manifests)
        applied = condition(self.status.conditions, APPLIED)
        return f" [{held}] Applied={applied.status if applied else '-'}"


def selected_clusters(spec: ResourceBindingSpec) -> frozenset[str]:
    """The clusters a binding is scheduled to."""
    return frozenset(target.name for target in spec.clusters)


def existing_clusters(spec: ResourceBindingSpec) -> frozenset[str]:
    """The clusters that have, or should have, a Work of this binding.

    They are the targets, those of its dependents, and those being evicted other than at once.
    """
    evicting = {task.fromCluster for task in spec.gracefulEvictionTasks if task.purgeMode not in AT_ONCE}
    required = {target.name for snapshot in spec.requiredBy for target in snapshot.clusters}
    return selected_clusters(spec) | required | evicting


def evicting_clusters(spec: ResourceBindingSpec) -> frozenset[str]:
    """The clusters named by an eviction task."""
    return frozenset(task.fromCluster for task in spec.gracefulEvictionTasks)

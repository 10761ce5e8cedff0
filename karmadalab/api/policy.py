"""policy.karmada.io: what shall go where (propagation), and what taints a cluster. Overrides: `api.override`."""

from __future__ import annotations

from typing import ClassVar

from karmadalab.api.meta import (
    ABSENT,
    Data,
    Int32,
    LabelSelector,
    LabelSelectorRequirement,
    Resource,
    Taint,
    Toleration,
)

DUPLICATED, DIVIDED = "Duplicated", "Divided"
WEIGHTED, AGGREGATED = "Weighted", "Aggregated"
DYNAMIC_BY_AVAILABLE_REPLICAS = "AvailableReplicas"
SPREAD_BY_CLUSTER, SPREAD_BY_REGION, SPREAD_BY_ZONE, SPREAD_BY_PROVIDER = "cluster", "region", "zone", "provider"

# How an evicted cluster loses its copy. The last two are the v1.18 names.
PREEMPT_ALWAYS, LAZY = "Always", "Lazy"
IMMEDIATELY, GRACIOUSLY, NEVER, DIRECTLY, GRACEFULLY = "Immediately", "Graciously", "Never", "Directly", "Gracefully"
AT_ONCE = (IMMEDIATELY, DIRECTLY)
"""The purge modes that don't wait for a replacement: v1.13's name, and the one since v1.14."""

PROPAGATION_POLICY_ID_LABEL = "propagationpolicy.karmada.io/permanent-id"
PROPAGATION_POLICY_NAMESPACE_ANNOTATION = "propagationpolicy.karmada.io/namespace"
PROPAGATION_POLICY_NAME_ANNOTATION = "propagationpolicy.karmada.io/name"
CLUSTER_PROPAGATION_POLICY_ID_LABEL = "clusterpropagationpolicy.karmada.io/permanent-id"
CLUSTER_PROPAGATION_POLICY_NAME_ANNOTATION = "clusterpropagationpolicy.karmada.io/name"
PROPAGATION_POLICY_FINALIZER = "karmada.io/propagation-policy-controller"
CLUSTER_PROPAGATION_POLICY_FINALIZER = "karmada.io/cluster-propagation-policy-controller"
APPLIED_PLACEMENT_ANNOTATION = "policy.karmada.io/applied-placement"


class ResourceSelector(Data):
    apiVersion: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    labelSelector: LabelSelector | None = None


class FieldSelector(Data):
    matchExpressions: tuple[LabelSelectorRequirement, ...] = ()


class ClusterAffinity(Data):
    labelSelector: LabelSelector | None = None
    fieldSelector: FieldSelector | None = None
    clusterNames: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class OverflowAffinity(ClusterAffinity):
    """v1.18: clusters that take what the term's own clusters can't."""

    affinityName: str = ""


class ClusterAffinityTerm(ClusterAffinity):
    affinityName: str = ""
    overflowAffinities: tuple[OverflowAffinity, ...] = ()


class SpreadConstraint(Data):
    spreadByField: str = ""
    spreadByLabel: str = ""
    maxGroups: int = 0
    minGroups: int = 0


class StaticClusterWeight(Data):
    targetCluster: ClusterAffinity = ClusterAffinity()
    weight: int = 0


class ClusterPreferences(Data):
    staticWeightList: tuple[StaticClusterWeight, ...] = ()
    dynamicWeight: str = ""


class ReplicaSchedulingStrategy(Data):
    replicaSchedulingType: str = ""
    replicaDivisionPreference: str = ""
    weightPreference: ClusterPreferences | None = None


class WorkloadAffinityTerm(Data):
    groupByLabelKey: str = ""


class WorkloadAffinity(Data):
    """v1.18: workloads of one group together, or apart."""

    affinity: WorkloadAffinityTerm | None = None
    antiAffinity: WorkloadAffinityTerm | None = None


class Placement(Data):
    clusterAffinity: ClusterAffinity | None = None
    clusterAffinities: tuple[ClusterAffinityTerm, ...] = ()
    clusterTolerations: tuple[Toleration, ...] = ()
    spreadConstraints: tuple[SpreadConstraint, ...] = ()
    replicaScheduling: ReplicaSchedulingStrategy | None = None
    workloadAffinity: WorkloadAffinity | None = None


class DecisionConditions(Data):
    tolerationSeconds: int | None = None


class StatePreservationRule(Data):
    aliasLabelName: str = ""
    jsonPath: str = ""


class StatePreservation(Data):
    rules: tuple[StatePreservationRule, ...] = ()


class ApplicationFailoverBehavior(Data):
    decisionConditions: DecisionConditions = DecisionConditions()
    purgeMode: str = ""
    gracePeriodSeconds: int | None = None
    statePreservation: StatePreservation | None = None


class ClusterFailoverBehavior(Data):
    purgeMode: str = ""
    statePreservation: StatePreservation | None = None


class FailoverBehavior(Data):
    application: ApplicationFailoverBehavior | None = None
    cluster: ClusterFailoverBehavior | None = None


class SuspendClusters(Data):
    clusterNames: tuple[str, ...] = ()


class Suspension(Data):
    """`scheduling` exists on bindings only."""

    dispatching: bool | None = None
    dispatchingOnClusters: SuspendClusters | None = None
    scheduling: bool | None = None


class SchedulePriority(Data):
    priorityClassSource: str = ""
    priorityClassName: str = ""


class PropagationSpec(Data):
    resourceSelectors: tuple[ResourceSelector, ...] = ABSENT
    association: bool = False
    propagateDeps: bool = False
    placement: Placement = Placement()
    priority: Int32 | None = None
    preemption: str = ""
    dependentOverrides: tuple[str, ...] = ()
    schedulerName: str = ""
    failover: FailoverBehavior | None = None
    conflictResolution: str = ""
    activationPreference: str = ""
    suspension: Suspension | None = None
    preserveResourcesOnDeletion: bool | None = None
    schedulePriority: SchedulePriority | None = None


class PropagationPolicy(Resource, kw_only=True):
    """Which resources of its namespace go to which clusters."""

    GROUP_KIND: ClassVar[str] = "PropagationPolicy.policy.karmada.io"

    apiVersion: str = "policy.karmada.io/v1alpha1"
    kind: str = "PropagationPolicy"
    spec: PropagationSpec


class ClusterPropagationPolicy(Resource, kw_only=True):
    """Which resources of any namespace, or of none, go to which clusters."""

    GROUP_KIND: ClassVar[str] = "ClusterPropagationPolicy.policy.karmada.io"

    apiVersion: str = "policy.karmada.io/v1alpha1"
    kind: str = "ClusterPropagationPolicy"
    spec: PropagationSpec


AnyPropagationPolicy = PropagationPolicy | ClusterPropagationPolicy


# --- taints by condition (v1.14 and later) ----------------------------------------------------------------------------


class MatchCondition(Data):
    conditionType: str = ""
    operator: str = ""
    statusValues: tuple[str, ...] = ()


class ClusterTaintPolicySpec(Data):
    targetClusters: ClusterAffinity | None = None
    addOnConditions: tuple[MatchCondition, ...] = ()
    removeOnConditions: tuple[MatchCondition, ...] = ()
    taints: tuple[Taint, ...] = ()


class ClusterTaintPolicy(Resource, kw_only=True):
    """Which taints a cluster gets and loses by its conditions; profile v1.18 only."""

    GROUP_KIND: ClassVar[str] = "ClusterTaintPolicy.policy.karmada.io"

    apiVersion: str = "policy.karmada.io/v1alpha1"
    kind: str = "ClusterTaintPolicy"
    spec: ClusterTaintPolicySpec

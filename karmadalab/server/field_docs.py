"""What `kubectl explain` says about a field: `Struct.field`, or the bare field where every struct means the same."""

from __future__ import annotations

FIELD_DOCS: dict[str, str] = {
    "apiVersion": "The group and version of the schema that this object follows.",
    "kind": "What this object is.",
    "metadata": "Who the object is: name, namespace, labels, owners, versions.",
    "spec": "What is wanted.",
    "status": "What was observed. Controllers write it; whoever writes the spec leaves it alone.",
    "conditions": "What is true of the object at present, by type, with a reason and since when.",
    "lastTransitionTime": "When the condition last changed from one status to another.",
    "labelSelector": "Chosen by labels.",
    # --- clusters
    "ClusterSpec.syncMode": "Push: the control plane reaches into the member. Pull: an agent inside reports.",
    "ClusterSpec.apiEndpoint": "Where the member's API server is.",
    "ClusterSpec.secretRef": "The Secret with the credentials for the member; without it the member can't be reached.",
    "ClusterSpec.provider": "Who runs the machines. Spread constraints and affinities can use it.",
    "ClusterSpec.region": "Where in the world the member is. Spread constraints and affinities can use it.",
    "ClusterSpec.zones": "The failure domains inside the region in which the member has machines.",
    "ClusterSpec.taints": (
        "Reasons to stay away. NoSchedule keeps new workloads off, NoExecute also evicts what does not tolerate it. "
        "Karmada adds not-ready and unreachable by itself."
    ),
    "ClusterSpec.resourceModels": "Grades of nodes by size, with which the scheduler counts how many replicas fit.",
    "ClusterStatus.kubernetesVersion": "What the member's API server says of itself.",
    "ClusterStatus.apiEnablements": "Which kinds the member serves. A workload goes only where its kind is served.",
    "ClusterStatus.nodeSummary": "How many nodes the member has, and how many of them are ready.",
    "ClusterStatus.resourceSummary": "What the member's nodes have in all, and what of it is taken.",
    "Taint.effect": "NoSchedule or NoExecute.",
    "Taint.timeAdded": "When it was added. Tolerations with tolerationSeconds count from here.",
    "Toleration.key": "The taint's key; empty means any.",
    "Toleration.operator": "Equal (the default): key and value must match. Exists: the key is enough.",
    "Toleration.effect": "The taint's effect; empty means any.",
    "Toleration.tolerationSeconds": "How long a NoExecute taint is borne before eviction; left out: for ever.",
    # --- propagation
    "PropagationSpec.resourceSelectors": "Which resources the policy speaks of. By name beats by labels beats by kind.",
    "PropagationSpec.placement": "Where the resources go.",
    "PropagationSpec.propagateDeps": "Whether what a workload refers to (ConfigMaps, Secrets, ...) follows it.",
    "PropagationSpec.priority": "Which of several matching policies is taken: the highest, then the most precise.",
    "PropagationSpec.preemption": "Always: take resources over from a policy of lower priority. Never (the default).",
    "PropagationSpec.dependentOverrides": "OverridePolicies that must exist before anything is propagated.",
    "PropagationSpec.schedulerName": "Which scheduler decides; default-scheduler when left out.",
    "PropagationSpec.failover": "When a workload moves because it, or its cluster, is unwell.",
    "PropagationSpec.conflictResolution": (
        "What happens when a member has such an object that Karmada did not make. Abort (the default): leave it alone. "
        "Overwrite: take it over."
    ),
    "PropagationSpec.activationPreference": "Lazy: a change of the policy acts only when the resource changes next.",
    "PropagationSpec.suspension": "Holds back changes from all or some clusters.",
    "PropagationSpec.preserveResourcesOnDeletion": "Whether members keep their copies when the template is deleted.",
    "Placement.clusterAffinity": "Which clusters may be chosen. Not together with clusterAffinities.",
    "Placement.clusterAffinities": (
        "Groups of clusters in order of preference: the next group is tried when the present one can't take the "
        "workload. The scheduler does not go back to an earlier group by itself."
    ),
    "Placement.clusterTolerations": (
        "Which taints of clusters are borne, and NoExecute for how long. The webhook adds not-ready and unreachable."
    ),
    "Placement.spreadConstraints": "Over how many clusters, regions, zones or providers the workload is spread.",
    "Placement.replicaScheduling": "Whether every cluster gets all replicas, or they are divided.",
    "ClusterAffinity.clusterNames": "Only these.",
    "ClusterAffinity.exclude": "None of these.",
    "ClusterAffinity.fieldSelector": "Chosen by provider, region or zone, with In and NotIn.",
    "ClusterAffinityTerm.affinityName": "The group's name, which the binding's status shows.",
    "ClusterAffinityTerm.clusterNames": "Only these.",
    "ClusterAffinityTerm.exclude": "None of these.",
    "SpreadConstraint.spreadByField": "cluster, region, zone or provider. Not together with spreadByLabel.",
    "SpreadConstraint.spreadByLabel": "A label of clusters whose values are the groups.",
    "SpreadConstraint.maxGroups": "At most so many groups.",
    "SpreadConstraint.minGroups": "At least so many groups; where there are fewer the workload is not placed.",
    "ReplicaSchedulingStrategy.replicaSchedulingType": "Duplicated: all replicas in each cluster. Divided: shared out.",
    "ReplicaSchedulingStrategy.replicaDivisionPreference": (
        "Aggregated: as few clusters as possible. Weighted: by weightPreference, else evenly."
    ),
    "ReplicaSchedulingStrategy.weightPreference": "The weights: fixed ones, or by what each cluster has room for.",
    "ClusterPreferences.dynamicWeight": "AvailableReplicas: weigh clusters by how many replicas fit in at this moment.",
    "ClusterPreferences.staticWeightList": "Weights by cluster; clusters that no entry names get none.",
    "FailoverBehavior.application": "Moves the workload when it is unhealthy for some time though its cluster is well.",
    "FailoverBehavior.cluster": "How the workload leaves a cluster that failed.",
    "DecisionConditions.tolerationSeconds": "How long the workload may be unhealthy before it moves.",
    "ApplicationFailoverBehavior.purgeMode": (
        "Graciously (the default): the old copy goes once the new one is healthy. Immediately: at once. Never: not."
    ),
    "ApplicationFailoverBehavior.gracePeriodSeconds": "How long Graciously waits for the new copy at most.",
    "ApplicationFailoverBehavior.statePreservation": "What of the old copy's status the new one gets as labels.",
    # --- overrides
    "OverrideSpec.overrideRules": "What differs, and on which clusters. Without targetCluster a rule is for all.",
    "Overriders.plaintext": "JSON patches: add, remove or replace the value at a path.",
    "Overriders.imageOverrider": "Changes registry, repository or tag of images.",
    "Overriders.commandOverrider": "Adds to or takes from a container's command.",
    "Overriders.argsOverrider": "Adds to or takes from a container's arguments.",
    "Overriders.labelsOverrider": "Adds, replaces or removes labels.",
    "Overriders.annotationsOverrider": "Adds, replaces or removes annotations.",
    # --- bindings and works
    "ResourceBindingSpec.resource": "The template that this binding is about.",
    "ResourceBindingSpec.replicas": "How many replicas the template asks for.",
    "ResourceBindingSpec.replicaRequirements": "What one replica needs: cpu, memory, nodes.",
    "ResourceBindingSpec.clusters": "The scheduler's decision: which clusters, and how many replicas on each.",
    "ResourceBindingSpec.placement": "The policy's placement, copied.",
    "ResourceBindingSpec.gracefulEvictionTasks": (
        "Clusters that are being left. A task stays until the replacement is healthy or graceful-eviction-timeout has "
        "passed, and so long the old copy is kept and its cluster is not chosen again."
    ),
    "ResourceBindingSpec.requiredBy": "Bindings of workloads that need this resource where they run.",
    "ResourceBindingSpec.rescheduleTriggeredAt": "A WorkloadRebalancer asked for a fresh decision at this moment.",
    "GracefulEvictionTask.fromCluster": "The cluster that is being left.",
    "GracefulEvictionTask.purgeMode": "When the old copy goes.",
    "GracefulEvictionTask.reason": "TaintUntolerated, ApplicationFailure, ...",
    "GracefulEvictionTask.producer": "Which controller asked for it.",
    "GracefulEvictionTask.gracePeriodSeconds": "How long it may take; graceful-eviction-timeout when left out.",
    "GracefulEvictionTask.suppressDeletion": "Whether the old copy is kept until somebody says otherwise.",
    "TargetCluster.name": "The cluster.",
    "TargetCluster.replicas": "How many replicas it runs.",
    "ResourceBindingStatus.aggregatedStatus": "What each cluster reports of its copy.",
    "ResourceBindingStatus.schedulerObservedGeneration": "The generation that the scheduler has decided on.",
    "ResourceBindingStatus.lastScheduledTime": "When the scheduler last decided.",
    "AggregatedStatusItem.health": "Healthy, Unhealthy or Unknown, as the resource interpreter sees it.",
    "AggregatedStatusItem.applied": "Whether the cluster has the resource as it should be.",
    "WorkSpec.workload": "The manifests that the cluster of this namespace shall run.",
    "WorkSpec.suspendDispatching": "Holds the Work back from its cluster.",
    "WorkSpec.preserveResourcesOnDeletion": "Whether the cluster keeps the objects when the Work goes.",
    "WorkStatus.manifestStatuses": "What the cluster reports of each manifest.",
    # --- leases
    "LeaseSpec.holderIdentity": "Who holds it.",
    "LeaseSpec.renewTime": "The last heartbeat. Older than the monitor's grace period means Ready=Unknown.",
    "LeaseSpec.leaseDurationSeconds": "For how long a heartbeat counts.",
}

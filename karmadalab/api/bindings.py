"""The binding that a template gets: what the policy decides of it, and what the template itself says.

Nothing is scheduled yet. Where the replicas go, which evictions are under way and whether scheduling is suspended is
decided by others, and stays when a policy or a template changes.

Mirrors `BuildResourceBinding` and `ApplyPolicy` in pkg/detector/detector.go.
"""

from __future__ import annotations

from collections.abc import Mapping

from karmadalab.api.claims import marks_of, unclaimed
from karmadalab.api.meta import ObjectMeta, OwnerReference, replace
from karmadalab.api.naming import binding_name
from karmadalab.api.policy import AnyPropagationPolicy, Suspension, WorkloadAffinity
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import (
    BINDING_FINALIZER,
    CLUSTER_BINDING_FINALIZER,
    AnyBinding,
    ClusterResourceBinding,
    ObjectReference,
    ReplicaRequirements,
    ResourceBinding,
    ResourceBindingSpec,
    WorkloadAffinityGroups,
)


def binding_of(
    template: Unstructured,
    policy: AnyPropagationPolicy,
    replicas: int,
    requirements: ReplicaRequirements | None,
    *,
    grouped: bool,
) -> AnyBinding:
    """The binding of a template before anything is scheduled.

    Args:
        replicas, requirements: how many the template asks for and what each of them needs; 0 and None when it has none.
        grouped: the gate `WorkloadAffinity`.
    """
    meta = template.metadata
    labels, annotations = marks_of(policy)
    owner = OwnerReference(
        template.apiVersion, template.kind, meta.name, meta.uid, controller=True, blockOwnerDeletion=True
    )
    reference = ObjectReference(
        template.apiVersion, template.kind, meta.namespace, meta.name, meta.uid, meta.resourceVersion
    )
    wanted = policy.spec.placement.workloadAffinity
    groups = affinity_groups(wanted, meta.labels) if grouped and wanted is not None and meta.namespace else None
    spec = ResourceBindingSpec(
        resource=reference,
        replicas=replicas,
        replicaRequirements=requirements,
        workloadAffinityGroups=groups,
    )
    kind: type[AnyBinding] = ResourceBinding if meta.namespace else ClusterResourceBinding
    return kind(
        metadata=ObjectMeta(
            name=binding_name(template.kind, meta.name),
            namespace=meta.namespace,
            labels=labels,
            annotations=annotations,
            finalizers=(BINDING_FINALIZER if meta.namespace else CLUSTER_BINDING_FINALIZER,),
            ownerReferences=(owner,),
        ),
        spec=spec_from_policy(spec, policy),
    )


def rebound(old: AnyBinding, new: AnyBinding, policy: AnyPropagationPolicy) -> AnyBinding:
    """A binding that exists, brought to what its template and the policy say now.

    Args:
        new: the binding that the template would get if it had none.
    """
    plain, meta = unclaimed(old.metadata), new.metadata
    spec = replace(
        spec_from_policy(old.spec, policy),
        resource=new.spec.resource,
        replicas=new.spec.replicas,
        replicaRequirements=new.spec.replicaRequirements,
        workloadAffinityGroups=new.spec.workloadAffinityGroups,
    )
    merged = replace(
        plain,
        labels={**plain.labels, **meta.labels},
        annotations={**plain.annotations, **meta.annotations},
        finalizers=old.metadata.finalizers or meta.finalizers,
        ownerReferences=meta.ownerReferences,
    )
    return replace(old, metadata=merged, spec=spec)


def belongs_to_another(binding: AnyBinding, uid: str) -> bool:
    """Whether a binding is that of an older object of the same name, and waits to be collected with it."""
    owner = next((owner.uid for owner in binding.metadata.ownerReferences if owner.controller), None)
    return owner is not None and owner != uid


def spec_from_policy(spec: ResourceBindingSpec, policy: AnyPropagationPolicy) -> ResourceBindingSpec:
    """A binding's spec with everything the policy decides; what others decide (clusters, tasks) stays."""
    source = policy.spec
    return replace(
        spec,
        propagateDeps=source.propagateDeps,
        placement=source.placement,
        schedulerName=source.schedulerName,
        failover=source.failover,
        conflictResolution=source.conflictResolution,
        preserveResourcesOnDeletion=source.preserveResourcesOnDeletion,
        suspension=_suspension(spec.suspension, source.suspension),
    )


def _suspension(old: Suspension | None, wanted: Suspension | None) -> Suspension | None:
    """What the policy suspends; whether scheduling is suspended is the binding's own."""
    if old is None or old.scheduling is None:
        return wanted
    return replace(wanted or Suspension(), scheduling=old.scheduling)


def affinity_groups(wanted: WorkloadAffinity, labels: Mapping[str, str]) -> WorkloadAffinityGroups | None:
    """The groups a workload belongs to, by its own labels; None when it has none of them.

    >>> from karmadalab.api.policy import WorkloadAffinityTerm
    >>> affinity_groups(WorkloadAffinity(affinity=WorkloadAffinityTerm("app")), {"app": "web"}).affinityGroup
    'app=web'
    """
    keys = [term.groupByLabelKey if term else "" for term in (wanted.affinity, wanted.antiAffinity)]
    together, apart = (f"{key}={labels[key]}" if key in labels else "" for key in keys)
    return WorkloadAffinityGroups(together, apart) if together or apart else None

"""Whether a binding is scheduled at all when the scheduler looks at it.

A divided workload stays where it is until something that concerns *it* changes: its placement, its replicas, or an
explicit wish. That clusters came or changed is not enough; it is other controllers (the taint manager, for one) that
take clusters out of the binding and so change its sum. Duplicated workloads are decided anew every time.

Mirrors `doScheduleBinding` in `pkg/scheduler/scheduler.go`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from karmadalab.api.policy import APPLIED_PLACEMENT_ANNOTATION, DIVIDED, DUPLICATED, ClusterAffinityTerm, Placement
from karmadalab.api.work import AnyBinding, ResourceBindingSpec
from karmadalab.scheduler.applied_placement import parse_applied_placement
from karmadalab.scheduler.binding_info import reschedule_required


class Trigger(StrEnum):
    """Why a binding is scheduled now."""

    PLACEMENT_CHANGED = "the placement changed"
    REPLICAS_CHANGED = "the replicas changed"
    RESCHEDULE_REQUIRED = "a reschedule was asked for"
    ALWAYS = "workloads that are not divided are decided anew every time"


def trigger_of(binding: AnyBinding) -> Trigger | None:
    """Why a binding is to be scheduled; None when it is to be left alone."""
    spec, status, placement = binding.spec, binding.status, binding.spec.placement
    if placement is None or binding.metadata.deletionTimestamp is not None:
        return None
    applied = binding.metadata.annotations.get(APPLIED_PLACEMENT_ANNOTATION, "")
    if placement_changed(placement, applied, status.schedulerObservingAffinityName):
        return Trigger.PLACEMENT_CHANGED
    if replicas_changed(spec):
        return Trigger.REPLICAS_CHANGED
    if reschedule_required(spec, status):
        return Trigger.RESCHEDULE_REQUIRED
    scheduling = placement.replicaScheduling
    if spec.replicas == 0 or scheduling is None or scheduling.replicaSchedulingType == DUPLICATED:
        return Trigger.ALWAYS
    return None


def placement_changed(placement: Placement, applied: str, observed_affinity: str) -> bool:
    """Whether the placement differs from the one last applied.

    Args:
        placement: as it is now.
        applied: the annotation; "" counts as changed, text that is no placement as unchanged.
        observed_affinity: the affinity term in use. If only `clusterAffinities` differ, only that term is compared.
    """
    if not applied:
        return True
    before = parse_applied_placement(applied)
    if before is None or placement == before:
        return False
    if (
        placement.clusterAffinity != before.clusterAffinity
        or placement.clusterTolerations != before.clusterTolerations
        or placement.spreadConstraints != before.spreadConstraints
        or placement.replicaScheduling != before.replicaScheduling
    ):
        return True
    term = _term(placement.clusterAffinities, observed_affinity)
    return term is None or term != _term(before.clusterAffinities, observed_affinity)


def replicas_changed(spec: ResourceBindingSpec) -> bool:
    """Whether the clusters' replicas still say what the template says.

    Duplicated: every cluster has all replicas; Divided: together they have them. Without `replicaScheduling`: never.
    """
    scheduling = spec.placement.replicaScheduling if spec.placement is not None else None
    if scheduling is None:
        return False
    if scheduling.replicaSchedulingType == DUPLICATED:
        return any(target.replicas != spec.replicas for target in spec.clusters)
    if scheduling.replicaSchedulingType == DIVIDED:
        return sum(target.replicas for target in spec.clusters) != spec.replicas
    return False


def _term(terms: Sequence[ClusterAffinityTerm], name: str) -> ClusterAffinityTerm | None:
    return next((term for term in terms if name and term.affinityName == name), None)

"""What one binding asks of the scheduler, read once and handed to every plugin.

Mirrors what Karmada's plugins fetch anew from `ResourceBindingSpec` and `ResourceBindingStatus` for every cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

import msgspec

from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.api.meta import Toleration
from karmadalab.api.policy import (
    AGGREGATED,
    DIVIDED,
    DUPLICATED,
    WEIGHTED,
    ClusterAffinity,
    Placement,
    SpreadConstraint,
)
from karmadalab.api.work import ReplicaRequirements, ResourceBindingSpec, ResourceBindingStatus, evicting_clusters
from karmadalab.scheduler.behaviour import V1_13, Behaviour
from karmadalab.scheduler.snapshot import amount


class Strategy(StrEnum):
    """How replicas go to clusters: the five combinations of the fields of `replicaScheduling`."""

    DUPLICATED = "Duplicated"
    STATIC_WEIGHT = "StaticWeight"
    DYNAMIC_WEIGHT = "DynamicWeight"
    AGGREGATED = "Aggregated"
    UNSUPPORTED = "Unsupported"


class BindingInfo(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One binding as plugins see it.

    Attributes:
        spec: the whole spec, for plugins that need more than is here.
        status: the whole status.
        behaviour: the release whose rules apply.
        placement: `spec.placement`.
        api: (apiVersion, kind) of the template.
        replicas: how many the template asks for.
        is_workload: False for templates without replicas, a ConfigMap for example.
        previous: replicas by cluster, as scheduled before.
        evicting: clusters that the workload is being evicted from.
        affinity: the affinity, or the term of the ordered affinities, that holds now; None matches every cluster.
        tolerations: the tolerations of the placement.
        spread: spread constraints that count; empty when the strategy ignores them.
        strategy: how replicas go to clusters.
        requests: (resource, amount) that one replica asks for, amounts in the scheduler's units; zeroes are left out.
        fresh: someone asked for a new decision that forgets the old one (WorkloadRebalancer).
    """

    spec: ResourceBindingSpec
    status: ResourceBindingStatus
    behaviour: Behaviour
    placement: Placement
    api: tuple[str, str]
    replicas: int
    is_workload: bool
    previous: Mapping[str, int]
    evicting: frozenset[str]
    affinity: ClusterAffinity | None
    tolerations: tuple[Toleration, ...]
    spread: tuple[SpreadConstraint, ...]
    strategy: Strategy
    requests: tuple[tuple[str, int], ...]
    fresh: bool

    @classmethod
    def of(
        cls, spec: ResourceBindingSpec, status: ResourceBindingStatus | None = None, behaviour: Behaviour = V1_13
    ) -> BindingInfo:
        """Read a binding.

        Raises:
            Invalid: the spec has no placement, or a resource request is no quantity.
        """
        placement, status = spec.placement, status if status is not None else ResourceBindingStatus()
        resource = spec.resource
        if placement is None:
            raise Invalid(
                f"binding of {resource.kind} {resource.namespace}/{resource.name}: spec.placement is missing, so there "
                "is nothing to schedule by; bindings of dependencies follow another binding and are not scheduled"
            )
        requirements = spec.replicaRequirements
        return cls(
            spec=spec,
            status=status,
            behaviour=behaviour,
            placement=placement,
            api=(resource.apiVersion, resource.kind),
            replicas=spec.replicas,
            is_workload=spec.replicas > 0 or (behaviour.zero_replicas_divided and requirements is not None),
            previous=MappingProxyType({target.name: target.replicas for target in spec.clusters}),
            evicting=evicting_clusters(spec) if spec.gracefulEvictionTasks else frozenset(),
            affinity=_affinity(placement, status),
            tolerations=placement.clusterTolerations,
            spread=() if _ignores_spread(placement) else placement.spreadConstraints,
            strategy=strategy_of(placement),
            requests=_requests(requirements),
            fresh=reschedule_required(spec, status),
        )

    @property
    def duplicated(self) -> bool:
        """Whether every selected cluster gets all replicas."""
        return self.strategy is Strategy.DUPLICATED

    def __repr__(self) -> str:
        resource = self.spec.resource
        what = f"{resource.kind} {resource.namespace}/{resource.name}"
        return f"<BindingInfo {what} replicas={self.replicas} {self.strategy}>"


def strategy_of(placement: Placement) -> Strategy:
    """Which of the five strategies a placement means. No `replicaScheduling` at all means Duplicated."""
    scheduling = placement.replicaScheduling
    if scheduling is None or scheduling.replicaSchedulingType == DUPLICATED:
        return Strategy.DUPLICATED
    if scheduling.replicaSchedulingType != DIVIDED:
        return Strategy.UNSUPPORTED
    if scheduling.replicaDivisionPreference == AGGREGATED:
        return Strategy.AGGREGATED
    if scheduling.replicaDivisionPreference != WEIGHTED:
        return Strategy.UNSUPPORTED
    preference = scheduling.weightPreference
    return Strategy.DYNAMIC_WEIGHT if preference is not None and preference.dynamicWeight else Strategy.STATIC_WEIGHT


def reschedule_required(spec: ResourceBindingSpec, status: ResourceBindingStatus) -> bool:
    """Whether a reschedule was asked for after the last one: `rescheduleTriggeredAt` strictly later."""
    triggered, last = spec.rescheduleTriggeredAt, status.lastScheduledTime
    return triggered is not None and last is not None and triggered > last


def _ignores_spread(placement: Placement) -> bool:
    """Static weights ignore spread constraints; an empty `weightPreference` divides like them, but does not."""
    if strategy_of(placement) is not Strategy.STATIC_WEIGHT or placement.replicaScheduling is None:
        return False
    preference = placement.replicaScheduling.weightPreference
    return preference is None or bool(preference.staticWeightList)


def _affinity(placement: Placement, status: ResourceBindingStatus) -> ClusterAffinity | None:
    if placement.clusterAffinity is not None:
        return placement.clusterAffinity
    observed = status.schedulerObservingAffinityName
    return next((term for term in placement.clusterAffinities if term.affinityName == observed), None)


def _requests(requirements: ReplicaRequirements | None) -> tuple[tuple[str, int], ...]:
    if requirements is None:
        return ()
    try:
        asked = [(resource, amount(resource, quantity)) for resource, quantity in requirements.resourceRequest.items()]
    except BadRequest as error:
        raise Invalid(f"spec.replicaRequirements.resourceRequest: {error}") from None
    return tuple((resource, units) for resource, units in asked if units > 0)

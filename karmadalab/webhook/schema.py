"""What the API server does with Karmada's custom resources before any webhook: the defaults of their schemas."""

from __future__ import annotations

from karmadalab.api.meta import replace
from karmadalab.api.policy import (
    DIVIDED,
    GRACIOUSLY,
    AnyPropagationPolicy,
    DecisionConditions,
    FailoverBehavior,
    Placement,
)
from karmadalab.api.work import AnyBinding

DEFAULT_TOLERATION_S = 300
DEFAULT_SCHEDULER = "default-scheduler"


def default_policy(policy: AnyPropagationPolicy) -> AnyPropagationPolicy:
    """The schema defaults of a propagation policy."""
    spec = policy.spec
    return replace(
        policy,
        spec=replace(
            spec,
            priority=spec.priority or 0,
            preemption=spec.preemption or "Never",
            schedulerName=spec.schedulerName or DEFAULT_SCHEDULER,
            conflictResolution=spec.conflictResolution or "Abort",
            placement=_default_placement(spec.placement),
            failover=_default_failover(spec.failover),
        ),
    )


def default_binding(binding: AnyBinding) -> AnyBinding:
    """The schema defaults of a binding, which shares its parts with the policy."""
    spec = binding.spec
    placement = None if spec.placement is None else _default_placement(spec.placement)
    failover = _default_failover(spec.failover)
    conflict = spec.conflictResolution or "Abort"
    if placement is spec.placement and failover is spec.failover and conflict == spec.conflictResolution:
        return binding
    return replace(binding, spec=replace(spec, placement=placement, failover=failover, conflictResolution=conflict))


def _default_placement(placement: Placement) -> Placement:
    """A strategy that is there but names no type divides; none at all duplicates."""
    strategy = placement.replicaScheduling
    if strategy is None or strategy.replicaSchedulingType:
        return placement
    return replace(placement, replicaScheduling=replace(strategy, replicaSchedulingType=DIVIDED))


def _default_failover(failover: FailoverBehavior | None) -> FailoverBehavior | None:
    application = failover.application if failover else None
    if failover is None or application is None:
        return failover
    wanted = replace(application, purgeMode=application.purgeMode or GRACIOUSLY)
    if wanted.decisionConditions.tolerationSeconds is None:
        wanted = replace(wanted, decisionConditions=DecisionConditions(DEFAULT_TOLERATION_S))
    return failover if wanted == application else replace(failover, application=wanted)

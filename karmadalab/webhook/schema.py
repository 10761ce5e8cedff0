"""What the API server does with Karmada's custom resources before any webhook: the defaults of their schemas."""

from __future__ import annotations

from karmadalab.api.meta import replace
from karmadalab.api.policy import (
    DIVIDED,
    GRACEFULLY,
    GRACIOUSLY,
    AnyPropagationPolicy,
    DecisionConditions,
    FailoverBehavior,
    Placement,
)
from karmadalab.api.work import AnyBinding

DEFAULT_TOLERATION_S = 300
DEFAULT_SCHEDULER = "default-scheduler"
_PURGE_MODES = {"v1.13": GRACIOUSLY, "v1.18": GRACEFULLY}


def default_policy(policy: AnyPropagationPolicy, profile: str) -> AnyPropagationPolicy:
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
            failover=_default_failover(spec.failover, _PURGE_MODES[profile]),
        ),
    )


def default_binding(binding: AnyBinding, profile: str) -> AnyBinding:
    """The schema defaults of a binding, which shares its parts with the policy."""
    spec = binding.spec
    placement = None if spec.placement is None else _default_placement(spec.placement)
    failover = _default_failover(spec.failover, _PURGE_MODES[profile])
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


def _default_failover(failover: FailoverBehavior | None, purge_mode: str) -> FailoverBehavior | None:
    if failover is None:
        return None
    application, cluster = failover.application, failover.cluster
    if application is not None:
        seconds = application.decisionConditions.tolerationSeconds
        application = replace(
            application,
            purgeMode=application.purgeMode or purge_mode,
            decisionConditions=DecisionConditions(DEFAULT_TOLERATION_S if seconds is None else seconds),
        )
    if cluster is not None and purge_mode == GRACEFULLY:  # v1.13 ignores this block
        cluster = replace(cluster, purgeMode=cluster.purgeMode or purge_mode)
    wanted = replace(failover, application=application, cluster=cluster)
    return failover if wanted == failover else wanted

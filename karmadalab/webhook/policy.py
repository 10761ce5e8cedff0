"""PropagationPolicy and its cluster-scoped twin: what the webhook fills in, and what it refuses.

The most consequential default of Karmada v1.13 is here: a policy that says nothing about taints tolerates a cluster
that is not ready, or not reachable, for 300 s. After that its workloads are evicted. Release v1.18 adds no tolerations.
"""

from __future__ import annotations

from collections.abc import Callable

from karmadalab.api.cluster import TAINT_NOT_READY, TAINT_UNREACHABLE
from karmadalab.api.errors import Forbidden
from karmadalab.api.meta import NO_EXECUTE, Toleration, replace
from karmadalab.api.policy import (
    CLUSTER_PROPAGATION_POLICY_FINALIZER,
    CLUSTER_PROPAGATION_POLICY_ID_LABEL,
    DIVIDED,
    GRACEFULLY,
    GRACIOUSLY,
    PROPAGATION_POLICY_FINALIZER,
    PROPAGATION_POLICY_ID_LABEL,
    SPREAD_BY_CLUSTER,
    WEIGHTED,
    AnyPropagationPolicy,
    ApplicationFailoverBehavior,
    FailoverBehavior,
    Placement,
    PropagationPolicy,
    PropagationSpec,
    ReplicaSchedulingStrategy,
    ResourceSelector,
    SpreadConstraint,
    Suspension,
)
from karmadalab.webhook.placement import validate_placement
from karmadalab.webhook.rules import Errors, invalid

DEFAULT_GRACE_PERIOD_S = 600
_WITH_GRACE = (GRACIOUSLY, GRACEFULLY)  # the second is the name since v1.14

# --- defaults -------------------------------------------------------------------------------------------------------


def mutate_propagation_policy(
    policy: AnyPropagationPolicy,
    create: bool,
    not_ready_s: int | None,
    unreachable_s: int | None,
    new_id: Callable[[], str],
) -> AnyPropagationPolicy:
    """What the mutating webhook makes of a policy.

    Args:
        policy: as the user wrote it, with the schema's defaults.
        create: whether it is being created; only then it gets its permanent id and finalizer.
        not_ready_s: seconds to tolerate a cluster that is not ready; None adds no toleration.
        unreachable_s: the same for one that is unreachable.
        new_id: makes the permanent id, which replaces one that the user wrote.
    """
    spec = policy.spec
    namespaced = isinstance(policy, PropagationPolicy)
    selectors = (
        _with_namespace(spec.resourceSelectors, policy.metadata.namespace) if namespaced else spec.resourceSelectors
    )
    spec = replace(
        spec,
        resourceSelectors=selectors,
        placement=_default_placement(spec.placement, not_ready_s, unreachable_s),
        propagateDeps=spec.propagateDeps or any(map(_is_service_import, selectors)),
        failover=_default_failover(spec.failover),
    )
    policy = replace(policy, spec=spec)
    return _with_identity(policy, new_id()) if create else policy


def id_label(policy: AnyPropagationPolicy) -> str:
    """The label with the permanent id of this kind of policy."""
    return PROPAGATION_POLICY_ID_LABEL if isinstance(policy, PropagationPolicy) else CLUSTER_PROPAGATION_POLICY_ID_LABEL


def _with_identity(policy: AnyPropagationPolicy, new_id: str) -> AnyPropagationPolicy:
    namespaced = isinstance(policy, PropagationPolicy)
    finalizer = PROPAGATION_POLICY_FINALIZER if namespaced else CLUSTER_PROPAGATION_POLICY_FINALIZER
    meta = policy.metadata
    finalizers = meta.finalizers if finalizer in meta.finalizers else (*meta.finalizers, finalizer)
    labels = {**meta.labels, id_label(policy): new_id}
    return replace(policy, metadata=replace(meta, labels=labels, finalizers=finalizers))


def _with_namespace(selectors: tuple[ResourceSelector, ...], namespace: str) -> tuple[ResourceSelector, ...]:
    if all(selector.namespace for selector in selectors):
        return selectors
    return tuple(s if s.namespace else replace(s, namespace=namespace) for s in selectors)


def _is_service_import(selector: ResourceSelector) -> bool:
    """An imported service is useless without the derived Service and the slices that it depends on."""
    return selector.kind == "ServiceImport" and selector.apiVersion == "multicluster.x-k8s.io/v1alpha1"


def _default_placement(placement: Placement, not_ready_s: int | None, unreachable_s: int | None) -> Placement:
    tolerations = placement.clusterTolerations
    for key, seconds in ((TAINT_NOT_READY, not_ready_s), (TAINT_UNREACHABLE, unreachable_s)):
        if seconds is not None:
            tolerations = _with_toleration(tolerations, Toleration(key, "Exists", "", NO_EXECUTE, seconds))
    return replace(
        placement,
        clusterTolerations=tolerations,
        spreadConstraints=tuple(map(_default_spread, placement.spreadConstraints)),
        replicaScheduling=_default_scheduling(placement.replicaScheduling),
    )


def _with_toleration(tolerations: tuple[Toleration, ...], new: Toleration) -> tuple[Toleration, ...]:
    """Added unless one with the same key, operator, value and effect is there; its seconds don't matter."""
    same = (replace(toleration, tolerationSeconds=new.tolerationSeconds) for toleration in tolerations)
    return tolerations if new in same else (*tolerations, new)


def _default_spread(constraint: SpreadConstraint) -> SpreadConstraint:
    if not constraint.spreadByField and not constraint.spreadByLabel:
        constraint = replace(constraint, spreadByField=SPREAD_BY_CLUSTER)
    return constraint if constraint.minGroups else replace(constraint, minGroups=1)


def _default_scheduling(strategy: ReplicaSchedulingStrategy | None) -> ReplicaSchedulingStrategy | None:
    if strategy is None or strategy.replicaSchedulingType != DIVIDED or strategy.replicaDivisionPreference:
        return strategy
    return replace(strategy, replicaDivisionPreference=WEIGHTED)


def _default_failover(failover: FailoverBehavior | None) -> FailoverBehavior | None:
    application = failover.application if failover else None
    if failover is None or application is None:
        return failover
    if application.purgeMode not in _WITH_GRACE or application.gracePeriodSeconds is not None:
        return failover
    return replace(failover, application=replace(application, gracePeriodSeconds=DEFAULT_GRACE_PERIOD_S))


# --- rules ----------------------------------------------------------------------------------------------------------


def refuse_change(policy: AnyPropagationPolicy, old: AnyPropagationPolicy | None) -> None:
    """What never changes in the life of a policy.

    Raises:
        Forbidden: the permanent id is missing, or it or the scheduler's name was changed.
    """
    label = id_label(policy)
    new_id = policy.metadata.labels.get(label, "")
    if old is not None:
        if policy.spec.schedulerName != old.spec.schedulerName:
            raise Forbidden("the schedulerName should not be updated")
        if old.metadata.labels.get(label, "") != new_id:
            raise Forbidden(f"label {label} is immutable, it can only be set by the system during creation")
    if not new_id:
        raise Forbidden(
            f"label {label} is required, it should be set by the mutating admission webhook during creation"
        )


def validate_propagation_spec(spec: PropagationSpec) -> Errors:
    """`ValidatePropagationSpec`: the rules of `spec`."""
    errors = validate_placement(spec.placement, "spec.placement")
    if spec.preemption == "Always":
        errors += _validate_preemption(spec.resourceSelectors)
    errors += _validate_failover(spec)
    return errors + _validate_suspension(spec.suspension)


def _validate_preemption(selectors: tuple[ResourceSelector, ...]) -> Errors:
    detail = "name cannot be empty if preemption is Always, the empty name may cause unexpected resources preemption"
    return [
        invalid(f"spec.resourceSelectors[{index}].name", "", detail)
        for index, selector in enumerate(selectors)
        if not selector.name
    ]


def _validate_failover(spec: PropagationSpec) -> Errors:
    if spec.failover is None or spec.failover.application is None:
        return []
    errors: Errors = []
    if not spec.propagateDeps:
        detail = "application failover is set, propagateDeps must be true"
        errors.append(invalid("spec.propagateDeps", spec.propagateDeps, detail))
    return errors + _validate_application_failover(spec.failover.application, "spec.failover.application")


def _validate_application_failover(application: ApplicationFailoverBehavior, path: str) -> Errors:
    errors: Errors = []
    tolerated, grace = application.decisionConditions.tolerationSeconds, application.gracePeriodSeconds
    if tolerated is not None and tolerated < 0:
        path_to_seconds = f"{path}.decisionConditions.tolerationSeconds"
        errors.append(invalid(path_to_seconds, tolerated, "must be greater than or equal to 0"))
    graciously = application.purgeMode in _WITH_GRACE
    if not graciously and grace is not None:
        errors.append(invalid(f"{path}.gracePeriodSeconds", grace, "only takes effect when purgeMode is graciously"))
    if graciously and grace is None:
        errors.append(invalid(f"{path}.gracePeriodSeconds", None, "should not be empty when purgeMode is graciously"))
    if grace is not None and grace <= 0:
        errors.append(invalid(f"{path}.gracePeriodSeconds", grace, "must be greater than 0"))
    return errors


def _validate_suspension(suspension: Suspension | None) -> Errors:
    if suspension is None or not suspension.dispatching:
        return []
    if suspension.dispatchingOnClusters is None or not suspension.dispatchingOnClusters.clusterNames:
        return []
    detail = "suspension dispatching cannot co-exist with dispatchingOnClusters.clusterNames"
    return [invalid("spec.suspension.suspension", suspension, detail)]  # the path is Karmada's

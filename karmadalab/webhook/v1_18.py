"""What release v1.18 checks beyond v1.13, and says in other words.

Some of it is Karmada's (selector namespaces, overflow groups, taint policies), some is that of the newer Kubernetes
libraries it is built with ("bytes" for "characters").
"""

from __future__ import annotations

import re

from karmadalab.api.errors import FieldError
from karmadalab.api.meta import NO_EXECUTE, Toleration
from karmadalab.api.override import OverridePolicy, OverrideSpec
from karmadalab.api.policy import (
    AGGREGATED,
    DIVIDED,
    WEIGHTED,
    AnyPropagationPolicy,
    ClusterAffinityTerm,
    ClusterTaintPolicy,
    FailoverBehavior,
    Placement,
    PropagationPolicy,
    ReplicaSchedulingStrategy,
    ResourceSelector,
    StatePreservation,
    WorkloadAffinity,
)
from karmadalab.webhook.placement import validate_cluster_affinity
from karmadalab.webhook.rules import Errors, check_qualified_name, invalid, invalid_each, not_supported, required

PROFILE = "v1.18"

_REWORDED = (
    (re.compile(r"^(.*must be no more than (?:63|253)) characters$"), r"\1 bytes"),
    (re.compile(r"^a qualified name must"), "a valid label key must"),
    (re.compile(r"graciously$"), "gracefully"),
    (re.compile(r'^(JSON pointer must be empty or start with a "/)$'), "\\1\nJSON pointer error"),
)


def reworded(errors: Errors) -> Errors:
    """The findings in the words of this release, which prints every refused value as JSON."""
    return [FieldError(e.type, e.field, _reword(e.detail), _quoted(e.bad_value)) for e in errors]


def _quoted(value: object) -> object:
    return str(value) if isinstance(value, str) else value


def _reword(detail: str) -> str:
    for pattern, words in _REWORDED:
        detail = pattern.sub(words, detail)
    return detail


def validate_policy_additions(policy: AnyPropagationPolicy) -> Errors:
    """What a propagation policy must also be."""
    spec = policy.spec
    errors = _validate_placement(spec.placement, "spec.placement")
    errors += _validate_failover(spec.failover)
    if isinstance(policy, PropagationPolicy):
        errors += validate_selector_namespaces(spec.resourceSelectors, policy.metadata.namespace)
    return errors


def validate_override_additions(policy: OverridePolicy) -> Errors:
    """What an override policy must also be; of its cluster-scoped twin only the field overriders are checked."""
    errors = _validate_field_overriders(policy.spec)
    if isinstance(policy, OverridePolicy):
        errors += validate_selector_namespaces(policy.spec.resourceSelectors, policy.metadata.namespace)
    return errors


def validate_selector_namespaces(selectors: tuple[ResourceSelector, ...], namespace: str) -> Errors:
    """A namespaced policy speaks of its own namespace only; v1.13 silently never matched others."""
    detail = "namespace of resource selector must be the same as the namespace of the policy"
    return [
        invalid(f"spec.resourceSelectors[{index}].namespace", selector.namespace, detail)
        for index, selector in enumerate(selectors)
        if selector.namespace != namespace
    ]


def validate_cluster_taint_policy(policy: ClusterTaintPolicy, allow_no_execute: bool) -> Errors:
    """No NoExecute taints unless the administrator allows them, and no taint twice."""
    taints = policy.spec.taints
    errors: Errors = []
    for index, taint in enumerate(taints):
        path = f"spec.taints[{index}]"
        if taint.effect == NO_EXECUTE and not allow_no_execute:
            errors.append(FieldError("FieldValueForbidden", path, _NO_EXECUTE_RULE, ""))
        if any((taint.key, taint.effect) == (other.key, other.effect) for other in taints[index + 1 :]):
            text = f"Duplicate taint with the same key({taint.key}) and effect({taint.effect}) is not allowed"
            errors.append(FieldError("FieldValueDuplicate", path, "", text))
    return errors


def refuse_taint_policy() -> Errors:
    """What v1.13 answers: it doesn't know the kind, and would silently do nothing with it."""
    return [FieldError("FieldValueForbidden", "kind", "ClusterTaintPolicy came with release v1.14; use profile v1.18")]


_NO_EXECUTE_RULE = (
    "Configuring taint with NoExecute effect is not allowed, this capability must be explicitly enabled by "
    "administrators through command-line flags"
)


def _validate_placement(placement: Placement, path: str) -> Errors:
    errors: Errors = []
    for index, term in enumerate(placement.clusterAffinities):
        if term.overflowAffinities:
            errors += _validate_overflow(term, placement.replicaScheduling, f"{path}.clusterAffinities[{index}]")
    errors += _validate_workload_affinity(placement.workloadAffinity, f"{path}.workloadAffinity")
    return errors + _validate_tolerations(placement.clusterTolerations, f"{path}.clusterTolerations")


def _validate_overflow(term: ClusterAffinityTerm, strategy: ReplicaSchedulingStrategy | None, path: str) -> Errors:
    path += ".overflowAffinities"
    groups = term.overflowAffinities
    errors: Errors = []
    if not _divides_by_capacity(strategy):
        detail = "overflowAffinities can only be used together with dynamic weight or aggregated scheduling"
        errors.append(invalid(path, groups, detail))
    if not (term.labelSelector or term.fieldSelector or term.clusterNames or term.exclude):
        detail = "overflowAffinities can only be used together with the inline ClusterAffinity"
        errors.append(invalid(path, groups, detail))
    taken = {term.affinityName}
    for index, group in enumerate(groups):
        where = f"{path}[{index}]"
        errors += invalid_each(f"{where}.affinityName", group.affinityName, check_qualified_name(group.affinityName))
        if group.affinityName in taken:
            detail = "overflow affinity name must be unique and must not duplicate the primary group's affinityName"
            errors.append(invalid(f"{where}.affinityName", group.affinityName, detail))
        taken.add(group.affinityName)
        errors += validate_cluster_affinity(group, where)
    return errors


def _divides_by_capacity(strategy: ReplicaSchedulingStrategy | None) -> bool:
    if strategy is None or strategy.replicaSchedulingType != DIVIDED:
        return False
    weights = strategy.weightPreference
    dynamic = strategy.replicaDivisionPreference == WEIGHTED and weights is not None and bool(weights.dynamicWeight)
    return dynamic or strategy.replicaDivisionPreference == AGGREGATED


def _validate_workload_affinity(affinity: WorkloadAffinity | None, path: str) -> Errors:
    if affinity is None:
        return []
    errors: Errors = []
    for name, term in (("affinity", affinity.affinity), ("antiAffinity", affinity.antiAffinity)):
        if term is not None:
            key = term.groupByLabelKey
            errors += invalid_each(f"{path}.{name}.groupByLabelKey", key, check_qualified_name(key))
    if affinity.affinity is not None and affinity.affinity == affinity.antiAffinity:
        errors.append(invalid(path, affinity, "affinity and antiAffinity must not use the same groupByLabelKey"))
    return errors


def _validate_tolerations(tolerations: tuple[Toleration, ...], path: str) -> Errors:
    """Kubernetes' newer comparisons would never match a taint here, so they are refused; other nonsense is not."""
    return [
        not_supported(f"{path}[{index}].operator", toleration.operator, ("", "Exists", "Equal"))
        for index, toleration in enumerate(tolerations)
        if toleration.operator in ("Lt", "Gt")
    ]


def _validate_failover(failover: FailoverBehavior | None) -> Errors:
    if failover is None:
        return []
    parts = {"application": failover.application, "cluster": failover.cluster}
    return [
        error
        for name, part in parts.items()
        if part is not None
        for error in _validate_state(part.statePreservation, f"spec.failover.{name}.statePreservation")
    ]


def _validate_state(state: StatePreservation | None, path: str) -> Errors:
    errors: Errors = []
    for index, rule in enumerate(state.rules if state else ()):
        name = rule.aliasLabelName
        errors += invalid_each(f"{path}.rules[{index}].aliasLabelName", name, check_qualified_name(name))
    return errors


def _validate_field_overriders(spec: OverrideSpec) -> Errors:
    detail = "FieldOverrider must have either JSON or YAML set"
    return [
        required(f"spec.overrideRules[{rule_index}].overriders.fieldOverrider[{index}]", detail)
        for rule_index, rule in enumerate(spec.overrideRules)
        for index, overrider in enumerate(rule.overriders.fieldOverrider)
        if not overrider.json and not overrider.yaml
    ]

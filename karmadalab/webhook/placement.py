"""The rules of a placement, shared by the policies."""

from __future__ import annotations

from karmadalab.api.policy import ClusterAffinity, ClusterAffinityTerm, FieldSelector, Placement, SpreadConstraint
from karmadalab.webhook.rules import Errors, check_qualified_name, invalid, invalid_each

_FIELD_KEYS = ("provider", "region", "zone")
_FIELD_OPERATORS = ("In", "NotIn")
_CLUSTER_CONSTRAINT_RULE = (
    "the cluster spread constraint must be enabled in one of the constraints in case of SpreadByField is enabled"
)


def validate_placement(placement: Placement, path: str) -> Errors:
    """`ValidatePlacement`."""
    errors: Errors = []
    if placement.clusterAffinity is not None and placement.clusterAffinities:
        errors.append(invalid(path, placement, "clusterAffinities cannot co-exist with clusterAffinity"))
    errors += validate_cluster_affinity(placement.clusterAffinity, f"{path}.clusterAffinity")
    errors += _validate_terms(placement.clusterAffinities, f"{path}.clusterAffinities")
    return errors + _validate_spread(placement.spreadConstraints, f"{path}.spreadConstraints")


def validate_cluster_affinity(affinity: ClusterAffinity | None, path: str) -> Errors:
    """`ValidateClusterAffinity`: only its field selector has rules."""
    if affinity is None or affinity.fieldSelector is None:
        return []
    return _validate_field_selector(affinity.fieldSelector, f"{path}.fieldSelector")


def _validate_field_selector(selector: FieldSelector, path: str) -> Errors:
    """The first broken expression is reported, others are not looked at."""
    for requirement in selector.matchExpressions:
        if requirement.key not in _FIELD_KEYS:
            detail = f'unsupported key "{requirement.key}", must be provider, region, or zone'
            return [invalid(path, selector, detail)]
        if requirement.operator not in _FIELD_OPERATORS:
            detail = f'unsupported operator "{requirement.operator}", must be In or NotIn'
            return [invalid(path, selector, detail)]
    return []


def _validate_terms(terms: tuple[ClusterAffinityTerm, ...], path: str) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for index, term in enumerate(terms):
        errors += invalid_each(f"{path}[{index}]", term.affinityName, check_qualified_name(term.affinityName))
        if term.affinityName in seen:
            errors.append(invalid(path, terms, "each affinity term in a policy must have a unique name"))
        seen.add(term.affinityName)
        errors += validate_cluster_affinity(term, f"{path}[{index}]")
    return errors


def _validate_spread(constraints: tuple[SpreadConstraint, ...], path: str) -> Errors:
    errors: Errors = []
    for index, constraint in enumerate(constraints):
        errors += [invalid(f"{path}[{index}]", constraint, detail) for detail in _broken_rules(constraint)]
    fields = [constraint.spreadByField for constraint in constraints if constraint.spreadByField]
    for field in dict.fromkeys(field for field in fields if fields.count(field) > 1):
        errors.append(invalid(path, constraints, f"multiple {field} spread constraints are not allowed"))
    if fields and "cluster" not in fields:
        errors.append(invalid(path, constraints, _CLUSTER_CONSTRAINT_RULE))
    return errors


def _broken_rules(constraint: SpreadConstraint) -> list[str]:
    details = []
    if constraint.spreadByField and constraint.spreadByLabel:
        details.append("spreadByLabel should not co-exist with spreadByField")
    if constraint.minGroups < 0:
        details.append("minGroups lower than 0 is not allowed")
    if constraint.maxGroups < 0:
        details.append("maxGroups lower than 0 is not allowed")
    if 0 < constraint.maxGroups < constraint.minGroups:
        details.append("maxGroups lower than minGroups is not allowed")
    return details

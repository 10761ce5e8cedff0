"""The rules of Karmada's schemas (CRDs), as the API server checks and words them.

Each kind has a table of paths and rules. A path walks through fields; `[]` goes into a list, `{}` into a map. Values
are checked after the mutating webhook, which writes the object anew: a missing text is then an empty one, and a missing
list is null. That is why a selector without a kind is accepted, here as in Karmada.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from karmadalab.api.errors import FieldError
from karmadalab.api.meta import ABSENT
from karmadalab.api.scheme import AnyObject
from karmadalab.webhook.rules import Errors, invalid, not_supported, required

Rule = Callable[[str, Any], FieldError | None]

_QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)

# --- rules ----------------------------------------------------------------------------------------------------------


def one_of(*supported: str, empty: bool = True) -> Rule:
    """An enumeration; `empty` says whether the field may be left out."""

    def check(path: str, value: Any) -> FieldError | None:
        return None if value in supported or (empty and not value) else not_supported(path, value, supported)

    return check


def at_least(minimum: int) -> Rule:
    """A lower bound."""

    def check(path: str, value: Any) -> FieldError | None:
        detail = f"{path} in body should be greater than or equal to {minimum}"
        return invalid(path, value, detail) if value is not None and value < minimum else None

    return check


def not_empty_text(path: str, value: Any) -> FieldError | None:
    """A text of at least one character."""
    return None if value else invalid(path, "", f"{path} in body should be at least 1 chars long")


def not_absent(path: str, value: Any) -> FieldError | None:
    """A list that must be there, though it may be empty."""
    detail = f'{path} in body must be of type array: "null"'
    return FieldError("FieldValueTypeInvalid", path, detail, "null") if value is ABSENT else None


def not_empty_list(path: str, value: Any) -> FieldError | None:
    """A list of at least one item."""
    if value or value is ABSENT:
        return not_absent(path, value)
    return invalid(path, 0, f"{path} in body should have at least 1 items")


def needed(path: str, value: Any) -> FieldError | None:
    """A field that must be there. Only for kinds that no webhook writes anew."""
    return None if value else required(path)


def quantity(path: str, value: Any) -> FieldError | None:
    """A Kubernetes quantity."""
    fits = not isinstance(value, str) or re.fullmatch(_QUANTITY[1:-1], value)
    return None if fits else invalid(path, value, f"{path} in body should match '{_QUANTITY}'")


def newer(path: str, value: Any) -> FieldError | None:
    """A field that came with a later release than v1.13."""
    detail = "unknown field in profile v1.13; release v1.18 has it"
    return FieldError("FieldValueForbidden", path, detail) if value else None


# --- tables ---------------------------------------------------------------------------------------------------------

_PATCH = one_of("add", "remove", "replace", empty=False)
_LIST_PATCH = one_of("add", "remove", empty=False)
_PURGE_MODE = one_of("Immediately", "Graciously", "Never")
_INSTEAD_V1_18: dict[Rule, Rule] = {
    _PURGE_MODE: one_of("Directly", "Gracefully", "Never", "Immediately", "Graciously"),
    newer: lambda path, value: None,
}

_PLACEMENT: dict[str, Rule] = {
    "spec.placement.clusterAffinities[].affinityName": not_empty_text,
    "spec.placement.clusterAffinities[].overflowAffinities": newer,
    "spec.placement.workloadAffinity": newer,
    "spec.placement.spreadConstraints[].spreadByField": one_of("cluster", "region", "zone", "provider"),
    "spec.placement.replicaScheduling.replicaSchedulingType": one_of("Duplicated", "Divided"),
    "spec.placement.replicaScheduling.replicaDivisionPreference": one_of("Aggregated", "Weighted"),
    "spec.placement.replicaScheduling.weightPreference.staticWeightList[].weight": at_least(1),
    "spec.placement.replicaScheduling.weightPreference.dynamicWeight": one_of("AvailableReplicas"),
}
_POLICY: dict[str, Rule] = {
    "spec.resourceSelectors": not_empty_list,
    **_PLACEMENT,
    "spec.preemption": one_of("Always", "Never"),
    "spec.failover.application.purgeMode": _PURGE_MODE,
    "spec.conflictResolution": one_of("Abort", "Overwrite"),
    "spec.activationPreference": one_of("Lazy"),
    "spec.schedulePriority.priorityClassSource": one_of("KubePriorityClass"),
}
_OVERRIDERS = "spec.overrideRules[].overriders"
_OVERRIDE: dict[str, Rule] = {
    f"{_OVERRIDERS}.plaintext[].operator": _PATCH,
    f"{_OVERRIDERS}.imageOverrider[].component": one_of("Registry", "Repository", "Tag", empty=False),
    f"{_OVERRIDERS}.imageOverrider[].operator": _PATCH,
    f"{_OVERRIDERS}.commandOverrider[].operator": _LIST_PATCH,
    f"{_OVERRIDERS}.argsOverrider[].operator": _LIST_PATCH,
    f"{_OVERRIDERS}.labelsOverrider[].operator": _PATCH,
    f"{_OVERRIDERS}.labelsOverrider[].value": needed,
    f"{_OVERRIDERS}.annotationsOverrider[].operator": _PATCH,
    f"{_OVERRIDERS}.annotationsOverrider[].value": needed,
    f"{_OVERRIDERS}.fieldOverrider[].json[].operator": _PATCH,
    f"{_OVERRIDERS}.fieldOverrider[].yaml[].operator": _PATCH,
}
_BINDING: dict[str, Rule] = {
    **_PLACEMENT,
    "spec.gracefulEvictionTasks[].purgeMode": _PURGE_MODE,
    "spec.conflictResolution": one_of("Abort", "Overwrite"),
}

_RULES: dict[str, dict[str, Rule]] = {
    "PropagationPolicy.policy.karmada.io": _POLICY,
    "ClusterPropagationPolicy.policy.karmada.io": _POLICY,
    "OverridePolicy.policy.karmada.io": _OVERRIDE,
    "ClusterOverridePolicy.policy.karmada.io": _OVERRIDE,
    "ResourceBinding.work.karmada.io": _BINDING,
    "ClusterResourceBinding.work.karmada.io": _BINDING,
    "FederatedResourceQuota.policy.karmada.io": {
        "spec.overall": needed,
        "spec.overall{}": quantity,
        "spec.staticAssignments[].hard{}": quantity,
    },
    "CronFederatedHPA.autoscaling.karmada.io": {"spec.rules[].name": not_empty_text},
    "MultiClusterService.networking.karmada.io": {"spec.types": not_absent},
    "WorkloadRebalancer.apps.karmada.io": {
        "spec.workloads": not_empty_list,
        "spec.workloads[].apiVersion": needed,
        "spec.workloads[].kind": needed,
        "spec.workloads[].name": needed,
    },
}


class _Node(NamedTuple):
    """The rules at one place, and the places below it. Walking a tree looks at each value once."""

    rules: list[Rule]
    below: dict[str, _Node]


def _tree(table: dict[str, Rule]) -> _Node:
    root = _Node([], {})
    for path, rule in table.items():
        node = root
        for part in re.findall(r"\w+|\[\]|\{\}", path):
            node = node.below.setdefault(part, _Node([], {}))
        node.rules.append(rule)
    return root


_TREES = {kind: _tree(table) for kind, table in _RULES.items()}


def validate_schema(obj: AnyObject, profile: str = "v1.13") -> Errors:
    """What the kind's schema refuses.

    Args:
        obj: after the mutating webhook.
        profile: the Karmada release to follow.
    """
    tree = _TREES.get(obj.GROUP_KIND)
    found: Errors = []
    if tree is not None:
        _check(tree, "", obj, _INSTEAD_V1_18 if profile == "v1.18" else {}, found)
    return found


def _check(node: _Node, path: str, value: Any, instead: dict[Rule, Rule], found: Errors) -> None:
    for rule in node.rules:
        error = instead.get(rule, rule)(path, value)
        if error is not None:
            found.append(error)
    for part, below in node.below.items():
        if part == "[]":
            steps = [(f"{path}[{index}]", item) for index, item in enumerate(value)]
        elif part == "{}":
            steps = [(f"{path}.{key}", item) for key, item in value.items()]
        else:
            steps = [(f"{path}.{part}" if path else part, getattr(value, part))]
        for where, item in steps:
            if item is not None:
                _check(below, where, item, instead, found)

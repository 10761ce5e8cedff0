"""The rules of Karmada's schemas (CRDs), as the API server checks and words them.

Each kind has a table of paths and rules. A path walks through fields; `[]` goes into a list, `{}` into a map. Values are
checked after the mutating webhook, which writes the object anew: a missing text is then an empty one, and a missing list
is null. That is why a selector without a kind is accepted, here as in Karmada.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from karmadalab.api.errors import FieldError
from karmadalab.api.meta import ABSENT
from karmadalab.api.scheme import AnyObject
from karmadalab.webhook.rules import Errors, invalid, not_supported, required

Rule = Callable[[str, Any], FieldError | None]

_QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)

# --- rules -------------------------------------------------------------------------------------------------------------


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


# --- tables ------------------------------------------------------------------------------------------------------------

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


def validate_schema(obj: AnyObject, profile: str = "v1.13") -> Errors:
    """What the kind's schema refuses, in the order of its table."""
    table = _RULES.get(obj.GROUP_KIND)
    if table is None:
        return []
    instead = _INSTEAD_V1_18 if profile == "v1.18" else {}
    return [
        error
        for path, rule in table.items()
        for where, value in _values(obj, path)
        if (error := instead.get(rule, rule)(where, value))
    ]


def _values(obj: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The values at a path, with the path of each; nothing where a part on the way is missing."""
    places: list[tuple[str, Any]] = [("", obj)]
    for part in re.findall(r"\w+|\[\]|\{\}", path):
        places = [step for where, value in places for step in _steps(where, value, part)]
    return iter(places)


def _steps(where: str, value: Any, part: str) -> list[tuple[str, Any]]:
    if value is None:
        return []
    if part == "[]":
        return [(f"{where}[{index}]", item) for index, item in enumerate(value)]
    if part == "{}":
        return [(f"{where}.{key}", item) for key, item in value.items()]
    return [(f"{where}.{part}".lstrip("."), getattr(value, part))]

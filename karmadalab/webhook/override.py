"""OverridePolicy and its cluster-scoped twin.

A plaintext path is not checked, here or in Karmada: a wrong one shows up as a Work that is never made.
"""

from __future__ import annotations

from karmadalab.api.meta import replace
from karmadalab.api.override import (
    ClusterOverridePolicy,
    FieldOverrider,
    FieldPatchOperation,
    LabelAnnotationOverrider,
    OverridePolicy,
    Overriders,
    OverrideSpec,
    RuleWithCluster,
)
from karmadalab.webhook.placement import validate_cluster_affinity
from karmadalab.webhook.rules import (
    Errors,
    check_json_pointer,
    check_label_value,
    check_qualified_name,
    invalid,
    invalid_each,
)


def mutate_override_policy(policy: OverridePolicy) -> OverridePolicy:
    """Selectors without a namespace get that of the policy. The cluster-scoped twin gets nothing."""
    namespace = policy.metadata.namespace
    selectors = tuple(s if s.namespace else replace(s, namespace=namespace) for s in policy.spec.resourceSelectors)
    return replace(policy, spec=replace(policy.spec, resourceSelectors=selectors))


def validate_override_policy(policy: OverridePolicy | ClusterOverridePolicy) -> Errors:
    """`ValidateOverrideSpec`."""
    return validate_override_spec(policy.spec)


def validate_override_spec(spec: OverrideSpec) -> Errors:
    """The deprecated pair `targetCluster` and `overriders` excludes `overrideRules`."""
    errors: Errors = []
    if spec.overrideRules and spec.targetCluster is not None:
        errors.append(
            invalid("spec.targetCluster", spec.targetCluster, "overrideRules and targetCluster can't co-exist")
        )
    # Karmada forgets the field overriders here, so they alone do not count.
    if spec.overrideRules and replace(spec.overriders, fieldOverrider=()) != Overriders():
        errors.append(invalid("spec.overriders", spec.overriders, "overrideRules and overriders can't co-exist"))
    errors += validate_cluster_affinity(spec.targetCluster, "spec.targetCluster")
    for index, rule in enumerate(spec.overrideRules):
        errors += _validate_rule(rule, f"spec.overrideRules[{index}]")
    return errors


def _validate_rule(rule: RuleWithCluster, path: str) -> Errors:
    overriders, inner = rule.overriders, f"{path}.overriders"
    errors: Errors = []
    for index, image in enumerate(overriders.imageOverrider):
        if image.predicate is not None:
            where = f"{inner}.imageOverrider[{index}].predicate.path"
            errors += invalid_each(where, image.predicate.path, check_json_pointer(image.predicate.path))
    errors += _validate_keys(overriders.labelsOverrider, f"{inner}.labelsOverrider", label_values=True)
    errors += _validate_keys(overriders.annotationsOverrider, f"{inner}.annotationsOverrider", label_values=False)
    for index, field in enumerate(overriders.fieldOverrider):
        errors += _validate_field(field, f"{inner}.fieldOverrider[{index}]")
    return validate_cluster_affinity(rule.targetCluster, f"{path}.targetCluster") + errors


def _validate_keys(overriders: tuple[LabelAnnotationOverrider, ...], path: str, label_values: bool) -> Errors:
    errors: Errors = []
    for index, overrider in enumerate(overriders):
        where = f"{path}[{index}].value"
        for key, value in overrider.value.items():
            # An annotation's key may be written in capitals, a label's prefix may not.
            errors += invalid_each(where, key, check_qualified_name(key if label_values else key.lower()))
            if label_values:
                errors += invalid_each(where, value, check_label_value(value))
    return errors


def _validate_field(overrider: FieldOverrider, path: str) -> Errors:
    errors: Errors = []
    if overrider.yaml and overrider.json:
        errors.append(invalid(path, overrider, "FieldOverrider has both YAML and JSON set. Only one is allowed"))
    errors += invalid_each(f"{path}.fieldPath", overrider.fieldPath, check_json_pointer(overrider.fieldPath))
    errors += _validate_operations(overrider.yaml, f"{path}.yaml", stop_at_path=False)
    return errors + _validate_operations(overrider.json, f"{path}.json", stop_at_path=True)


def _validate_operations(operations: tuple[FieldPatchOperation, ...], path: str, stop_at_path: bool) -> Errors:
    """A wrong path hides a wrong value in a JSON operation, but not in a YAML one."""
    errors: Errors = []
    for index, operation in enumerate(operations):
        where = f"{path}[{index}]"
        broken = invalid_each(f"{where}.subPath", operation.subPath, check_json_pointer(operation.subPath))
        if not (broken and stop_at_path):
            broken += invalid_each(f"{where}.value", operation.value, _value_rule(operation))
        errors += broken
    return errors


def _value_rule(operation: FieldPatchOperation) -> list[str]:
    if operation.operator in ("add", "replace") and operation.value is None:
        return ["value is required for add or replace operation"]
    if operation.operator == "remove" and operation.value is not None:
        return ["value is not allowed for remove operation"]
    return []

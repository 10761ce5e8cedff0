"""CronFederatedHPA: schedules, time zones, and a target that fits what is scaled.

Karmada's cron library skips the bounds check for a field whose current value is zero, so in minute 0 of an hour it
takes "61 * * * *". Here the clock plays no part: a schedule is valid or not.
"""

from __future__ import annotations

from karmadalab.api.autoscaling import CronFederatedHPA, CronFederatedHPARule
from karmadalab.api.cron import Cron, zone_of
from karmadalab.api.errors import BadRequest
from karmadalab.api.meta import replace
from karmadalab.webhook.rules import Errors, duplicate, invalid

_HISTORY_LIMIT = 3


def default_cron_federated_hpa(hpa: CronFederatedHPA) -> CronFederatedHPA:
    """The schema defaults of the rules."""
    rules = tuple(map(_default_rule, hpa.spec.rules))
    return hpa if rules == hpa.spec.rules else replace(hpa, spec=replace(hpa.spec, rules=rules))


def _default_rule(rule: CronFederatedHPARule) -> CronFederatedHPARule:
    succeeded, failed = rule.successfulHistoryLimit, rule.failedHistoryLimit
    return replace(
        rule,
        suspend=rule.suspend or False,
        successfulHistoryLimit=_HISTORY_LIMIT if succeeded is None else succeeded,
        failedHistoryLimit=_HISTORY_LIMIT if failed is None else failed,
    )


def validate_cron_federated_hpa(hpa: CronFederatedHPA) -> Errors:
    """The kind of the target first: a wrong one is the only finding."""
    target = hpa.spec.scaleTargetRef
    ours = target.apiVersion.startswith("autoscaling.karmada.io/")
    if ours and target.kind != "FederatedHPA":
        detail = f"invalid scaleTargetRef kind: {target.kind}, only support FederatedHPA"
        return [invalid("spec.scaleTargetRef.kind", target.kind, detail)]
    errors: Errors = []
    names: set[str] = set()
    for index, rule in enumerate(hpa.spec.rules):
        path = f"spec.rules[{index}]"
        if rule.name in names:
            errors.append(duplicate(f"{path}.name", rule.name))
        names.add(rule.name)
        errors += _validate_clock(rule, path)
        errors += _validate_bounds(rule, path) if ours else _validate_replicas(rule, path, target.kind)
    return errors


def _validate_clock(rule: CronFederatedHPARule, path: str) -> Errors:
    errors: Errors = []
    if rule.timeZone is not None:
        try:
            zone_of(rule.timeZone)
        except BadRequest as error:
            errors.append(invalid(f"{path}.timeZone", rule.timeZone, str(error)))
    try:
        Cron.parse(rule.schedule)
    except BadRequest:
        errors.append(invalid(f"{path}.schedule", rule.schedule, "invalid cron format"))
    return errors


def _validate_replicas(rule: CronFederatedHPARule, path: str, kind: str) -> Errors:
    field, replicas = f"{path}.targetReplicas", rule.targetReplicas
    if replicas is None:
        return [invalid(field, "", f"targetReplicas cannot be nil if you want to scale {kind}")]
    return [invalid(field, "", "targetReplicas should be larger than or equal to 0")] if replicas < 0 else []


def _validate_bounds(rule: CronFederatedHPARule, path: str) -> Errors:
    low, high = rule.targetMinReplicas, rule.targetMaxReplicas
    if low is None and high is None:
        detail = (
            "targetMinReplicas and targetMaxReplicas cannot be nil at the same time if you want to scale FederatedHPA"
        )
        return [invalid(f"{path}.targetMaxReplicas", "", detail)]
    errors: Errors = []
    for name, value in (("targetMinReplicas", low), ("targetMaxReplicas", high)):
        if value is not None and value <= 0:
            errors.append(invalid(f"{path}.{name}", "", f"{name} should be larger than 0"))
    if high is not None and (1 if low is None else low) > high:
        detail = "targetMaxReplicas should be larger than or equal to targetMinReplicas"
        errors.append(invalid(f"{path}.targetMinReplicas", "", detail))
    return errors

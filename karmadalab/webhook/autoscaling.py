"""FederatedHPA and CronFederatedHPA.

A FederatedHPA gets the defaults of a HorizontalPodAutoscaler: at least one replica, cpu at 80 %, and complete rules
once a behaviour is given. The rules are Kubernetes' own (`pkg/util/lifted/validatingfhpa.go`).
"""

from __future__ import annotations

from karmadalab.api.autoscaling import (
    CrossVersionObjectReference,
    FederatedHPA,
    HorizontalPodAutoscalerBehavior,
    MetricSpec,
    MetricTarget,
    ResourceMetricSource,
    ScalingPolicy,
    ScalingRules,
)
from karmadalab.api.meta import replace
from karmadalab.webhook.rules import Errors, invalid, required

_DEFAULT_METRICS = (
    MetricSpec(
        type="Resource", resource=ResourceMetricSource("cpu", MetricTarget("Utilization", averageUtilization=80))
    ),
)
_DEFAULT_SCALE_UP = (ScalingPolicy("Pods", 4, 15), ScalingPolicy("Percent", 100, 15))
_DEFAULT_SCALE_DOWN = (ScalingPolicy("Percent", 100, 15),)
_MAX_STABILIZATION_S = 3600
_MAX_PERIOD_S = 1800


def mutate_federated_hpa(hpa: FederatedHPA) -> FederatedHPA:
    """The defaults of an autoscaler."""
    spec = hpa.spec
    wanted = replace(
        spec,
        minReplicas=1 if spec.minReplicas is None else spec.minReplicas,
        metrics=spec.metrics or _DEFAULT_METRICS,
        behavior=_default_behavior(spec.behavior),
    )
    return hpa if wanted == spec else replace(hpa, spec=wanted)


def _default_behavior(behavior: HorizontalPodAutoscalerBehavior | None) -> HorizontalPodAutoscalerBehavior | None:
    if behavior is None or behavior == HorizontalPodAutoscalerBehavior():
        return behavior
    scale_up = _default_rules(behavior.scaleUp, _DEFAULT_SCALE_UP)
    if scale_up.stabilizationWindowSeconds is None:
        scale_up = replace(scale_up, stabilizationWindowSeconds=0)
    return replace(behavior, scaleUp=scale_up, scaleDown=_default_rules(behavior.scaleDown, _DEFAULT_SCALE_DOWN))


def _default_rules(rules: ScalingRules | None, policies: tuple[ScalingPolicy, ...]) -> ScalingRules:
    rules = rules or ScalingRules()
    return replace(rules, selectPolicy=rules.selectPolicy or "Max", policies=rules.policies or policies)


def validate_federated_hpa(hpa: FederatedHPA) -> Errors:
    """Bounds, target, metrics and behaviour."""
    spec = hpa.spec
    errors: Errors = []
    if spec.minReplicas is not None and spec.minReplicas < 1:
        errors.append(invalid("spec.minReplicas", spec.minReplicas, "must be greater than or equal to 1"))
    if spec.maxReplicas < 1:
        errors.append(invalid("spec.maxReplicas", spec.maxReplicas, "must be greater than 0"))
    if spec.minReplicas is not None and spec.maxReplicas < spec.minReplicas:
        errors.append(invalid("spec.maxReplicas", spec.maxReplicas, "must be greater than or equal to `minReplicas`"))
    errors += validate_target(spec.scaleTargetRef, "spec.scaleTargetRef")
    for index, metric in enumerate(spec.metrics):
        errors += _validate_metric(metric, f"spec.metrics[{index}]")
    if spec.behavior is not None:
        errors += _validate_rules(spec.behavior.scaleUp, "spec.behavior.scaleUp")
        errors += _validate_rules(spec.behavior.scaleDown, "spec.behavior.scaleDown")
    return errors


def validate_target(target: CrossVersionObjectReference, path: str) -> Errors:
    """Kind and name are there, and can be parts of a URL."""
    errors: Errors = []
    for field, value in (("kind", target.kind), ("name", target.name)):
        if not value:
            errors.append(required(f"{path}.{field}"))
        elif value in (".", ".."):
            errors.append(invalid(f"{path}.{field}", value, f"may not be '{value}'"))
        else:
            errors += [invalid(f"{path}.{field}", value, f"may not contain '{sign}'") for sign in "/%" if sign in value]
    return errors


def _validate_metric(metric: MetricSpec, path: str) -> Errors:
    if not metric.type:
        return [required(f"{path}.type", "must specify a metric source type")]
    if metric.resource is None:
        return []
    path, target = f"{path}.resource", metric.resource.target
    errors = [] if metric.resource.name else [required(f"{path}.name", "must specify a resource name")]
    utilization = target.averageUtilization
    if utilization is not None and utilization < 1:
        errors.append(invalid(f"{path}.target.averageUtilization", utilization, "must be greater than 0"))
    if utilization is None and target.averageValue is None:
        detail = "must set either a target raw value or a target utilization"
        errors.append(required(f"{path}.target.averageUtilization", detail))
    return errors


def _validate_rules(rules: ScalingRules | None, path: str) -> Errors:
    if rules is None:
        return []
    errors: Errors = []
    window, where = rules.stabilizationWindowSeconds, f"{path}.stabilizationWindowSeconds"
    if window is not None and window < 0:
        errors.append(invalid(where, window, "must be greater than or equal to zero"))
    if window is not None and window > _MAX_STABILIZATION_S:
        errors.append(invalid(where, window, f"must be less than or equal to {_MAX_STABILIZATION_S}"))
    if not rules.policies:
        errors.append(required(f"{path}.policies", "must specify at least one Policy"))
    for index, policy in enumerate(rules.policies):
        errors += _validate_scaling_policy(policy, f"{path}.policies[{index}]")
    return errors


def _validate_scaling_policy(policy: ScalingPolicy, path: str) -> Errors:
    errors: Errors = []
    if policy.value <= 0:
        errors.append(invalid(f"{path}.value", policy.value, "must be greater than zero"))
    if policy.periodSeconds <= 0:
        errors.append(invalid(f"{path}.periodSeconds", policy.periodSeconds, "must be greater than zero"))
    if policy.periodSeconds > _MAX_PERIOD_S:
        detail = f"must be less than or equal to {_MAX_PERIOD_S}"
        errors.append(invalid(f"{path}.periodSeconds", policy.periodSeconds, detail))
    return errors

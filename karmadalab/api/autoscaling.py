"""autoscaling.karmada.io: scaling one workload over many clusters, by load (FederatedHPA) or by the clock."""

from __future__ import annotations

from typing import Any, ClassVar

from karmadalab.api.cluster import Quantity
from karmadalab.api.meta import Condition, Data, LabelSelector, Resource
from karmadalab.api.time import Time


class CrossVersionObjectReference(Data):
    kind: str = ""
    name: str = ""
    apiVersion: str = ""


class MetricIdentifier(Data):
    name: str = ""
    selector: LabelSelector | None = None


class MetricTarget(Data):
    """`type` is Utilization (percent of requests), AverageValue (a pod) or Value."""

    type: str = ""
    value: Quantity | None = None
    averageValue: Quantity | None = None
    averageUtilization: int | None = None


class ResourceMetricSource(Data):
    name: str = ""
    target: MetricTarget = MetricTarget()


class ContainerResourceMetricSource(Data):
    name: str = ""
    target: MetricTarget = MetricTarget()
    container: str = ""


class PodsMetricSource(Data):
    metric: MetricIdentifier = MetricIdentifier()
    target: MetricTarget = MetricTarget()


class ObjectMetricSource(Data):
    describedObject: CrossVersionObjectReference = CrossVersionObjectReference()
    target: MetricTarget = MetricTarget()
    metric: MetricIdentifier = MetricIdentifier()


class MetricSpec(Data):
    type: str = ""
    object: ObjectMetricSource | None = None
    pods: PodsMetricSource | None = None
    resource: ResourceMetricSource | None = None
    containerResource: ContainerResourceMetricSource | None = None
    external: PodsMetricSource | None = None


class ScalingPolicy(Data):
    """At most `value` pods or percent (`type`) in any `periodSeconds`."""

    type: str = ""
    value: int = 0
    periodSeconds: int = 0


class ScalingRules(Data):
    stabilizationWindowSeconds: int | None = None
    selectPolicy: str = ""
    policies: tuple[ScalingPolicy, ...] = ()
    tolerance: Quantity | None = None


class HorizontalPodAutoscalerBehavior(Data):
    scaleUp: ScalingRules | None = None
    scaleDown: ScalingRules | None = None


class FederatedHPASpec(Data):
    scaleTargetRef: CrossVersionObjectReference = CrossVersionObjectReference()
    minReplicas: int | None = None
    maxReplicas: int = 0
    metrics: tuple[MetricSpec, ...] = ()
    behavior: HorizontalPodAutoscalerBehavior | None = None


class FederatedHPAStatus(Data):
    observedGeneration: int | None = None
    lastScaleTime: Time | None = None
    currentReplicas: int = 0
    desiredReplicas: int = 0
    currentMetrics: tuple[dict[str, Any], ...] = ()
    conditions: tuple[Condition, ...] = ()


class FederatedHPA(Resource, kw_only=True):
    """Scales a template by the load of its pods in all clusters."""

    GROUP_KIND: ClassVar[str] = "FederatedHPA.autoscaling.karmada.io"

    apiVersion: str = "autoscaling.karmada.io/v1alpha1"
    kind: str = "FederatedHPA"
    spec: FederatedHPASpec = FederatedHPASpec()
    status: FederatedHPAStatus = FederatedHPAStatus()


class CronFederatedHPARule(Data):
    """One line of the schedule; the histories keep the last runs, newest first."""

    name: str = ""
    schedule: str = ""
    targetReplicas: int | None = None
    targetMinReplicas: int | None = None
    targetMaxReplicas: int | None = None
    suspend: bool | None = None
    timeZone: str | None = None
    successfulHistoryLimit: int | None = None
    failedHistoryLimit: int | None = None


class CronFederatedHPASpec(Data):
    scaleTargetRef: CrossVersionObjectReference = CrossVersionObjectReference()
    rules: tuple[CronFederatedHPARule, ...] = ()


class SuccessfulExecution(Data):
    scheduleTime: Time | None = None
    executionTime: Time | None = None
    appliedReplicas: int | None = None
    appliedMaxReplicas: int | None = None
    appliedMinReplicas: int | None = None


class FailedExecution(Data):
    scheduleTime: Time | None = None
    executionTime: Time | None = None
    message: str = ""


class ExecutionHistory(Data):
    ruleName: str = ""
    nextExecutionTime: Time | None = None
    successfulExecutions: tuple[SuccessfulExecution, ...] = ()
    failedExecutions: tuple[FailedExecution, ...] = ()


class CronFederatedHPAStatus(Data):
    executionHistories: tuple[ExecutionHistory, ...] = ()


class CronFederatedHPA(Resource, kw_only=True):
    """Scales a template, or moves the bounds of a FederatedHPA, by the clock."""

    GROUP_KIND: ClassVar[str] = "CronFederatedHPA.autoscaling.karmada.io"

    apiVersion: str = "autoscaling.karmada.io/v1alpha1"
    kind: str = "CronFederatedHPA"
    spec: CronFederatedHPASpec = CronFederatedHPASpec()
    status: CronFederatedHPAStatus = CronFederatedHPAStatus()

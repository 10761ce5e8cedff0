"""One look of an autoscaler: from what runs and what it uses to the replicas there should be, and the status saying so.

The highest proposal of all metrics counts, made steady and kept within bounds and pace. A metric that can't be had
forbids going down. The arithmetic is in `api.hpa`, the pace in `api.hpa_rules`; `now` is handed in.

Mirrors `reconcileAutoscaler` in pkg/controllers/federatedhpa/federatedhpa_controller.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from karmadalab.api.autoscaling import FederatedHPA, FederatedHPAStatus, MetricSpec, MetricTarget
from karmadalab.api.errors import KarmadalabError
from karmadalab.api.hpa import (
    NoMetric,
    Patience,
    PodMetric,
    replicas_for_average,
    replicas_for_utilization,
    requests_of,
)
from karmadalab.api.hpa_rules import (
    Bounds,
    Limited,
    Seen,
    limited,
    limited_by_behavior,
    stabilized,
    stabilized_by_behavior,
)
from karmadalab.api.meta import Condition, replace, set_condition
from karmadalab.api.quantity import milli
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured

ABLE_TO_SCALE, SCALING_ACTIVE, SCALING_LIMITED = "AbleToScale", "ScalingActive", "ScalingLimited"
_LONGEST_MEMORY_S = 3600.0


class Target(NamedTuple):
    """What is scaled, as it runs in the members.

    Attributes:
        template: the object in the control plane.
        replicas: those of all Ready clusters, as their copies ask for them.
        pods: theirs, renamed so that no two clusters' share a name.
        metrics: what they use, under the same names.
    """

    template: Unstructured
    replicas: int
    pods: list[Unstructured]
    metrics: Callable[[], dict[str, PodMetric]]


class Memory(NamedTuple):
    """What is remembered of one autoscaler; a restart forgets it."""

    wishes: list[Seen]
    ups: list[Seen]
    downs: list[Seen]


class Round:
    """One look at one autoscaler: what it comes to, and the status that says so.

    Args:
        hpa: the autoscaler.
        now: Unix seconds.
        memory: its past, which is added to.
        patience: how much a metric is trusted.
        window_s: `--horizontal-pod-autoscaler-downscale-stabilization`.

    Attributes:
        wanted: the replicas to write into the template; None when they are right.
    """

    def __init__(self, hpa: FederatedHPA, now: float, memory: Memory, patience: Patience, window_s: float) -> None:
        self.wanted: int | None = None
        self._hpa, self._now, self._memory, self._patience = hpa, now, memory, patience
        self._window_s = window_s
        self._status = hpa.status
        self._current = hpa.status.currentReplicas
        self._bounds = Bounds(1 if hpa.spec.minReplicas is None else hpa.spec.minReplicas, hpa.spec.maxReplicas)

    def status(self) -> FederatedHPAStatus:
        """The status to write."""
        return self._status

    def look(self, target: Target) -> None:
        """Decide.

        Raises:
            NoMetric: the load can't be told.
        """
        self._say(
            ABLE_TO_SCALE, "True", "SucceededGetScale", "the HPA controller was able to get the target's current scale"
        )
        self._current = current = target.template.spec.get("replicas", 1)
        self._status = replace(self._status, currentReplicas=current)
        desired = self._desired(target)
        self._status = replace(self._status, desiredReplicas=current if desired is None else desired)
        if desired is not None and desired != current:
            self.wanted = desired

    def _desired(self, target: Target) -> int | None:
        """The replicas there should be; None when nothing is scaled."""
        if not target.replicas and self._bounds.least:
            text = "scaling is disabled since the replica count of the target is zero"
            self._say(SCALING_ACTIVE, "False", "ScalingDisabled", text)
            self._status = replace(self._status, desiredReplicas=0)
            return None
        if self._current > self._bounds.most:
            return self._bounds.most
        if self._current < self._bounds.least:
            return self._bounds.least
        return self._normalized(self._recommended(target))

    # --- metrics

    def _recommended(self, target: Target) -> int:
        """The highest proposal of all metrics. One that can't be had forbids going down."""
        calibration = target.replicas / self._current
        proposals: list[tuple[int, str, dict[str, Any]]] = []
        errors: list[tuple[str, str]] = []
        for metric in self._hpa.spec.metrics:
            try:
                proposals.append(self._proposal(metric, target, calibration))
            except KarmadalabError as error:
                errors.append((f"FailedGet{metric.type}Metric", str(error)))
        best = max(proposals, key=lambda item: item[0], default=None)
        if best is None or (errors and best[0] < self._current):
            reason, text = errors[0] if errors else ("InvalidMetricSource", "there is no metric")
            self._say(SCALING_ACTIVE, "False", reason, f"the HPA was unable to compute the replica count: {text}")
            wanted = len(self._hpa.spec.metrics)
            raise NoMetric(f"invalid metrics ({len(errors)} invalid out of {wanted}), first error is: {text}")
        text = f"the HPA was able to successfully calculate a replica count from {best[1]}"
        self._say(SCALING_ACTIVE, "True", "ValidMetricFound", text)
        self._status = replace(self._status, currentMetrics=tuple(item[2] for item in proposals))
        return best[0]

    def _proposal(self, metric: MetricSpec, target: Target, calibration: float) -> tuple[int, str, dict[str, Any]]:
        if metric.type == "Resource" and metric.resource is not None:
            return self._resource(metric.resource.name, "", metric.resource.target, target, calibration)
        if metric.type == "ContainerResource" and metric.containerResource is not None:
            source = metric.containerResource
            return self._resource(source.name, source.container, source.target, target, calibration)
        raise NoMetric(f"unable to get metric of type {metric.type}: no custom metrics API is modelled")

    def _resource(
        self, name: str, container: str, wanted: MetricTarget, target: Target, calibration: float
    ) -> tuple[int, str, dict[str, Any]]:
        text = f"failed to get {name} {'usage' if wanted.averageValue is not None else 'utilization'}"
        try:
            metrics = _of(name, target)
            common = (calibration, self._patience, self._now)
            if wanted.averageValue is not None:
                limit = milli(wanted.averageValue)
                found = replicas_for_average(self._current, limit, target.pods, metrics, *common)
                now: dict[str, Any] = {"averageValue": f"{found.current}m"}
                words = f"{name} resource"
            else:
                percent = wanted.averageUtilization or 0
                requests = requests_of(target.pods, name, container)
                found = replicas_for_utilization(self._current, percent, target.pods, metrics, requests, *common)
                now = {"averageUtilization": found.current}
                words = f"{name} resource utilization (percentage of request)"
        except NoMetric as error:
            raise NoMetric(f"{text}: {error}") from None
        if container:
            status = {
                "type": "ContainerResource",
                "containerResource": {"container": container, "name": name, "current": now},
            }
            return found.replicas, f"{name} container resource", status
        return found.replicas, words, {"type": "Resource", "resource": {"name": name, "current": now}}

    # --- pace

    def _normalized(self, recommended: int) -> int:
        """A recommendation made steady and kept within bounds and pace."""
        behavior, memory, now = self._hpa.spec.behavior, self._memory, self._now
        current, bounds = self._current, self._bounds
        if behavior is None:
            steady = stabilized(recommended, memory.wishes, self._window_s, now)
            result = limited(current, steady, bounds)
        else:
            steady = stabilized_by_behavior(current, recommended, memory.wishes, behavior, self._window_s, now)
            result = limited_by_behavior(current, steady, bounds, behavior, memory.ups, memory.downs, now)
        memory.wishes[:] = [seen for seen in memory.wishes if seen.at > now - _LONGEST_MEMORY_S]
        memory.wishes.append(Seen(now, recommended))
        self._say_pace(recommended, steady, result)
        return result.replicas

    def _say_pace(self, recommended: int, steady: int, result: Limited) -> None:
        if steady == recommended:
            self._say(ABLE_TO_SCALE, "True", "ReadyForNewScale", "recommended size matches current size")
        elif steady > recommended:
            text = "recent recommendations were higher than current one, applying the highest recent recommendation"
            self._say(ABLE_TO_SCALE, "True", "ScaleDownStabilized", text)
        else:
            text = "recent recommendations were lower than current one, applying the lowest recent recommendation"
            self._say(ABLE_TO_SCALE, "True", "ScaleUpStabilized", text)
        held = "False" if result.replicas == steady else "True"
        self._say(SCALING_LIMITED, held, result.reason, result.message)

    # --- after the decision

    def rescaled(self) -> None:
        """The template has the wanted replicas now."""
        wanted = self.wanted or 0
        text = f"the HPA controller was able to update the target scale to {wanted}"
        self._say(ABLE_TO_SCALE, "True", "SucceededRescale", text)
        self._status = replace(self._status, lastScaleTime=Time(self._now))
        change = wanted - self._current
        history = self._memory.ups if change > 0 else self._memory.downs
        history[:] = [seen for seen in history if seen.at > self._now - _LONGEST_MEMORY_S]
        history.append(Seen(self._now, abs(change)))

    def failed(self, error: str) -> None:
        """Something could not be had. What was said of it before stays said."""
        if self._status.conditions == self._hpa.status.conditions and self._status.currentReplicas == self._current:
            text = f"the HPA controller was unable to get the target's current scale: {error}"
            if not any(item.type == SCALING_ACTIVE and item.status == "False" for item in self._status.conditions):
                self._say(ABLE_TO_SCALE, "False", "FailedGetScale", text)

    def _say(self, type_: str, status: str, reason: str, message: str) -> None:
        conditions = set_condition(self._status.conditions, Condition(type_, status, reason, message), self._now)
        self._status = replace(self._status, conditions=conditions)


def _of(name: str, target: Target) -> Mapping[str, PodMetric]:
    if name != "cpu":
        raise NoMetric(f"unable to get metrics for resource {name}: only cpu is modelled")
    try:
        return target.metrics()
    except NoMetric as error:
        raise NoMetric(f"unable to get metrics for resource {name}: {error}") from None

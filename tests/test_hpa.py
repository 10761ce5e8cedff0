"""The arithmetic of FederatedHPA, one rule a case."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab.api.autoscaling import HorizontalPodAutoscalerBehavior, ScalingPolicy, ScalingRules
from karmadalab.api.hpa import (
    NoMetric,
    Patience,
    PodMetric,
    Proposal,
    replicas_for_average,
    replicas_for_utilization,
    requests_of,
)
from karmadalab.api.hpa_rules import Bounds, Seen, limited, limited_by_behavior, stabilized, stabilized_by_behavior
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured

NOW = 10_000.0
LONG_AGO = 100.0


def pod(name: str, *, ready: bool = True, since: float = LONG_AGO, phase: str = "Running", cpu: str = "100m") -> Any:
    conditions = [{"type": "Ready", "status": str(ready), "lastTransitionTime": str(Time(since))}]
    status = {"phase": phase, "startTime": str(Time(since)), "conditions": conditions}
    containers = [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]
    return Unstructured("v1", "Pod", ObjectMeta(name=name), {"spec": {"containers": containers}, "status": status})


def pods(count: int) -> list[Any]:
    return [pod(f"p{index}") for index in range(count)]


def leaving(name: str) -> Any:
    return replace(pod(name), metadata=ObjectMeta(name=name, deletionTimestamp=Time(NOW)))


def use(*milli: int, at: float = NOW) -> dict[str, PodMetric]:
    return {f"p{index}": PodMetric(amount, at) for index, amount in enumerate(milli)}


def proposal(current: int, there: list[Any], metrics: dict[str, PodMetric], calibration: float = 1.0) -> Proposal:
    """At a target of 50 % of 100m."""
    return replicas_for_utilization(current, 50, there, metrics, requests_of(there), calibration, Patience(), NOW)


CASES = [
    ("twice the target asks for twice the pods", proposal(2, pods(2), use(100, 100)), (4, 100)),
    ("a fraction of a pod is a pod", proposal(2, pods(2), use(60, 60)), (3, 60)),
    ("within a tenth of the target nothing moves", proposal(2, pods(2), use(54, 54)), (2, 54)),
    ("ten percent too much is a hair more than a tenth, in Go as here", proposal(2, pods(2), use(55, 55)), (3, 55)),
    ("half the target asks for half the pods", proposal(4, pods(4), use(25, 25, 25, 25)), (2, 25)),
    ("pods of three clusters that each run the template count as one",
     proposal(2, pods(6), use(*[100] * 6), 3.0), (4, 100)),
    ("utilization is a whole percent, rounded down", proposal(1, pods(1), use(59)), (2, 59)),
    ("a pod without a metric uses nothing when there is more to do", proposal(2, pods(2), use(104)), (2, 104)),
    ("unless even then there is more to do", proposal(2, pods(2), use(130)), (3, 130)),
    ("a pod without a metric uses all it asked for when there is less", proposal(2, pods(2), use(20)), (2, 20)),
    ("a pending pod is ignored on the way down",
     proposal(3, [*pods(2), pod("p2", phase="Pending")], use(20, 20)), (1, 20)),
    ("a pending pod counts as idle on the way up",
     proposal(3, [*pods(2), pod("p2", phase="Pending")], use(80, 80)), (3, 80)),
    ("a pod that is being deleted does not count",
     proposal(2, [*pods(1), leaving("p1")], use(100, 9)),
     (2, 100)),
    ("a failed pod does not count", proposal(2, [*pods(1), pod("p1", phase="Failed")], use(100, 9)), (2, 100)),
    ("a metric from before a fresh pod was ready is not believed",
     proposal(2, [*pods(1), pod("p1", since=NOW - 10)], use(100, 100, at=NOW - 5)), (2, 100)),
    ("one from a whole window after it is",
     proposal(2, [*pods(1), pod("p1", since=NOW - 20)], use(100, 100)), (4, 100)),
    ("a pod that was never ready in its first thirty seconds does not count, long after its start",
     proposal(2, [*pods(1), pod("p1", ready=False)], use(100, 0)), (2, 100)),
]  # fmt: skip


@pytest.mark.parametrize(("found", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_replicas_for_a_utilization(found: Proposal, expected: tuple[int, int]) -> None:
    assert tuple(found) == expected


def test_an_average_value_is_compared_with_the_pods_own_use() -> None:
    found = replicas_for_average(2, 50, pods(2), use(100, 100), 1.0, Patience(), NOW)
    assert found == Proposal(4, 100)


def test_without_pods_or_metrics_nothing_can_be_said() -> None:
    with pytest.raises(NoMetric, match="no pods returned by selector"):
        proposal(1, [], use(1))
    with pytest.raises(NoMetric, match="did not receive metrics for targeted pods"):
        proposal(1, pods(1), {})
    with pytest.raises(NoMetric, match="missing request for memory in container c of Pod p0"):
        requests_of(pods(1), "memory")


# --- pace -------------------------------------------------------------------------------------------------------------

WIDE = Bounds(1, 100)
LIMITS = [
    ("one step goes to four at least", limited(1, 50, WIDE), (4, "ScaleUpLimit")),
    ("or to twice as many", limited(5, 50, WIDE), (10, "ScaleUpLimit")),
    ("never above maxReplicas", limited(5, 50, Bounds(1, 7)), (7, "TooManyReplicas")),
    ("never below minReplicas", limited(5, 1, Bounds(2, 7)), (2, "TooFewReplicas")),
    ("down goes in one step", limited(50, 3, WIDE), (3, "DesiredWithinRange")),
]


@pytest.mark.parametrize(("found", "expected"), [case[1:] for case in LIMITS], ids=[case[0] for case in LIMITS])
def test_limits_without_a_behavior(found: Any, expected: tuple[int, str]) -> None:
    assert found[:2] == expected


def test_quiet_must_last_for_the_whole_window_before_replicas_go() -> None:
    history = [Seen(NOW - 301, 9), Seen(NOW - 299, 5), Seen(NOW - 10, 3)]
    assert stabilized(2, history, 300.0, NOW) == 5
    assert stabilized(2, history, 300.0, NOW + 2) == 3
    assert stabilized(7, history, 300.0, NOW) == 7


def behavior(up: ScalingRules | None = None, down: ScalingRules | None = None) -> HorizontalPodAutoscalerBehavior:
    return HorizontalPodAutoscalerBehavior(up, down)


def test_a_behavior_may_also_wait_before_it_grows() -> None:
    slow = behavior(ScalingRules(stabilizationWindowSeconds=60), ScalingRules(stabilizationWindowSeconds=0))
    history = [Seen(NOW - 30, 4)]
    assert stabilized_by_behavior(3, 8, history, slow, 300.0, NOW) == 4
    assert stabilized_by_behavior(3, 8, history, slow, 300.0, NOW + 31) == 8
    assert stabilized_by_behavior(3, 1, history, slow, 300.0, NOW) == 1


def rules(select: str, *policies: tuple[str, int, int]) -> ScalingRules:
    return ScalingRules(selectPolicy=select, policies=tuple(ScalingPolicy(*policy) for policy in policies))


PACES = [
    ("so many pods a period", 10, 20, rules("Max", ("Pods", 4, 60)), (), 14),
    ("less what was added in it", 10, 20, rules("Max", ("Pods", 4, 60)), (Seen(NOW - 30, 3),), 11),
    ("what was added before it does not count", 10, 20, rules("Max", ("Pods", 4, 60)), (Seen(NOW - 61, 3),), 14),
    ("so many percent a period, rounded up", 5, 20, rules("Max", ("Percent", 50, 60)), (), 8),
    ("the policy that allows most", 10, 40, rules("Max", ("Pods", 4, 60), ("Percent", 100, 60)), (), 20),
    ("or the one that allows least", 10, 40, rules("Min", ("Pods", 4, 60), ("Percent", 100, 60)), (), 14),
    ("none at all", 10, 40, rules("Disabled", ("Pods", 4, 60)), (), 10),
]


@pytest.mark.parametrize(
    ("current", "desired", "up", "ups", "expected"), [c[1:] for c in PACES], ids=[c[0] for c in PACES]
)
def test_the_pace_of_growing(current: int, desired: int, up: ScalingRules, ups: Any, expected: int) -> None:
    assert limited_by_behavior(current, desired, WIDE, behavior(up=up), ups, (), NOW).replicas == expected


def test_the_pace_of_shrinking_is_reckoned_from_the_beginning_of_the_period_too() -> None:
    down = behavior(down=rules("Max", ("Pods", 2, 60)))
    assert limited_by_behavior(10, 1, WIDE, down, (), (), NOW).replicas == 8
    assert limited_by_behavior(9, 1, WIDE, down, (), (Seen(NOW - 30, 1),), NOW).replicas == 8
    percent = behavior(down=rules("Max", ("Percent", 50, 60)))
    assert limited_by_behavior(5, 1, WIDE, percent, (), (), NOW).replicas == 2

"""How many replicas a load asks for: the arithmetic of Kubernetes' autoscaler, as FederatedHPA uses it.

The pods of all clusters are looked at together. A pod that has just started counts as using nothing when there is more
to do, one without a metric as using all it asked for when there is less: the autoscaler errs on the side of doing
nothing. Nothing here reads the time; `now` is handed in.

Mirrors pkg/controllers/federatedhpa/replica_calculator.go. Not modelled: custom and external metrics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from karmadalab.api.errors import KarmadalabError
from karmadalab.api.quantity import milli
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured


class NoMetric(KarmadalabError):
    """A metric can't be had, or says nothing about these pods."""


class PodMetric(NamedTuple):
    """What a pod uses.

    Attributes:
        milli: thousandths of a core.
        at: when it was measured, Unix seconds.
        window_s: over which time.
    """

    milli: int
    at: float
    window_s: float = 15.0


class Patience(NamedTuple):
    """The flags that say how much is trusted.

    Attributes:
        tolerance: `--horizontal-pod-autoscaler-tolerance`.
        cpu_initialization_s: `...-cpu-initialization-period`.
        initial_readiness_s: `...-initial-readiness-delay`.
    """

    tolerance: float = 0.1
    cpu_initialization_s: float = 300.0
    initial_readiness_s: float = 30.0


class Groups(NamedTuple):
    """Pods, sorted by what is known of them: a number, and names."""

    ready: int
    unready: frozenset[str]
    missing: frozenset[str]
    ignored: frozenset[str]


class Proposal(NamedTuple):
    """How many replicas the template should have, and what they use now (percent of requests, or milli a pod)."""

    replicas: int
    current: int


def group_pods(
    pods: Sequence[Unstructured], metrics: Mapping[str, PodMetric], patience: Patience, now: float
) -> Groups:
    """Sort pods: ready ones are believed; those that have only begun, have no metric, or are leaving are not."""
    ready, unready, missing, ignored = 0, set(), set(), set()
    for pod in pods:
        name, phase = pod.metadata.name, pod.status.get("phase")
        if pod.metadata.deletionTimestamp is not None or phase == "Failed":
            ignored.add(name)
        elif phase == "Pending":
            unready.add(name)
        elif name not in metrics:
            missing.add(name)
        elif _is_unready(pod, metrics[name], patience, now):
            unready.add(name)
        else:
            ready += 1
    return Groups(ready, frozenset(unready), frozenset(missing), frozenset(ignored))


def _is_unready(pod: Unstructured, metric: PodMetric, patience: Patience, now: float) -> bool:
    condition = next((item for item in pod.status.get("conditions") or () if item["type"] == "Ready"), None)
    started, since = pod.status.get("startTime"), (condition or {}).get("lastTransitionTime")
    if condition is None or started is None:
        return True
    not_ready = condition["status"] == "False"
    start_s = float(Time.parse(started))
    since_s = float(Time.parse(since)) if since else start_s
    if start_s + patience.cpu_initialization_s > now:
        return bool(not_ready or metric.at < since_s + metric.window_s)
    return bool(not_ready and start_s + patience.initial_readiness_s > since_s)


def requests_of(pods: Sequence[Unstructured], resource: str = "cpu", container: str = "") -> dict[str, int]:
    """What each pod asks for, in thousandths.

    Args:
        container: only of this container; all by default.

    Raises:
        NoMetric: a container asks for none of it, so that its share can't be told.
    """
    return {pod.metadata.name: sum(_container_requests(pod, resource, container)) for pod in pods}


def _container_requests(pod: Unstructured, resource: str, container: str) -> list[int]:
    found = []
    for item in pod.spec.get("containers") or ():
        if container and item.get("name") != container:
            continue
        amount = ((item.get("resources") or {}).get("requests") or {}).get(resource)
        if amount is None:
            raise NoMetric(f"missing request for {resource} in container {item.get('name')} of Pod {pod.metadata.name}")
        found.append(milli(amount))
    return found


def utilization(metrics: Mapping[str, PodMetric], requests: Mapping[str, int]) -> int:
    """Percent of what was asked for, over all pods that have both, rounded down.

    >>> utilization({"a": PodMetric(150, 0.0), "b": PodMetric(50, 0.0)}, {"a": 100, "b": 100})
    100
    """
    names = [name for name in metrics if name in requests]
    asked = sum(requests[name] for name in names)
    if not asked:
        raise NoMetric("no metrics returned matched known pods")
    return sum(metrics[name].milli for name in names) * 100 // asked


def replicas_for_utilization(
    current: int,
    target_percent: int,
    pods: Sequence[Unstructured],
    metrics: Mapping[str, PodMetric],
    requests: Mapping[str, int],
    calibration: float,
    patience: Patience,
    now: float,
) -> Proposal:
    """The replicas with which pods would use `target_percent` of their requests.

    Args:
        current: the template's replicas.
        calibration: replicas of all clusters by those of the template; 3 for a Duplicated workload in three clusters.

    Raises:
        NoMetric: nothing can be said.
    """
    groups, known = _known(pods, metrics, patience, now)
    percent = utilization(known, requests)
    ratio = percent / target_percent
    fallback = max(100, target_percent)
    filled = _filled(groups, known, ratio, {name: requests[name] * fallback // 100 for name in groups.missing})
    if filled is None:
        return Proposal(_plain(current, ratio, groups.ready, calibration, patience), percent)
    again = utilization(filled, requests) / target_percent
    return Proposal(_careful(current, ratio, again, len(filled), calibration, patience), percent)


def replicas_for_average(
    current: int,
    target_milli: int,
    pods: Sequence[Unstructured],
    metrics: Mapping[str, PodMetric],
    calibration: float,
    patience: Patience,
    now: float,
) -> Proposal:
    """The replicas with which each pod would use `target_milli` thousandths of a core; else as by utilization."""
    groups, known = _known(pods, metrics, patience, now)
    average = sum(metric.milli for metric in known.values()) // len(known)
    ratio = average / target_milli
    filled = _filled(groups, known, ratio, dict.fromkeys(groups.missing, target_milli))
    if filled is None:
        return Proposal(_plain(current, ratio, groups.ready, calibration, patience), average)
    again = sum(metric.milli for metric in filled.values()) // len(filled) / target_milli
    return Proposal(_careful(current, ratio, again, len(filled), calibration, patience), average)


def _known(
    pods: Sequence[Unstructured], metrics: Mapping[str, PodMetric], patience: Patience, now: float
) -> tuple[Groups, dict[str, PodMetric]]:
    if not pods:
        raise NoMetric("no pods returned by selector while calculating replica count")
    groups = group_pods(pods, metrics, patience, now)
    left_out = groups.unready | groups.ignored
    names = {pod.metadata.name for pod in pods}
    known = {name: metric for name, metric in metrics.items() if name in names and name not in left_out}
    if not known:
        raise NoMetric("did not receive metrics for targeted pods (pods might be unready)")
    return groups, known


def _filled(
    groups: Groups, known: dict[str, PodMetric], ratio: float, fallback: Mapping[str, int]
) -> dict[str, PodMetric] | None:
    """The metrics with cautious guesses for pods that have none; None when no guess is needed."""
    rises = ratio > 1.0
    if not groups.missing and not (rises and groups.unready):
        return None
    guesses: dict[str, Any] = {}
    if ratio < 1.0:
        guesses |= {name: PodMetric(fallback[name], 0.0) for name in groups.missing}
    elif rises:
        guesses |= {name: PodMetric(0, 0.0) for name in groups.missing | groups.unready}
    return {**known, **guesses}


def _plain(current: int, ratio: float, ready: int, calibration: float, patience: Patience) -> int:
    if abs(1.0 - ratio) <= patience.tolerance:
        return current
    return ceil(ratio * ready / calibration)


def _careful(current: int, ratio: float, again: float, counted: int, calibration: float, patience: Patience) -> int:
    """With guesses made, a change is only taken when it still points the same way."""
    if abs(1.0 - again) <= patience.tolerance or (ratio < 1.0 < again) or (again < 1.0 < ratio):
        return current
    replicas = ceil(again * counted / calibration)
    if (again < 1.0 and replicas > current) or (again > 1.0 and replicas < current):
        return current
    return replicas

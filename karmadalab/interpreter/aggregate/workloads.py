"""Kinds whose status is counters: the template shows their sums.

`observedGeneration` of the template moves on only when every member reports a status for the template's newest
generation that its own controller has caught up with; until then `kubectl rollout status` keeps waiting. Conditions of
the members are not aggregated: there is no `Available` on a template.
"""

from __future__ import annotations

from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import AggregatedStatusItem
from karmadalab.interpreter.status import StatusDict, put, statuses, total, with_new_status

Items = tuple[AggregatedStatusItem, ...]

_DEPLOYMENT = ("replicas", "readyReplicas", "updatedReplicas", "availableReplicas", "unavailableReplicas")
_STATEFUL_SET = ("replicas", "readyReplicas", "updatedReplicas", "availableReplicas", "currentReplicas")
_DAEMON_SET = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
)
_BUDGET = ("currentHealthy", "desiredHealthy", "expectedPods", "disruptionsAllowed")


def aggregate_deployment(template: Unstructured, items: Items, now: float) -> Unstructured:
    """Deployment: sums, and the generation all members have reached."""
    return sum_workload(template, items, _DEPLOYMENT)


def aggregate_stateful_set(template: Unstructured, items: Items, now: float) -> Unstructured:
    """StatefulSet: sums; revisions differ between members and are left alone."""
    return sum_workload(template, items, _STATEFUL_SET, ("replicas", "availableReplicas"))


def aggregate_daemon_set(template: Unstructured, items: Items, now: float) -> Unstructured:
    """DaemonSet: sums over the nodes of all members."""
    return sum_workload(template, items, _DAEMON_SET, _DAEMON_SET[:4])


def aggregate_autoscaler(template: Unstructured, items: Items, now: float) -> Unstructured:
    """HorizontalPodAutoscaler: current and desired replicas."""
    sums = {field: total(statuses(items), field) for field in ("currentReplicas", "desiredReplicas")}
    status = put(
        template.status,
        {"currentMetrics": template.status.get("currentMetrics"), **sums},
        ("currentMetrics", "desiredReplicas"),
    )
    return with_new_status(template, status)


def aggregate_disruption_budget(template: Unstructured, items: Items, now: float) -> Unstructured:
    """PodDisruptionBudget: sums; a pod being disrupted is named `cluster/pod`."""
    sums: StatusDict = {field: total(statuses(items), field) for field in _BUDGET}
    sums["disruptedPods"] = {
        f"{item.clusterName}/{pod}": since
        for item in items
        for pod, since in ((item.status or {}).get("disruptedPods") or {}).items()
    }
    return with_new_status(template, put(template.status, sums, _BUDGET))


def sum_workload(
    template: Unstructured, items: Items, fields: tuple[str, ...], always: tuple[str, ...] = ()
) -> Unstructured:
    """The template with the sums of these counters, and the generation that all members have reached."""
    sums = {field: total(statuses(items), field) for field in fields}
    sums["observedGeneration"] = _observed_generation(template, items)
    return with_new_status(template, put(template.status, sums, always))


def _observed_generation(template: Unstructured, items: Items) -> int:
    """The template's generation when every member has caught up with it, else what the template said before."""
    generation = template.metadata.generation
    caught_up = sum(
        (status.get("resourceTemplateGeneration") or 0) >= generation
        and (status.get("observedGeneration") or 0) >= (status.get("generation") or 0)
        for status in statuses(items)
    )
    return generation if caught_up == len(items) else template.status.get("observedGeneration") or 0

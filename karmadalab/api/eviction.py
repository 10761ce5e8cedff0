"""Giving a cluster up: what a binding looks like afterwards, and what of the workload's state is taken along."""

from __future__ import annotations

from collections.abc import Sequence

from karmadalab.api.errors import KarmadalabError
from karmadalab.api.jsonpath import JsonPathError, evaluate
from karmadalab.api.meta import replace
from karmadalab.api.policy import StatePreservation
from karmadalab.api.work import AggregatedStatusItem, GracefulEvictionTask, ResourceBindingSpec


class StateNotPreserved(KarmadalabError):
    """The state that a failover shall preserve is not there (yet), so the cluster is not given up."""


def evicted(spec: ResourceBindingSpec, task: GracefulEvictionTask) -> ResourceBindingSpec:
    """The binding after it gave up `task.fromCluster`; `spec` itself when it was not scheduled there.

    A cluster that has a task already gets no second one. The task notes how many replicas were lost.
    """
    cluster = task.fromCluster
    target = next((t for t in spec.clusters if t.name == cluster), None)
    if target is None:
        return spec
    clusters = tuple(t for t in spec.clusters if t.name != cluster)
    if any(t.fromCluster == cluster for t in spec.gracefulEvictionTasks):
        return replace(spec, clusters=clusters)
    task = replace(task, replicas=target.replicas or None)
    return replace(spec, clusters=clusters, gracefulEvictionTasks=(*spec.gracefulEvictionTasks, task))


def preserved_state(
    preservation: StatePreservation | None,
    statuses: Sequence[AggregatedStatusItem],
    cluster: str,
    *,
    names_path: bool = False,
) -> dict[str, str]:
    """The labels that carry a workload's state to its next cluster; empty when no rule asks for any.

    Args:
        preservation: the rules, label name to JSONPath into the status.
        statuses: the binding's aggregated status.
        cluster: the cluster that is given up.
        names_path: whether an error names the path, as from v1.18 on.

    Raises:
        StateNotPreserved: the status was not collected, or a path leads nowhere in it.
    """
    if preservation is None or not preservation.rules:
        return {}
    status = next((item.status for item in statuses if item.clusterName == cluster), None)
    if status is None:
        raise StateNotPreserved(f"the application status has not yet been collected from Cluster({cluster})")
    labels = {}
    for rule in preservation.rules:
        try:
            labels[rule.aliasLabelName] = evaluate(rule.jsonPath, status)
        except JsonPathError as error:
            which = f'failed to execute jsonpath "{rule.jsonPath}": ' if names_path else ""
            raise StateNotPreserved(f"{which}{error}") from None
    return labels

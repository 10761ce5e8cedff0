"""remedy-controller: what to do about a cluster with a certain condition.

A Remedy says: while a cluster's condition looks like this, these actions apply to it. The controller only writes the
list of actions into the cluster's status; whoever carries them out (a load balancer, say, that takes the cluster out of
its rotation) reads them there.

Mirrors pkg/controllers/remediation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karmadalab.api.cluster import Cluster
from karmadalab.api.meta import Condition, condition, replace
from karmadalab.api.remedy import ClusterConditionRequirement, Remedy
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "remedy-controller"


# --- decisions -------------------------------------------------------------------------------------------------------


def requirement_met(requirement: ClusterConditionRequirement, conditions: tuple[Condition, ...]) -> bool:
    """Whether the condition is as the requirement says. One that is absent never is, not even for `NotEqual`."""
    found = condition(conditions, requirement.conditionType)
    if found is None:
        return False
    same = found.status == requirement.conditionStatus
    return same if requirement.operator == "Equal" else not same and requirement.operator == "NotEqual"


def applies(remedy: Remedy, cluster: Cluster) -> bool:
    """Whether a remedy is for a cluster as it is now.

    No affinity means every cluster, an empty list of names none. One match of several is enough; no matches at all mean
    always.
    """
    spec = remedy.spec
    if spec.clusterAffinity is not None and cluster.metadata.name not in spec.clusterAffinity.clusterNames:
        return False
    matches = [match.clusterConditionMatch for match in spec.decisionMatches]
    conditions = cluster.status.conditions
    return not matches or any(match is not None and requirement_met(match, conditions) for match in matches)


def remedy_actions(remedies: Iterable[Remedy], cluster: Cluster) -> tuple[str, ...]:
    """The actions that apply to a cluster, sorted."""
    return tuple(sorted({action for remedy in remedies if applies(remedy, cluster) for action in remedy.spec.actions}))


# --- the controller --------------------------------------------------------------------------------------------------


class RemedyController:
    """The reconciler. Its requests are clusters."""

    name = NAME

    def __init__(self, store: Store) -> None:
        self._store = store

    def watches(self) -> Sequence[Watch]:
        """Clusters, when their conditions change; remedies, which may concern any cluster."""
        return [Watch(self._store, Cluster, self._cluster_event), Watch(self._store, Remedy, self._remedy_event)]

    @staticmethod
    def _cluster_event(event: str, old: Any, new: Any) -> Sequence[Request]:
        if event == "DELETED" or (old is not None and old.status.conditions == new.status.conditions):
            return ()
        return (Request("", new.metadata.name),)

    def _remedy_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        if event == "MODIFIED" and old.spec == new.spec:
            return ()
        return [Request("", cluster.metadata.name) for cluster in self._store.list(Cluster)]

    def reconcile(self, request: Request) -> Result:
        """Write the actions that apply to a cluster."""
        cluster = self._store.find(Cluster, request.name)
        if cluster is None or cluster.metadata.deletionTimestamp is not None:
            return DONE
        actions = remedy_actions(self._store.list(Remedy), cluster)
        if actions != cluster.status.remedyActions:
            self._store.update_status(replace(cluster, status=replace(cluster.status, remedyActions=actions)))
        return DONE

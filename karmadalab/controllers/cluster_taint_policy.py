"""clustertaintpolicy: taints by condition, as the fleet's owner wants them. Profile v1.18 only.

From v1.15 on Karmada adds no NoExecute taint by itself. A ClusterTaintPolicy says which taints a cluster gets while its
conditions look one way, and loses while they look another. The policies work one after the other, oldest first, each on
the taints that the ones before have left.

Mirrors pkg/controllers/taint. A taint that somebody removes by hand stays away until the conditions change again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from karmadalab.api.affinity import cluster_matches
from karmadalab.api.cluster import Cluster
from karmadalab.api.meta import Condition, Taint, replace
from karmadalab.api.policy import ClusterTaintPolicy, MatchCondition
from karmadalab.api.time import Time
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "clustertaintpolicy"


# --- decisions -------------------------------------------------------------------------------------------------------


def conditions_match(matches: Sequence[MatchCondition], conditions: tuple[Condition, ...]) -> bool:
    """Whether all that is asked of the conditions holds. Nothing asked never matches."""
    return bool(matches) and all(_matches(match, conditions) for match in matches)


def _matches(match: MatchCondition, conditions: tuple[Condition, ...]) -> bool:
    """A condition that is absent never matches, not even for `NotIn`.

    If there are several of the type, `In` is content with one of them, and for `NotIn` the last one counts.
    """
    found = [condition.status for condition in conditions if condition.type == match.conditionType]
    if not found:
        return False
    if match.operator == "In":
        return any(status in match.statusValues for status in found)
    return match.operator == "NotIn" and found[-1] not in match.statusValues


def taints_by_policies(cluster: Cluster, policies: Iterable[ClusterTaintPolicy], now: float) -> tuple[Taint, ...]:
    """The taints of a cluster after all policies; the very same tuple when nothing changes.

    A taint is known by key and effect: a policy neither replaces one with another value, nor is it kept from removing
    one. Each policy adds before it removes, so what it does both with is gone.
    """
    taints, conditions = cluster.spec.taints, cluster.status.conditions
    for policy in policies:
        spec = policy.spec
        if spec.targetClusters is not None and not cluster_matches(cluster, spec.targetClusters, any_zone=True):
            continue
        if conditions_match(spec.addOnConditions, conditions):
            taints = _with(taints, spec.taints, now)
        if conditions_match(spec.removeOnConditions, conditions):
            taints = _without(taints, spec.taints)
    return cluster.spec.taints if taints == cluster.spec.taints else taints


def _with(taints: tuple[Taint, ...], new: Iterable[Taint], now: float) -> tuple[Taint, ...]:
    for taint in new:
        if all((known.key, known.effect) != (taint.key, taint.effect) for known in taints):
            taints = (*taints, replace(taint, timeAdded=Time(now)))
    return taints


def _without(taints: tuple[Taint, ...], gone: Iterable[Taint]) -> tuple[Taint, ...]:
    for taint in gone:
        for index, known in enumerate(taints):
            if (known.key, known.effect) == (taint.key, taint.effect):
                taints = (*taints[:index], *taints[index + 1 :])
                break
    return taints


def oldest_first(policies: Iterable[ClusterTaintPolicy]) -> list[ClusterTaintPolicy]:
    """The policies in the order in which they work; Karmada leaves the order of equals to chance, we take the name."""
    return sorted(policies, key=lambda p: (p.metadata.creationTimestamp or 0, p.metadata.name))


# --- the controller --------------------------------------------------------------------------------------------------


class ClusterTaintPolicyController:
    """The reconciler. Its requests are clusters."""

    name = NAME

    def __init__(self, manager: Manager, store: Store) -> None:
        self._store = store
        self._now: Callable[[], float] = manager.clock.now
        settings = manager.settings
        self._enabled = settings.profile != "v1.13" and settings.gate("Failover")

    def watches(self) -> Sequence[Watch]:
        """Clusters whose conditions changed; policies whose spec changed, for the clusters they match now."""
        if not self._enabled:
            return []
        return [
            Watch(self._store, Cluster, self._cluster_event),
            Watch(self._store, ClusterTaintPolicy, self._policy_event),
        ]

    @staticmethod
    def _cluster_event(event: str, old: Any, new: Any) -> Sequence[Request]:
        if event == "DELETED" or (old is not None and old.status.conditions == new.status.conditions):
            return ()
        return (Request("", new.metadata.name),)

    def _policy_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        if event == "DELETED" or (old is not None and old.spec == new.spec):
            return
        targets = new.spec.targetClusters
        for cluster in self._store.list(Cluster):
            if targets is None or cluster_matches(cluster, targets, any_zone=True):
                yield Request("", cluster.metadata.name)

    def reconcile(self, request: Request) -> Result:
        """Bring a cluster's taints to what the policies say."""
        cluster: Cluster | None = self._store.find(Cluster, request.name)
        if cluster is None:
            return DONE
        policies = oldest_first(self._store.list(ClusterTaintPolicy))
        taints = taints_by_policies(cluster, policies, self._now())
        if taints is not cluster.spec.taints:
            self._store.update(replace(cluster, spec=replace(cluster.spec, taints=taints)))
        return DONE

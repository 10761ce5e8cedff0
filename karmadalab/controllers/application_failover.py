"""application-failover-controller: a workload that stays unhealthy leaves its cluster, though the cluster is well.

A cluster can be in perfect health while one application in it is not: a missing node type, a broken dependency, bad
local data. A policy with `failover.application` says for how long that is borne. This controller remembers since when a
workload has been Unhealthy on a cluster and then gives the cluster up, with the state that the rules want preserved.

Mirrors pkg/controllers/applicationfailover. The memory is lost with the process: after a restart patience starts anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from karmadalab.api.eviction import evicted, preserved_state
from karmadalab.api.meta import replace
from karmadalab.api.policy import GRACEFULLY, GRACIOUSLY, NEVER, ApplicationFailoverBehavior
from karmadalab.api.unstructured import group_kind
from karmadalab.api.work import (
    BINDING_KINDS,
    HEALTHY,
    UNHEALTHY,
    UNKNOWN,
    AnyBinding,
    ClusterResourceBinding,
    GracefulEvictionTask,
    ResourceBinding,
    ResourceBindingSpec,
    evicting_clusters,
    selected_clusters,
)
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.settings import Settings
from karmadalab.core.store import Store
from karmadalab.interpreter import Interpreter

NAME = "application-failover-controller"
REASON = "ApplicationFailure"
DEFAULT_TOLERATION_S = 300

# A timer is always a moment late. Without that moment the look at the end of the toleration would find it not yet over,
# leave nothing to wait for, and the workload would stay until the next event.
LATE_S = 0.001

_PRODUCERS = {
    "ResourceBinding": "resource-binding-application-failover-controller",
    "ClusterResourceBinding": "cluster-resource-binding-application-failover-controller",
}


# --- decisions --------------------------------------------------------------------------------------------------------


class Patience(NamedTuple):
    """What a look at the unhealthy clusters of one binding yields.

    Attributes:
        since: cluster to Unix seconds, when each was first seen unhealthy; those seen now included.
        exhausted: the clusters that have been unhealthy for too long.
        requeue_after_s: seconds until the next one may be; 0 for never.
    """

    since: dict[str, float]
    exhausted: tuple[str, ...]
    requeue_after_s: float


def patience(unhealthy: Sequence[str], since: dict[str, float], toleration_s: int, now: float) -> Patience:
    """Which clusters have tried our patience for long enough.

    The time must have passed in full. What is left is counted in whole seconds, rounded up; a cluster that is exactly
    at the end has 0 left, which is no requeue at all: it then waits for the next event.

    >>> patience(["a", "b"], {"a": 0.0}, 30, 40.0)
    Patience(since={'a': 0.0, 'b': 40.0}, exhausted=('a',), requeue_after_s=30)
    """
    remembered = {**since}
    exhausted, left = [], []
    for cluster in unhealthy:
        if cluster not in since:
            remembered[cluster] = now
            left.append(toleration_s)
        elif now > since[cluster] + toleration_s:
            exhausted.append(cluster)
        else:
            left.append(toleration_s - math.floor(now - since[cluster]))
    return Patience(remembered, tuple(exhausted), min(left, default=0))


def still_relevant(since: dict[str, float], binding: AnyBinding) -> dict[str, float]:
    """What to remember: clusters that are scheduled to and not reported Healthy or Unknown.

    Unknown resets the patience; a status without any health neither starts nor resets it.
    """
    calm = {item.clusterName for item in binding.status.aggregatedStatus if item.health in (HEALTHY, UNKNOWN)}
    return {name: at for name, at in since.items() if name in selected_clusters(binding.spec) and name not in calm}


def unhealthy_clusters(binding: AnyBinding) -> tuple[str, ...]:
    """The clusters with an unhealthy copy that is not being evicted already, in the order of the status."""
    leaving = evicting_clusters(binding.spec)
    items = binding.status.aggregatedStatus
    return tuple(i.clusterName for i in items if i.health == UNHEALTHY and i.clusterName not in leaving)


def eviction_task(
    binding: AnyBinding, behavior: ApplicationFailoverBehavior, cluster: str, settings: Settings
) -> GracefulEvictionTask:
    """The task for a cluster that is given up.

    Raises:
        Retry: the purge mode is graceful, but the gate `GracefulEviction` is off.
        StateNotPreserved: there are rules and the state is not there.
    """
    state: dict[str, str] = {}
    if settings.gate("StatefulFailoverInjection"):
        statuses, named = binding.status.aggregatedStatus, settings.profile != "v1.13"
        state = preserved_state(behavior.statePreservation, statuses, cluster, names_path=named)
    mode = behavior.purgeMode
    if mode in (GRACIOUSLY, GRACEFULLY) and not settings.gate("GracefulEviction"):
        raise Retry(f"GracefulEviction featureGate must be enabled when purgeMode is {mode}")
    return GracefulEvictionTask(
        fromCluster=cluster,
        purgeMode=mode,
        reason=REASON,
        producer=_PRODUCERS[binding.kind],
        gracePeriodSeconds=behavior.gracePeriodSeconds if mode in (GRACIOUSLY, GRACEFULLY) else None,
        suppressDeletion=True if mode == NEVER else None,
        preservedLabelState=state,
        clustersBeforeFailover=tuple(target.name for target in binding.spec.clusters) if state else (),
    )


# --- the controller ---------------------------------------------------------------------------------------------------


class ApplicationFailoverController:
    """The reconciler, for bindings of both kinds."""

    name = NAME

    def __init__(self, manager: Manager, store: Store, interpreter: Interpreter) -> None:
        self._store = store
        self._interpreter = interpreter
        self._settings = manager.settings
        self._now: Callable[[], float] = manager.clock.now
        self._since: dict[Request, dict[str, float]] = {}

    def watches(self) -> Sequence[Watch]:
        """Bindings that ask for it, or did."""
        return [Watch(self._store, kind, self._binding_event) for kind in BINDING_KINDS]

    def _binding_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        request = Request(new.metadata.namespace, new.metadata.name, new.kind)
        failover = new.spec.failover
        if (failover is None or failover.application is None) and request not in self._since:
            return ()
        return (request,)

    def reconcile(self, request: Request) -> Result:
        """Give up the clusters on which the workload has been unhealthy for too long."""
        kind = ResourceBinding if request.kind == "ResourceBinding" else ClusterResourceBinding
        binding: AnyBinding | None = self._store.find(kind, request.name, request.namespace)
        behavior = self._behavior(binding) if binding is not None else None
        if binding is None or behavior is None:
            self._since.pop(request, None)
            return DONE
        seconds = behavior.decisionConditions.tolerationSeconds
        toleration_s = DEFAULT_TOLERATION_S if seconds is None else seconds
        seen = patience(unhealthy_clusters(binding), self._since.get(request, {}), toleration_s, self._now())
        self._since[request] = seen.since
        spec = self._without(binding, behavior, seen.exhausted)
        if spec is not binding.spec:
            binding = self._store.update(replace(binding, spec=spec))
        self._since[request] = still_relevant(seen.since, binding)
        return Result(seen.requeue_after_s + LATE_S if seen.requeue_after_s else None)

    def _behavior(self, binding: AnyBinding) -> ApplicationFailoverBehavior | None:
        """How the workload fails over; None when it doesn't: nobody asked, or nobody can tell its health."""
        spec = binding.spec
        if not spec.failover or not spec.failover.application or not binding.status.aggregatedStatus:
            return None
        kind = group_kind(spec.resource.apiVersion, spec.resource.kind)
        if not spec.propagateDeps or not self._interpreter.hook_enabled(kind, "interpret_health"):
            return None
        return spec.failover.application

    def _without(
        self, binding: AnyBinding, behavior: ApplicationFailoverBehavior, clusters: Sequence[str]
    ) -> ResourceBindingSpec:
        spec = binding.spec
        for cluster in clusters:
            spec = evicted(spec, eviction_task(binding, behavior, cluster, self._settings))
        return spec

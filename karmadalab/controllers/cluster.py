"""cluster-controller: execution namespaces, taints by condition, and the health monitor.

A fleet has two ways to learn that a cluster is gone. In push mode somebody asks it; in pull mode somebody must notice
that it went quiet. The monitor here is that somebody: every `--cluster-monitor-period` it looks at each cluster's Ready
condition and lease, turns silent pull clusters to Unknown, and after `--failover-eviction-timeout` adds the NoExecute
taint that sets workloads in motion. The reconciler turns the condition into NoSchedule taints at once.

Mirrors pkg/controllers/cluster/cluster_controller.go; the decisions are in `api.health` and `api.taints`. What the
monitor knows is in memory only: after a restart every cluster gets a fresh grace period.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from karmadalab.api.cluster import (
    CLUSTER_FINALIZER,
    LEASE_NAMESPACE,
    PULL,
    PUSH,
    READY,
    TERMINATING_NO_EXECUTE,
    Cluster,
    execution_namespace,
    is_ready,
    ready_condition,
)
from karmadalab.api.errors import ApiError
from karmadalab.api.health import (
    ClusterHealth,
    Heard,
    SilenceRule,
    condition_of_silence,
    observe_health,
    observe_lease,
)
from karmadalab.api.meta import Condition, ObjectMeta, Taint, replace, set_condition
from karmadalab.api.native import Lease
from karmadalab.api.taints import TaintRule, taints_by_condition, taints_by_time, with_taints
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import BINDING_KINDS, EXECUTION_FINALIZER, Work
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "cluster-controller"
CLEANUP_REQUEUE_S = 10.0

# The monitor pauses for a full period after each pass, and a pass takes a moment (measured: 1.6 ms), so its ticks
# drift. That is why a time-out that is a multiple of the period ends at the tick that falls on it, not one tick later.
PASS_S = 0.0016


class ClusterController:
    """The reconciler and its health monitor.

    Args:
        manager: the process; its settings are used and its loop drives the monitor.
        store: the control plane.
        first_tick_s: seconds until the monitor's first pass.

    Attributes:
        by_condition: from the Ready condition to the NoSchedule taints; students bring their own.
        by_silence: from what was heard of a reporting pull cluster to whether it is silent; None for Karmada's own
            `observe_health`, `observe_lease` and `condition_of_silence`. Students bring their own.
    """

    name = NAME

    def __init__(self, manager: Manager, store: Store, first_tick_s: float = 0.0) -> None:
        self._store = store
        self._settings = manager.settings
        self._evicts = manager.settings.profile == "v1.13"  # NoExecute taints by itself; v1.18 leaves them to policies
        self._trace = manager.trace
        self._now: Callable[[], float] = manager.clock.now
        self.by_condition: TaintRule = taints_by_condition
        self.by_silence: SilenceRule | None = None
        self._heard: dict[str, Heard] = {}
        self._health: dict[str, ClusterHealth] = {}
        self._ready_rows: dict[str, int | None] = {}
        manager.every(self._settings.cluster_monitor_period + PASS_S, self.monitor_all, first_tick_s)

    def watches(self) -> Sequence[Watch]:
        """Every change of a cluster."""
        return [Watch(self._store, Cluster, self._cluster_event)]

    def _cluster_event(self, event: str, old: Any, new: Any) -> tuple[Request]:
        name = new.metadata.name
        if old is None or ready_condition(old) != ready_condition(new):
            self._ready_rows[name] = self._trace.cause  # what a later NoExecute taint will be due to
        return (Request("", name),)

    def reconcile(self, request: Request) -> Result:
        """Give a cluster its execution namespace, its NoSchedule taints and its finalizer, or see it off."""
        cluster = self._store.find(Cluster, request.name)
        if cluster is None:
            for memory in (self._health, self._heard, self._ready_rows):
                memory.pop(request.name, None)
            return DONE
        if cluster.metadata.deletionTimestamp is not None:
            return self._remove(cluster)
        self._create_execution_namespace(cluster.metadata.name)
        taints = self.by_condition(ready_condition(cluster), cluster.spec.taints, self._now())
        cluster = self._set_taints(cluster, taints)
        if CLUSTER_FINALIZER not in cluster.metadata.finalizers:
            self._set_finalizers(cluster, (*cluster.metadata.finalizers, CLUSTER_FINALIZER))
        return DONE

    def _create_execution_namespace(self, cluster_name: str) -> None:
        name = execution_namespace(cluster_name)
        if self._store.find("Namespace", name) is None:
            labels = {"karmada.io/system": "true"}
            self._store.create(Unstructured("v1", "Namespace", ObjectMeta(name=name, labels=labels)))

    def _set_taints(self, cluster: Cluster, taints: tuple[Taint, ...]) -> Cluster:
        if taints is cluster.spec.taints:
            return cluster
        updated: Cluster = self._store.update(replace(cluster, spec=replace(cluster.spec, taints=taints)))
        return updated

    def _set_finalizers(self, cluster: Cluster, finalizers: tuple[str, ...]) -> None:
        self._store.update(replace(cluster, metadata=replace(cluster.metadata, finalizers=finalizers)))

    # --- leaving

    def _remove(self, cluster: Cluster) -> Result:
        """Evict, remove the execution namespace, and let the cluster go when nothing is bound to it any more.

        From v1.18 on there is no taint that evicts: the scheduler takes a cluster that leaves for unfit.
        """
        if self._evicts:
            taints = with_taints(cluster.spec.taints, [TERMINATING_NO_EXECUTE], [], self._now())
            cluster = self._set_taints(cluster, taints)
        name = cluster.metadata.name
        if cluster.spec.syncMode == PULL and not is_ready(cluster):
            self._release_works(name)
        namespace = self._store.find("Namespace", execution_namespace(name))
        if namespace is not None:
            if namespace.metadata.deletionTimestamp is None:
                self._store.delete("Namespace", namespace.metadata.name)  # its Works go with it
            return Result(CLEANUP_REQUEUE_S)
        self._health.pop(name, None)
        self._heard.pop(name, None)
        if (self._settings.enable_taint_manager or not self._evicts) and self._is_bound(name):
            return Result(CLEANUP_REQUEUE_S)
        self._set_finalizers(cluster, tuple(f for f in cluster.metadata.finalizers if f != CLUSTER_FINALIZER))
        return DONE

    def _release_works(self, cluster_name: str) -> None:
        """A pull cluster that can't answer can't finish its Works either."""
        for work in self._store.list(Work, execution_namespace(cluster_name)):
            finalizers = tuple(f for f in work.metadata.finalizers if f != EXECUTION_FINALIZER)
            if finalizers != work.metadata.finalizers:
                self._store.update(replace(work, metadata=replace(work.metadata, finalizers=finalizers)))

    def _is_bound(self, cluster_name: str) -> bool:
        """Only `spec.clusters` holds a cluster back; eviction tasks don't."""
        return any(
            target.name == cluster_name
            for kind in BINDING_KINDS
            for binding in self._store.list(kind)
            for target in binding.spec.clusters
        )

    # --- the health monitor

    def monitor_all(self) -> None:
        """One pass of the health monitor over all clusters."""
        trace = self._trace
        with trace.acting(NAME, None):
            for cluster in self._store.list(Cluster):
                trace.cause = self._ready_rows.get(cluster.metadata.name)
                try:
                    self._monitor(cluster)
                except ApiError as error:  # the next pass is soon enough
                    trace.note(NAME, cluster.metadata.name, f"monitor: {error}")

    def _monitor(self, cluster: Cluster) -> None:
        now = self._now()
        name = cluster.metadata.name
        observed = ready = ready_condition(cluster)
        before = self._health.get(name)
        health = observe_health(before, cluster, now)
        if cluster.spec.syncMode != PUSH:
            lease = self._store.find(Lease, name, LEASE_NAMESPACE)
            renewed_at = lease.spec.renewTime if lease is not None else None
            health, silence = self._listen(name, health, before, ready, renewed_at)
            if silence is not None:
                self._trace.cause = self._trace.blame.get(name, self._trace.cause)
                cluster = self._write_condition(cluster, silence)
                ready = silence
                health = ClusterHealth(health.probed_at, now, silence, True, renewed_at)
        self._health[name] = health
        if ready is not None and self._evicts:
            self._taint_by_time(cluster, observed or _never_reported(cluster), health, now)

    def _listen(
        self,
        name: str,
        health: ClusterHealth,
        before: ClusterHealth | None,
        ready: Condition | None,
        renewed_at: float | None,
    ) -> tuple[ClusterHealth, Condition | None]:
        """What is known after a look at the lease, and the condition to write if the cluster is silent."""
        now, settings = self._now(), self._settings
        graces_s = settings.cluster_monitor_grace_period, settings.cluster_startup_grace_period
        if self.by_silence is None or ready is None:
            health = observe_lease(health, before, renewed_at, now)
            return health, condition_of_silence(health, ready, *graces_s, now)
        heard, silent = self.by_silence(self._heard.get(name), ready, renewed_at, now, graces_s[0])
        long_ago = replace(health, probed_at=-math.inf)
        silence = condition_of_silence(long_ago, ready, *graces_s, now) if silent else None
        self._heard[name] = heard if silence is None else Heard(heard.at, silence, renewed_at)
        return replace(health, probed_at=heard.at), silence

    def _taint_by_time(self, cluster: Cluster, observed: Condition, health: ClusterHealth, now: float) -> None:
        settings = self._settings
        if observed.status == "True" and not cluster.spec.taints:
            return
        timeout_s, may_add = settings.failover_eviction_timeout, settings.gate("Failover")
        latest = self._store.get(Cluster, cluster.metadata.name)  # the reconciler may have written since
        self._set_taints(latest, taints_by_time(observed, health, latest.spec.taints, timeout_s, may_add, now))

    def _write_condition(self, cluster: Cluster, condition: Condition) -> Cluster:
        conditions = set_condition(cluster.status.conditions, condition, self._now())
        updated: Cluster = self._store.update_status(
            replace(cluster, status=replace(cluster.status, conditions=conditions))
        )
        return updated


def _never_reported(cluster: Cluster) -> Condition:
    """What the monitor takes for observed when a cluster has no Ready condition."""
    return Condition(type=READY, status="Unknown", lastTransitionTime=cluster.metadata.creationTimestamp)

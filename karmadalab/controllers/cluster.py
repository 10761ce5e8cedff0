"""cluster-controller: execution namespaces, taints by condition, and the health monitor.

A fleet has two ways to learn that a cluster is gone. In push mode somebody asks it; in pull mode somebody must notice
that it went quiet. The monitor here is that somebody: every `--cluster-monitor-period` it looks at each cluster's Ready
condition and lease, turns silent pull clusters to Unknown, and after `--failover-eviction-timeout` adds the NoExecute
taint that sets workloads in motion. The reconciler turns the condition into NoSchedule taints at once.

Mirrors pkg/controllers/cluster/cluster_controller.go. What the monitor knows is in memory only: after a restart every
cluster gets a fresh grace period.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from karmadalab.api.cluster import (
    CLUSTER_FINALIZER,
    LEASE_NAMESPACE,
    NOT_READY_NO_EXECUTE,
    NOT_READY_NO_SCHEDULE,
    PULL,
    PUSH,
    READY,
    TERMINATING_NO_EXECUTE,
    UNREACHABLE_NO_EXECUTE,
    UNREACHABLE_NO_SCHEDULE,
    Cluster,
    execution_namespace,
    is_ready,
    ready_condition,
)
from karmadalab.api.errors import ApiError
from karmadalab.api.meta import Condition, Data, ObjectMeta, Taint, replace, set_condition
from karmadalab.api.native import Lease
from karmadalab.api.time import Time
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

STATUS_UNKNOWN = "ClusterStatusUnknown"
STATUS_NEVER_UPDATED = "ClusterStatusNeverUpdated"


# --- decisions --------------------------------------------------------------------------------------------------------


def with_taints(
    taints: tuple[Taint, ...], add: Iterable[Taint], remove: Iterable[Taint], now: float
) -> tuple[Taint, ...]:
    """The taints after additions and removals, matched by key and effect.

    A taint that is there already keeps its value and time. Both lists are decided on the taints as given: what is in
    both is added when absent and removed when present. New taints go to the end, stamped `now`. Returns `taints` itself
    when nothing changes.

    >>> with_taints((), [Taint(key="a", effect="NoSchedule")], [], 0.0)
    (Taint(key='a', value='', effect='NoSchedule', timeAdded=1970-01-01T00:00:00Z),)
    """
    present = {(taint.key, taint.effect) for taint in taints}
    gone = {(taint.key, taint.effect) for taint in remove} & present
    new = [taint for taint in add if (taint.key, taint.effect) not in present]
    if not gone and not new:
        return taints
    kept = (taint for taint in taints if (taint.key, taint.effect) not in gone)
    return (*kept, *(replace(taint, timeAdded=Time(now)) for taint in new))


def taints_by_condition(ready: Condition | None, taints: tuple[Taint, ...], now: float) -> tuple[Taint, ...]:
    """The NoSchedule taints that a Ready condition asks for: no new workload for a cluster that isn't well.

    A cluster that never reported gets `not-ready`, and its `unreachable` taint, if any, is left alone.
    """
    if ready is None:
        return with_taints(taints, [NOT_READY_NO_SCHEDULE], [], now)
    if ready.status == "False":
        return with_taints(taints, [NOT_READY_NO_SCHEDULE], [UNREACHABLE_NO_SCHEDULE], now)
    if ready.status == "Unknown":
        return with_taints(taints, [UNREACHABLE_NO_SCHEDULE], [NOT_READY_NO_SCHEDULE], now)
    return with_taints(taints, [], [NOT_READY_NO_SCHEDULE, UNREACHABLE_NO_SCHEDULE], now) if taints else taints


class ClusterHealth(Data):
    """What the monitor remembers of a cluster; all moments in Unix seconds.

    Attributes:
        probed_at: when it last gave a sign of life.
        ready_changed_at: when the monitor saw its Ready condition change.
        ready: the Ready condition seen last.
        lease_known: whether a lease was read since the condition last changed.
        lease_renewed_at: that lease's renewTime; None for a lease that could not be read.
    """

    probed_at: float
    ready_changed_at: float
    ready: Condition | None = None
    lease_known: bool = False
    lease_renewed_at: float | None = None


def observe_health(health: ClusterHealth | None, cluster: Cluster, now: float) -> ClusterHealth:
    """What the monitor knows after a look at the Ready condition.

    A first look starts both clocks now, or at the cluster's creation when it never reported. A condition that differs
    in any field is a sign of life; the change clock restarts only if its lastTransitionTime moved.
    """
    ready = ready_condition(cluster)
    if health is None:
        since = now if ready is not None else float(cluster.metadata.creationTimestamp or now)
        return ClusterHealth(probed_at=since, ready_changed_at=since, ready=ready)
    if ready is health.ready or ready == health.ready:
        return health
    if ready is None:  # somebody removed the condition; the clocks go on
        return replace(health, ready=None)
    moved = health.ready is None or health.ready.lastTransitionTime != ready.lastTransitionTime
    return ClusterHealth(probed_at=now, ready_changed_at=now if moved else health.ready_changed_at, ready=ready)


def observe_lease(
    health: ClusterHealth, before: ClusterHealth | None, renewed_at: float | None, now: float
) -> ClusterHealth:
    """What the monitor knows after a look at the lease of a pull cluster.

    Only lease is compared with lease, so a member whose clock is wrong does no harm. The comparison is with what was
    remembered `before` this pass: a changed condition forgets the lease only for the next one, where an old lease then
    counts as renewed once more.

    Args:
        renewed_at: the lease's renewTime, None when there is no lease.
    """
    if renewed_at is None:
        return health
    saved = before.lease_renewed_at if before is not None else None
    if before is not None and before.lease_known and (saved is None or renewed_at <= saved):
        return health
    return replace(health, probed_at=now, lease_known=True, lease_renewed_at=renewed_at)


def condition_of_silence(
    health: ClusterHealth, ready: Condition | None, grace_s: float, startup_grace_s: float, now: float
) -> Condition | None:
    """The Unknown condition to write for a pull cluster that has been quiet for too long, or None.

    The grace period must have passed in full: exactly at its end nothing happens yet.
    """
    if now <= health.probed_at + (grace_s if ready is not None else startup_grace_s):
        return None
    if ready is None:
        reason, message = STATUS_NEVER_UPDATED, "Cluster status controller never posted cluster status."
    elif ready.status != "Unknown":
        reason, message = STATUS_UNKNOWN, "Cluster status controller stopped posting cluster status."
    else:
        return None
    return Condition(type=READY, status="Unknown", reason=reason, message=message, lastTransitionTime=Time(now))


class Heard(Data):
    """What a rule of one's own remembers of a pull cluster; see `SilenceRule`.

    Attributes:
        at: when the cluster last gave a sign of life, by the monitor's clock, in Unix seconds.
        ready: the Ready condition seen last.
        renewed_at: the renewTime of the lease seen last, by the member's clock; None while none counts.
    """

    at: float
    ready: Condition | None
    renewed_at: float | None


TaintRule = Callable[[Condition | None, tuple[Taint, ...], float], tuple[Taint, ...]]
SilenceRule = Callable[[Heard | None, Condition, float | None, float, float], tuple[Heard, bool]]


def taints_by_time(
    observed: Condition,
    health: ClusterHealth,
    taints: tuple[Taint, ...],
    timeout_s: float,
    may_add: bool,
    now: float,
) -> tuple[Taint, ...]:
    """The NoExecute taints after a look: when a cluster has been unwell for too long, its workloads must leave.

    Not ready counts from the moment the condition changed, unknown from the last sign of life (so the grace period is
    part of it). The time must have passed in full. A ready cluster loses both taints.

    Args:
        observed: the Ready condition before this pass changed it.
        timeout_s: `--failover-eviction-timeout`.
        may_add: the `Failover` gate; removing needs no gate.
    """
    if observed.status == "True":
        return with_taints(taints, [], [NOT_READY_NO_EXECUTE, UNREACHABLE_NO_EXECUTE], now) if taints else taints
    if not may_add:
        return taints
    if observed.status == "False" and now > health.ready_changed_at + timeout_s:
        return with_taints(taints, [NOT_READY_NO_EXECUTE], [UNREACHABLE_NO_EXECUTE], now)
    if observed.status == "Unknown" and now > health.probed_at + timeout_s:
        return with_taints(taints, [UNREACHABLE_NO_EXECUTE], [NOT_READY_NO_EXECUTE], now)
    return taints


# --- the controller ---------------------------------------------------------------------------------------------------


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
            self._health.pop(request.name, None)
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

"""taint-manager: workloads leave a cluster whose NoExecute taints they don't tolerate, or not for so long.

The taint says "this cluster should be left", the policy's tolerations say how much patience a workload has; together
they decide when a binding gives the cluster up. Giving up is one write: the cluster leaves `spec.clusters` and becomes
a graceful eviction task. The scheduler then finds a replacement, and the old copy stays until that one is healthy.

Mirrors pkg/controllers/cluster/taint_manager.go. In v1.13 it works whatever the `Failover` gate says; from v1.18 on it
needs that gate and `--enable-no-execute-taint-eviction`, and evicts at a rate. The tolerations are those the scheduler
applied (an annotation of the binding), not those of the policy as it is now.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from karmadalab.api.applied import tolerations_in
from karmadalab.api.cluster import Cluster
from karmadalab.api.errors import Invalid
from karmadalab.api.eviction import evicted, preserved_state
from karmadalab.api.meta import NO_EXECUTE, Taint, Toleration, replace, tolerates
from karmadalab.api.policy import (
    APPLIED_PLACEMENT_ANNOTATION,
    DIRECTLY,
    GRACEFULLY,
    GRACIOUSLY,
    IMMEDIATELY,
    ClusterFailoverBehavior,
)
from karmadalab.api.work import (
    BINDING_KINDS,
    AnyBinding,
    ClusterResourceBinding,
    GracefulEvictionTask,
    ResourceBinding,
    TargetCluster,
)
from karmadalab.core.client import DELETED
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.indexes import BINDINGS_BY_CLUSTER
from karmadalab.core.manager import Manager
from karmadalab.core.paced_queue import PacedQueue
from karmadalab.core.queue import Request
from karmadalab.core.settings import Settings
from karmadalab.core.store import Store

NAME = "taint-manager"
BINDING_NAME, CLUSTER_BINDING_NAME = "binding-eviction", "cluster-binding-eviction"
REQUEUE_S = 10.0

REASON, PRODUCER = "TaintUntolerated", "TaintManager"
FOREVER = math.inf
DeadlineRule = Callable[[Iterable[Taint], Sequence[Toleration]], float]
WORKERS = 3  # a queue, in v1.18


# --- decisions --------------------------------------------------------------------------------------------------------


def eviction_deadline(taints: Iterable[Taint], tolerations: Sequence[Toleration]) -> float:
    """When a workload must leave a cluster.

    For each NoExecute taint the first toleration that matches is used; a taint without one means now. A used toleration
    with seconds sets a deadline for every NoExecute taint it matches, counted from `timeAdded`, negative seconds too; a
    taint without a time never ends. The earliest deadline counts.

    Returns:
        Unix seconds; minus infinity for now, `FOREVER` for never.

    >>> from karmadalab.api.time import Time
    >>> bad = Taint(key="bad", effect="NoExecute", timeAdded=Time(1000))
    >>> eviction_deadline([bad], [Toleration("bad", "Exists", tolerationSeconds=300)])
    1300.0
    """
    no_execute = [taint for taint in taints if taint.effect == NO_EXECUTE]
    used = []
    for taint in no_execute:
        toleration = next((t for t in tolerations if tolerates(t, taint)), None)
        if toleration is None:
            return -math.inf
        used.append(toleration)
    return min(
        (
            float(taint.timeAdded) + toleration.tolerationSeconds
            for toleration in used
            if toleration.tolerationSeconds is not None
            for taint in no_execute
            if taint.timeAdded is not None and tolerates(toleration, taint)
        ),
        default=FOREVER,
    )


def applied_tolerations(binding: AnyBinding) -> tuple[Toleration, ...]:
    """The tolerations of the placement that the scheduler applied.

    Raises:
        Retry: the scheduler has not been there yet, or the annotation is broken.
    """
    text = binding.metadata.annotations.get(APPLIED_PLACEMENT_ANNOTATION)
    if text is None:
        raise Retry("the applied placement for ResourceBining can not be empty")
    try:
        return tolerations_in(text)
    except Invalid as error:
        raise Retry(str(error)) from None


def wait_s(cluster: Cluster, binding: AnyBinding, now: float) -> float | None:
    """Seconds until a binding must be looked at, None for never; now when it can't be told."""
    try:
        deadline = eviction_deadline(cluster.spec.taints, applied_tolerations(binding))
    except Retry:
        return 0.0
    return None if deadline == FOREVER else max(deadline - now, 0.0)


def purge_mode(behavior: ClusterFailoverBehavior | None, settings: Settings) -> str:
    """What becomes of the old copy: v1.13 asks a gate, v1.18 the policy and then a flag."""
    if settings.profile == "v1.13":
        return GRACIOUSLY if settings.gate("GracefulEviction") else IMMEDIATELY
    if behavior is not None:
        return behavior.purgeMode or GRACEFULLY
    return DIRECTLY if settings.no_execute_taint_eviction_purge_mode == DIRECTLY else GRACEFULLY


def evicts(settings: Settings) -> bool:
    """Whether NoExecute taints of clusters move workloads at all."""
    if settings.profile == "v1.13":
        return settings.enable_taint_manager
    allowed = settings.enable_taint_manager and settings.gate("Failover")
    return allowed and settings.enable_no_execute_taint_eviction


# --- the controllers --------------------------------------------------------------------------------------------------


class TaintManager:
    """Looks at clusters: which bindings does a NoExecute taint concern? Looks again every ten seconds.

    Args:
        first: by cluster, bindings ("namespace/name") that are queued before the others; see `Phases.eviction_order`.
    """

    name = NAME

    def __init__(self, manager: Manager, store: Store, first: Mapping[str, Sequence[str]] | None = None) -> None:
        self._manager = manager
        self._store = store
        self._first = first or {}
        self._enabled = evicts(manager.settings)
        self._classifies = manager.settings.profile != "v1.13"

    def watches(self) -> Sequence[Watch]:
        """Clusters, whatever changes in them."""
        return [Watch(self._store, Cluster, self._cluster_event)] if self._enabled else []

    @staticmethod
    def _cluster_event(event: str, old: Any, new: Any) -> Sequence[Request]:
        return () if event == DELETED else (Request("", new.metadata.name),)

    def reconcile(self, request: Request) -> Result:
        """Have every binding on a tainted cluster looked at, in v1.18 when its time has come."""
        cluster = self._store.find(Cluster, request.name)
        if not self._enabled or cluster is None:
            return DONE
        if not any(taint.effect == NO_EXECUTE for taint in cluster.spec.taints):
            return DONE
        for kind in BINDING_KINDS:
            for binding in self._listed(kind, request.name):
                self._queue(cluster, binding)
        return Result(REQUEUE_S)

    def _listed(self, kind: type[AnyBinding], cluster: str) -> list[AnyBinding]:
        found = self._store.indexed(kind, BINDINGS_BY_CLUSTER, cluster)
        places = {name: place for place, name in enumerate(self._first.get(cluster, ()))}
        return sorted(found, key=lambda b: places.get(f"{b.metadata.namespace}/{b.metadata.name}", len(places)))

    def _queue(self, cluster: Cluster, binding: AnyBinding) -> None:
        delay_s = wait_s(cluster, binding, self._manager.clock.now()) if self._classifies else 0.0
        if delay_s is not None:
            meta = binding.metadata
            key = Request(f"{cluster.metadata.name}/{meta.namespace}", meta.name, binding.kind)
            queue = BINDING_NAME if isinstance(binding, ResourceBinding) else CLUSTER_BINDING_NAME
            self._manager.enqueue(queue, key, delay_s)


class BindingEviction:
    """Looks at one binding on one tainted cluster. Its requests are (cluster/namespace, name, kind).

    Args:
        kind: the kind of bindings; each has a queue of its own.
        work_s: how long a worker is busy with a binding, before it rests; only in v1.18.

    Attributes:
        by_patience: from taints and tolerations to the moment of leaving; students bring their own.
    """

    def __init__(
        self, manager: Manager, store: Store, kind: type[AnyBinding] = ResourceBinding, work_s: float = 0.0
    ) -> None:
        self.name = BINDING_NAME if kind is ResourceBinding else CLUSTER_BINDING_NAME
        self._store = store
        self._settings = manager.settings
        self._enabled = evicts(manager.settings)
        self.by_patience: DeadlineRule = eviction_deadline
        self._now: Callable[[], float] = manager.clock.now
        if manager.settings.profile != "v1.13":
            rate = manager.settings.resource_eviction_rate
            self.make_queue = partial(PacedQueue, rate=rate, workers=WORKERS, work_s=work_s)

    def watches(self) -> Sequence[Watch]:
        """Nothing: the taint manager names the bindings."""
        return ()

    def reconcile(self, request: Request) -> Result:
        """Evict now, or come back when the toleration ends."""
        cluster_name, _, namespace = request.namespace.partition("/")
        kind = ResourceBinding if request.kind == "ResourceBinding" else ClusterResourceBinding
        binding: AnyBinding | None = self._store.find(kind, request.name, namespace)
        cluster = self._store.find(Cluster, cluster_name)
        if binding is None or binding.metadata.deletionTimestamp is not None or cluster is None:
            return DONE
        if not _is_on(binding.spec.clusters, cluster_name):
            return DONE
        tolerations = applied_tolerations(binding)
        deadline = self.by_patience(cluster.spec.taints, tolerations) if self._enabled else FOREVER
        now = self._now()
        if deadline > now:
            return DONE if deadline == FOREVER else Result(deadline - now)
        self._store.update(replace(binding, spec=evicted(binding.spec, self._task(binding, cluster_name))))
        return DONE

    def _task(self, binding: AnyBinding, cluster: str) -> GracefulEvictionTask:
        """The eviction task. Raises `StateNotPreserved`: then nothing is evicted, and it is tried again."""
        settings = self._settings
        failover = binding.spec.failover
        behavior = failover.cluster if failover else None
        state: dict[str, str] = {}
        if settings.profile != "v1.13" and behavior is not None and settings.gate("StatefulFailoverInjection"):
            statuses = binding.status.aggregatedStatus
            state = preserved_state(behavior.statePreservation, statuses, cluster, names_path=True)
        return GracefulEvictionTask(
            fromCluster=cluster,
            purgeMode=purge_mode(behavior, settings),
            reason=REASON,
            producer=PRODUCER,
            preservedLabelState=state,
        )


def _is_on(clusters: tuple[TargetCluster, ...], name: str) -> bool:
    return any(target.name == name for target in clusters)

"""taint-manager: workloads leave a cluster whose NoExecute taints they don't tolerate, or not for so long.

The taint says "this cluster should be left", the policy's tolerations say how much patience a workload has; together
they decide when a binding gives the cluster up. Giving up is one write: the cluster leaves `spec.clusters` and becomes a
graceful eviction task. The scheduler then finds a replacement, and the old copy stays until that one is healthy.

Mirrors pkg/controllers/cluster/taint_manager.go. In v1.13 it works whatever the `Failover` gate says. The tolerations are
those the scheduler applied (an annotation of the binding), not those of the policy as it is now.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from karmadalab.api.cluster import Cluster
from karmadalab.api.meta import NO_EXECUTE, Taint, Toleration, replace, tolerates
from karmadalab.api.policy import APPLIED_PLACEMENT_ANNOTATION, GRACIOUSLY, IMMEDIATELY, Placement
from karmadalab.api.scheme import convert
from karmadalab.api.work import (
    BINDING_KINDS,
    AnyBinding,
    ClusterResourceBinding,
    GracefulEvictionTask,
    ResourceBinding,
    ResourceBindingSpec,
    TargetCluster,
)
from karmadalab.core.controller import DONE, Manager, Request, Result, Retry, Watch
from karmadalab.core.indexes import BINDINGS_BY_CLUSTER
from karmadalab.core.store import Store

NAME = "taint-manager"
BINDING_NAME = "binding-eviction"
REQUEUE_S = 10.0

REASON, PRODUCER = "TaintUntolerated", "TaintManager"
FOREVER = math.inf


# --- decisions -----------------------------------------------------------------------------------------------------------


def eviction_deadline(taints: Iterable[Taint], tolerations: Sequence[Toleration]) -> float:
    """When a workload must leave a cluster.

    For each NoExecute taint the first toleration that matches is used; a taint without one means now. A used toleration
    with seconds sets a deadline for every NoExecute taint it matches, counted from `timeAdded`; a taint without a time
    never ends. The earliest deadline counts.

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
            float(taint.timeAdded) + max(toleration.tolerationSeconds, 0)
            for toleration in used
            if toleration.tolerationSeconds is not None
            for taint in no_execute
            if taint.timeAdded is not None and tolerates(toleration, taint)
        ),
        default=FOREVER,
    )


def evicted(spec: ResourceBindingSpec, cluster: str, task: GracefulEvictionTask) -> ResourceBindingSpec:
    """The binding after it gave a cluster up; `spec` itself when it was not scheduled there.

    A cluster that has a task already gets no second one. The task notes how many replicas were lost.
    """
    target = next((t for t in spec.clusters if t.name == cluster), None)
    if target is None:
        return spec
    clusters = tuple(t for t in spec.clusters if t.name != cluster)
    if any(t.fromCluster == cluster for t in spec.gracefulEvictionTasks):
        return replace(spec, clusters=clusters)
    task = replace(task, fromCluster=cluster, replicas=target.replicas or None)
    return replace(spec, clusters=clusters, gracefulEvictionTasks=(*spec.gracefulEvictionTasks, task))


def applied_tolerations(binding: AnyBinding) -> tuple[Toleration, ...]:
    """The tolerations of the placement that the scheduler applied.

    Raises:
        Retry: the scheduler has not been there yet, or the annotation is broken.
    """
    text = binding.metadata.annotations.get(APPLIED_PLACEMENT_ANNOTATION)
    if not text:
        raise Retry("the applied placement for ResourceBining can not be empty")
    try:
        return convert(msgspec.json.decode(text), Placement).clusterTolerations
    except msgspec.DecodeError as error:
        raise Retry(f"the applied placement can't be read: {error}") from None


# --- the controllers -------------------------------------------------------------------------------------------------------


class TaintManager:
    """Looks at clusters: which bindings does a NoExecute taint concern? Looks again every ten seconds."""

    name = NAME

    def __init__(self, manager: Manager, store: Store) -> None:
        self._manager = manager
        self._store = store
        self._enabled = manager.settings.enable_taint_manager

    def watches(self) -> Sequence[Watch]:
        """Clusters, when they are or were tainted."""
        return [Watch(self._store, Cluster, self._cluster_event)] if self._enabled else []

    def _cluster_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        if old is not None and old.spec.taints == new.spec.taints:
            return ()
        return (Request("", new.metadata.name),)

    def reconcile(self, request: Request) -> Result:
        """Have every binding on a tainted cluster looked at."""
        cluster = self._store.find(Cluster, request.name)
        if cluster is None or not any(taint.effect == NO_EXECUTE for taint in cluster.spec.taints):
            return DONE
        for kind in BINDING_KINDS:
            for binding in self._store.indexed(kind, BINDINGS_BY_CLUSTER, request.name):
                meta = binding.metadata
                key = Request(f"{request.name}/{meta.namespace}", meta.name, binding.kind)
                self._manager.enqueue(BINDING_NAME, key)
        return Result(REQUEUE_S)


class BindingEviction:
    """Looks at one binding on one tainted cluster. Its requests are (cluster/namespace, name, kind)."""

    name = BINDING_NAME

    def __init__(self, manager: Manager, store: Store) -> None:
        self._store = store
        self._now: Callable[[], float] = manager.clock.now
        self._purge_mode = GRACIOUSLY if manager.settings.gate("GracefulEviction") else IMMEDIATELY

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
        deadline = eviction_deadline(cluster.spec.taints, applied_tolerations(binding))
        now = self._now()
        if deadline > now:
            return DONE if deadline == FOREVER else Result(deadline - now)
        task = GracefulEvictionTask(cluster_name, purgeMode=self._purge_mode, reason=REASON, producer=PRODUCER)
        self._store.update(replace(binding, spec=evicted(binding.spec, cluster_name, task)))
        return DONE


def _is_on(clusters: tuple[TargetCluster, ...], name: str) -> bool:
    return any(target.name == name for target in clusters)

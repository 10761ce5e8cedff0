"""Invariants of clusters, bindings and Works; `check` lists them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from karmadalab.api.cluster import (
    LEASE_NAMESPACE,
    NOT_READY_NO_EXECUTE,
    NOT_READY_NO_SCHEDULE,
    PULL,
    UNREACHABLE_NO_EXECUTE,
    UNREACHABLE_NO_SCHEDULE,
    Cluster,
    cluster_of_namespace,
    execution_namespace,
    ready_condition,
)
from karmadalab.api.meta import Condition, Taint, condition
from karmadalab.api.native import Lease
from karmadalab.api.policy import AT_ONCE, DIVIDED, DUPLICATED
from karmadalab.api.unstructured import group_kind
from karmadalab.api.work import (
    BINDING_ID_LABEL,
    BINDING_KINDS,
    CLUSTER_BINDING_ID_LABEL,
    SCHEDULED,
    AnyBinding,
    ResourceBinding,
    Work,
)
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.environments.fake import FakeWorld


def must(holds: object, invariant: str, what: object) -> None:
    """Raise unless something holds."""
    if not holds:
        raise AssertionError(f"{invariant}: {what}")


def is_quiet(manager: Manager, controller: str, request: Request) -> bool:
    """Whether a controller is up and has nothing left to do about an object: then its duties are done."""
    if not manager.running or manager.paused:
        return False
    return any(c.name == controller and c.queue.is_done(request) for c in manager.controllers)


def _bindings(world: FakeWorld) -> Iterator[AnyBinding]:
    for kind in BINDING_KINDS:
        yield from world.control_plane.store.list(kind)


# --- bindings ---------------------------------------------------------------------------------------------------------


def check_bindings(world: FakeWorld) -> None:
    """What holds for each binding."""
    for binding in _bindings(world):
        _check_targets(binding)
        _check_replicas(binding)
        if binding.metadata.deletionTimestamp is None:
            _check_template(world, binding)
            _check_works_of(world, binding)
            _check_aggregated(world, binding)


def _check_targets(binding: AnyBinding) -> None:
    scheduled = Counter(target.name for target in binding.spec.clusters)
    leaving = Counter(task.fromCluster for task in binding.spec.gracefulEvictionTasks)
    must(max(scheduled.values(), default=1) == 1, "no cluster is named twice in spec.clusters", binding)
    must(max(leaving.values(), default=1) == 1, "no cluster has two eviction tasks", binding)
    # The scheduler's ClusterEviction filter keeps a cluster out for as long as its task is there.
    must(not scheduled.keys() & leaving.keys(), "no cluster is both scheduled and being evicted", binding)


def _check_replicas(binding: AnyBinding) -> None:
    spec, status = binding.spec, binding.status
    scheduled = condition(status.conditions, SCHEDULED)
    observed = status.schedulerObservedGeneration == binding.metadata.generation
    if scheduled is None or scheduled.status != "True" or not observed or spec.placement is None or not spec.replicas:
        return
    how = spec.placement.replicaScheduling.replicaSchedulingType if spec.placement.replicaScheduling else DUPLICATED
    shares = [target.replicas for target in spec.clusters]
    if how == DIVIDED:
        must(sum(shares) == spec.replicas, f"a Divided binding divides its {spec.replicas} replicas", binding)
    else:
        must(set(shares) <= {spec.replicas}, f"a Duplicated binding gives each {spec.replicas} replicas", binding)


def _check_template(world: FakeWorld, binding: AnyBinding) -> None:
    resource = binding.spec.resource
    kind = group_kind(resource.apiVersion, resource.kind)
    template = world.control_plane.store.find(kind, resource.name, resource.namespace)
    must(template is not None, "a binding's template is there", binding)
    owners = {owner.uid for owner in binding.metadata.ownerReferences}
    must(not owners or template.metadata.uid in owners, "a binding is owned by its template", binding)


def _works(world: FakeWorld, binding: AnyBinding) -> dict[str, Work]:
    label = _id_label(binding)
    own = binding.metadata.labels.get(label)
    return {
        cluster_of_namespace(work.metadata.namespace) or "": work
        for work in world.control_plane.store.list(Work)
        if own and work.metadata.labels.get(label) == own
    }


def _check_works_of(world: FakeWorld, binding: AnyBinding) -> None:
    meta = binding.metadata
    manager = world.control_plane.controller_manager
    if not is_quiet(manager, "binding-controller", Request(meta.namespace, meta.name, binding.kind)):
        return
    spec, store = binding.spec, world.control_plane.store
    wanted = {t.name for t in spec.clusters} | {t.name for s in spec.requiredBy for t in s.clusters}
    kept = {task.fromCluster for task in spec.gracefulEvictionTasks if task.purgeMode not in AT_ONCE}
    works = _works(world, binding)
    present = {name for name, work in works.items() if work.metadata.deletionTimestamp is None}
    must(
        present <= wanted | kept, f"no Work for {sorted(present - wanted - kept)}, which are not its clusters", binding
    )
    purging = {task.fromCluster for task in spec.gracefulEvictionTasks} - kept
    if manager.settings.profile != "v1.13" and purging & works.keys():
        return  # v1.18 writes no Work until the copies that have to go at once are gone
    known = {cluster.metadata.name for cluster in store.list(Cluster) if cluster.metadata.deletionTimestamp is None}
    missing = (wanted & known) - works.keys()  # one that is being deleted comes back when it is gone
    must(not missing, f"a Work for each cluster, but none for {sorted(missing)}", binding)


def _check_aggregated(world: FakeWorld, binding: AnyBinding) -> None:
    meta = binding.metadata
    names = Counter(item.clusterName for item in binding.status.aggregatedStatus)
    must(max(names.values(), default=1) == 1, "aggregatedStatus names each cluster once", binding)
    manager = world.control_plane.controller_manager
    if is_quiet(manager, "binding-status-controller", Request(meta.namespace, meta.name, binding.kind)):
        strangers = names.keys() - _works(world, binding).keys()
        must(not strangers, f"aggregatedStatus names {sorted(strangers)}, where there is no Work", binding)


def _id_label(binding: AnyBinding) -> str:
    return BINDING_ID_LABEL if isinstance(binding, ResourceBinding) else CLUSTER_BINDING_ID_LABEL


# --- works ------------------------------------------------------------------------------------------------------------


def check_works(world: FakeWorld) -> None:
    """What holds for each Work."""
    ids = {binding.metadata.labels.get(_id_label(binding)) for binding in _bindings(world)}
    for work in world.control_plane.store.list(Work):
        meta = work.metadata
        must(cluster_of_namespace(meta.namespace), "a Work lives in an execution namespace", work)
        own = meta.labels.get(BINDING_ID_LABEL) or meta.labels.get(CLUSTER_BINDING_ID_LABEL)
        leaves = meta.deletionTimestamp is not None
        must(leaves or own in ids or meta.ownerReferences, "a Work belongs to a binding or an owner", work)


# --- clusters ---------------------------------------------------------------------------------------------------------


def check_clusters(world: FakeWorld) -> None:
    """What holds for each cluster, and for the leases."""
    store = world.control_plane.store
    for cluster in store.list(Cluster):
        keys = Counter((taint.key, taint.effect) for taint in cluster.spec.taints)
        must(max(keys.values(), default=1) == 1, "no taint is there twice", cluster)
        quiet = is_quiet(
            world.control_plane.controller_manager, "cluster-controller", Request("", cluster.metadata.name)
        )
        if quiet and cluster.metadata.deletionTimestamp is None:
            _check_taints(world, cluster)
            namespace = execution_namespace(cluster.metadata.name)
            must(store.find("Namespace", namespace), "a cluster has its execution namespace", cluster)
    modes = {cluster.metadata.name: cluster.spec.syncMode for cluster in store.list(Cluster)}
    for lease in store.list(Lease, LEASE_NAMESPACE):
        must(modes.get(lease.metadata.name, PULL) == PULL, "only pull members have leases", lease)


def _check_taints(world: FakeWorld, cluster: Cluster) -> None:
    ready = ready_condition(cluster)
    if ready is None:
        must(_has(cluster, NOT_READY_NO_SCHEDULE), "a cluster that never reported is not-ready:NoSchedule", cluster)
        return
    for taint, status in ((NOT_READY_NO_SCHEDULE, "False"), (UNREACHABLE_NO_SCHEDULE, "Unknown")):
        agrees = _has(cluster, taint) == (ready.status == status)
        must(agrees, f"{taint} is there exactly while Ready is {status}", cluster)
    if ready.status == "True" and world.control_plane.settings.profile == "v1.13":
        _check_no_execute(world, cluster, ready)


def _check_no_execute(world: FakeWorld, cluster: Cluster, ready: Condition) -> None:
    """The monitor's next pass removes what the last one added. Times in the API have whole seconds."""
    period_s = world.control_plane.settings.cluster_monitor_period + 1
    ours = {(taint.key, taint.effect) for taint in (NOT_READY_NO_EXECUTE, UNREACHABLE_NO_EXECUTE)}
    for taint in cluster.spec.taints:
        if (taint.key, taint.effect) in ours:
            since = max(float(ready.lastTransitionTime or 0), float(taint.timeAdded or 0))
            must(world.clock.now() <= since + period_s, f"a Ready cluster does not keep {taint}", cluster)


def _has(cluster: Cluster, taint: Taint) -> bool:
    return any((item.key, item.effect) == (taint.key, taint.effect) for item in cluster.spec.taints)

"""Invariants of a lab, checked all at once: what must hold at any moment, whatever faults act on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from karmadalab.api.codec import decode, to_dict
from karmadalab.api.errors import Invalid
from karmadalab.api.scheme import AnyObject, is_namespaced
from karmadalab.core.store import Store
from karmadalab.core.trace import CREATE, DELETE, STATUS, UPDATE, Row, Trace
from karmadalab.core.unsettled import contested
from karmadalab.environments.check_bindings import check_bindings, check_clusters, check_works, must
from karmadalab.environments.check_members import check_members
from karmadalab.environments.fake import FakeWorld

_WRITES = frozenset((CREATE, UPDATE, STATUS, DELETE))


def check(world: FakeWorld) -> None:
    """Verify every invariant; what is due now must have been done.

    Every store (the control plane's and the members'):
        * an object lies under its own namespace and name, and has a namespace exactly if its kind has them;
        * no two objects share a uid or a resourceVersion, and none is newer than the store;
        * an object that is being deleted waits for a finalizer or for its kubelet;
        * the indexes say what the objects say, and so does the owner index;
        * every object is the same after a round trip through its manifest.
    The trace:
        * ids count up, time does not run back, a cause is an earlier row;
        * the resourceVersions of a store's writes increase;
        * what a row calls old is what the row before it left; a generation never decreases, and moves with the spec;
        * no two controllers keep undoing each other's writes.
    The bindings (a controller's duties hold while its process runs and nothing about the object waits in its queue):
        * no cluster is named twice in `spec.clusters`, nor twice among the eviction tasks, nor in both;
        * a Divided binding that is Scheduled, and observed so, divides exactly `spec.replicas`; a Duplicated one gives
          `spec.replicas` to each;
        * its template is there, and the binding is owned by it;
        * it has a Work for each cluster of `spec.clusters` and `requiredBy` that exists, and no Work for others than
          those and the clusters being evicted other than immediately;
        * `aggregatedStatus` names each cluster once, and only clusters with a Work.
    The Works:
        * each lives in an execution namespace and belongs to a binding, or to an object that owns it.
    The clusters:
        * the NoSchedule taints are those of the Ready condition; no taint (key, effect) is there twice;
        * a Ready cluster has no NoExecute taint for being unready for longer than a monitor period;
        * a cluster has its execution namespace; only pull members have leases.
    The members:
        * the pods on a node fit its allocatable; a pod names a node that exists;
        * while the machines are on, a Deployment's status counts its pods, and no pod waits that has room;
        * what carries Karmada's mark comes from a Work that is there, while its cluster is known; or from one that was
          let go when the member left and was not ready, for Karmada could not take it back.

    Raises:
        AssertionError: naming the invariant and the object.
    """
    plane = world.control_plane
    check_trace(world.trace)
    stores = [plane.store, *(member.store for member in world.members.values())]
    for store in stores:
        if isinstance(store, Store):  # a real member's API server looks after itself
            check_store(store)
    check_bindings(world)
    check_works(world)
    check_clusters(world)
    if all(isinstance(store, Store) for store in stores):
        check_members(world)


# --- the trace --------------------------------------------------------------------------------------------------------


def check_trace(trace: Trace) -> None:
    """The rows of a trace fit together."""
    versions: dict[str, int] = {}
    latest: dict[tuple[str, str, str, str], AnyObject | None] = {}
    at = float("-inf")
    for place, row in enumerate(trace.rows):
        must(row.id == place, "trace ids count up", row)
        must(row.at >= at, "time in the trace does not run back", row)
        must(row.cause is None or 0 <= row.cause < row.id, "a cause is an earlier row", row)
        at = row.at
        if row.verb in _WRITES:
            must(row.version > versions.get(row.world, 0), "resourceVersions increase in the trace", row)
            versions[row.world] = row.version
            _check_write(row, latest)
    fight = contested(trace.rows)
    must(not fight, "controllers agree with each other", fight)


def _check_write(row: Row, latest: dict[tuple[str, str, str, str], AnyObject | None]) -> None:
    key = (row.world, row.kind, row.namespace, row.name)
    must(latest.get(key) is row.old, "a row's old object is what the row before left", row)
    latest[key] = row.new
    old, new = row.old, row.new
    must((row.verb == CREATE) == (old is None) and (row.verb == DELETE) == (new is None), "verb fits the objects", row)
    if old is not None and new is not None:
        must(new.metadata.uid == old.metadata.uid, "an object keeps its uid", row)
        must(new.metadata.generation >= old.metadata.generation, "generations never decrease", row)
        if row.verb == STATUS:
            must(new.metadata.generation == old.metadata.generation, "a status moves no generation", row)


# --- one store --------------------------------------------------------------------------------------------------------


def check_store(store: Store) -> None:
    """The objects of a store and what it keeps about them agree."""
    objects = [(kind, obj) for kind in store.kinds() for obj in store.list(kind)]
    for kind, obj in objects:
        _check_object(store, kind, obj)
    _check_unique("uids are unique", ((obj.metadata.uid, obj) for _, obj in objects))
    _check_unique("resourceVersions are unique", ((obj.metadata.resourceVersion, obj) for _, obj in objects))
    store.check_indexes()


def _check_object(store: Store, kind: str, obj: AnyObject) -> None:
    meta = obj.metadata
    must(kind == obj.GROUP_KIND, "an object lies under its own kind", obj)
    must(store.find(kind, meta.name, meta.namespace) is obj, "an object lies under its own name", obj)
    must(bool(meta.namespace) == is_namespaced(kind), "an object has a namespace if its kind has them", obj)
    must(0 < int(meta.resourceVersion) <= store.version, "no object is newer than its store", obj)
    waits = meta.finalizers or kind in store.graceful
    must(meta.deletionTimestamp is None or waits, "what is being deleted waits for somebody", obj)
    must(_survives(obj), "an object survives a round trip through its manifest", obj)


def _survives(obj: AnyObject) -> bool:
    try:
        return bool(decode(to_dict(obj)) == obj)
    except Invalid:  # it can't even be read
        return False


def _check_unique(invariant: str, items: Iterable[tuple[str, AnyObject]]) -> None:
    found = list(items)
    counts = Counter(value for value, _ in found)
    twice = [obj for value, obj in found if counts[value] > 1]
    must(not twice, invariant, twice)

"""The API server: objects with versions, optimistic locking, finalizers, garbage collection, watches and admission.

This is what controllers meet in; none of them calls another. It keeps the rules of a Kubernetes API server that
Karmada's behaviour rests on: a stale write is refused, the generation moves with the spec and not with the status, an
object with finalizers waits for them, what an object owns goes with it, watchers see every change in order. Objects are
immutable, so reads hand out the stored object itself and history costs a reference.

Not modelled: several served versions of a kind, field-level ownership, storage quotas.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from karmadalab.api.errors import AlreadyExists, BadRequest, Gone
from karmadalab.api.meta import replace
from karmadalab.api.native_defaults import grace_s
from karmadalab.api.native_rules import check_content
from karmadalab.api.scheme import AnyObject
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import ADDED, DELETED, MODIFIED, Handler
from karmadalab.core.clock import VirtualClock
from karmadalab.core.collector import Collector
from karmadalab.core.objects import (
    at_version,
    content_changed,
    first_generation,
    moves_generation,
    same_metadata,
    uid_of,
    with_status_of,
    without_status,
)
from karmadalab.core.rules import check_new, check_update, refusal, where
from karmadalab.core.snapshot import Snapshot
from karmadalab.core.table import Key, Table
from karmadalab.core.tables import Tables
from karmadalab.core.telling import Changes, Teller, missed
from karmadalab.core.trace import CREATE, DELETE, STATUS, UPDATE, Trace

Admit = Callable[[str, AnyObject, AnyObject | None], AnyObject]


class Store(Tables):
    """The objects of one API server. How they are read, `Tables` says.

    Args:
        clock: for timestamps and for garbage collection, which follows a deletion.
        trace: where every write is recorded.
        world: "" for the control plane, else the member's name.
        admit: defaults and validates an object before it is stored; called with ("CREATE"|"UPDATE"|"DELETE", new, old).
        graceful: kinds that a first delete only marks, so that a kubelet can end them; a second delete removes them.
    """

    def __init__(
        self,
        clock: VirtualClock,
        trace: Trace,
        world: str = "",
        admit: Admit | None = None,
        graceful: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(world)
        self.clock = clock
        self.trace = trace
        self.admit = admit
        self.graceful = graceful
        self.version = 0
        self.oldest_version = 0
        self._collector = Collector(self, clock, trace, world)
        self._uids = 0
        self._teller = Teller(trace)
        self._tell = self._teller.tell

    # --- as a whole ---------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """All objects as they are now; costs a reference each."""
        return Snapshot({kind: dict(table.objects) for kind, table in self._tables.items()}, self.version)

    def copy(self) -> Store:
        """A store with the same objects and the same admission, for dry runs: nobody sees what is written to it."""
        clock = VirtualClock(self.clock.now())
        twin = Store(clock, Trace(clock.now), self.world, self.admit, self.graceful)
        twin.version, twin._uids = self.version, self._uids
        for kind, table in self._tables.items():
            twin._table(kind).objects.update(table.objects)
        return twin

    def restore(self, objects: Iterable[Any], version: int, uids: int) -> None:
        """Take in the objects that another run of this API server left; whoever knows an older version must list again.

        Args:
            objects: as they were, in the order of their resourceVersions.
            version: the store's then.
            uids: how many uids it had given out.
        """
        for obj in objects:
            meta, kind = obj.metadata, obj.GROUP_KIND
            table = self._table(kind)
            table.order = None
            self.version = int(meta.resourceVersion)
            self._put(table, kind, (meta.namespace, meta.name), None, obj, CREATE, ADDED)
        self.version = self.oldest_version = max(version, self.version)
        self._uids = uids

    @property
    def uids(self) -> int:
        """How many uids were given out."""
        return self._uids

    # --- writing ------------------------------------------------------------------------------------------------------

    def create(self, obj: Any) -> Any:
        """Store a new object; its status, if any, starts empty as in Kubernetes.

        Raises:
            AlreadyExists: the name is taken.
            Invalid: admission refused it.
        """
        kind = obj.GROUP_KIND
        meta = obj.metadata
        table = self._table(kind)
        check_new(obj)  # before admission, which fills in what it can read
        if self.admit is not None:
            obj = self.admit("CREATE", obj, None)
            meta = obj.metadata
        if not meta.name:
            self._uids += 1
            meta = replace(meta, name=f"{meta.generateName}{self._uids:05x}")
        key = (meta.namespace, meta.name)
        if key in table.objects:
            raise AlreadyExists(f"{obj.kind} {where(meta)} already exists: update it, or choose another name")
        self.version += 1
        self._uids += 1
        meta = replace(
            meta,
            uid=uid_of(self.world, self._uids),
            resourceVersion=str(self.version),
            generation=first_generation(kind),
            creationTimestamp=Time(self.clock.now()),
            deletionTimestamp=None,
        )
        new = replace(without_status(obj), metadata=meta)
        table.order = None
        self._put(table, kind, key, None, new, CREATE, ADDED)
        return new

    def update(self, obj: Any) -> Any:
        """Store a changed object; its status is left as it is.

        Raises:
            NotFound: it is gone.
            Conflict: somebody wrote it after you read it.
            Invalid: admission refused it.
        """
        kind = obj.GROUP_KIND
        meta = obj.metadata
        key = (meta.namespace, meta.name)
        table = self._table(kind)
        old: Any = table.objects.get(key)
        if old is None or meta.resourceVersion != old.metadata.resourceVersion:
            raise refusal(obj, old, self.world)
        if obj.__class__ is Unstructured and obj.body is not old.body:  # typed kinds were checked when they were made
            check_content(obj, old)
        if self.admit is not None:
            obj = self.admit("UPDATE", obj, old)
            meta = obj.metadata
        obj = with_status_of(obj, old)
        old_meta = old.metadata
        spec_changed = content_changed(obj, old)
        if not spec_changed and same_metadata(meta, old_meta):
            return old
        if meta is not old_meta:
            check_update(obj, meta, old_meta)
            meta = replace(
                meta,
                uid=old_meta.uid,
                generateName=old_meta.generateName,
                creationTimestamp=old_meta.creationTimestamp,
                deletionTimestamp=old_meta.deletionTimestamp,
            )
        self.version += 1
        moved = old_meta.generation and moves_generation(obj, old, spec_changed)
        generation = old_meta.generation + 1 if moved else old_meta.generation
        meta = replace(meta, generation=generation, resourceVersion=str(self.version))
        new = replace(obj, metadata=meta)
        if old_meta.deletionTimestamp is not None and old_meta.finalizers and not meta.finalizers:
            self._remove(table, kind, key, old)
        else:
            self._put(table, kind, key, old, new, UPDATE, MODIFIED)
        return new

    def update_status(self, obj: Any) -> Any:
        """Store a changed status and nothing else.

        Raises:
            NotFound: it is gone.
            Conflict: somebody wrote it after you read it.
        """
        kind = obj.GROUP_KIND
        meta = obj.metadata
        key = (meta.namespace, meta.name)
        table = self._table(kind)
        old: Any = table.objects.get(key)
        if old is None or meta.resourceVersion != old.metadata.resourceVersion:
            raise refusal(obj, old, self.world)
        new = with_status_of(old, obj)
        if new == old:
            return old
        self.version += 1
        new = replace(new, metadata=replace(old.metadata, resourceVersion=str(self.version)))
        self._put(table, kind, key, old, new, STATUS, MODIFIED)
        return new

    def delete(self, kind: Any, name: str, namespace: str = "") -> None:
        """Delete an object, or mark it for deletion when it has finalizers; what it owns follows.

        Raises:
            NotFound: it is not there.
            Forbidden: admission protects it.
        """
        old = self.get(kind, name, namespace)
        kind = old.GROUP_KIND
        table = self._table(kind)
        if self.admit is not None:
            self.admit("DELETE", old, old)
        key = (namespace, name)
        meta = old.metadata
        lingers = kind in self.graceful and meta.deletionTimestamp is None
        if not meta.finalizers and not lingers:
            self.version += 1
            self._remove(table, kind, key, old)
        elif meta.deletionTimestamp is None:
            self.version += 1
            meta = replace(
                meta,
                deletionTimestamp=Time(self.clock.now()),
                deletionGracePeriodSeconds=grace_s(old) if lingers else 0,
                generation=meta.generation + 1 if meta.generation else 0,
                resourceVersion=str(self.version),
            )
            self._put(table, kind, key, old, replace(old, metadata=meta), UPDATE, MODIFIED)

    # --- watching -----------------------------------------------------------------------------------------------------

    def watch(self, kind: Any, handler: Handler, since: int | None = None) -> Callable[[], None]:
        """Call `handler(type, old, new)` for what there is now (as ADDED) and for every change to come.

        Each watcher gets the changes in the order of their versions, also when a handler writes itself: what follows
        from its write is told when all have heard what it was called for.

        Args:
            kind: a class or a store name.
            handler: gets ADDED, MODIFIED or DELETED, the object before (None at first), the object after; of one that
                is gone its last state, with the version of its deletion.
            since: a resourceVersion to resume from; then only later changes are delivered.

        Returns:
            A function that ends the watch.

        Raises:
            Gone: changes since that version are no longer kept.
            BadRequest: there was no such version yet.
        """
        kind = kind if isinstance(kind, str) else kind.GROUP_KIND
        table = self._table(kind)
        if since is not None:
            first = self._missed(kind, since)
        else:
            first = [(ADDED, None, table.objects[key]) for key in table.sorted_keys()]
        stop = table.watch(handler)
        try:
            with self._teller.in_order():
                for type_, old, new in first:
                    handler(type_, old, new)
        except BaseException:
            stop()  # the caller gets nothing to stop it with
            raise
        return stop

    def _missed(self, kind: str, since: int) -> Changes:
        if since < self.oldest_version:
            raise Gone(f"resourceVersion {since} is too old: the oldest kept is {self.oldest_version}; list again")
        if since > self.version:
            raise BadRequest(f"resourceVersion {since} is too large: the newest is {self.version}; list again")
        return missed(self.trace, self.world, kind, since)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _put(self, table: Table, kind: str, key: Key, old: Any, new: Any, verb: str, event: str) -> None:
        table.objects[key] = new
        if table.indexes:
            table.index(key, old, new)
        if old is None or old.metadata.ownerReferences != new.metadata.ownerReferences:
            self._collector.written(kind, key, old, new)
        self._tell(table, self.trace.write(self.world, verb, kind, key, old, new, self.version), event, old, new)

    def _remove(self, table: Table, kind: str, key: Key, old: Any) -> None:
        del table.objects[key]
        table.order = None
        if table.indexes:
            table.index(key, old, None)
        self._collector.written(kind, key, old, None)
        row = self.trace.write(self.world, DELETE, kind, key, old, None, self.version)
        self._tell(table, row, DELETED, old, at_version(old, self.version))
        self._collector.removed(old.metadata.uid)

    def check_indexes(self) -> None:
        """Verify that indexes and owner index say what the objects say. Raises `AssertionError`."""
        owned: defaultdict[str, set[tuple[str, Key]]] = defaultdict(set)
        for kind, table in self._tables.items():
            table.check(kind)
            for key, obj in table.objects.items():
                for owner in obj.metadata.ownerReferences:
                    owned[owner.uid].add((kind, key))
        self._collector.check(owned)

    def __repr__(self) -> str:
        count = sum(len(table.objects) for table in self._tables.values())
        return f"<Store {self.world or 'karmada-apiserver'} {count} objects, version {self.version}>"

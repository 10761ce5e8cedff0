"""The API server: objects with versions, optimistic locking, finalizers, garbage collection, watches and admission.

This is what controllers meet in; none of them calls another. It keeps the rules of a Kubernetes API server that
Karmada's behaviour rests on: a stale write is refused, the generation moves with the spec and not with the status, an
object with finalizers waits for them, what an object owns goes with it, watchers see every change in order. Objects are
immutable, so reads hand out the stored object itself and history costs a reference.

Not modelled: several served versions of a kind, field-level ownership, storage quotas.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any

from karmadalab.api.errors import AlreadyExists, ApiError, BadRequest, Conflict, Gone, NotFound
from karmadalab.api.meta import LabelSelector, replace, selector_matches
from karmadalab.api.native_rules import check_content, check_labels, check_name
from karmadalab.api.scheme import AnyObject, is_namespaced
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import ADDED, DELETED, MODIFIED, Handler
from karmadalab.core.clock import VirtualClock
from karmadalab.core.collector import Collector
from karmadalab.core.objects import content_changed, moves_generation, same_metadata, with_status_of, without_status
from karmadalab.core.rules import check_identity, check_update, where
from karmadalab.core.snapshot import Snapshot
from karmadalab.core.table import Key, Table, must_agree
from karmadalab.core.telling import Teller
from karmadalab.core.trace import CREATE, DELETE, STATUS, UPDATE, Trace

# Named here because inside the class `list` is a method.
Objects = list[Any]
Names = list[str]
Changes = list[tuple[str, AnyObject | None, AnyObject]]
Admit = Callable[[str, AnyObject, AnyObject | None], AnyObject]

# Kinds whose API server strategy keeps no generation.
_RBAC = "rbac.authorization.k8s.io"
_NO_GENERATION = frozenset(
    (
        *("ConfigMap", "Secret", "Namespace", "Service", "ServiceAccount", "PersistentVolume", "PersistentVolumeClaim"),
        *("Node", "Event", "Lease.coordination.k8s.io", f"Role.{_RBAC}", f"RoleBinding.{_RBAC}"),
        *(f"ClusterRole.{_RBAC}", f"ClusterRoleBinding.{_RBAC}"),
    )
)


class Store:
    """The objects of one API server.

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
        self.clock = clock
        self.trace = trace
        self.world = world
        self.admit = admit
        self.graceful = graceful
        self.version = 0
        self.oldest_version = 0
        self._tables: dict[str, Table] = {}
        self._collector = Collector(self, clock, trace, world)
        self._uids = 0
        self._teller = Teller(trace)
        self._tell = self._teller.tell

    # --- reading ------------------------------------------------------------------------------------------------------

    def get(self, kind: Any, name: str, namespace: str = "") -> Any:
        """The object of that name.

        Args:
            kind: a class (`Cluster`) or a store name (`"Deployment.apps"`).

        Raises:
            NotFound: it is not there.
        """
        found = self.find(kind, name, namespace)
        if found is None:
            where = f"{namespace}/{name}" if namespace else name
            at = f" in {self.world}" if self.world else ""
            raise NotFound(f"{_kind_name(kind)} {where} not found{at}")
        return found

    def find(self, kind: Any, name: str, namespace: str = "") -> Any:
        """The object of that name, or None."""
        table = self._tables.get(kind if isinstance(kind, str) else kind.GROUP_KIND)
        return None if table is None else table.objects.get((namespace, name))

    def list(self, kind: Any, namespace: str | None = None, selector: LabelSelector | None = None) -> Objects:
        """The objects of a kind, by namespace and name; `namespace=None` means all."""
        table = self._tables.get(kind if isinstance(kind, str) else kind.GROUP_KIND)
        if table is None:
            return []
        objects = table.objects
        found = [objects[key] for key in table.sorted_keys() if namespace is None or key[0] == namespace]
        if selector is not None:
            found = [obj for obj in found if selector_matches(selector, obj.metadata.labels)]
        return found

    def indexed(self, kind: Any, index: str, value: Hashable) -> Objects:
        """The objects that an index has under a value, by namespace and name."""
        table = self._table(kind if isinstance(kind, str) else kind.GROUP_KIND)
        return [table.objects[key] for key in sorted(table.indexes[index][1].get(value, ()))]

    def add_index(self, kind: Any, index: str, values: Callable[[Any], Iterable[Hashable]]) -> None:
        """Keep the objects of a kind findable by what `values` says of each."""
        table = self._table(kind if isinstance(kind, str) else kind.GROUP_KIND)
        if index not in table.indexes:
            table.indexes[index] = (values, defaultdict(set))
            for key, obj in table.objects.items():
                table.index(key, None, obj)

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

    def kinds(self) -> Names:
        """The kinds of which there is at least one object."""
        return sorted(kind for kind, table in self._tables.items() if table.objects)

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
        self.check_new(obj)  # before admission, which fills in what it can read
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
            uid=self._uid(),
            resourceVersion=str(self.version),
            generation=0 if kind in _NO_GENERATION else 1,
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
            raise self._refusal(obj, old)
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
        if old_meta.deletionTimestamp is not None and not meta.finalizers:
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
            raise self._refusal(obj, old)
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
        first = self._missed(kind, since) if since is not None else self._present(table)
        table.watchers = (*table.watchers, handler)
        with self._teller.in_order():
            for type_, old, new in first:
                handler(type_, old, new)
        return partial(table.unwatch, handler)

    @staticmethod
    def _present(table: Table) -> Changes:
        return [(ADDED, None, table.objects[key]) for key in table.sorted_keys()]

    def _missed(self, kind: str, since: int) -> Changes:
        if since < self.oldest_version:
            raise Gone(f"resourceVersion {since} is too old: the oldest kept is {self.oldest_version}; list again")
        if since > self.version:
            raise BadRequest(f"resourceVersion {since} is too large: the newest is {self.version}; list again")
        missed: Changes = []
        for row in reversed(self.trace.rows):
            if row.world != self.world or not row.version:
                continue
            if row.version <= since:
                break
            if row.kind == kind:
                type_ = {CREATE: ADDED, DELETE: DELETED}.get(row.verb, MODIFIED)
                missed.append((type_, row.old, row.new if row.new is not None else _at(row.version, row.old)))
        return missed[::-1]

    # --- inside -------------------------------------------------------------------------------------------------------

    def _table(self, kind: str) -> Table:
        table = self._tables.get(kind)
        if table is None:
            table = self._tables[kind] = Table(is_namespaced(kind))
        return table

    def _refusal(self, obj: Any, old: Any) -> ApiError:
        """Why an object can't be written over the stored one: that is not there, or not the one that was read."""
        if old is None:
            at = f" in {self.world}" if self.world else ""
            return NotFound(f"{obj.kind} {where(obj.metadata)} not found{at}")
        given = obj.metadata.resourceVersion
        if not given:
            return BadRequest(
                f"{obj.kind} {where(obj.metadata)}: metadata.resourceVersion must be specified for an update: "
                "read the object, change it and write it back"
            )
        return Conflict(
            f"{obj.kind} {where(obj.metadata)}: you wrote resourceVersion {given}, the store has "
            f"{old.metadata.resourceVersion}; read it again and reapply your change"
        )

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
        self._tell(table, row, DELETED, old, _at(self.version, old))
        self._collector.removed(old.metadata.uid)

    # --- what any API server checks

    def check_new(self, obj: Any) -> None:
        """Whether an object could be created, as far as it is known from the object alone.

        Raises:
            BadRequest, Invalid: what is wrong with its name, its labels or its content.
        """
        meta = obj.metadata
        kind: str = obj.GROUP_KIND
        check_identity(is_namespaced(kind), obj.kind, meta)
        check_name(obj.kind, kind, meta)
        if meta.labels:
            check_labels(obj.kind, where(meta), meta.labels)
        check_content(obj)

    def check_indexes(self) -> None:
        """Verify that indexes and owner index say what the objects say. Raises `AssertionError`."""
        owned: defaultdict[str, set[tuple[str, Key]]] = defaultdict(set)
        for kind, table in self._tables.items():
            fresh = Table(table.namespaced)
            fresh.indexes = {name: (values, defaultdict(set)) for name, (values, _) in table.indexes.items()}
            for key, obj in table.objects.items():
                fresh.index(key, None, obj)
                for owner in obj.metadata.ownerReferences:
                    owned[owner.uid].add((kind, key))
            for name, (_, entries) in table.indexes.items():
                must_agree(f"index {name} of {kind}", entries, fresh.indexes[name][1])
            if table.order is not None and table.order != sorted(table.objects):
                raise AssertionError(f"the order of {kind} is its sorted keys: {table.order}")
        self._collector.check(owned)

    def _uid(self) -> str:
        # Readable and the same in every run; the world keeps uids of different clusters apart.
        world = sum((index + 1) * ord(char) for index, char in enumerate(self.world)) & 0xFFFF
        return f"00000000-0000-4000-8{world >> 12:03x}-{world & 0xFFF:03x}{self._uids:09x}"

    def __repr__(self) -> str:
        count = sum(len(table.objects) for table in self._tables.values())
        return f"<Store {self.world or 'karmada-apiserver'} {count} objects, version {self.version}>"


def _at(version: int, obj: Any) -> Any:
    """The object as of a version."""
    return replace(obj, metadata=replace(obj.metadata, resourceVersion=str(version)))


def _kind_name(kind: Any) -> str:
    name: str = kind if isinstance(kind, str) else kind.GROUP_KIND
    return name.partition(".")[0]

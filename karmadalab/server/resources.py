"""The verbs: what a request does to one kind of one store.

Everything here happens in one turn (see `app.py`): what was read is still so when it is written, so that a patch needs
no second try. Which fields a writer owns is noted in `managedFields`, for server-side apply.
"""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import Any, NamedTuple

from karmadalab.api.codec import to_dict
from karmadalab.api.errors import BadRequest, Conflict, Invalid
from karmadalab.api.meta import LabelSelector, replace
from karmadalab.api.scheme import AnyObject
from karmadalab.core.store import Store
from karmadalab.server import apply as server_side
from karmadalab.server import patches
from karmadalab.server.kinds import Served
from karmadalab.server.limits import check_depth
from karmadalab.server.namespaces import check_may_go
from karmadalab.server.options import DeleteOptions, Preconditions
from karmadalab.server.reading import known_part, read, read_applied
from karmadalab.server.status import HttpError

Manifest = dict[str, Any]
Objects = list[Any]  # named here because inside the class `list` is a method


_COUNTED = frozenset(("Deployment.apps", "ReplicaSet.apps", "StatefulSet.apps"))
_RAW = frozenset(("manifests", "value", "data"))  # these hold what is not this API server's to read


class Caller(NamedTuple):
    """Who asks, and how.

    Args:
        manager: the field manager.
        dry_run: whether nothing shall be kept.
        force: whether an apply takes fields over.
        strict: whether a field that its kind does not have is refused.
    """

    manager: str
    dry_run: bool = False
    force: bool = False
    strict: bool = True


class Resources:
    """One kind of one store, in one namespace or in all.

    Args:
        store: the API server's objects.
        kind: of what.
        namespace: None for all, empty for kinds that have none.
        caller: who asks.
    """

    def __init__(self, store: Store, kind: Served, namespace: str | None, caller: Caller) -> None:
        self.kind, self.caller = kind, caller
        self.namespace = namespace if kind.type.namespaced else ""
        self._origin = store
        # A dry run goes through the whole write, in a store that nobody sees.
        self.store = store.copy() if caller.dry_run else store

    # --- reading

    def get(self, name: str) -> AnyObject:
        """The object. Raises `NotFound`."""
        return self.store.get(self.kind.type.group_kind, name, self.namespace or "")  # type: ignore[no-any-return] # a store says Any

    def list(self, labels: LabelSelector | None = None) -> Objects:
        """All of them, by namespace and name."""
        where = self.namespace if self.kind.type.namespaced else None
        return self.store.list(self.kind.type.group_kind, where, labels)

    # --- writing

    def create(self, data: Manifest) -> AnyObject:
        """Store a new object."""
        data = self._addressed(data)
        self._check_space(data)
        return self.store.create(self._owned(None, data, ()))  # type: ignore[no-any-return] # a store says Any

    def update(self, name: str, data: Manifest, status: bool = False) -> AnyObject:
        """Write an object as a whole, or the status it has."""
        old = self.get(name)
        data = self._addressed(data, name)
        meta = data["metadata"]
        if not meta.get("resourceVersion") and self.kind.is_builtin:
            meta["resourceVersion"] = old.metadata.resourceVersion  # these kinds allow it
        return self._write(old, data, status)

    def patch(self, name: str, content_type: str, patch: Any, status: bool = False) -> tuple[AnyObject, bool]:
        """Change an object; an apply creates it when it is not there. Returns it, and whether it is new."""
        if content_type == patches.APPLY:
            return self._apply(name, patch, status)
        old = self.get(name)
        changed = self.patcher(content_type)(to_dict(old), patch)
        return self._write(old, self._addressed(changed, name), status), False

    def patcher(self, content_type: str) -> Callable[[Manifest, Any], Manifest]:
        """What carries out a patch of this type. Raises `HttpError` 415."""
        accepted = {patches.JSON: patches.json_patch, patches.MERGE: patches.merge_patch}
        if self.kind.is_builtin:
            accepted[patches.STRATEGIC] = patches.strategic_merge
        if content_type not in accepted:
            listed = ", ".join([*accepted, patches.APPLY])
            raise HttpError(
                415,
                "UnsupportedMediaType",
                f"the body of the request was in an unknown format - accepted media types include: {listed}",
            )
        return accepted[content_type]

    def _apply(self, name: str, config: Any, status: bool) -> tuple[AnyObject, bool]:
        config = self._addressed(config, name)
        if config["metadata"].get("managedFields"):
            raise BadRequest("metadata.managedFields must be nil")
        old = self.store.find(self.kind.type.group_kind, name, self.namespace or "")
        live = None if old is None else to_dict(old)
        entries = [] if old is None else [*old.metadata.managedFields]
        now = self.store.clock.now()
        mine = self._mine("Apply", status)
        merged, entries = server_side.apply(live, config, entries, mine, self.caller.force, self.kind.is_builtin, now)
        merged["metadata"] = {**merged["metadata"], "managedFields": entries}
        obj = read_applied(merged)
        if old is None:
            self._check_space(merged)
            return self.store.create(obj), True
        return (self.store.update_status(obj) if status else self.store.update(obj)), False

    def _write(self, old: Any, data: Manifest, status: bool) -> AnyObject:
        if data["metadata"].get("uid", old.metadata.uid) != old.metadata.uid:
            raise Conflict(
                f"Precondition failed: UID in precondition: {data['metadata']['uid']}, "
                f"UID in object meta: {old.metadata.uid}"
            )
        if status:
            return self.store.update_status(read(data))  # type: ignore[no-any-return] # a store says Any
        entries = data["metadata"].get("managedFields") or old.metadata.managedFields
        return self.store.update(self._owned(to_dict(old), data, entries))  # type: ignore[no-any-return] # a store says Any

    def _owned(self, old: Manifest | None, data: Manifest, entries: Any) -> Any:
        """The object that a manifest describes, with its fields' owners."""
        mine, now = self._mine("Update"), self.store.clock.now()
        owners = server_side.after_update(old, data, entries, mine, self.kind.is_builtin, now)
        obj = read(data)
        return replace(obj, metadata=replace(obj.metadata, managedFields=tuple(owners)))

    def _mine(self, operation: str, status: bool = False) -> dict[str, Any]:
        found = {"manager": self.caller.manager, "operation": operation, "apiVersion": self.kind.type.api_version}
        return {**found, "subresource": "status"} if status else found

    # --- deleting

    def delete(self, name: str, options: DeleteOptions) -> AnyObject | None:
        """Delete an object, or mark it. Returns what is left of it, None when nothing is."""
        old = self.get(name)
        check_may_go(self.kind.type.group_kind, name)
        self._check_preconditions(old, options.preconditions)
        policy = options.propagationPolicy or ("Orphan" if options.orphanDependents else "Background")
        if policy == "Orphan":
            self._orphan(old)
        elif policy == "Foreground":
            self._delete_dependents(old)
        group_kind, namespace = self.kind.type.group_kind, old.metadata.namespace
        self.store.delete(group_kind, name, namespace)
        left = self.store.find(group_kind, name, namespace)
        if left is not None and options.gracePeriodSeconds == 0 and not left.metadata.finalizers:
            self.store.delete(group_kind, name, namespace)
            left = None
        return left  # type: ignore[no-any-return] # a store says Any

    def _check_preconditions(self, old: Any, wanted: Preconditions) -> None:
        for field in ("uid", "resourceVersion"):
            asked, found = getattr(wanted, field), getattr(old.metadata, field)
            if asked not in (None, found):
                raise Conflict(f"Precondition failed: {field} in precondition: {asked}, in object: {found}")

    def _dependents(self, owner: Any) -> Objects:
        uid = owner.metadata.uid
        found = (obj for kind in self.store.kinds() for obj in self.store.list(kind))
        return [obj for obj in found if any(reference.uid == uid for reference in obj.metadata.ownerReferences)]

    def _orphan(self, owner: Any) -> None:
        for obj in self._dependents(owner):
            rest = tuple(r for r in obj.metadata.ownerReferences if r.uid != owner.metadata.uid)
            self.store.update(replace(obj, metadata=replace(obj.metadata, ownerReferences=rest)))

    def _delete_dependents(self, owner: Any) -> None:
        """Foreground: dependents first. The owner does not wait for those that linger, which real ones do."""
        for obj in self._dependents(owner):
            if obj.metadata.deletionTimestamp is None:
                self.store.delete(obj.GROUP_KIND, obj.metadata.name, obj.metadata.namespace)

    # --- what a request must agree with

    def _addressed(self, data: Any, name: str | None = None) -> Manifest:
        """A manifest that is about what the path is about; what it leaves out is filled in.

        Raises:
            BadRequest: it is about something else.
        """
        rt = self.kind.type
        if not isinstance(data, dict):
            raise BadRequest(f"the body is a manifest of a {rt.kind}, not {type(data).__name__}")
        check_depth(data)
        data = {"apiVersion": rt.api_version, "kind": rt.kind, **_without_nulls(data)}
        if (data["apiVersion"], data["kind"]) != (rt.api_version, rt.kind):
            raise BadRequest(
                f"{data['kind']} in version {data['apiVersion']!r} cannot be handled as a {rt.kind} of {rt.api_version}"
            )
        if not self.caller.strict:
            data = known_part(data)
        for field in ("metadata", "spec", "status"):
            if not isinstance(data.get(field, {}), dict | NoneType):
                raise BadRequest(f"{field}: expected a mapping, not {type(data[field]).__name__}")
        meta = data.get("metadata")
        meta = data["metadata"] = dict(meta) if isinstance(meta, dict) else {}
        if name is not None and meta.setdefault("name", name) != name:
            raise BadRequest(f"the name of the object ({meta['name']}) does not match the name on the URL ({name})")
        replicas = (data.get("spec") or {}).get("replicas", 0)
        if rt.group_kind in _COUNTED and not (type(replicas) is int and 0 <= replicas < 1 << 31):
            raise Invalid(f"{rt.kind} {meta.get('name')}: spec.replicas: expected a whole number, got {replicas!r}")
        owners = meta.get("managedFields") or []
        if not isinstance(owners, list | tuple) or not all(isinstance(owner, dict) for owner in owners):
            raise BadRequest("metadata.managedFields: expected a list of mappings; leave it to the server")
        if self.namespace:
            if meta.get("namespace", self.namespace) != self.namespace:
                raise BadRequest(
                    f"the namespace of the object ({meta['namespace']}) does not match the namespace on the URL "
                    f"({self.namespace})"
                )
            meta["namespace"] = self.namespace
        return dict(data)

    def _check_space(self, data: Manifest) -> None:
        """A namespace must be there before anything is put into it."""
        namespace = self.namespace
        if not namespace or self._origin.find("Namespace", namespace) is not None:
            return
        if namespace.startswith(("kube-", "karmada-")):
            return  # the lab makes its own without asking
        raise HttpError(404, "NotFound", f'namespaces "{namespace}" not found')


def _without_nulls(data: Any) -> Any:
    """To an API server a field that is null is a field that is not there."""
    if isinstance(data, dict):
        return {
            key: value if key in _RAW else _without_nulls(value) for key, value in data.items() if value is not None
        }
    return [_without_nulls(item) for item in data] if isinstance(data, list) else data

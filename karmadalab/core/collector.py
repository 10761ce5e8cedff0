"""Garbage collection: what a deleted object owned goes with it, in the background, as in Kubernetes."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from karmadalab.api.errors import ApiError
from karmadalab.api.meta import OwnerReference, replace
from karmadalab.api.scheme import is_namespaced
from karmadalab.api.unstructured import group_kind
from karmadalab.core.client import Client
from karmadalab.core.clock import VirtualClock
from karmadalab.core.table import Key, must_agree
from karmadalab.core.trace import Trace

GARBAGE_COLLECTOR = "garbage-collector"

_RETRY_S, _LONGEST_RETRY_S = 0.005, 1000.0

Dependent = tuple[str, Key]  # kind, and namespace and name


class Collector:
    """Knows who owns what, and deletes what is left without an owner.

    Args:
        client: the store it works on.
        clock, trace: the lab's; collecting follows a deletion at once, but after whatever is under way.
        world: the store's world, for the trace.
    """

    def __init__(self, client: Client, clock: VirtualClock, trace: Trace, world: str) -> None:
        self._client, self._clock, self._trace, self._world = client, clock, trace, world
        self._owned: defaultdict[str, set[Dependent]] = defaultdict(set)

    def written(self, kind: str, key: Key, old: Any, new: Any) -> None:
        """An object got, changed or lost its owners (`new` is None when it is gone)."""
        for owner in old.metadata.ownerReferences if old is not None else ():
            dependents = self._owned[owner.uid]
            dependents.discard((kind, key))
            if not dependents:
                del self._owned[owner.uid]
        if new is None:
            return
        for owner in new.metadata.ownerReferences:
            self._owned[owner.uid].add((kind, key))
            if not self._is_alive(owner, new.metadata.namespace):  # it went before its dependent came
                self._collect_soon(owner.uid)

    def removed(self, uid: str) -> None:
        """An object is gone; what it owned will be."""
        if uid in self._owned:
            self._collect_soon(uid)

    def check(self, owned: dict[str, set[Dependent]]) -> None:
        """Verify that the index of owners is the one that the objects make. Raises `AssertionError`."""
        must_agree("owner index", self._owned, owned)

    def _collect_soon(self, owner_uid: str) -> None:
        self._clock.call_soon((self._trace.bound(self._collect, GARBAGE_COLLECTOR), owner_uid))

    def _collect(self, owner_uid: str, failures: int = 0) -> None:
        """Delete what a gone object owned, or its name from their owners where others live."""
        refused = False
        for kind, (namespace, name) in sorted(self._owned.get(owner_uid, ())):
            obj = self._client.find(kind, name, namespace)
            alive = [owner for owner in obj.metadata.ownerReferences if self._is_alive(owner, namespace)]
            if len(alive) == len(obj.metadata.ownerReferences):
                continue
            try:
                if alive:
                    metadata = replace(obj.metadata, ownerReferences=tuple(alive))
                    self._client.update(replace(obj, metadata=metadata))
                elif obj.metadata.deletionTimestamp is None:
                    self._client.delete(kind, name, namespace)
            except ApiError as error:  # admission protects it; perhaps not for ever
                refused = True
                if not failures:
                    self._trace.note(kind, name, f"not collected: {error}", namespace=namespace, world=self._world)
        if refused:
            retry = self._trace.bound(self._collect, GARBAGE_COLLECTOR)
            delay_s = min(_RETRY_S * 2.0**failures, _LONGEST_RETRY_S)
            self._clock.call_later(delay_s, retry, owner_uid, failures + 1)

    def _is_alive(self, owner: OwnerReference, namespace: str) -> bool:
        kind = group_kind(owner.apiVersion, owner.kind)
        found = self._client.find(kind, owner.name, namespace if is_namespaced(kind) else "")
        return found is not None and bool(found.metadata.uid == owner.uid)

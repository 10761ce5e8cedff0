"""namespace-controller of any API server: a namespace that is deleted takes what is in it along, and goes last.

An API server keeps a deleted namespace until this controller has emptied it. The controller waits five seconds before
it begins (other API servers may not know of the deletion yet), and when something is left because it has finalizers, it
looks again five seconds later, then ten, twenty, up to a minute. So even an empty namespace takes five seconds to go;
measured in all recordings, in the control plane and in members alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karmadalab.api.errors import Forbidden
from karmadalab.api.scheme import AnyObject, is_namespaced
from karmadalab.core.client import ADDED, DELETED
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace

ACTOR = "namespace-controller"
NAMESPACE = "Namespace"
GRACE_S = 5.1
_RETRY_S, _LONGEST_RETRY_S = 5.0, 60.0


class Namespaces:
    """The controller for one store."""

    def __init__(self, store: Store, clock: VirtualClock, trace: Trace) -> None:
        self._store, self._clock, self._trace = store, clock, trace
        store.watch(NAMESPACE, self._event)

    def _event(self, event: str, old: Any, new: Any) -> None:
        stamp = new.metadata.deletionTimestamp
        if event not in (ADDED, DELETED) and stamp is not None and old.metadata.deletionTimestamp is None:
            name, uid = new.metadata.name, new.metadata.uid
            self._clock.call_soon((self._trace.bound(self._terminating, ACTOR), new))
            self._clock.call_later(GRACE_S, self._trace.bound(self._finish, ACTOR), name, uid, _RETRY_S)

    def _found(self, name: str, uid: str) -> Any:
        found = self._store.find(NAMESPACE, name)
        return found if found is not None and found.metadata.uid == uid else None

    def _terminating(self, namespace: Any) -> None:
        found = self._found(namespace.metadata.name, namespace.metadata.uid)
        if found is not None:
            self._store.update_status(found.with_status({**found.status, "phase": "Terminating"}))

    def _finish(self, name: str, uid: str, retry_s: float) -> None:
        if self._found(name, uid) is None:
            return
        self._empty(name)
        if any(self._content(name)):
            again = self._trace.bound(self._finish, ACTOR)
            self._clock.call_later(retry_s, again, name, uid, min(2 * retry_s, _LONGEST_RETRY_S))
        else:
            self._store.delete(NAMESPACE, name)

    def _content(self, namespace: str) -> Iterator[tuple[str, Any]]:
        for kind in self._store.kinds():
            if is_namespaced(kind):
                yield from ((kind, obj) for obj in self._store.list(kind, namespace))

    def _empty(self, namespace: str) -> None:
        for kind, obj in list(self._content(namespace)):
            if obj.metadata.deletionTimestamp is None:
                self._store.delete(kind, obj.metadata.name, namespace)


def refuse_new_content(store: Store, obj: AnyObject) -> None:
    """Nothing new in a namespace that is being deleted.

    Raises:
        Forbidden: as a Kubernetes API server says it.
    """
    meta = obj.metadata
    if not meta.namespace or obj.kind == "Event":
        return
    found = store.find(NAMESPACE, meta.namespace)
    if found is not None and found.metadata.deletionTimestamp is not None:
        raise Forbidden(
            f"{obj.kind} {meta.namespace}/{meta.name} is forbidden: unable to create new content in namespace "
            f"{meta.namespace} because it is being terminated"
        )

"""namespace-controller of any API server: a namespace that is deleted takes what is in it along, and goes last.

An API server keeps a deleted namespace until this controller has emptied it. The controller looks again five seconds
later rather than waiting for each object, and so a namespace takes some five seconds to go even when it was empty;
measured in all recordings, in the control plane and in members alike.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import Forbidden
from karmadalab.api.scheme import AnyObject, is_namespaced
from karmadalab.core.client import ADDED, DELETED
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace

ACTOR = "namespace-controller"
NAMESPACE = "Namespace"
LOOK_AGAIN_S = 5.1


class Namespaces:
    """The controller for one store."""

    def __init__(self, store: Store, clock: VirtualClock, trace: Trace) -> None:
        self._store, self._clock, self._trace = store, clock, trace
        store.watch(NAMESPACE, self._event)

    def _event(self, event: str, old: Any, new: Any) -> None:
        stamp = new.metadata.deletionTimestamp
        if event not in (ADDED, DELETED) and stamp is not None and old.metadata.deletionTimestamp is None:
            self._clock.call_soon((self._trace.bound(self._empty, ACTOR), (new.metadata.name, new.metadata.uid)))
            self._look_again(new.metadata.name, new.metadata.uid)

    def _look_again(self, name: str, uid: str) -> None:
        self._clock.call_later(LOOK_AGAIN_S, self._trace.bound(self._finish, ACTOR), name, uid)

    def _empty(self, name: str, uid: str) -> bool:
        """Delete what is left in a namespace; True when nothing is."""
        found = self._store.find(NAMESPACE, name)
        if found is None or found.metadata.uid != uid:
            return True
        self._store.update_status(found.with_status({**found.status, "phase": "Terminating"}))
        left = False
        for kind in self._store.kinds():
            if not is_namespaced(kind):
                continue
            for obj in self._store.list(kind, name):
                left = True
                if obj.metadata.deletionTimestamp is None:
                    self._store.delete(kind, obj.metadata.name, name)
        return not left

    def _finish(self, name: str, uid: str) -> None:
        if not self._empty(name, uid):
            self._look_again(name, uid)
        elif (found := self._store.find(NAMESPACE, name)) is not None and found.metadata.uid == uid:
            self._store.delete(NAMESPACE, name)


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

"""`core.client.Client` over HTTP.

Reads come from informers, writes go out as calls (`calls.py`) that keep no other reconcile waiting.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Hashable
from typing import Any

from karmadalab.api.codec import decode, to_dict, to_json
from karmadalab.api.errors import BadRequest, NotFound, Unreachable
from karmadalab.api.meta import LabelSelector, Resource, selector_matches
from karmadalab.api.scheme import AnyObject, is_namespaced, resource_type
from karmadalab.core.client import ADDED, Handler
from karmadalab.core.clock import VirtualClock, stopwatch
from karmadalab.core.controller import Wait
from karmadalab.core.trace import Trace
from karmadalab.environments.http import calls, paths
from karmadalab.environments.http.calls import Calls
from karmadalab.environments.http.informer import Informer
from karmadalab.environments.http.refusal import refusal
from karmadalab.environments.http.transport import Answer, Transport

_SEEN_WITHIN_S = 5.0
_VOLATILE = frozenset(("resourceVersion", "generation", "managedFields"))
_TIME = re.compile(r'"\d{4}-\d\d-\d\dT[^"]*"')


class HttpClient:
    """A cluster's API server, far away.

    Args:
        name: how to call it in errors: `karmada -> member1`.
        transport: the way there.
        clock: a wall clock; its turn is taken to deliver what happened.
        trace: the lab's.
    """

    def __init__(self, name: str, transport: Transport, clock: VirtualClock, trace: Trace) -> None:
        self.name = name
        self.transport = transport
        self.clock, self._trace = clock, trace
        self._informers: dict[str, Informer] = {}
        self._resumed: list[Informer] = []
        self._news = threading.Condition(clock.turn)
        self._changes = 0
        self._calls = Calls(name, clock, trace, self._cut)
        self.ask = self._calls.ask
        self._waiting: list[Callable[[], None]] = []  # reconciles that need a first list

    @property
    def version(self) -> int:
        """Changes whenever a cache does."""
        return self._changes

    @property
    def informers(self) -> tuple[Informer, ...]:
        """All that are watched at the moment."""
        return (*self._informers.values(), *self._resumed)

    # --- reading

    def get(self, kind: Any, name: str, namespace: str = "") -> Any:
        """As `Store.get`, from the cache."""
        found = self.find(kind, name, namespace)
        if found is None:
            raise NotFound(f"{_named(kind, name, namespace)} not found")
        return found

    def find(self, kind: Any, name: str, namespace: str = "") -> Any:
        """As `Store.find`, from the cache."""
        return self._synced(kind).objects.get((namespace, name))

    def indexed(self, kind: Any, index: str, value: Hashable) -> list[Any]:
        """Indexes are the control plane's own."""
        raise BadRequest(f"{self.name}: no index {index} over the network; list {kind} and select")

    def list(self, kind: Any, namespace: str | None = None, selector: LabelSelector | None = None) -> list[Any]:
        """As `Store.list`, from the cache."""
        objects = self._synced(kind).objects
        found = [objects[key] for key in sorted(objects) if namespace is None or key[0] == namespace]
        return found if selector is None else [o for o in found if selector_matches(selector, o.metadata.labels)]

    def watch(self, kind: Any, handler: Handler, since: int | None = None) -> Callable[[], None]:
        """As `Store.watch`; with `since`, what there was then is asked for first, so that each change has its before.

        Raises:
            Gone: the server no longer knows that version.
        """
        if since is not None:
            return self._resume(kind, handler, since)
        with self.clock.taken():
            informer = self._informer(kind)
            for key in sorted(informer.objects):
                handler(ADDED, None, informer.objects[key])
            informer.handlers.append(handler)
        return lambda: informer.handlers.remove(handler) if handler in informer.handlers else None

    def _resume(self, kind: Any, handler: Handler, since: int) -> Callable[[], None]:
        """A watch of its own, since the shared cache is already further."""
        rt = resource_type(kind)
        query = {"resourceVersion": str(since), "resourceVersionMatch": "Exact"}
        path = paths.collection(rt)
        then = self.ask(("GET", path, since), lambda limit_s: self._got(path, query, limit_s))
        informer = Informer(rt, self.transport, self.clock, self._trace, self._changed)
        informer.begin(then.data.get("items") or (), since)
        informer.handlers.append(handler)
        with self.clock.taken():
            self._resumed.append(informer)
            informer.start()

        def stop() -> None:
            informer.handlers.clear()
            informer.stop()
            if informer in self._resumed:
                self._resumed.remove(informer)

        return stop

    def _got(self, path: str, query: dict[str, str], timeout_s: float) -> Answer:
        answer = self.transport.request("GET", path, query, None, timeout_s)
        if answer.code >= 400:
            raise refusal(answer)
        return answer

    # --- writing

    def create(self, obj: Any) -> Any:
        """As `Store.create`, over the network."""
        _check_space(obj)
        rt = resource_type(obj.GROUP_KIND)
        return self._write("POST", paths.collection(rt, obj.metadata.namespace), obj)

    def update(self, obj: Any) -> Any:
        """As `Store.update`, over the network."""
        rt = resource_type(obj.GROUP_KIND)
        return self._write("PUT", paths.item(rt, obj.metadata.name, obj.metadata.namespace), obj)

    def update_status(self, obj: Any) -> Any:
        """As `Store.update_status`, over the network."""
        rt = resource_type(obj.GROUP_KIND)
        return self._write("PUT", paths.item(rt, obj.metadata.name, obj.metadata.namespace, "status"), obj)

    def delete(self, kind: str | type[Resource], name: str, namespace: str = "") -> None:
        """As `Store.delete`, over the network."""
        rt = resource_type(kind)
        before = self._known(kind, name, namespace)
        waits = before is not None and before.metadata.deletionTimestamp is None and not self._trace.reconciling
        path, what = paths.item(rt, name, namespace), _named(kind, name, namespace)
        options = {"propagationPolicy": "Background"}
        self.ask(("DELETE", path), lambda timeout_s: self._sent("DELETE", path, options, timeout_s, what))
        if waits:
            self._until(lambda: self._known(kind, name, namespace) is not before)

    def _write(self, method: str, path: str, obj: Any) -> Any:
        self._known(obj.GROUP_KIND, "", "")  # a list that is under way would miss what is written now
        data, what = to_dict(obj), _named(obj.GROUP_KIND, obj.metadata.name, obj.metadata.namespace)
        question = (method, path, _gist(data))
        answer = self.ask(question, lambda timeout_s: self._sent(method, path, data, timeout_s, what))
        stored = decode(answer.data)
        informer = self._informers.get(obj.GROUP_KIND)
        if informer is not None:
            with self.clock.taken():
                informer.wrote(stored)
        return stored

    def _sent(self, method: str, path: str, body: Any, timeout_s: float, what: str) -> Answer:
        answer = self.transport.request(method, path, {}, body, timeout_s)
        if answer.code >= 400:
            raise refusal(answer, what)
        return answer

    # --- caches

    def _cut(self) -> None:
        for informer in self.informers:
            informer.cut()

    def close(self) -> None:
        """End all informers and connections."""
        for informer in self.informers:
            informer.stop()
        self.transport.close()

    def _informer(self, kind: Any) -> Informer:
        name = kind if isinstance(kind, str) else kind.GROUP_KIND
        informer = self._informers.get(name)
        if informer is None:
            rt = resource_type(kind)
            informer = Informer(rt, self.transport, self.clock, self._trace, self._changed)
            self._informers[name] = informer
            informer.start()
        return informer

    def _synced(self, kind: Any) -> Informer:
        with self.clock.taken():
            informer = self._informer(kind)
            if informer.synced:
                return informer
            if informer.problem is None and self._trace.reconciling:
                raise Wait(calls.IDLE_CONNECTION_TIMEOUT_S, _nothing, _nothing, self._waiting.append)
            self._until(lambda: informer.synced or informer.problem is not None)
            return self._checked(informer)

    def _checked(self, informer: Informer) -> Informer:
        if not informer.synced:
            raise Unreachable(f"{self.name}: {informer.problem or 'no list in time'}")
        return informer

    def _known(self, kind: Any, name: str, namespace: str) -> Any:
        """What the cache has, if there is one; a caller who may block waits for its first list."""
        informer = self._informers.get(kind if isinstance(kind, str) else kind.GROUP_KIND)
        if informer is not None and not informer.synced and not self._trace.reconciling:
            informer = self._synced(kind)
        return None if informer is None else informer.objects.get((namespace, name))

    def _until(self, holds: Callable[[], bool]) -> None:
        """Let others have their turn until something is so, or for five seconds."""
        end = stopwatch() + _SEEN_WITHIN_S
        with self.clock.taken():
            while not holds() and stopwatch() < end:
                self._news.wait(end - stopwatch())

    def _changed(self) -> None:
        self._changes += 1
        self._news.notify_all()
        while self._waiting:  # they look for themselves whether it was what they waited for
            self.clock.call_soon((calls.take_up, self._waiting.pop(0)))

    def __repr__(self) -> str:
        return f"<HttpClient {self.name}, {len(self._informers)} kinds known>"


def _gist(data: dict[str, Any]) -> str:
    """What a write says, without times and versions: those of a heartbeat are others by the time it is taken up again.

    Without the rest, a second status write to an object would be taken for answered by the answer to the first.
    """
    meta = {key: value for key, value in data.get("metadata", {}).items() if key not in _VOLATILE}
    return _TIME.sub('""', to_json({**data, "metadata": meta}))


def _nothing() -> None:
    """A list that is in needs no taking up."""


def _named(kind: Any, name: str, namespace: str) -> str:
    short = (kind if isinstance(kind, str) else kind.GROUP_KIND).partition(".")[0]
    return f"{short} {namespace}/{name}" if namespace else f"{short} {name}"


def _check_space(obj: AnyObject) -> None:
    """A path without its namespace would be another one."""
    namespaced, meta = is_namespaced(obj.GROUP_KIND), obj.metadata
    if namespaced and not meta.namespace:
        raise BadRequest(f"{obj.kind} {meta.name}: metadata.namespace: required, but missing; write namespace: default")
    if not namespaced and meta.namespace:
        raise BadRequest(f"{obj.kind} {meta.name}: metadata.namespace: a {obj.kind} has no namespace; leave it out")

"""`core.client.Client` over HTTP.

Reads come from informers. A write leaves on a thread of its own and the reconcile that asked for it is taken up again
when the answer is there (`core.controller.Wait`), so that a member which drops packets keeps nobody else waiting, as
with Karmada's many workers. Outside a reconcile, at a prompt, the caller waits.

How long an answer is waited for are Go's numbers, for they decide when a silent member is noticed: 45 s after the
network last carried anything, 10 s where there is no connection.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Hashable
from typing import Any

from karmadalab.api.errors import BadRequest, KarmadalabError, NotFound, Unreachable
from karmadalab.api.meta import LabelSelector, Resource, selector_matches
from karmadalab.api.scheme import AnyObject, decode, is_namespaced, resource_type, to_dict, to_json
from karmadalab.core.client import ADDED, Handler
from karmadalab.core.clock import VirtualClock, stopwatch
from karmadalab.core.controller import Wait
from karmadalab.core.trace import Trace
from karmadalab.environments.http import paths
from karmadalab.environments.http.informer import Informer
from karmadalab.environments.http.refusal import refusal
from karmadalab.environments.http.transport import Answer, Transport

IDLE_CONNECTION_TIMEOUT_S = 45.0
HANDSHAKE_TIMEOUT_S = 10.0
_SEEN_WITHIN_S = 5.0
_VOLATILE = frozenset(("resourceVersion", "generation", "managedFields"))
_TIME = re.compile(r'"\d{4}-\d\d-\d\dT[^"]*"')

Call = Callable[[float], Any]  # does it, given how many seconds it may take


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
        self._news = threading.Condition(clock.turn)
        self._changes = 0
        self._last_active = 0.0  # monotonic seconds
        self._answers: list[tuple[Hashable, Any, KarmadalabError | None]] = []
        self._used = 0
        self._waiting: list[Callable[[], None]] = []  # reconciles that need a first list

    @property
    def version(self) -> int:
        """Changes whenever a cache does."""
        return self._changes

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
        """As `Store.watch`: what is there as ADDED, then every change. `since` is not offered over the network."""
        if since is not None:
            raise BadRequest(f"{self.name}: a watch over the network begins with what is there; leave since out")
        with self.clock.taken():
            informer = self._informer(kind)
            for key in sorted(informer.objects):
                handler(ADDED, None, informer.objects[key])
            informer.handlers.append(handler)
        return lambda: informer.handlers.remove(handler) if handler in informer.handlers else None

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

    # --- calls

    def ask(self, key: Hashable, call: Call) -> Any:
        """Do something over the network.

        In a reconcile the call leaves now and `Wait` is raised; when the reconcile runs again its n-th call gets the
        n-th answer, if it is still the same question.

        Args:
            key: what is asked: method, path, and what the body says.
            call: asks it, in another thread; it must not touch the lab.

        Raises:
            Unreachable: no answer.
            ApiError: the server refused.
            Wait: in a reconcile, for the answer.
        """
        for number in range(self._used, len(self._answers)):
            if self._answers[number][0] == key:
                self._used = number + 1
                return _returned(*self._answers[number][1:])
        if not self._trace.reconciling:
            return _returned(*self._tried(call, self._patience_s()))
        raise self._left(key, call)

    def _left(self, key: Hashable, call: Call) -> Wait:
        """Send a call off; the wait for its answer."""
        outcome: list[Any] = []
        resumes: list[Callable[[], None]] = []
        timeout_s = self._patience_s()

        def work() -> None:
            result = self._tried(call, timeout_s)
            with self.clock.taken():
                outcome.extend(result)
                for resume in resumes:
                    self.clock.call_soon((_resume, resume))

        def subscribe(resume: Callable[[], None]) -> None:
            resumes.append(resume)  # in the turn, so before the thread can have its answer delivered
            threading.Thread(target=work, name=f"call {self.name}", daemon=True).start()

        def arrive() -> None:
            self._answers.append((key, outcome[0], outcome[1]))
            self._used = 0

        return Wait(timeout_s, arrive, self._leave, subscribe)

    def _leave(self) -> None:
        self._answers.pop()
        self._used = 0

    def _tried(self, call: Call, timeout_s: float) -> tuple[Any, KarmadalabError | None]:
        try:
            answer = call(timeout_s)
        except Unreachable as error:
            for informer in tuple(self._informers.values()):
                informer.cut()
            return None, Unreachable(f"{self.name}: {error}")
        except KarmadalabError as error:  # it answered, if only to refuse
            self._last_active = stopwatch()
            return None, error
        self._last_active = stopwatch()
        return answer, None

    def _patience_s(self) -> float:
        left_s = self._last_active + IDLE_CONNECTION_TIMEOUT_S - stopwatch()
        self._last_active = 0.0 if left_s <= 0 else self._last_active
        return left_s if left_s > 0 else HANDSHAKE_TIMEOUT_S

    # --- caches

    def close(self) -> None:
        """End all informers and connections."""
        for informer in self._informers.values():
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
                raise Wait(IDLE_CONNECTION_TIMEOUT_S, _nothing, _nothing, self._waiting.append)
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
            self.clock.call_soon((_resume, self._waiting.pop(0)))

    def __repr__(self) -> str:
        return f"<HttpClient {self.name}, {len(self._informers)} kinds known>"


def _gist(data: dict[str, Any]) -> str:
    """What a write says, without times and versions: those of a heartbeat are others by the time it is taken up again.

    Without the rest, a second status write to an object would be taken for answered by the answer to the first.
    """
    meta = {key: value for key, value in data.get("metadata", {}).items() if key not in _VOLATILE}
    return _TIME.sub('""', to_json({**data, "metadata": meta}))


def _resume(resume: Callable[[], None]) -> None:
    resume()


def _nothing() -> None:
    """A list that is in needs no taking up."""


def _returned(answer: Any, error: KarmadalabError | None) -> Any:
    if error is not None:
        raise error
    return answer


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

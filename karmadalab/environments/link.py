"""A network that can refuse, drop, delay and lose, and clients that live with it.

Two failures look alike to a person and very different to a client. Where the machine is off but its address answers,
connections are refused and the caller knows at once. Where packets vanish, the caller learns nothing until its own
time-outs end: an open connection is given up 45 s after it last carried anything (30 s without a frame, then a ping
that waits 15 s), a new one after the 10 s that a TLS handshake may take. These numbers are Go's HTTP/2 client's, and
they are why a silent partition is detected some 40 s later than a refused one.

Reads are answered by caches, as with Kubernetes informers: while the link is down they show the past. Writes and probes
cross the link.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from random import Random
from typing import Any

from karmadalab.api.errors import Unreachable
from karmadalab.api.meta import LabelSelector
from karmadalab.core.client import ADDED, DELETED, MODIFIED, Handler
from karmadalab.core.clock import VirtualClock
from karmadalab.core.controller import Wait
from karmadalab.core.snapshot import Snapshot
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace

Objects = list[Any]  # named here because inside a client `list` is a method

IDLE_CONNECTION_TIMEOUT_S = 45.0
HANDSHAKE_TIMEOUT_S = 10.0

Answer = tuple[Unreachable | None, int | None]  # None when the call got through; the fault's trace row

UP, REFUSED, SILENT = "up", "refused", "silent"


class Link:
    """The way from one caller to one API server.

    Attributes:
        state: `up`, `refused` (the far side answers "connection refused") or `silent` (packets vanish).
        latency_s: how long an answer takes.
        loss: the share of calls, 0 to 1, that get no answer.
        cause: the trace row of the fault that acts on the link now.
        calls: the answers of the calls that are being taken up again just now, each with what it is due to.
    """

    def __init__(self, name: str, clock: VirtualClock, trace: Trace, rng: Random) -> None:
        self.name = name
        self.state = UP
        self.latency_s = 0.0
        self.loss = 0.0
        self.cause: int | None = None
        self._clock = clock
        self._trace = trace
        self._rng = rng
        self._last_active = clock.now()
        self._connected = True
        self.calls: list[Answer] = []
        self._listeners: list[Callable[[bool], None]] = []

    @property
    def carries(self) -> bool:
        """Whether calls get through at all."""
        return self.state == UP

    def set_state(self, state: str) -> None:
        """Change the link and tell who listens whether it carries calls now."""
        before, self.state = self.carries, state
        if state == REFUSED:
            self._connected = False
        if before != self.carries:
            for listener in tuple(self._listeners):
                listener(self.carries)

    def on_change(self, listener: Callable[[bool], None]) -> None:
        """Call back with True or False when the link begins or ceases to carry calls."""
        self._listeners.append(listener)

    def cross(self) -> None:
        """Make a call over the link.

        Raises:
            Unreachable: it was refused, or no answer came in time.
            Wait: the answer, whatever it is, takes a while.
        """
        if self.calls:
            error, cause = self.calls[-1]
            if error is not None:
                self._blame(cause)
                raise error
            return
        if self.state == UP and not self.latency_s and not self.loss:
            self._last_active = self._clock.now()
            self._connected = True
            return
        if self.state == REFUSED:
            self._blame(self.cause)
            raise Unreachable(f"{self.name}: connection refused")
        lost = self.state == SILENT or self._rng.random() < self.loss
        call = _Call(self, lost)
        raise Wait(self._patience_s() if lost else self.latency_s, call.arrive, self._leave)

    def _patience_s(self) -> float:
        """How long the caller waits for an answer that does not come."""
        if self._connected:
            self._connected = False
            left_s = self._last_active + IDLE_CONNECTION_TIMEOUT_S - self._clock.now()
            if left_s > 0:
                return left_s
        return HANDSHAKE_TIMEOUT_S

    def answer(self, lost: bool) -> Answer:
        """What became of a call that was on its way."""
        if lost and self.state == UP and not self.loss:
            lost = False  # the packets were sent again and the link is back
        if lost:
            return Unreachable(f"{self.name}: no answer in time"), self.cause
        if self.state == REFUSED:
            return Unreachable(f"{self.name}: connection refused"), self.cause
        self._last_active = self._clock.now()
        self._connected = True
        return None, None

    def _leave(self) -> None:
        self.calls.pop()

    def _blame(self, cause: int | None) -> None:
        """What the caller does next is due to the fault. Its context ends with the reconcile."""
        if cause is not None:
            self._trace.cause = cause

    def __repr__(self) -> str:
        slow = f", {self.latency_s:g}s" if self.latency_s else ""
        lossy = f", loses {self.loss:.0%}" if self.loss else ""
        return f"<Link {self.name} {self.state}{slow}{lossy}>"


class _Call:
    """A call on its way. Its answer is found out once, however often the caller takes the request up again."""

    def __init__(self, link: Link, lost: bool) -> None:
        self._link = link
        self._lost = lost
        self._answer: Answer | None = None

    def arrive(self) -> None:
        if self._answer is None:
            self._answer = self._link.answer(self._lost)
        self._link.calls.append(self._answer)


class _Watch:
    """A watch over a link: late when the link is slow, in order even when it speeds up, silent once it is stopped."""

    def __init__(self, kind: str, handler: Handler, link: Link, clock: VirtualClock, trace: Trace) -> None:
        self.kind = kind
        self.stopped = False
        self._handler, self._link, self._clock, self._trace = handler, link, clock, trace
        self._latest = 0.0  # when the event that is on its way longest arrives

    def carry(self, event: str, old: Any, new: Any) -> None:
        if not self._link.carries:
            return
        now = self._clock.now()
        arrives = max(now + self._link.latency_s, self._latest)
        if arrives <= now:
            self._tell(event, old, new)
        else:
            self._latest = arrives
            self._clock.call_at(arrives, self._trace.bound(self._tell), event, old, new)

    def _tell(self, event: str, old: Any, new: Any) -> None:
        if not self.stopped:
            self._handler(event, old, new)


class Remote:
    """A store at the other end of a link, as a client with informer caches sees it."""

    def __init__(self, store: Store, link: Link, clock: VirtualClock, trace: Trace) -> None:
        self._store = store
        self._link = link
        self._clock = clock
        self._trace = trace
        self._cache: Snapshot | None = None  # what was known when the link went down
        self._watches: list[_Watch] = []
        link.on_change(self._link_changed)

    @property
    def version(self) -> int:
        """The newest resourceVersion the cache has."""
        return self._store.version if self._cache is None else self._cache.version

    def get(self, kind: Any, name: str, namespace: str = "") -> Any:
        """As `Store.get`, from the cache."""
        return (self._cache or self._store).get(kind, name, namespace)

    def find(self, kind: Any, name: str, namespace: str = "") -> Any:
        """As `Store.find`, from the cache."""
        return (self._cache or self._store).find(kind, name, namespace)

    def list(self, kind: Any, namespace: str | None = None, selector: LabelSelector | None = None) -> Objects:
        """As `Store.list`, from the cache."""
        return (self._cache or self._store).list(kind, namespace, selector)

    def indexed(self, kind: Any, index: str, value: Hashable) -> Objects:
        """As `Store.indexed`. Only the control plane's own controllers use indexes, and they are never cut off."""
        return self._store.indexed(kind, index, value)

    def create(self, obj: Any) -> Any:
        """As `Store.create`, over the link."""
        self._link.cross()
        return self._store.create(obj)

    def update(self, obj: Any) -> Any:
        """As `Store.update`, over the link."""
        self._link.cross()
        return self._store.update(obj)

    def update_status(self, obj: Any) -> Any:
        """As `Store.update_status`, over the link."""
        self._link.cross()
        return self._store.update_status(obj)

    def delete(self, kind: Any, name: str, namespace: str = "") -> None:
        """As `Store.delete`, over the link."""
        self._link.cross()
        self._store.delete(kind, name, namespace)

    def watch(self, kind: Any, handler: Handler, since: int | None = None) -> Callable[[], None]:
        """As `Store.watch`; while the link is down nothing arrives, afterwards what was missed does."""
        name = kind if isinstance(kind, str) else kind.GROUP_KIND
        watch = _Watch(name, handler, self._link, self._clock, self._trace)
        self._watches.append(watch)
        if self._cache is not None:  # it will bring only what changes after the cache was cut off
            for obj in self._cache.list(name) if since is None else ():
                handler(ADDED, None, obj)
            since = self._store.version
        live = self._store.watch(name, watch.carry, since)

        def stop() -> None:
            live()
            watch.stopped = True
            if watch in self._watches:
                self._watches.remove(watch)

        return stop

    def _link_changed(self, carries: bool) -> None:
        if not carries:
            self._cache = self._store.snapshot()
            return
        cache, self._cache = self._cache, None
        if cache is None:
            return
        for watch in tuple(self._watches):
            self._catch_up(cache, watch.kind, watch.carry)

    def _catch_up(self, cache: Snapshot, kind: str, handler: Handler) -> None:
        """List again and compare with what was known, as an informer does when its watch is back."""
        known = {(o.metadata.namespace, o.metadata.name): o for o in cache.list(kind)}
        for new in self._store.list(kind):
            old = known.pop((new.metadata.namespace, new.metadata.name), None)
            if old is None:
                handler(ADDED, None, new)
            elif old is not new:
                handler(MODIFIED, old, new)
        for gone in known.values():
            handler(DELETED, gone, gone)

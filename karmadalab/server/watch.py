"""Watches: changes of a kind, delivered to whoever asked, in order, without holding up the lab.

A store tells the hub of a change while the lab has its turn; that costs an append. The server's thread then takes what
has come together and renders it, once for all watchers who want it in the same form. A watcher has a bounded queue. One
that reads too slowly loses it and is told to list again (410), as in Kubernetes; one that vanished is forgotten as soon
as its connection is. So neither holds memory, and neither holds up another.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from karmadalab.api.errors import Gone
from karmadalab.api.scheme import AnyObject
from karmadalab.core.store import Store
from karmadalab.server.changes import Change, as_seen, derived_changes
from karmadalab.server.encode import json_bytes
from karmadalab.server.event_words import TELLERS
from karmadalab.server.events import are_derived
from karmadalab.server.selectors import Selection
from karmadalab.server.status import failure

QUEUED_BYTES = 8 << 20
_AT_ONCE = 256 << 10  # bytes handed to the connection in one piece; it buffers what it is given
_PAUSE_S, _LONGEST_PAUSE_S = 0.0002, 0.05  # between two deliveries, for each watcher; and in all

Render = Callable[[str, AnyObject, float], bytes]


class Watcher:
    """One who watches.

    Args:
        selection: what they want to see.
        render: how.
        since: the resourceVersion up to which they know all.
    """

    def __init__(self, selection: Selection, render: Render, since: int) -> None:
        self.selection, self.render, self.since = selection, render, since
        self._known = since
        self.news = asyncio.Event()
        self.over = False
        self._lines: deque[bytes] = deque()
        self._bytes = 0

    def offer(self, changes: Sequence[Change], shared: dict[Any, bytes]) -> None:
        """Queue changes, as far as they are for this watcher and still new to it.

        Args:
            changes: oldest first.
            shared: what other watchers have rendered of the same changes; those who want the same in the same form, as
                many do, get the same bytes.
        """
        if self.over or changes[-1].version <= self._known:
            return
        self.since = changes[-1].version
        if changes[0].version <= self._known:
            lines = self._lines_of([change for change in changes if change.version > self._known])
        else:
            key = (id(self.selection), self.render)
            found = shared.get(key)
            lines = shared[key] = self._lines_of(changes) if found is None else found
        if lines:
            self.put(lines)

    def _lines_of(self, changes: Sequence[Change]) -> bytes:
        seen = ((change, as_seen(change, self.selection)) for change in changes)
        return b"".join(self.render(event, change.new, change.at) for change, event in seen if event is not None)

    def knows(self, version: int) -> None:
        """It has been told of everything up to a version; what is still on its way to all must not come twice."""
        self._known = self.since = version

    def put(self, lines: bytes) -> None:
        """Queue lines, or give up when there are too many."""
        if self.over:
            return
        self._lines.append(lines)
        self._bytes += len(lines)
        if self._bytes > QUEUED_BYTES:
            self.end("you read more slowly than things change here")
        self.news.set()

    def end(self, why: str) -> None:
        """No more after this: the watcher must list again."""
        self.over = True
        error = failure(Gone(f"too old resource version: {self.since} ({why}; list again)"))
        last = json_bytes({"type": "ERROR", "object": error}) + b"\n"
        self._lines, self._bytes = deque([last]), len(last)
        self.news.set()

    @property
    def queued(self) -> int:
        """How many bytes wait to be sent."""
        return self._bytes

    def take(self) -> bytes:
        """The next lines that are queued, a quarter of a megabyte at a time."""
        lines, size = [], 0
        while self._lines and size < _AT_ONCE:
            lines.append(self._lines.popleft())
            size += len(lines[-1])
        self._bytes -= size
        if not self._lines:
            self.news.clear()
        return b"".join(lines)


class Hub:
    """Who watches what in one store.

    Args:
        store: watched, one kind at a time, when somebody first asks for it.
        loop: the server's event loop.
    """

    def __init__(self, store: Store, loop: asyncio.AbstractEventLoop) -> None:
        self._store, self._loop = store, loop
        self._watchers: dict[str, set[Watcher]] = {}
        self._stops: dict[str, Callable[[], None]] = {}
        self._pending: deque[tuple[str, Change]] = deque()
        self._scheduled = False
        self._delivered_at = 0.0

    def add(self, kind: str, watcher: Watcher) -> None:
        """Begin to deliver; the caller has the turn, so that nothing is missed since it looked."""
        self._watchers.setdefault(kind, set()).add(watcher)
        if kind not in self._stops:
            self._stops[kind] = self._begin(kind)

    def _begin(self, kind: str) -> Callable[[], None]:
        version = self._store.version
        stops = [self._store.watch(kind, self._handler(kind), since=version)]
        if are_derived(self._store, kind):
            stops += [self._store.watch(teller, self._derived(kind), since=version) for teller in TELLERS]

        def stop() -> None:
            for each in stops:
                each()

        return stop

    def remove(self, kind: str, watcher: Watcher) -> None:
        """Deliver no more; the caller has the turn."""
        watchers = self._watchers.get(kind, set())
        watchers.discard(watcher)
        if not watchers and kind in self._stops:
            self._stops.pop(kind)()

    def close(self) -> None:
        """Stop watching the store; the caller has the turn."""
        for stop in self._stops.values():
            stop()
        self._stops.clear()

    def __len__(self) -> int:
        return sum(map(len, self._watchers.values()))

    def _handler(self, kind: str) -> Callable[[str, Any, Any], None]:
        store, pending = self._store, self._pending

        def handle(event: str, old: Any, new: Any) -> None:
            pending.append((kind, Change(event, old, new, int(new.metadata.resourceVersion), store.clock.now())))
            self._deliver_soon()

        return handle

    def _derived(self, kind: str) -> Callable[[str, Any, Any], None]:
        def handle(event: str, old: Any, new: Any) -> None:
            found = derived_changes(self._store.trace.rows[-1])
            self._pending.extend((kind, change) for change in found)
            if found:
                self._deliver_soon()

        return handle

    def _deliver_soon(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon_threadsafe(self._when_due)

    def _when_due(self) -> None:
        """In the server's thread: at once when it is quiet; the more there is to tell, the more at a time."""
        wait_s = self._delivered_at + min(_PAUSE_S * len(self), _LONGEST_PAUSE_S) - self._loop.time()
        if wait_s > 0:
            self._loop.call_later(wait_s, self._deliver)
        else:
            self._deliver()

    def _deliver(self) -> None:
        """In the server's thread: render what has come together and queue it."""
        self._scheduled = False  # first, so that a change that comes now schedules anew
        changes: dict[str, list[Change]] = {}
        while self._pending:
            kind, change = self._pending.popleft()
            changes.setdefault(kind, []).append(change)
        for kind, found in changes.items():
            shared: dict[Any, bytes] = {}
            for watcher in tuple(self._watchers.get(kind, ())):
                watcher.offer(found, shared)
        self._delivered_at = self._loop.time()

"""How a store tells its watchers: one change after the other, in the order of their versions.

A handler that writes makes the next change while others have not heard of the first. Told at once, they would hear of
the second before the first, and keep the older object for the newer. So what is written meanwhile waits its turn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from karmadalab.api.scheme import AnyObject
from karmadalab.core.client import ADDED, DELETED, MODIFIED, Handler
from karmadalab.core.objects import at_version
from karmadalab.core.table import Table
from karmadalab.core.trace import CREATE, DELETE, Trace

Changes = list[tuple[str, AnyObject | None, AnyObject]]  # as a handler gets them


class Teller:
    """Tells the watchers of one store.

    Args:
        trace: while a handler runs, the change that it is called for is the cause there.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._busy = False
        self._waiting: deque[tuple[tuple[Handler, ...], Table, int, str, Any, Any]] = deque()

    def tell(self, table: Table, row: int, event: str, old: Any, new: Any) -> None:
        """Call the watchers of a table for a change, now or when those before have been told."""
        watchers = table.watchers
        if not watchers:
            return
        if self._busy or self._waiting:
            self._waiting.append((watchers, table, row, event, old, new))
            if not self._busy:  # a handler raised an error, and left these behind
                with self.in_order():
                    return
            return
        self._busy = True
        trace = self._trace
        before, trace.cause = trace.cause, row
        try:
            for handler in watchers:
                handler(event, old, new)
            if self._waiting:
                self._tell_waiting()
        finally:
            trace.cause = before
            self._busy = False

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """What is written during the block is told after it."""
        if self._busy:
            yield
            return
        self._busy, before = True, self._trace.cause
        try:
            yield
            self._tell_waiting()
        finally:
            self._trace.cause = before
            self._busy = False

    def _tell_waiting(self) -> None:
        """To those who watched when it was written, and still do."""
        while self._waiting:
            watchers, table, row, event, old, new = self._waiting.popleft()
            self._trace.cause = row
            for handler in watchers:
                if handler in table.watchers:
                    handler(event, old, new)


def missed(trace: Trace, world: str, kind: str, since: int) -> Changes:
    """What a watcher of a kind has not been told since a resourceVersion, as the trace has it."""
    found: Changes = []
    for row in reversed(trace.rows):
        if row.world != world or not row.version:
            continue
        if row.version <= since:
            break
        if row.kind == kind:
            type_ = {CREATE: ADDED, DELETE: DELETED}.get(row.verb, MODIFIED)
            found.append((type_, row.old, row.new if row.new is not None else at_version(row.old, row.version)))
    return found[::-1]

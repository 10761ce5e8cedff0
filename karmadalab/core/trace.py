"""The record: one row for each write, each fault and each decision, and the row that caused it.

A real control plane forgets: to learn why a pod moved, an operator digs through the logs of five binaries. Here each
row names its cause, so that the way from "pod started on member3" back to "packets to member1 dropped" is a walk along
`cause`. Rows hold the old and the new object themselves (they are immutable), which is what makes rewinding free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import msgspec

from karmadalab.api.scheme import AnyObject

CREATE, UPDATE, STATUS, DELETE = "create", "update", "status", "delete"
FAULT, NOTE, ERROR = "fault", "note", "error"
API_SERVER = "kube-apiserver"  # the actor of what an API server makes for itself when it starts

NO_THREAD = 0


class Row(msgspec.Struct, frozen=True, gc=False):
    """One thing that happened.

    Attributes:
        id: its place in the trace.
        at: Unix seconds.
        cause: the id of the row that led here, None for what came from outside.
        actor: who did it: a controller, `user`, `fault`, `kubelet`.
        world: whose store: "" for the control plane, else the member's name.
        verb: create, update, status or delete for a write; fault, note or error for the rest.
        kind: `Work.work.karmada.io`; for a fault or a note, what it is about.
        old, new: the object before and after, None where there is none.
        version: the store's resourceVersion after the write.
        text: for rows that are no writes, what happened.
        detail: more about it, as plain data.
    """

    id: int
    at: float
    cause: int | None
    actor: str
    world: str
    verb: str
    kind: str
    namespace: str
    name: str
    old: AnyObject | None = None
    new: AnyObject | None = None
    version: int = 0
    text: str = ""
    detail: Any = None


class Trace:
    """The append-only record of one lab.

    Attributes:
        rows: all rows, oldest first.
        cause: the row that what happens now is due to.
        actor: who acts now.
        thread: the thread in which a reconcile is going on.
        blame: cluster name -> the row of the fault that acts on it. Silence leaves no row of its own, so whoever acts
            because nothing came (the health monitor) names the fault instead.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.rows: list[Row] = []
        self.cause: int | None = None
        self.actor = "user"
        self.thread = NO_THREAD
        self.blame: dict[str, int] = {}

    def write(
        self,
        world: str,
        verb: str,
        kind: str,
        key: tuple[str, str],
        old: AnyObject | None,
        new: AnyObject | None,
        version: int,
    ) -> int:
        """Record a write to a store; `key` is namespace and name. Returns the row's id."""
        rows = self.rows
        row_id = len(rows)
        namespace, name = key
        rows.append(
            Row(row_id, self._now(), self.cause, self.actor, world, verb, kind, namespace, name, old, new, version)
        )
        return row_id

    def note(
        self,
        kind: str,
        name: str,
        text: str,
        *,
        namespace: str = "",
        verb: str = NOTE,
        detail: Any = None,
        world: str = "",
    ) -> int:
        """Record something that is no write: a fault, a probe's answer, a verdict. Returns the row's id."""
        row_id = len(self.rows)
        self.rows.append(
            Row(
                row_id,
                self._now(),
                self.cause,
                self.actor,
                world,
                verb,
                kind,
                namespace,
                name,
                text=text,
                detail=detail,
            )
        )
        return row_id

    @contextmanager
    def acting(self, actor: str, cause: int | None) -> Iterator[None]:
        """For the length of a block, rows are this actor's and due to this cause."""
        before = self.actor, self.cause
        self.actor, self.cause = actor, cause
        try:
            yield
        finally:
            self.actor, self.cause = before

    def bound(self, callback: Callable[..., object], actor: str | None = None) -> Callable[..., None]:
        """A callback for a timer that will act as now, and be due to what is going on now."""
        who, why = actor or self.actor, self.cause

        def run(*args: Any) -> None:
            before = self.actor, self.cause  # `acting` without the cost of a context manager
            self.actor, self.cause = who, why
            try:
                callback(*args)
            finally:
                self.actor, self.cause = before

        return run

    @property
    def reconciling(self) -> bool:
        """Whether this thread is in a reconcile, so that a client may raise `Wait`; elsewhere it has to block."""
        return self.thread == get_ident()

    def chain(self, row_id: int) -> list[Row]:
        """A row and its causes, latest first."""
        chain = []
        at: int | None = row_id
        while at is not None:
            row = self.rows[at]
            chain.append(row)
            at = row.cause
        return chain

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Trace {len(self.rows)} rows>"

"""The work queue of a controller: one entry an object however often it is asked for, delays, back-off.

Karmada's controllers share client-go's queue: a key that is queued twice is worked on once; a key that is asked for
while it is being worked on comes again afterwards; a failure comes back after 5 ms, 10 ms, 20 ms ... up to 1000 s, per
key, and nothing but a success resets that. The last rule explains why an old workload can outlive the recovery of its
cluster by many minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from karmadalab.core.clock import Timer, VirtualClock
from karmadalab.core.trace import Trace


class Request(NamedTuple):
    """The key of the object to look at. `kind` is set where one controller serves two kinds."""

    namespace: str
    name: str
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


_NOT_WAITING = -1  # no row of the trace


class WorkQueue:
    """Requests waiting for one controller; `work` is called with each when its turn comes.

    Args:
        clock: whose `call_soon` orders all controllers first come, first served.
        trace: where the cause of each request is taken from.
        work: does the work for a request, given its cause.
        base_delay_s, max_delay_s: the back-off after failures.

    Attributes:
        latency_s: how long an event takes from the API server to the worker; requeues and retries take nothing.
    """

    def __init__(
        self,
        clock: VirtualClock,
        trace: Trace,
        work: Callable[[Request, int | None], None],
        base_delay_s: float = 0.005,
        max_delay_s: float = 1000.0,
    ) -> None:
        self._clock = clock
        self._trace = trace
        self._work = work
        self._base_delay_s, self._max_delay_s = base_delay_s, max_delay_s
        self._call_soon = clock.call_soon
        self.latency_s = 0.0
        self._waiting: dict[Request, int | None] = {}
        self._busy: set[Request] = set()
        self._delayed: dict[Request, Timer] = {}
        self._failures: dict[Request, int] = {}
        self._backlog: list[tuple[Callable[[Any], object], Any]] | None = None
        self.closed = False
        self._taker = self._take  # bound once, not at each request

    def add(self, request: Request) -> None:
        """Ask for an object now, because of what is going on now."""
        waiting = self._waiting
        if request in waiting or self.closed:  # a late answer of a slow network may ask after the end
            return
        waiting[request] = self._trace.cause
        if self._busy and request in self._busy:
            return
        if self.latency_s:
            self._clock.call_later(self.latency_s, self._take, request)
        else:
            self._call_soon((self._taker, request))

    def add_after(self, request: Request, delay_s: float) -> None:
        """Ask for an object later; of two such wishes the earlier one holds."""
        pending = self._delayed.get(request)
        if pending is not None:
            if pending[0] <= self._clock.now() + delay_s:
                return
            self._clock.cancel(pending)
        self._delayed[request] = self._clock.call_later(delay_s, self._due, request, self._trace.cause)

    def add_rate_limited(self, request: Request) -> float:
        """Ask again after a failure; returns the delay in seconds."""
        failures = self._failures.get(request, 0)
        self._failures[request] = failures + 1
        delay_s = min(self._base_delay_s * 2.0**failures, self._max_delay_s)
        self.add_after(request, delay_s)
        return delay_s

    def failures(self, request: Request) -> int:
        """How often in a row a request has failed."""
        return self._failures.get(request, 0)

    def is_done(self, request: Request) -> bool:
        """Whether nothing is left to do about a request: none waits, none is under way, none failed."""
        return not any(request in those for those in (self._waiting, self._busy, self._failures))

    def forget(self, request: Request) -> None:
        """A success: the next failure starts from the base delay."""
        if self._failures:
            self._failures.pop(request, None)

    def hold(self, request: Request, delay_s: float, resume: Callable[[], None]) -> None:
        """Keep a request busy while its call crosses a slow network, then go on with it."""
        self._busy.add(request)
        self._clock.call_later(delay_s, self._release, (request, resume))

    def hold_until(
        self, request: Request, subscribe: Callable[[Callable[[], None]], None], resume: Callable[[], None]
    ) -> None:
        """Keep a request busy until a real network has answered: `subscribe` is given what to call then."""
        self._busy.add(request)
        subscribe(partial(self._release, (request, resume)))

    def pause(self) -> None:
        """Stop working; what is asked for meanwhile waits (a process under SIGSTOP)."""
        if self._backlog is None:
            self._backlog = []

    def resume(self) -> None:
        """Work off what was asked for while paused."""
        backlog, self._backlog = self._backlog or [], None
        for call in backlog:
            self._call_soon(call)

    def close(self) -> None:
        """Forget everything (the process ended)."""
        self.closed = True
        for timer in self._delayed.values():
            self._clock.cancel(timer)
        for store in (self._waiting, self._delayed, self._failures, self._busy):
            store.clear()

    def _due(self, request: Request, cause: int | None) -> None:
        del self._delayed[request]
        if request not in self._waiting:
            self._waiting[request] = cause
            if request not in self._busy:
                self._take(request)

    def _take(self, request: Request) -> None:
        if self._backlog is not None:
            self._backlog.append((self._take, request))
        elif not (self._busy and request in self._busy):
            cause = self._waiting.pop(request, _NOT_WAITING)
            if cause != _NOT_WAITING:
                self._work(request, cause)

    def _release(self, held: tuple[Request, Callable[[], None]]) -> None:
        if self.closed:
            return
        if self._backlog is not None:  # the answer came while the process stood still
            self._backlog.append((self._release, held))
            return
        request, resume = held
        self._busy.discard(request)
        resume()
        if request in self._waiting and request not in self._busy:
            self._call_soon((self._take, request))

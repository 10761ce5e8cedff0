"""Time for everything in the lab: the engine, and the clock that jumps.

Timers wait at their moments, which are kept in a heap, and go in the order in which they were asked for; work that is
due now waits in a queue of its own and is done before the next timer. The virtual clock jumps to the next timer; the
one of `core.wall_clock` is the same engine that first waits. Nothing else in the package reads the time; who must know
the real one asks here.

Moments are Unix seconds. Every delay is rounded to a multiple of 2**-20 s, about a microsecond: sums of such floats are
exact, so that "40 s after the last heartbeat" is never a hair early or late.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from heapq import heappop, heappush
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from karmadalab.api.errors import BadRequest, KarmadalabError
from karmadalab.api.time import Time
from karmadalab.core.interrupts import deferred

DEFAULT_EPOCH = Time.parse("2026-01-01T00:00:00Z")

_GRAIN = float(1 << 20)
GRAIN_S = 1 / _GRAIN
_GRID = 1.5 * 2.0**32  # a float of this size has no finer digits: adding it and taking it away rounds to the grain
_LOOK_EVERY, _BUSY = 10_000, 1_000_000  # calls at one instant: look what goes on; it can't be honest work

# A timer as the clock keeps it: [time, callback, arguments]; a cancelled one has no callback.
Timer = list[Any]


P = ParamSpec("P")
T = TypeVar("T")


def _nothing_known() -> str:
    """What a clock knows about those who never settle, as a rule."""
    return ""


def real_time() -> float:
    """Unix seconds of the real world, for whoever must translate the lab's time into it."""
    return time.time()


def stopwatch() -> float:
    """Seconds of the real world that only go forward, from wherever; for time-outs and progress outside the lab."""
    return time.monotonic()


class NeverSettles(KarmadalabError):
    """Work at one instant kept making more work at the same instant."""


class VirtualClock:
    """A clock that jumps: waiting costs nothing, and the same calls give the same order.

    Args:
        epoch: the Unix time at which the lab begins.
        lead_s: how long before that the clock starts, so that clusters can join first.

    Attributes:
        restless: says which objects keep changing at this instant, "" when none does so beyond measure; asked every
            ten thousand calls.
    """

    def __init__(self, epoch: float = DEFAULT_EPOCH, lead_s: float = 0.0) -> None:
        self.epoch = round(epoch * _GRAIN) / _GRAIN
        self._now = round((self.epoch - lead_s) * _GRAIN) / _GRAIN
        self._moments: list[float] = []  # a heap
        self._timers: dict[float, deque[Timer]] = {}  # what is due at each of them
        self._soon: deque[tuple[Callable[[Any], object], Any]] = deque()
        self.call_soon = self._soon.append  # the hottest call of all: (callback, its argument)
        self.restless: Callable[[], str] = _nothing_known
        # Held by whoever acts in this world: a lab that is served has several threads. None waits while holding it.
        self.turn = threading.RLock()

    def now(self) -> float:
        """Unix seconds."""
        return self._now

    def elapsed(self) -> float:
        """Seconds since the lab began."""
        return self._now - self.epoch

    def call_at(self, when: float, callback: Callable[..., object], *args: Any) -> Timer:
        """Call back at a moment, at once if it has passed."""
        when = round(when * _GRAIN) / _GRAIN
        return self._add(when if when > self._now else self._now, callback, args)

    def call_later(self, delay_s: float, callback: Callable[..., object], *args: Any) -> Timer:
        """Call back after a delay in seconds, at once if it is below zero."""
        return self._add(self._now + ((delay_s if delay_s > 0.0 else 0.0) + _GRID - _GRID), callback, args)

    def _add(self, when: float, callback: Callable[..., object], args: tuple[Any, ...]) -> Timer:
        timer = [when, callback, args]
        timers = self._timers.get(when)
        if timers is None:
            self._timers[when] = deque((timer,))
            heappush(self._moments, when)
        else:
            timers.append(timer)
        return timer

    @staticmethod
    def cancel(timer: Timer) -> None:
        """Forget a timer; one that has fired already is no error."""
        timer[1] = None

    def run_until(self, when: float) -> None:
        """Do all that is due up to and including a moment; the clock then stands at that moment.

        Ctrl-C ends it between two callbacks; what is left to do is done when the clock runs again.

        Raises:
            BadRequest: the moment has passed.
            NeverSettles: some objects keep changing at one instant, or there were a million calls.
        """
        when = round(when * _GRAIN) / _GRAIN
        if when < self._now:
            raise BadRequest(f"time runs one way: it is {self.elapsed():g}s, you asked for {when - self.epoch:g}s")
        with deferred(self._soon):
            self._run(when)
        self._now = max(when, self._now)  # a callback may have run the clock further

    def _run(self, when: float) -> None:
        moments = self._moments
        self._settle()
        while moments and moments[0] <= when:
            moment = moments[0]
            timers = self._timers[moment]
            calls, look = 0, _LOOK_EVERY
            while timers:  # also what is asked for meanwhile
                _, callback, args = timers.popleft()
                if callback is not None:
                    self._now = moment
                    callback(*args)
                    if self._soon:
                        self._settle()
                    calls += 1
                    if calls == look:
                        self._check_settling(calls, callback)
                        look += _LOOK_EVERY
            if self._timers.get(moment) is timers:  # else a callback that ran the clock has removed it
                del self._timers[heappop(moments)]

    def catch_up(self) -> None:
        """Do all that is due by now; on a virtual clock that is what was just caused."""
        self.run_until(self._now)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """For the length of a block this thread is the only one that acts in the world."""
        with self.turn:
            yield

    def next_at(self) -> float | None:
        """When the next timer is due, None when there is none."""
        while self._moments:
            moment = self._moments[0]
            timers = self._timers[moment]
            while timers and timers[0][1] is None:
                timers.popleft()
            if timers:
                return moment
            del self._timers[heappop(self._moments)]
        return None

    def _settle(self) -> None:
        soon = self._soon
        calls, look = 0, _LOOK_EVERY
        while soon:
            callback, argument = soon.popleft()
            callback(argument)
            calls += 1
            if calls == look:
                self._check_settling(calls, callback)
                look += _LOOK_EVERY

    def _check_settling(self, calls: int, callback: Callable[..., object]) -> None:
        """Raise NeverSettles when there is no end in sight."""
        known = self.restless()
        if known or calls >= _BUSY:
            raise NeverSettles(
                f"at {self.elapsed():g}s work keeps causing work without time passing ({calls} calls so far): "
                + (known or f"the last call was {callback}")
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.elapsed():g}s, {sum(map(len, self._timers.values()))} timers>"


class _HasClock(Protocol):
    @property
    def clock(self) -> VirtualClock: ...


S = TypeVar("S", bound=_HasClock)


def in_turn(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Let a method of something with a `clock` act while no other thread does; see `VirtualClock.taken`."""

    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.clock.taken():
            return method(self, *args, **kwargs)

    update_wrapper(call, method)
    return call

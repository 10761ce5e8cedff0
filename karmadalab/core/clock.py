"""Time for everything in the lab: one engine, two clocks.

Timers wait in a heap ordered by (time, priority, sequence); work that is due now waits in a first-in, first-out queue
and is done before time moves on. The virtual clock jumps to the next timer, the wall clock is the same engine that
first sleeps. Nothing else in the package reads the time.

Moments are Unix seconds. Every delay is rounded to a multiple of 2**-20 s, about a microsecond: sums of such floats are
exact, so that "40 s after the last heartbeat" is never a hair early or late.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from karmadalab.api.errors import BadRequest, KarmadalabError
from karmadalab.api.time import Time

DEFAULT_EPOCH = Time.parse("2026-01-01T00:00:00Z")

_GRAIN = float(1 << 20)
_BUSY = 1_000_000

# A timer as the heap keeps it: [time, priority, sequence, callback, arguments]; a cancelled one has no callback.
Timer = list[Any]


class NeverSettles(KarmadalabError):
    """Work at one instant kept making more work at the same instant."""


class VirtualClock:
    """A clock that jumps: waiting costs nothing, and the same calls give the same order.

    Args:
        epoch: the Unix time at which the lab begins.
        lead_s: how long before that the clock starts, so that clusters can join first.
    """

    def __init__(self, epoch: float = DEFAULT_EPOCH, lead_s: float = 0.0) -> None:
        self.epoch = round(epoch * _GRAIN) / _GRAIN
        self._now = round((self.epoch - lead_s) * _GRAIN) / _GRAIN
        self._heap: list[Timer] = []
        self._sequence = 0
        self._soon: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self.call_soon = self._soon.append  # the hottest call of all: (callback, arguments)
        self.fired = 0

    def now(self) -> float:
        """Unix seconds."""
        return self._now

    def elapsed(self) -> float:
        """Seconds since the lab began."""
        return self._now - self.epoch

    def call_at(self, when: float, callback: Callable[..., object], *args: Any, priority: int = 0) -> Timer:
        """Call back at a moment, at once if it has passed. Lower priorities go first among equal moments."""
        when = round(when * _GRAIN) / _GRAIN
        self._sequence += 1
        timer = [when if when > self._now else self._now, priority, self._sequence, callback, args]
        heappush(self._heap, timer)
        return timer

    def call_later(self, delay_s: float, callback: Callable[..., object], *args: Any) -> Timer:
        """Call back after a delay in seconds."""
        self._sequence += 1
        timer = [self._now + round(delay_s * _GRAIN) / _GRAIN, 0, self._sequence, callback, args]
        heappush(self._heap, timer)
        return timer

    @staticmethod
    def cancel(timer: Timer) -> None:
        """Forget a timer; one that has fired already is no error."""
        timer[3] = None

    def run_until(self, when: float) -> None:
        """Do all that is due up to and including a moment; the clock then stands at that moment.

        Raises:
            BadRequest: the moment has passed.
            NeverSettles: a million calls at one instant.
        """
        when = round(when * _GRAIN) / _GRAIN
        if when < self._now:
            raise BadRequest(f"time runs one way: it is {self.elapsed():g}s, you asked for {when - self.epoch:g}s")
        heap = self._heap
        self._settle()
        while heap and heap[0][0] <= when:
            timer = heappop(heap)
            callback = timer[3]
            if callback is None:
                continue
            self._wait_for(timer[0])
            self._now = timer[0]
            self.fired += 1
            callback(*timer[4])
            if self._soon:
                self._settle()
        self._wait_for(when)
        self._now = when

    def next_at(self) -> float | None:
        """When the next timer is due, None when there is none."""
        while self._heap and self._heap[0][3] is None:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def _settle(self) -> None:
        soon = self._soon
        calls = 0
        while soon:
            callback, args = soon.popleft()
            callback(*args)
            calls += 1
            if calls > _BUSY:
                raise NeverSettles(
                    f"at {self.elapsed():g}s work keeps causing work without time passing; the last call was {callback}"
                )

    def _wait_for(self, when: float) -> None:
        """The virtual clock does not wait."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.elapsed():g}s, {len(self._heap)} timers>"


class WallClock(VirtualClock):
    """The same engine, which sleeps until the next timer is due.

    Args:
        epoch: what the clock shows when it is made; by default the real time.
        speed: lab seconds for each real second.

    Other threads hand work over with `post`, which also ends a sleep early.
    """

    def __init__(self, epoch: float | None = None, speed: float = 1.0) -> None:
        if speed <= 0:
            raise BadRequest(f"speed: must be more than 0, got {speed:g}")
        super().__init__(time.time() if epoch is None else epoch)
        self.speed = speed
        self._started = time.monotonic()
        self._posted: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self._wake = threading.Event()

    def post(self, callback: Callable[..., object], *args: Any) -> None:
        """Call back soon, from any thread."""
        self._posted.append((callback, args))
        self._wake.set()

    def _wait_for(self, when: float) -> None:
        while True:
            self._wake.clear()
            self._take_posted()
            left_s = (when - self.epoch) / self.speed - (time.monotonic() - self._started)
            if left_s <= 0 or not self._wake.wait(left_s):
                return

    def _take_posted(self) -> None:
        while self._posted:
            due = self.epoch + (time.monotonic() - self._started) * self.speed
            self._now = max(self._now, round(due * _GRAIN) / _GRAIN)
            self._soon.append(self._posted.popleft())
            self._settle()

"""A work queue whose workers rest after each success: evictions at a rate, not all at once.

When a region goes down, moving everything at the same moment can bring down what is left. From v1.15 on Karmada's
eviction queue lets a worker process one request, then pauses it for 1/rate seconds. A failed request does not pause the
worker; it comes back after the pause, or after its own back-off if that is longer.

Mirrors the eviction queue of v1.18, `--resource-eviction-rate`, with two effects of how it rests. The worker's request
is not done until the rest is over: who asks for it meanwhile waits. And the rate limiter counts each rest as a failure
of one key that all workers share, until one of them wakes: with more workers than one, those that begin later rest for
5 ms, 10 ms, 20 ms ... if that is longer than the pause. Not modelled: the token bucket of 10 a second with a burst of
100, which only matters for rates above 10; workers that wait for a slow network, which evictions never cross.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable

from karmadalab.core.clock import VirtualClock
from karmadalab.core.queue import Request, WorkQueue
from karmadalab.core.trace import Trace

STOPPED_PAUSE_S = 1800.0


def pause_s(rate: float) -> float:
    """How long a worker rests after a success, if the rate limiter doesn't ask for more.

    Args:
        rate: requests a second and worker; 0 means next to never, though a worker's first request still goes.

    >>> pause_s(0.5), pause_s(0), pause_s(0.3)  # Go computes it in 32 bits
    (2.0, 1800.0, 3.333333248)
    """
    if rate == 0:
        return STOPPED_PAUSE_S
    return _float32(_float32(1 / rate) * 1e9) / 1e9


def _float32(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


class PacedQueue(WorkQueue):
    """Requests waiting for one of several workers that rest.

    Args:
        clock, trace, work, base_delay_s, max_delay_s: as for a work queue.
        rate: successes a second and worker.
        workers: how many there are.
        work_s: how long a worker is busy with a request that succeeds, before it rests.
    """

    def __init__(
        self,
        clock: VirtualClock,
        trace: Trace,
        work: Callable[[Request, int | None], None],
        base_delay_s: float = 0.005,
        max_delay_s: float = 1000.0,
        *,
        rate: float,
        workers: int,
        work_s: float = 0.0,
    ) -> None:
        super().__init__(clock, trace, work, base_delay_s, max_delay_s)
        self._pause_s = pause_s(rate)
        self._work_s = work_s
        self._rested = workers
        self._rests = 0  # begun since a worker woke
        self._line: deque[Request] = deque()

    def forget(self, request: Request) -> None:
        """A success: the worker rests, and keeps the request busy until it wakes."""
        super().forget(request)
        self._rested -= 1
        self._busy.add(request)
        self._clock.call_later(self._work_s + self._delay_s(self._rests), self._wake, request)
        self._rests += 1

    def add_rate_limited(self, request: Request) -> float:
        """Ask again after a failure, not before the pause is over; returns the delay in seconds."""
        failures = self._failures.get(request, 0)
        self._failures[request] = failures + 1
        delay_s = self._delay_s(failures)
        self.add_after(request, delay_s)
        return delay_s

    def close(self) -> None:
        """Forget everything (the process ended)."""
        super().close()
        self._line.clear()

    def _delay_s(self, failures: int) -> float:
        return max(self._pause_s, min(self._base_delay_s * 2.0**failures, self._max_delay_s))

    def _take(self, request: Request) -> None:
        if self._rested > 0:
            super()._take(request)
        elif request in self._waiting and request not in self._busy:  # one that is busy is taken when it is done
            self._line.append(request)

    def _wake(self, request: Request) -> None:
        self._rests = 0
        self._rested += 1
        self._busy.discard(request)
        while self._line and self._rested > 0:
            super()._take(self._line.popleft())
        if request in self._waiting:  # behind those who were in the line before it was done
            self._take(request)

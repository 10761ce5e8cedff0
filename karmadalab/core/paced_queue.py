"""A work queue whose workers rest after each success: evictions at a rate, not all at once.

When a region goes down, moving everything at the same moment can bring down what is left. From v1.15 on Karmada's
eviction queue lets a worker process one request, then pauses it for 1/rate seconds. A failed request does not pause the
worker; it comes back after the pause, or after its own back-off if that is longer.

Mirrors the eviction queue of v1.18, `--resource-eviction-rate`. Not modelled: the token bucket of 10 a second with a
burst of 100, which only matters for rates above 10.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable

from karmadalab.core.clock import VirtualClock
from karmadalab.core.queue import Request, WorkQueue
from karmadalab.core.trace import Trace

STOPPED_PAUSE_S = 1800.0


def pause_s(rate: float, least_s: float = 0.005) -> float:
    """How long a worker rests after a success.

    Args:
        rate: requests a second and worker; 0 means next to never, though a worker's first request still goes.
        least_s: the base delay of the rate limiter.

    >>> pause_s(0.5), pause_s(0), pause_s(0.3)  # Go computes it in 32 bits
    (2.0, 1800.0, 3.333333248)
    """
    if rate == 0:
        return STOPPED_PAUSE_S
    return max(_float32(_float32(1 / rate) * 1e9) / 1e9, least_s)


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
        self._pause_s = pause_s(rate, base_delay_s)
        self._work_s = work_s
        self._rested = workers
        self._line: deque[Request] = deque()

    def forget(self, request: Request) -> None:
        """A success: the worker rests."""
        super().forget(request)
        self._rested -= 1
        self._clock.call_later(self._work_s + self._pause_s, self._back_to_work)

    def add_rate_limited(self, request: Request) -> float:
        """Ask again after a failure, not before the pause is over; returns the delay in seconds."""
        failures = self._failures.get(request, 0)
        self._failures[request] = failures + 1
        delay_s = max(min(self._base_delay_s * 2.0**failures, self._max_delay_s), self._pause_s)
        self.add_after(request, delay_s)
        return delay_s

    def close(self) -> None:
        """Forget everything (the process ended)."""
        super().close()
        self._line.clear()

    def _take(self, request: Request) -> None:
        if self._rested > 0:
            super()._take(request)
        elif request in self._waiting:
            self._line.append(request)

    def _back_to_work(self) -> None:
        self._rested += 1
        while self._line and self._rested > 0:
            super()._take(self._line.popleft())

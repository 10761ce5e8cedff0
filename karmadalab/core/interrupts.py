"""Ctrl-C between two callbacks, never in the middle of one.

A callback that is cut off half-way takes with it what it had already taken up: a request that nobody works on again, a
loop that is never called again. So the first Ctrl-C waits until the callback has ended; a second one does not.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def deferred(soon: deque[tuple[Callable[[Any], object], Any]]) -> Iterator[None]:
    """For the length of a block Ctrl-C is handled when the next callback would begin.

    Args:
        soon: callbacks with their arguments, of which the first is called next.
    """
    handler = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if not callable(handler):  # another thread, or the system's own handling
        yield
        return
    waiting: list[int] = []

    def interrupt(number: int) -> None:
        waiting.clear()
        handler(number, None)

    def later(number: int, frame: Any) -> None:
        signal.signal(signal.SIGINT, handler)
        waiting.append(number)
        soon.appendleft((interrupt, number))

    signal.signal(signal.SIGINT, later)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if waiting:  # it came during the last callback
            soon.remove((interrupt, waiting[0]))
    if waiting:
        handler(waiting[0], None)

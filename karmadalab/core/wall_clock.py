"""The clock that keeps pace with real time: the engine of `core.clock`, which waits for its next timer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from karmadalab.api.errors import BadRequest, shortly
from karmadalab.core.clock import VirtualClock, real_time, stopwatch

MOST_SPEED = 10_000  # a tenth of what an idle lab of three members can keep up with
_LONGEST_WAIT_S = 3600.0  # a condition variable takes no infinity


def _nothing() -> None:
    """What there is to do at the end of a turn, as a rule."""


class WallClock(VirtualClock):
    """The same engine, which waits until the next timer is due.

    It jumps like a virtual clock until `begin` is called, so that a lab can be set up at once.

    Args:
        epoch: what the clock shows when real time begins to count; by default the real time.
        speed: lab seconds for each real second, up to `MOST_SPEED`.
        lead_s: how long before the epoch the clock starts.

    Several threads may use one wall clock: the one that runs it, and others that act inside `taken`. Nobody holds the
    turn while waiting.

    Raises:
        BadRequest: the speed is no such number.
    """

    def __init__(self, epoch: float | None = None, speed: float = 1.0, lead_s: float = 0.0) -> None:
        if isinstance(speed, bool) or not isinstance(speed, (int, float)) or not 0 < speed <= MOST_SPEED:
            raise BadRequest(
                f"speed: must be a number above 0 and up to {MOST_SPEED:,} lab seconds for each real one, got "
                f"{shortly(speed)}; a lab made with Lab.fake needs no speed, it jumps"
            )
        super().__init__(real_time() if epoch is None else epoch, lead_s)
        self.speed = speed
        self._origin: float | None = None  # the stopwatch's time at which the lab's epoch was
        self._news = threading.Condition(self.turn)
        self._busy = self._in_turn = False
        self.after_turn: Callable[[], object] = _nothing  # called at the end of each turn, before anybody hears of it

    def begin(self) -> None:
        """From now on time passes by itself."""
        self._origin = stopwatch() - self.elapsed() / self.speed

    def due(self) -> float:
        """What the clock should show now, in Unix seconds of the lab."""
        if self._origin is None:
            return self._now
        return max(self._now, self.epoch + (stopwatch() - self._origin) * self.speed)

    def run_until(self, when: float) -> None:
        """Do all that is due until a moment, at the pace of real time; see `VirtualClock.run_until`."""
        if self._origin is None:
            super().run_until(when)
            return
        with self.turn:
            while True:
                due = self.due()
                self._advance(max(min(due, when), self._now))
                self.after_turn()
                if due >= when:
                    return
                next_at = self.next_at()
                until = when if next_at is None or next_at > when else next_at
                self._let_others_act(max(0.0, min((until - self.due()) / self.speed, _LONGEST_WAIT_S)))

    def _let_others_act(self, longest_s: float) -> None:
        """Wait. Whoever takes a turn meanwhile takes one of their own, also when who waits is in the middle of one."""
        is_within, self._in_turn = self._in_turn, False
        try:
            self._news.wait(longest_s)
        finally:
            self._in_turn = is_within

    def step(self, longest_s: float = 1.0) -> None:
        """Do all that is due, then wait for the next timer, for somebody's turn to end, or for `longest_s` at most."""
        with self.turn:
            self.catch_up()
            self.after_turn()
            next_at = self.next_at()
            left_s = longest_s if next_at is None else (next_at - self.due()) / self.speed
            if left_s > 0:
                self._news.wait(min(left_s, longest_s))

    def catch_up(self) -> None:
        """Do all that is due by now, without waiting; what is being done right now is not begun again."""
        if not self._busy:
            self._advance(self.due())

    def _advance(self, when: float) -> None:
        self._busy = True
        try:
            super().run_until(when)
        finally:
            self._busy = False

    @contextmanager
    def taken(self) -> Iterator[None]:
        """For the length of a block this thread is the only one that acts in the world, which first catches up.

        A turn within a turn is part of it: there no time has passed, or a plan made from "now" would be late already.
        """
        with self.turn:
            is_within = self._in_turn
            if not is_within:
                self.catch_up()
            self._in_turn = True
            try:
                yield
            finally:
                self._in_turn = is_within
                self.after_turn()
                self._news.notify_all()  # whoever waits looks again: there may be an earlier timer now

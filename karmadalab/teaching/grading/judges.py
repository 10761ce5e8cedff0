"""The judges at work: whoever wants to stop grading ends them all at once."""

from __future__ import annotations

import subprocess
from concurrent.futures import CancelledError
from contextlib import suppress
from threading import Lock

from karmadalab.core.clock import stopwatch
from karmadalab.teaching.grading.processes import kill_tree

_PATIENCE_S = 1.0  # for all of them together, to end their students' processes and themselves


class Judges:
    """The processes of the judges; several threads start them, one ends them.

    Attributes:
        ended: whether no more may be started.
    """

    def __init__(self) -> None:
        self.ended = False
        self._lock = Lock()
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, line: list[str]) -> subprocess.Popen[bytes]:
        """Start a judge, in a session of its own.

        Raises:
            CancelledError: grading has been stopped.
        """
        with self._lock:
            if self.ended:
                raise CancelledError
            judge = subprocess.Popen(  # noqa: S603  # our own Python and our own module
                line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
            self._started = [*(one for one in self._started if one.returncode is None), judge]
            return judge

    def end(self) -> None:
        """End all of them, and the processes of their students; none starts after that."""
        with self._lock:
            self.ended = True
        for judge in self._started:
            judge.terminate()  # it ends its student's process
        last_s = stopwatch() + _PATIENCE_S
        for judge in self._started:
            with suppress(subprocess.TimeoutExpired):
                judge.wait(max(0.0, last_s - stopwatch()))
            if judge.returncode is None:
                kill_tree(judge)

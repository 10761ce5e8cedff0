"""Processes as faults want them: stopped, frozen, or at work again, which takes its time."""

from __future__ import annotations

from collections.abc import Callable

from karmadalab.core.clock import Timer, VirtualClock
from karmadalab.core.manager import Manager
from karmadalab.core.settings import Settings
from karmadalab.core.trace import Trace
from karmadalab.environments.faults import FROZEN, STOPPED

# A process that was killed leaves a leader lease behind: its successor waits for that to end, and for its own next try.
_PROCESS_START_S = 0.4

# A process that was frozen goes on at once while its connections last. API servers end watches after five to ten
# minutes, and after a longer sleep it takes a second to build them anew (measured: 0.1 s or less up to 200 s, 0.96 s
# after 760 s).
_THAW_S, _RECONNECT_S, _WATCH_LIFETIME_S = 0.05, 0.95, 300.0


class ProcessStates:
    """Stops, freezes, thaws and starts processes.

    Args:
        clock, trace, settings: the lab's.
        wanted: the state that the faults which act now want a process in.
    """

    def __init__(self, clock: VirtualClock, trace: Trace, settings: Settings, wanted: Callable[[Manager], str]) -> None:
        self._clock, self._trace, self._settings, self._wanted = clock, trace, settings, wanted
        self._frozen_at: dict[str, float] = {}
        self._starting: dict[str, Timer] = {}

    def rework(self, process: Manager) -> None:
        """Bring a process to the state that is wanted of it now, at once or when it can be there."""
        wanted = self._wanted(process)
        if process.running and wanted == STOPPED:
            process.stop()
        elif process.running and wanted == FROZEN and not process.paused:
            process.pause()
            self._frozen_at[process.name] = self._clock.now()
        elif process.paused and wanted != FROZEN:
            slept_s = self._clock.now() - self._frozen_at[process.name]
            wait_s = _THAW_S if slept_s <= _WATCH_LIFETIME_S else _RECONNECT_S
            self._clock.call_later(wait_s, self._trace.bound(self._thaw, process.name), process)
        starts = not process.running and wanted not in (STOPPED, FROZEN)
        if starts and process.name not in self._starting:
            self._starting[process.name] = self._start_after_lease(process)
        elif not starts and process.name in self._starting:
            self._clock.cancel(self._starting.pop(process.name))

    def forget(self, process: Manager) -> None:
        """A process is gone for good: don't start it any more."""
        if process.name in self._starting:
            self._clock.cancel(self._starting.pop(process.name))

    def _thaw(self, process: Manager) -> None:
        if process.paused and self._wanted(process) not in (STOPPED, FROZEN):
            process.resume()

    def _start_after_lease(self, process: Manager) -> Timer:
        """Start a process whose predecessor was killed: it works once the old leader lease has run out."""
        settings = self._settings
        wait_s = settings.leader_elect_lease_duration + settings.leader_elect_retry_period + _PROCESS_START_S

        def start() -> None:
            del self._starting[process.name]
            process.start()

        return self._clock.call_later(wait_s, self._trace.bound(start, process.name))

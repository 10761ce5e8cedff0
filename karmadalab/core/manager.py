"""The process that controllers run in.

A manager is one process (karmada-controller-manager, karmada-agent, karmada-scheduler). It can be stopped, whereupon
what its controllers held in memory is gone, or paused, whereupon everything waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from karmadalab.core.clock import Timer, VirtualClock
from karmadalab.core.controller import Controller, Reconciler, Watch
from karmadalab.core.queue import Request
from karmadalab.core.settings import Settings
from karmadalab.core.trace import Trace


class Manager:
    """One process: controllers that live and die together.

    Args:
        name: `karmada-controller-manager`, `karmada-agent@member3`, ...
        clock, trace, settings: the lab's.
        build: makes the reconcilers, with empty memory, each time the process starts.
        strict: whether a controller that raises something other than our own errors ends the run.
        latency_s: how long an event takes from the API server to a worker of this process.
    """

    def __init__(
        self,
        name: str,
        clock: VirtualClock,
        trace: Trace,
        settings: Settings,
        build: Callable[[Manager], Sequence[Reconciler]],
        strict: bool = False,
        latency_s: float = 0.0,
    ) -> None:
        self.name = name
        self.latency_s = latency_s
        self.starts = 0
        self.clock = clock
        self.trace = trace
        self.settings = settings
        self.strict = strict
        self._build = build
        self.controllers: list[Controller] = []
        self._loops: dict[int, Timer] = {}
        self._due: list[tuple[int, Callable[[], object], Callable[[], float]]] = []
        self.running = False
        self.paused = False

    def start(self) -> None:
        """Start the process with nothing in memory."""
        if self.running:
            return
        self.running = True
        self.starts += 1
        self.controllers = [self._with_queue(reconciler) for reconciler in self._build(self)]
        for controller in self.controllers:
            controller.start()

    def _with_queue(self, reconciler: Reconciler) -> Controller:
        return Controller(
            reconciler, self.clock, self.trace, self.settings, strict=self.strict, latency_s=self.latency_s
        )

    def stop(self) -> None:
        """End the process: queues, timers and memory are gone."""
        self.running = self.paused = False
        for controller in self.controllers:
            controller.stop()
        for timer in self._loops.values():
            self.clock.cancel(timer)
        self.controllers = []
        self._loops.clear()
        self._due.clear()

    def pause(self) -> None:
        """Freeze the process (SIGSTOP): it neither works nor forgets."""
        self.paused = True
        for controller in self.controllers:
            controller.queue.pause()

    def resume(self) -> None:
        """Thaw the process (SIGCONT): what came due meanwhile is done now."""
        self.paused = False
        due, self._due = self._due, []
        for number, call, period_s in due:
            self._tick(number, call, period_s)
        for controller in self.controllers:
            controller.queue.resume()

    def every(
        self, period_s: float | Callable[[], float], call: Callable[[], object], first_after_s: float = 0.0
    ) -> int:
        """Call back again and again while the process runs, the next time a period after the last.

        Args:
            period_s: seconds between two calls, or a function that says so anew each time (jitter).
            call: what to do.
            first_after_s: seconds until the first call.

        Returns:
            A number to `cancel_loop` with.
        """
        period = period_s if callable(period_s) else lambda: period_s
        number = len(self._loops)
        self._loops[number] = self.clock.call_later(first_after_s, self._tick, number, call, period)
        return number

    def cancel_loop(self, number: int) -> None:
        """End a loop."""
        self.clock.cancel(self._loops[number])
        self._due = [item for item in self._due if item[0] != number]

    def _tick(self, number: int, call: Callable[[], object], period_s: Callable[[], float]) -> None:
        if self.paused:
            self._due.append((number, call, period_s))
            return
        self._loops[number] = self.clock.call_later(period_s(), self._tick, number, call, period_s)
        call()

    def enqueue(self, name: str, request: Request, delay_s: float = 0.0) -> None:
        """Ask a controller of this process to look at an object, now or after a delay."""
        queue = self._named(name).queue
        if delay_s:
            queue.add_after(request, delay_s)
        else:
            queue.add(request)

    def watch(self, name: str, watch: Watch) -> Callable[[], None]:
        """Give a running controller one more thing that wakes it; returns what ends that."""
        return self._named(name).watch(watch)

    def controller(self, name: str) -> Any:
        """The reconciler of that name.

        Raises:
            KeyError: this process has none of that name, or is not running.
        """
        return self._named(name).reconciler

    def _named(self, name: str) -> Controller:
        for controller in self.controllers:
            if controller.name == name:
                return controller
        raise KeyError(name)

    def __repr__(self) -> str:
        state = "paused" if self.paused else "running" if self.running else "stopped"
        return f"<Manager {self.name} {state}, {len(self.controllers)} controllers>"

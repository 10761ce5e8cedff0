"""The work queues: one entry an object, back-off that only a success resets, processes that stand still, and rest."""

from __future__ import annotations

import pytest

from karmadalab.core.clock import VirtualClock
from karmadalab.core.paced_queue import PacedQueue
from karmadalab.core.queue import Request, WorkQueue
from karmadalab.core.trace import Trace

A, B = Request("default", "a"), Request("default", "b")


class Bench:
    """A queue whose work is written down as (seconds, name)."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.trace = Trace(self.clock.now)
        self.done: list[tuple[float, str]] = []
        self.causes: list[int | None] = []
        self.queue = WorkQueue(self.clock, self.trace, self.work)

    def work(self, request: Request, cause: int | None) -> None:
        self.done.append((self.clock.elapsed(), request.name))
        self.causes.append(cause)

    def run(self, until_s: float = 0) -> list[tuple[float, str]]:
        self.clock.run_until(self.clock.epoch + until_s)
        return self.done


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_first_come_first_served(bench: Bench) -> None:
    bench.queue.add(B)
    bench.queue.add(A)
    assert bench.run() == [(0, "b"), (0, "a")]


def test_asked_twice_done_once(bench: Bench) -> None:
    bench.queue.add(A)
    bench.queue.add(A)
    assert bench.run() == [(0, "a")]


def test_asked_again_after_it_was_done(bench: Bench) -> None:
    bench.queue.add(A)
    bench.run()
    bench.queue.add(A)
    assert bench.run() == [(0, "a"), (0, "a")]


def test_asked_for_while_it_is_worked_on_comes_again_afterwards() -> None:
    bench = Bench()

    def work(request: Request, cause: int | None) -> None:
        bench.work(request, cause)
        if len(bench.done) == 1:
            bench.queue.add(request)

    bench.queue = WorkQueue(bench.clock, bench.trace, work)
    bench.queue.add(A)
    assert bench.run() == [(0, "a"), (0, "a")]


def test_later(bench: Bench) -> None:
    bench.queue.add_after(A, 5)
    assert bench.run(4) == []
    assert bench.run(5) == [(5, "a")]


@pytest.mark.parametrize(("first", "second"), [(3, 5), (5, 3)])
def test_of_two_wishes_for_later_the_earlier_holds(bench: Bench, first: float, second: float) -> None:
    bench.queue.add_after(A, first)
    bench.queue.add_after(A, second)
    assert bench.run(10) == [(3, "a")]


def test_now_does_not_cancel_later(bench: Bench) -> None:
    """As in client-go: a periodic controller that was woken by an event still keeps its beat."""
    bench.queue.add_after(A, 5)
    bench.queue.add(A)
    assert bench.run(10) == [(0, "a"), (5, "a")]


def test_back_off_doubles_from_5_ms_to_1000_s(bench: Bench) -> None:
    delays = []
    for _ in range(22):
        delays.append(bench.queue.add_rate_limited(A))
        bench.run(bench.clock.elapsed() + 2000)
    assert delays == [min(0.005 * 2**n, 1000.0) for n in range(22)]
    assert delays[:4] == [0.005, 0.01, 0.02, 0.04]
    assert delays[-1] == 1000
    assert bench.queue.failures(A) == 22


def test_back_off_is_for_each_object_alone(bench: Bench) -> None:
    for _ in range(3):
        bench.queue.add_rate_limited(A)
    assert bench.queue.add_rate_limited(B) == 0.005


def test_only_success_resets_the_back_off(bench: Bench) -> None:
    bench.queue.add_rate_limited(A)
    bench.queue.add(A)
    bench.run(1)
    assert bench.queue.add_rate_limited(A) == 0.01
    bench.queue.forget(A)
    assert bench.queue.failures(A) == 0
    assert bench.queue.add_rate_limited(A) == 0.005


def test_an_event_comes_before_the_back_off_ends(bench: Bench) -> None:
    for _ in range(12):
        bench.queue.add_rate_limited(A)
    bench.queue.add(A)
    assert bench.run(0) == [(0, "a")]


def test_work_knows_its_cause(bench: Bench) -> None:
    row = bench.trace.note("fault", "member1", "power off")
    with bench.trace.acting("fault", row):
        bench.queue.add(A)
        bench.queue.add_after(B, 1)
    bench.run(2)
    assert bench.causes == [row, row]


def test_the_first_cause_counts(bench: Bench) -> None:
    first, second = (bench.trace.note("fault", name, "x") for name in "ab")
    for row in (first, second):
        with bench.trace.acting("fault", row):
            bench.queue.add(A)
    bench.run()
    assert bench.causes == [first]


# --- processes --------------------------------------------------------------------------------------------------------


def test_a_frozen_process_works_it_off_when_it_thaws(bench: Bench) -> None:
    bench.queue.add_after(B, 2)
    bench.queue.pause()
    bench.queue.add(A)
    bench.queue.add(A)
    assert bench.run(5) == []
    bench.queue.resume()
    assert bench.run(5) == [(5, "a"), (5, "b")]


def test_what_is_queued_when_a_process_freezes_waits_too(bench: Bench) -> None:
    bench.queue.add(A)
    bench.queue.pause()
    assert bench.run(1) == []
    bench.queue.resume()
    assert bench.run(1) == [(1, "a")]


def test_pausing_twice_loses_nothing(bench: Bench) -> None:
    bench.queue.pause()
    bench.queue.add(A)
    bench.run(1)
    bench.queue.pause()
    bench.queue.resume()
    assert bench.run(1) == [(1, "a")]


def test_an_ended_process_forgets_and_is_asked_in_vain(bench: Bench) -> None:
    bench.queue.add(A)
    bench.queue.add_after(B, 1)
    bench.queue.add_rate_limited(A)
    bench.queue.close()
    bench.queue.add(A)
    assert bench.run(2000) == []
    assert bench.queue.failures(A) == 0


# --- slow networks ----------------------------------------------------------------------------------------------------


def test_while_a_call_is_on_its_way_the_object_is_not_worked_on(bench: Bench) -> None:
    bench.queue.hold(A, 3, lambda: bench.done.append((bench.clock.elapsed(), "answered")))
    bench.queue.add(A)
    bench.queue.add(B)
    assert not bench.queue.is_done(A)
    assert bench.run(2) == [(0, "b")]
    assert bench.run(3) == [(0, "b"), (3, "answered"), (3, "a")]
    assert bench.queue.is_done(A)


def test_an_answer_to_an_ended_process_is_lost(bench: Bench) -> None:
    bench.queue.hold(A, 3, lambda: bench.done.append((0, "answered")))
    bench.queue.close()
    assert bench.run(5) == []


def test_an_answer_to_a_frozen_process_waits(bench: Bench) -> None:
    bench.queue.hold(A, 3, lambda: bench.done.append((bench.clock.elapsed(), "answered")))
    bench.queue.pause()
    assert bench.run(10) == []
    bench.queue.resume()
    assert bench.run(10) == [(10, "answered")]


def test_a_request_prints_as_its_object() -> None:
    assert [str(request) for request in (A, Request("", "member1"))] == ["default/a", "member1"]


# --- workers that rest ------------------------------------------------------------------------------------------------


def paced(rate: float, workers: int, *, asks_again: bool = False) -> Bench:
    """A bench where all that is asked for succeeds, and the worker then rests; the first may ask for itself again."""
    bench = Bench()

    def work(request: Request, cause: int | None) -> None:
        bench.work(request, cause)
        if asks_again and len(bench.done) == 1:
            bench.queue.add(request)
        bench.queue.forget(request)

    bench.queue = PacedQueue(bench.clock, bench.trace, work, rate=rate, workers=workers)
    return bench


@pytest.mark.parametrize(
    ("workers", "moments"),
    [
        (1, [0, 0.01, 0.02, 0.03]),
        (3, [0, 0, 0, 0.01, 0.01, 0.02]),
        (5, [0, 0, 0, 0, 0, 0.01, 0.01, 0.02, 0.02, 0.02, 0.03, 0.03, 0.03, 0.04]),
    ],
)
def test_workers_that_rest_at_the_same_time_share_one_back_off(workers: int, moments: list[float]) -> None:
    bench = paced(rate=100, workers=workers)
    for number in range(len(moments)):
        bench.queue.add(Request("default", f"b{number:02d}"))
    assert [round(at, 4) for at, _ in bench.run(1)] == moments


def test_what_is_asked_for_again_waits_until_its_worker_has_rested() -> None:
    bench = paced(rate=0.5, workers=2)
    bench.queue.add(A)
    bench.run(1)
    bench.queue.add(A)
    bench.queue.add(B)
    assert not bench.queue.is_done(A)
    assert bench.run(10) == [(0, "a"), (1, "b"), (2, "a")]
    assert bench.queue.is_done(A)


def test_what_is_asked_for_again_comes_once_and_behind_those_who_waited() -> None:
    bench = paced(rate=0.5, workers=1)
    bench.queue.add(A)
    bench.run(1)
    bench.queue.add_after(A, 0.25)
    bench.queue.add(B)
    assert bench.run(20) == [(0, "a"), (2, "b"), (4, "a")]


def test_who_asks_for_itself_has_one_place_in_the_line() -> None:
    bench = paced(rate=0.5, workers=1, asks_again=True)
    c = Request("default", "c")
    bench.queue.add(A)
    bench.queue.add(B)
    for at, request in ((5.0, c), (5.5, A)):
        bench.clock.call_later(at, bench.queue.add, request)
    assert bench.run(20) == [(0, "a"), (2, "b"), (4, "a"), (6, "c"), (8, "a")]


def test_a_rest_ends_also_while_the_process_is_frozen() -> None:
    bench = paced(rate=0.5, workers=1)
    bench.queue.add(A)
    bench.queue.add(B)
    bench.run(1)
    bench.queue.pause()
    bench.queue.add(A)
    assert bench.run(10) == [(0, "a")]
    bench.queue.resume()
    assert bench.run(20) == [(0, "a"), (10, "b"), (12, "a")]


def test_a_worker_of_an_ended_process_wakes_in_vain() -> None:
    bench = paced(rate=0.5, workers=1)
    bench.queue.add(A)
    bench.queue.add(B)
    bench.run(1)
    bench.queue.close()
    assert bench.run(10) == [(0, "a")]

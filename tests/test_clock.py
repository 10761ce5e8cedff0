"""One engine, two clocks: the same suite holds both to the same order. Only the virtual one never waits.

The wall clock runs fast here (a lab second is a tenth of a real millisecond), so nothing takes longer than some
milliseconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from karmadalab.api.errors import BadRequest
from karmadalab.core.clock import DEFAULT_EPOCH, NeverSettles, VirtualClock
from karmadalab.core.wall_clock import MOST_SPEED, WallClock
from karmadalab.lab import Lab

Make = Callable[[], VirtualClock]


def fast_wall_clock(speed: float = 10_000) -> WallClock:
    clock = WallClock(DEFAULT_EPOCH, speed=speed)
    clock.begin()
    return clock


@pytest.fixture(params=[VirtualClock, fast_wall_clock], ids=["virtual", "wall"])
def clock(request: pytest.FixtureRequest) -> VirtualClock:
    made: VirtualClock = request.param()
    return made


def test_it_stands_where_it_was_told_to_run_to(clock: VirtualClock) -> None:
    clock.run_until(clock.epoch + 7)
    assert clock.elapsed() == 7
    assert clock.now() == clock.epoch + 7


def test_timers_come_in_order_of_time(clock: VirtualClock) -> None:
    seen: list[tuple[str, float]] = []
    for delay_s, word in ((3, "c"), (1, "a"), (2, "b")):
        clock.call_later(delay_s, lambda w=word: seen.append((w, clock.elapsed())))
    clock.run_until(clock.epoch + 5)
    assert seen == [("a", 1), ("b", 2), ("c", 3)]


def test_equal_times_come_in_order_of_asking(clock: VirtualClock) -> None:
    seen: list[str] = []

    def first() -> None:
        seen.append("first")
        clock.call_later(0, seen.append, "meanwhile")

    clock.call_at(clock.epoch + 1, first)
    for word in ("second", "third"):
        clock.call_at(clock.epoch + 1, seen.append, word)
    clock.run_until(clock.epoch + 1)
    assert seen == ["first", "second", "third", "meanwhile"]


def test_a_timer_may_run_the_clock_up_to_now(clock: VirtualClock) -> None:
    seen: list[str] = []

    def look() -> None:
        clock.catch_up()
        seen.append("looked")

    clock.call_at(clock.epoch + 1, look)
    clock.call_at(clock.epoch + 1, seen.append, "same moment")
    clock.call_at(clock.epoch + 2, seen.append, "later")
    clock.run_until(clock.epoch + 2)
    assert sorted(seen) == ["later", "looked", "same moment"]
    assert seen[-1] == "later"
    assert clock.next_at() is None


def test_work_due_now_is_done_before_time_moves(clock: VirtualClock) -> None:
    seen: list[tuple[str, float]] = []

    def note(word: str) -> None:
        seen.append((word, clock.elapsed()))
        if word == "now":
            clock.call_soon((note, "caused"))

    clock.call_later(1, note, "later")
    clock.call_soon((note, "now"))
    clock.run_until(clock.epoch + 1)
    assert [word for word, _ in seen] == ["now", "caused", "later"]
    assert [at for _, at in seen] == [0, 0, 1]


def test_a_timer_at_the_very_end_is_due_one_beyond_is_not(clock: VirtualClock) -> None:
    seen: list[float] = []
    for at in (1.0, 1.001):
        clock.call_at(clock.epoch + at, seen.append, at)
    clock.run_until(clock.epoch + 1)
    assert seen == [1.0]
    assert clock.next_at() == pytest.approx(clock.epoch + 1.001, abs=1e-6)


def test_a_moment_that_has_passed_means_at_once(clock: VirtualClock) -> None:
    clock.run_until(clock.epoch + 10)
    seen: list[float] = []
    clock.call_at(clock.epoch + 3, lambda: seen.append(clock.elapsed()))
    clock.run_until(clock.epoch + 10)
    assert seen == [10]


def test_a_cancelled_timer_is_forgotten(clock: VirtualClock) -> None:
    seen: list[str] = []
    timer = clock.call_later(1, seen.append, "never")
    clock.cancel(timer)
    clock.cancel(timer)
    assert clock.next_at() is None
    clock.run_until(clock.epoch + 2)
    assert seen == []


def test_cancelling_what_has_fired_is_no_error(clock: VirtualClock) -> None:
    timer = clock.call_later(1, lambda: None)
    clock.run_until(clock.epoch + 1)
    clock.cancel(timer)


def test_time_runs_one_way() -> None:
    clock = VirtualClock()
    clock.run_until(clock.epoch + 10)
    with pytest.raises(BadRequest, match="time runs one way: it is 10s, you asked for 4s"):
        clock.run_until(clock.epoch + 4)


def test_forty_seconds_after_is_exactly_forty_seconds_after(clock: VirtualClock) -> None:
    """Sums of delays are exact: a tenth of a second, four hundred times, is forty seconds."""
    beats: list[float] = []

    def beat() -> None:
        beats.append(clock.now())
        if len(beats) < 400:
            clock.call_later(0.1, beat)

    start = clock.now()
    clock.call_later(0.1, beat)
    clock.run_until(start + 41)
    steps = {later - earlier for earlier, later in zip([start, *beats], beats, strict=False)}
    assert len(steps) == 1
    assert beats[-1] == start + 400 * steps.pop()


def test_running_until_now_always_works() -> None:
    for epoch in (0.1, 1e9 + 1 / 3, DEFAULT_EPOCH):
        for made in (VirtualClock(epoch, lead_s=1 / 3), WallClock(epoch, speed=MOST_SPEED)):
            made.run_until(made.now())


def test_work_that_never_ends_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karmadalab.core.clock._BUSY", 1000)
    clock = VirtualClock()

    def again(turn: int) -> None:
        clock.call_soon((again, turn + 1))

    again(0)
    with pytest.raises(NeverSettles, match=r"at 0s work keeps causing work without time passing.*again"):
        clock.run_until(clock.now())


def test_an_error_leaves_the_clock_where_it_happened(clock: VirtualClock) -> None:
    clock.call_later(2, lambda: 1 / 0)
    clock.call_later(3, lambda: None)
    with pytest.raises(ZeroDivisionError):
        clock.run_until(clock.epoch + 5)
    assert clock.elapsed() == 2
    clock.run_until(clock.epoch + 5)
    assert clock.elapsed() == 5


# --- only the virtual clock -------------------------------------------------------------------------------------------


def test_a_century_takes_no_time() -> None:
    clock = VirtualClock()
    before = time.perf_counter()
    clock.run_until(clock.epoch + 100 * 365 * 86400)
    assert time.perf_counter() - before < 0.5


def test_the_lead_is_before_the_beginning() -> None:
    clock = VirtualClock(lead_s=15)
    assert clock.elapsed() == -15
    assert repr(clock) == "<VirtualClock -15s, 0 timers>"


# --- only the wall clock ----------------------------------------------------------------------------------------------


def test_the_wall_clock_jumps_until_it_begins_and_then_waits() -> None:
    clock = WallClock(DEFAULT_EPOCH, speed=1000, lead_s=3600)
    before = time.monotonic()
    clock.run_until(clock.epoch)
    assert time.monotonic() - before < 0.5
    clock.begin()
    before = time.monotonic()
    clock.run_until(clock.epoch + 10)
    assert time.monotonic() - before >= 0.009


@pytest.mark.parametrize("speed", [0, -1, float("inf")])
def test_a_clock_that_stands_still_or_flies_is_refused(speed: float) -> None:
    with pytest.raises(BadRequest, match=f"speed: must be a number above 0 .*, got {speed};"):
        WallClock(speed=speed)


def test_time_passes_by_itself() -> None:
    clock = fast_wall_clock()
    first = clock.due()
    time.sleep(0.001)  # real time is what this clock shows
    assert clock.due() - first >= 10


def test_who_takes_its_turn_first_catches_up() -> None:
    clock = fast_wall_clock()
    seen: list[float] = []
    clock.call_later(5, lambda: seen.append(clock.elapsed()))
    while clock.due() < clock.epoch + 5:
        pass
    with clock.taken():
        assert seen == [5]
        assert clock.elapsed() >= 5


def test_another_thread_ends_a_wait_early() -> None:
    """Who waits for a far timer hears of a nearer one."""
    clock = fast_wall_clock(speed=100)
    seen: list[float] = []

    def act() -> None:
        with clock.taken():
            clock.call_later(0.1, lambda: seen.append(clock.elapsed()))

    thread = threading.Thread(target=act)
    thread.start()
    clock.run_until(clock.epoch + 3)
    thread.join()
    assert len(seen) == 1
    assert 0.1 <= seen[0] <= 3


def test_no_two_threads_act_at_once() -> None:
    clock = fast_wall_clock(speed=1000)
    inside: list[str] = []
    overlaps: list[int] = []

    def act() -> None:
        for _ in range(20):
            with clock.taken():
                inside.append("x")
                overlaps.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=act) for _ in range(4)]
    for thread in threads:
        thread.start()
    clock.run_until(clock.epoch + 2)
    for thread in threads:
        thread.join()
    assert set(overlaps) == {1}


def test_a_timeout_between_two_ticks_of_the_clock_ends() -> None:
    lab = Lab.fake(members=1)
    with pytest.raises(BadRequest, match="still not so after"):
        lab.run_until(lambda _: False, timeout=0.7)


def test_time_never_runs_backwards_when_a_callback_runs_the_clock(clock: VirtualClock) -> None:
    clock.call_at(clock.epoch + 1, lambda: clock.run_until(clock.epoch + 60))
    clock.run_until(clock.epoch + 10)
    assert clock.elapsed() == 60


def test_a_timer_that_asks_for_the_same_instant_for_ever_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karmadalab.core.clock._BUSY", 20_000)
    clock = VirtualClock()

    def again() -> None:
        clock.call_later(0, again)

    again()
    with pytest.raises(NeverSettles, match=r"at 0s work keeps causing work without time passing.*again"):
        clock.run_until(clock.epoch + 1)


def test_a_delay_below_zero_is_none() -> None:
    clock = VirtualClock()
    seen: list[float] = []
    clock.call_later(10.0, lambda: clock.call_later(-5.0, lambda: seen.append(clock.elapsed())))
    clock.run_until(clock.epoch + 20.0)
    assert seen == [10.0]

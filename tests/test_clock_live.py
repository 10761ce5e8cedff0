"""The clock that waits: it keeps pace, it is woken for earlier work, and several threads take turns."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from karmadalab.api.errors import BadRequest
from karmadalab.core.clock import VirtualClock
from karmadalab.core.wall_clock import WallClock
from karmadalab.lab import Lab


def begun(speed: float = 1000.0) -> WallClock:
    clock = WallClock(epoch=0.0, speed=speed)
    clock.begin()
    return clock


def test_it_jumps_until_it_begins() -> None:
    clock = WallClock(epoch=100.0, speed=1.0, lead_s=50.0)
    seen: list[float] = []
    clock.call_at(75.0, lambda: seen.append(clock.now()))
    clock.run_until(100.0)
    assert seen == [75.0]
    assert clock.due() == 100.0


def test_it_waits_for_each_timer() -> None:
    clock = begun(speed=100.0)
    seen: list[float] = []
    clock.call_later(1.0, lambda: seen.append(clock.now()))
    clock.call_later(2.0, lambda: seen.append(clock.now()))
    started = time.monotonic()
    clock.run_until(3.0)
    assert seen == [1.0, 2.0]
    assert 0.03 <= time.monotonic() - started < 1.0


def test_an_earlier_timer_from_another_thread_is_not_slept_through() -> None:
    clock = begun(speed=10.0)
    seen: list[float] = []
    clock.call_later(20.0, lambda: None)
    runner = threading.Thread(target=clock.run_until, args=(3.0,))
    runner.start()
    with clock.taken():
        clock.call_later(1.0, lambda: seen.append(clock.now()))
    runner.join(5.0)
    assert not runner.is_alive()
    assert seen
    assert seen[0] < 2.0


def test_taking_the_clock_catches_up_once_even_inside_a_timer() -> None:
    clock = begun()
    order: list[str] = []

    def first() -> None:
        with clock.taken():
            order.append("first")

    clock.call_later(0.0, first)
    clock.call_later(0.0, lambda: order.append("second"))
    with clock.taken():
        assert order == ["first", "second"]


def test_turns_are_taken_one_at_a_time() -> None:
    clock = VirtualClock()
    order: list[str] = []
    wants = threading.Event()

    def act() -> None:
        wants.set()
        with clock.taken():
            order.append("second")

    with clock.taken():
        other = threading.Thread(target=act)
        other.start()
        wants.wait(10.0)
        other.join(0.05)  # time enough to come in, were nobody to keep it out
        order.append("first")
    other.join(10.0)
    assert order == ["first", "second"]


@pytest.mark.parametrize("speed", [0, -1, float("inf"), float("nan"), 1e308, 10_001, 10**400, "2", True])
def test_a_speed_that_is_none_is_refused(speed: Any) -> None:
    with pytest.raises(
        BadRequest, match=r"speed: must be a number above 0 and up to 10,000 lab seconds for each real one, got "
    ):
        WallClock(speed=speed)


def test_no_time_passes_within_a_turn() -> None:
    clock = begun(speed=10_000)
    with clock.taken():
        now = clock.now()
        with clock.taken():
            assert clock.now() == now
    with clock.taken():
        assert clock.now() > now


def test_a_link_flaps_from_now_on_however_fast_time_goes() -> None:
    with Lab.live(members=1, speed=50.0, seed=1) as lab:
        flaps = lab.fault("member1").flapping("5s", "5s", 3)
        assert len(flaps) == 3


def test_a_live_lab_goes_on_by_itself() -> None:
    lab = Lab.live(members=2, speed=500.0, seed=1)
    before = lab.t
    lab.run("20s")
    assert lab.t >= before + 20
    assert all(cluster.status.conditions for cluster in lab.list("Cluster"))


def test_who_waits_in_a_turn_lets_others_take_theirs_at_the_right_time() -> None:
    clock = begun(speed=10.0)
    clock.call_later(20.0, lambda: None)
    ended: list[float] = []
    clock.after_turn = lambda: ended.append(clock.now())
    late: list[float] = []

    def other() -> None:
        time.sleep(0.1)
        with clock.taken():
            late.append(clock.due() - clock.now())

    thread = threading.Thread(target=other)
    thread.start()
    with clock.taken():
        clock.run_until(3.0)
    thread.join(5.0)
    assert late[0] < 0.5  # lab seconds; the turn began a whole one after the wait did
    assert ended[0] == pytest.approx(0.0, abs=0.5)
    assert len(ended) >= 3

"""Ctrl-C in the middle of a run: nothing that was taken up is lost, and the lab goes on as if it had not come."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator

import pytest

from karmadalab import Lab
from karmadalab.api.cluster import Cluster, is_ready
from karmadalab.controllers.cluster_status import threshold_adjusted
from karmadalab.core.clock import VirtualClock

FLEET, NGINX = "environments/five-members.yaml", "environments/nginx.yaml"


@pytest.fixture(autouse=True)
def _interrupts_as_at_a_prompt() -> Iterator[None]:
    """A shell starts what it runs in the background with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_the_callback_ends_before_the_run_does() -> None:
    clock, done = VirtualClock(), []

    def work() -> None:
        ctrl_c()
        done.append("work")

    clock.call_later(1, work)
    clock.call_later(1, done.append, "same moment")
    clock.call_later(2, done.append, "later")
    with pytest.raises(KeyboardInterrupt):
        clock.run_until(clock.epoch + 5)
    assert (done, clock.elapsed()) == (["work"], 1)
    clock.run_until(clock.epoch + 5)
    assert (done, clock.elapsed()) == (["work", "same moment", "later"], 5)


def test_after_the_last_callback_it_is_not_lost() -> None:
    clock, done = VirtualClock(), []

    def work() -> None:
        done.append("work")
        ctrl_c()

    clock.call_later(1, work)
    with pytest.raises(KeyboardInterrupt):
        clock.run_until(clock.epoch + 1)
    clock.run_until(clock.epoch + 2)
    assert done == ["work"]


def test_the_second_does_not_wait_for_a_callback_that_never_ends() -> None:
    clock = VirtualClock()

    def endless() -> None:
        while True:
            ctrl_c()

    clock.call_later(1, endless)
    with pytest.raises(KeyboardInterrupt):
        clock.run_until(clock.epoch + 1)


def test_what_handled_it_before_handles_it_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    clock = VirtualClock()
    clock.run_until(clock.epoch + 1)
    clock.call_later(1, ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        clock.run_until(clock.epoch + 2)
    assert signal.getsignal(signal.SIGINT) is before


class Threshold:
    """Karmada's threshold, during whose n-th call, once it is armed, somebody presses Ctrl-C."""

    def __init__(self, press: Callable[[], None]) -> None:
        self.press, self.left = press, 0

    def __call__(self, *args: object) -> object:
        self.left -= 1
        if self.left == 0:
            self.press()
        return threshold_adjusted(*args)  # type: ignore[arg-type] # whatever the controller hands over


def told(threshold: Threshold, times: int) -> str:
    lab = Lab.fake(FLEET, seed=1, threshold=threshold)
    lab.apply(NGINX)
    lab.fault("member1").power_off(at="2m")
    threshold.left, interrupted = times, 0
    while lab.t < 1800:
        try:
            lab.run(1800 - lab.t)
        except KeyboardInterrupt:
            interrupted += 1
    lab.check()
    assert interrupted == (threshold.press is ctrl_c)
    return json.dumps(lab.timeline.records(), default=str)


def nobody() -> None:
    """Presses nothing."""


@pytest.mark.parametrize("times", [10, 61, 200])
def test_an_interrupted_run_that_goes_on_is_the_run_that_was_not_interrupted(times: int) -> None:
    assert told(Threshold(ctrl_c), times) == told(Threshold(nobody), times)


def cut_off() -> None:
    raise KeyboardInterrupt


def test_a_reconcile_that_was_cut_off_is_begun_again() -> None:
    threshold = Threshold(cut_off)
    lab = Lab.fake(members=2, seed=1, threshold=threshold)
    threshold.left = 20
    with pytest.raises(KeyboardInterrupt):
        lab.run("10m")
    for name in ("member1", "member2"):
        lab.fault(name).power_off()
    lab.run("5m")
    assert not [cluster for cluster in lab.list(Cluster) if is_ready(cluster)]

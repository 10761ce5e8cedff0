"""Networks that refuse, drop, delay and lose, and what their clients know and when."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from karmadalab.api.errors import Unreachable
from karmadalab.core.clock import VirtualClock
from karmadalab.core.controller import Wait
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace
from karmadalab.environments.link import REFUSED, SILENT, UP, Link, Remote

from .contract.apis import CONFIG, Seen, config


class Wire:
    """A link, and a caller that waits as a controller does."""

    def __init__(self, seed: int = 1) -> None:
        self.clock = VirtualClock()
        self.trace = Trace(self.clock.now)
        self.store = Store(self.clock, self.trace)
        self.link = Link("here -> there", self.clock, self.trace, Random(seed))
        self.remote = Remote(self.store, self.link, self.clock, self.trace)

    def call(self) -> tuple[str, float]:
        """The outcome of a call, and after how many seconds it is known."""
        start = self.clock.now()
        try:
            self.link.cross()
        except Unreachable as error:
            return str(error), 0.0
        except Wait as wait:
            self.clock.run_until(start + wait.delay_s)
            wait.arrive()
            try:
                self.link.cross()
            except Unreachable as error:
                return str(error), self.clock.now() - start
            finally:
                wait.leave()
        return "ok", self.clock.now() - start

    def pass_(self, seconds: float) -> None:
        self.clock.run_until(self.clock.now() + seconds)


OK = ("ok", 0.0)
REFUSAL = "here -> there: connection refused"
NO_ANSWER = "here -> there: no answer in time"


@pytest.fixture
def wire() -> Wire:
    return Wire()


# --- calls ------------------------------------------------------------------------------------------------------------


def test_a_healthy_link_answers_at_once(wire: Wire) -> None:
    assert wire.call() == OK


def test_refused_is_known_at_once(wire: Wire) -> None:
    wire.link.set_state(REFUSED)
    assert wire.call() == (REFUSAL, 0)


@pytest.mark.parametrize(
    ("idle_s", "waits_s"),
    [
        pytest.param(0, 45, id="just used: 30 s without a frame, then a ping that waits 15 s"),
        pytest.param(20, 25, id="idle for 20 s: the rest of the 45"),
        pytest.param(44, 1, id="idle for 44 s: one second"),
        pytest.param(60, 10, id="idle for longer: the connection is gone, a handshake waits 10 s"),
    ],
)
def test_silence_costs_what_is_left_of_the_idle_connection(wire: Wire, idle_s: float, waits_s: float) -> None:
    assert wire.call() == OK
    wire.pass_(idle_s)
    wire.link.set_state(SILENT)
    assert wire.call() == (NO_ANSWER, waits_s)


def test_the_second_call_into_silence_waits_for_a_handshake(wire: Wire) -> None:
    wire.link.set_state(SILENT)
    assert [wire.call()[1] for _ in range(3)] == [45, 10, 10]


def test_after_a_refusal_silence_waits_for_a_handshake(wire: Wire) -> None:
    wire.link.set_state(REFUSED)
    wire.call()
    wire.link.set_state(SILENT)
    assert wire.call() == (NO_ANSWER, 10)


def test_a_link_that_heals_while_one_waits_answers_in_the_end(wire: Wire) -> None:
    """The packets are sent again: the call that was lost gets through."""
    wire.link.set_state(SILENT)
    wire.clock.call_later(20, wire.link.set_state, UP)
    assert wire.call() == ("ok", 45)
    assert wire.call() == OK


def test_a_link_that_breaks_while_one_waits_refuses_in_the_end(wire: Wire) -> None:
    wire.link.latency_s = 5
    wire.clock.call_later(2, wire.link.set_state, REFUSED)
    assert wire.call() == (REFUSAL, 5)


def test_a_slow_link_answers_late(wire: Wire) -> None:
    wire.link.latency_s = 5
    assert [wire.call(), wire.call()] == [("ok", 5), ("ok", 5)]
    wire.link.latency_s = 0
    assert wire.call() == OK


@pytest.mark.parametrize("loss", [0.1, 0.5, 0.9])
def test_a_lossy_link_loses_its_share(loss: float) -> None:
    wire = Wire()
    wire.link.loss = loss
    lost = sum(wire.call()[0] == NO_ANSWER for _ in range(400))
    assert lost == pytest.approx(400 * loss, abs=40)


def test_the_dice_are_the_labs() -> None:
    def outcomes(seed: int) -> list[tuple[str, float]]:
        wire = Wire(seed)
        wire.link.loss = 0.5
        return [wire.call() for _ in range(30)]

    assert outcomes(1) == outcomes(1)
    assert outcomes(1) != outcomes(2)


def test_a_failure_is_due_to_the_fault_on_the_link(wire: Wire) -> None:
    wire.link.cause = wire.trace.note("fault", "there", "cut")
    wire.link.set_state(REFUSED)
    wire.call()
    assert wire.trace.cause == wire.link.cause


@pytest.mark.parametrize(
    ("state", "latency_s", "loss", "text"),
    [
        (UP, 0, 0, "<Link here -> there up>"),
        (SILENT, 0, 0, "<Link here -> there silent>"),
        (UP, 2.5, 0.25, "<Link here -> there up, 2.5s, loses 25%>"),
    ],
)
def test_a_link_says_how_it_is(wire: Wire, state: str, latency_s: float, loss: float, text: str) -> None:
    wire.link.set_state(state)
    wire.link.latency_s, wire.link.loss = latency_s, loss
    assert repr(wire.link) == text


# --- caches and watches -----------------------------------------------------------------------------------------------


def watch(wire: Wire) -> Seen:
    seen = Seen()
    seen.stop = wire.remote.watch(CONFIG, seen.add)
    return seen


def test_while_the_link_is_down_reads_show_the_past(wire: Wire) -> None:
    old = wire.store.create(config())
    version = wire.remote.version
    wire.link.set_state(SILENT)
    new = wire.store.update(old.with_body(data={"colour": "blue"}))
    wire.store.create(config("late"))
    assert wire.remote.get(CONFIG, "web", "here") is old
    assert wire.remote.find(CONFIG, "late", "here") is None
    assert [o.metadata.name for o in wire.remote.list(CONFIG)] == ["web"]
    assert wire.remote.version == version
    wire.link.set_state(UP)
    assert wire.remote.get(CONFIG, "web", "here") is new
    assert wire.remote.version > version


@pytest.mark.parametrize("call", ["create", "update", "update_status", "delete"])
def test_writes_cross_the_link(wire: Wire, call: str) -> None:
    made = wire.store.create(config())
    wire.link.set_state(REFUSED)
    args: tuple[Any, ...] = (CONFIG, "web", "here") if call == "delete" else (made,)
    with pytest.raises(Unreachable, match="connection refused"):
        getattr(wire.remote, call)(*args)
    assert wire.store.get(CONFIG, "web", "here") is made


@pytest.mark.parametrize("state", [SILENT, REFUSED])
def test_what_was_missed_comes_when_the_link_is_back(wire: Wire, state: str) -> None:
    for name in ("gone", "kept", "same"):
        wire.store.create(config(name))
    seen = watch(wire)
    seen.events.clear()
    wire.link.set_state(state)
    wire.store.delete(CONFIG, "gone", "here")
    for colour in ("blue", "green"):  # of several changes only the last is seen
        wire.store.update(wire.store.get(CONFIG, "kept", "here").with_body(data={"colour": colour}))
    wire.store.create(config("new"))
    wire.store.create(config("brief"))
    wire.store.delete(CONFIG, "brief", "here")
    assert seen.events == []
    wire.link.set_state(UP)
    assert seen.words() == ["MODIFIED kept", "ADDED new", "DELETED gone"]


def test_a_watch_begun_while_the_link_is_down_starts_from_the_cache(wire: Wire) -> None:
    wire.store.create(config("a"))
    wire.link.set_state(SILENT)
    wire.store.create(config("b"))
    seen = watch(wire)
    assert seen.words() == ["ADDED a"]
    wire.link.set_state(UP)
    assert seen.words() == ["ADDED a", "ADDED b"]
    wire.store.create(config("c"))
    assert seen.words() == ["ADDED a", "ADDED b", "ADDED c"]


def test_from_refused_to_silent_the_past_stays_the_same_past(wire: Wire) -> None:
    wire.store.create(config("a"))
    wire.link.set_state(REFUSED)
    wire.store.create(config("b"))
    wire.link.set_state(SILENT)
    assert [o.metadata.name for o in wire.remote.list(CONFIG)] == ["a"]


def test_over_a_slow_link_events_come_late_and_in_order(wire: Wire) -> None:
    seen = watch(wire)
    wire.link.latency_s = 5
    for name in ("a", "b"):
        wire.store.create(config(name))
    wire.pass_(4)
    assert seen.events == []
    wire.pass_(1)
    assert seen.words() == ["ADDED a", "ADDED b"]


def test_a_link_that_speeds_up_does_not_let_events_overtake(wire: Wire) -> None:
    seen = watch(wire)
    wire.link.latency_s = 5
    made = wire.store.create(config())
    wire.link.latency_s = 0
    wire.store.update(made.with_body(data={}))
    wire.pass_(10)
    assert seen.words() == ["ADDED web", "MODIFIED web"]


def test_a_stopped_watch_hears_nothing_late(wire: Wire) -> None:
    seen = watch(wire)
    wire.link.latency_s = 5
    wire.store.create(config())
    seen.stop()
    wire.pass_(10)
    assert seen.events == []


def test_what_is_on_its_way_when_the_link_breaks_still_arrives(wire: Wire) -> None:
    """And the cache knows it already, so it is not told again."""
    seen = watch(wire)
    wire.link.latency_s = 5
    wire.store.create(config())
    wire.link.set_state(SILENT)
    wire.pass_(10)
    assert seen.words() == ["ADDED web"]
    assert len(wire.remote.list(CONFIG)) == 1
    wire.link.set_state(UP)
    wire.pass_(10)
    assert seen.words() == ["ADDED web"]

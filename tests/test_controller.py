"""Controllers in processes: what wakes them, what failures do, what a process remembers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from karmadalab.api.errors import Conflict, Invalid, KarmadalabError
from karmadalab.core.clock import VirtualClock
from karmadalab.core.controller import DONE, Reconciler, Request, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.settings import Settings
from karmadalab.core.store import Store
from karmadalab.core.trace import ERROR, Trace
from karmadalab.environments.link import REFUSED, SILENT, Link

from .contract.apis import CONFIG, config

Act = Callable[["Bench", Request], Result]


class Recorder:
    """A reconciler that writes down when it ran, and does as it is told."""

    name = "recorder"

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.memory: list[str] = []

    def watches(self) -> Sequence[Watch]:
        return [Watch(self.bench.store, CONFIG)]

    def reconcile(self, request: Request) -> Result:
        self.memory.append(request.name)
        self.bench.runs.append((round(self.bench.clock.elapsed(), 3), request.name))
        return self.bench.act(self.bench, request)


class Bench:
    """A store and a process with one recorder."""

    def __init__(self, act: Act = lambda bench, request: DONE, strict: bool = False) -> None:
        self.act = act
        self.clock = VirtualClock()
        self.trace = Trace(self.clock.now)
        self.store = Store(self.clock, self.trace)
        self.runs: list[tuple[float, str]] = []
        self.manager = Manager("manager", self.clock, self.trace, Settings(), self.build, strict)
        self.manager.start()

    def build(self, manager: Manager) -> Sequence[Reconciler]:
        return [Recorder(self)]

    def run(self, until_s: float = 0) -> list[tuple[float, str]]:
        self.clock.run_until(self.clock.epoch + until_s)
        return self.runs

    def errors(self) -> list[str]:
        return [row.text for row in self.trace.rows if row.verb == ERROR]


def raises(error: Exception, times: int = 1000) -> Act:
    def act(bench: Bench, request: Request) -> Result:
        if len(bench.runs) <= times:
            raise error
        return DONE

    return act


def test_what_is_there_already_counts_as_added() -> None:
    bench = Bench()
    bench.manager.stop()
    bench.store.create(config("b"))
    bench.store.create(config("a"))
    assert bench.run() == []
    bench.manager.start()
    assert bench.run() == [(0, "a"), (0, "b")]


def test_each_change_wakes_it_many_at_once_only_once() -> None:
    bench = Bench()
    made = bench.store.create(config())
    bench.store.update(made.with_body(data={}))
    assert bench.run() == [(0, "web")]
    bench.store.delete(CONFIG, "web", "here")
    assert bench.run() == [(0, "web"), (0, "web")]


def test_a_mapper_says_whom_an_event_concerns() -> None:
    bench = Bench()
    bench.manager.watch("recorder", Watch(bench.store, "Secret", lambda event, old, new: [Request("", "mapped")]))
    bench.store.create(config().__class__("v1", "Secret", config("s").metadata))
    assert bench.run() == [(0, "mapped")]


@pytest.mark.parametrize(
    ("result", "runs"),
    [
        pytest.param(DONE, [0], id="done is done"),
        pytest.param(Result(0), [0], id="zero is done too"),
        pytest.param(Result(-5), [0], id="and so is a time that has passed"),
        pytest.param(Result(4), [0, 4, 8], id="again after four seconds"),
    ],
)
def test_a_result_says_when_to_look_again(result: Result, runs: list[float]) -> None:
    bench = Bench(lambda bench, request: result)
    bench.store.create(config())
    assert [at for at, _ in bench.run(9)] == runs


@pytest.mark.parametrize("error", [Retry("not yet"), Conflict("stale")], ids=["Retry", "Conflict"])
def test_ordinary_failures_back_off_and_leave_no_error(error: KarmadalabError) -> None:
    bench = Bench(raises(error, times=3))
    bench.store.create(config())
    assert [at for at, _ in bench.run(10)] == [0, 0.005, 0.015, 0.035]
    assert bench.errors() == []


def test_a_refused_write_is_retried_and_traced() -> None:
    bench = Bench(raises(Invalid("purple is not a colour"), times=2))
    bench.store.create(config())
    assert len(bench.run(10)) == 3
    assert bench.errors() == ["Invalid: purple is not a colour"] * 2
    assert bench.trace.rows[-1].detail == {"retry_after_s": 0.01, "failures": 2}


def test_a_defect_is_traced_and_retried_with_its_cause() -> None:
    bench = Bench(raises(ZeroDivisionError("oops"), times=1))
    bench.store.create(config())
    bench.run(1)
    assert bench.errors() == ["ZeroDivisionError: oops"]
    error = next(row for row in bench.trace.rows if row.verb == ERROR)
    assert (error.actor, error.cause) == ("recorder", 0)


def test_in_strict_mode_a_defect_ends_the_run() -> None:
    bench = Bench(raises(ZeroDivisionError("oops")), strict=True)
    bench.store.create(config())
    with pytest.raises(ZeroDivisionError, match="oops"):
        bench.run()
    assert (bench.trace.actor, bench.trace.cause) == ("user", None)


def test_success_resets_the_back_off() -> None:
    plan = iter([Retry("1"), Retry("2"), None, Retry("3"), None])

    def act(bench: Bench, request: Request) -> Result:
        error = next(plan)
        if error:
            raise error
        return DONE

    bench = Bench(act)
    made = bench.store.create(config())
    bench.run(1)
    bench.store.update(made.with_body(data={}))
    assert [at for at, _ in bench.run(2)] == [0, 0.005, 0.015, 1, 1.005]


def test_a_restarted_process_remembers_nothing() -> None:
    bench = Bench(lambda bench, request: Result(5))
    bench.store.create(config())
    bench.run(7)
    before = bench.manager.controller("recorder")
    bench.manager.stop()
    assert bench.run(20) == [(0, "web"), (5, "web")]
    bench.manager.start()
    after = bench.manager.controller("recorder")
    assert bench.run(21)[-1] == (20, "web")
    assert (after is not before, after.memory) == (True, ["web"])


def test_starting_twice_is_starting_once() -> None:
    bench = Bench()
    bench.manager.start()
    bench.store.create(config())
    assert bench.run() == [(0, "web")]


def test_a_frozen_process_remembers_everything() -> None:
    bench = Bench()
    bench.manager.pause()
    bench.store.create(config())
    assert bench.run(5) == []
    assert repr(bench.manager) == "<Manager manager paused, 1 controllers>"
    bench.manager.resume()
    assert bench.run(5) == [(5, "web")]


def test_loops_beat_and_end() -> None:
    bench = Bench()
    beats: list[float] = []
    number = bench.manager.every(2, lambda: beats.append(bench.clock.elapsed()), first_after_s=1)
    bench.run(6)
    assert beats == [1, 3, 5]
    bench.manager.cancel_loop(number)
    bench.run(20)
    assert beats == [1, 3, 5]


def test_a_frozen_loop_ticks_once_when_it_thaws() -> None:
    bench = Bench()
    beats: list[float] = []
    bench.manager.every(2, lambda: beats.append(bench.clock.elapsed()))
    bench.run(3)
    bench.manager.pause()
    bench.run(9)
    bench.manager.resume()
    bench.run(12)
    assert beats == [0, 2, 9, 11]


def test_a_stopped_process_ticks_no_more() -> None:
    bench = Bench()
    beats: list[float] = []
    bench.manager.every(2, lambda: beats.append(bench.clock.elapsed()))
    bench.run(3)
    bench.manager.stop()
    bench.run(9)
    assert beats == [0, 2]
    assert repr(bench.manager) == "<Manager manager stopped, 0 controllers>"


def test_there_is_no_controller_of_another_name() -> None:
    with pytest.raises(KeyError):
        Bench().manager.controller("nobody")


# --- slow networks ----------------------------------------------------------------------------------------------------


def crossing(*links: str) -> tuple[Bench, dict[str, Link]]:
    """A reconciler that makes a call over each of its links."""
    bench = Bench()
    made = {name: Link(name, bench.clock, bench.trace, Random(1)) for name in links}

    def act(bench: Bench, request: Request) -> Result:
        for name, link in made.items():
            try:
                link.cross()
            except KarmadalabError as error:
                bench.runs.append((round(bench.clock.elapsed(), 3), str(error)))
            else:
                bench.runs.append((round(bench.clock.elapsed(), 3), f"{name} ok"))
        return DONE

    bench.act = act
    return bench, made


def finished(bench: Bench) -> list[Any]:
    """What the last run of the reconciler saw."""
    last = max(index for index, (_, what) in enumerate(bench.runs) if what == "web")
    return bench.runs[last + 1 :]


def test_a_call_over_a_slow_link_is_taken_up_when_the_answer_is_there() -> None:
    bench, links = crossing("far")
    links["far"].latency_s = 5
    bench.store.create(config())
    assert bench.run(4) == [(0, "web")]
    assert bench.run(5)[1:] == [(5, "web"), (5, "far ok")]
    assert links["far"].calls == []


def test_two_slow_links_one_after_the_other() -> None:
    bench, links = crossing("far", "farther")
    links["far"].latency_s, links["farther"].latency_s = 5, 7
    bench.store.create(config())
    bench.run(60)
    assert finished(bench) == [(12, "far ok"), (12, "farther ok")]
    assert [link.calls for link in links.values()] == [[], []]


def test_a_silent_link_and_then_a_slow_one() -> None:
    """Each answer is waited for once: the first is not asked for again while the second is on its way."""
    bench, links = crossing("silent", "slow")
    links["silent"].set_state(SILENT)
    links["slow"].latency_s = 5
    bench.store.create(config())
    bench.run(200)
    assert finished(bench) == [(50, "silent: no answer in time"), (50, "slow ok")]


def test_a_process_that_ends_meanwhile_never_gets_the_answer() -> None:
    bench, links = crossing("far")
    links["far"].latency_s = 5
    bench.store.create(config())
    bench.run(1)
    bench.manager.stop()
    bench.run(10)
    assert bench.runs == [(0, "web")]


def test_refused_is_known_at_once() -> None:
    bench, links = crossing("far")
    links["far"].set_state(REFUSED)
    bench.store.create(config())
    assert bench.run(0)[1:] == [(0, "far: connection refused")]

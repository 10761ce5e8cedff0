"""Lab 40: right parts and right flags pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from karmadalab.analysis import PHASES
from karmadalab.core.timeline import Event
from karmadalab.teaching import check, parameters
from karmadalab.teaching.labs.timeouts import STORIES, failover, tuning, worst
from tests.answers import mistake

Parts = dict[str, float | None]


def moved(event: Event, cluster: str) -> dict[str, int]:
    """Which other clusters gained how many."""
    if event.what != "spec.clusters changed":
        return {}
    had, has = event.detail["from"], event.detail["to"]
    return {name: has[name] - had.get(name, 0) for name in has if name != cluster and has[name] > had.get(name, 0)}


def moments(
    events: Sequence[Event],
    cluster: str,
    since_s: float,
    ready: str = "condition Ready True -> ",
    taint: str = ":NoExecute",
    pods: int | None = None,
) -> Parts:
    """When each part ended, counted from the beginning of the run; the options are ways to get it wrong."""
    ends = (
        lambda e: e.name == cluster and e.what.startswith(ready),
        lambda e: e.name == cluster and e.what.startswith("taint added") and e.what.endswith(taint),
        lambda e: e.what == "spec.clusters changed" and cluster in set(e.detail["from"]) - set(e.detail["to"]),
        lambda e: bool(moved(e, cluster)),
    )
    found: Parts = dict.fromkeys(PHASES)
    at, event = since_s, None
    for part, fits in zip(PHASES, ends, strict=False):
        event = next((e for e in events if e.t >= at and fits(e)), None)
        if event is None:
            return found
        found[part] = at = event.t
    assert event is not None
    to = moved(event, cluster)
    serving = [e.t for e in events if e.t >= at and e.what == "Ready" and e.kind.removeprefix("Pod@") in to]
    count = pods or sum(to.values())
    found["start"] = serving[count - 1] if len(serving) >= count else None
    return found


def spans(found: Parts, fault_s: float) -> Parts:
    last, parts = fault_s, {}
    for part, moment in found.items():
        parts[part] = None if moment is None else moment - last
        last = last if moment is None else moment
    return parts


def right(events: Sequence[Event], cluster: str, fault_s: float) -> Parts:
    return spans(moments(events, cluster, fault_s), fault_s)


def wrong(**options: Any) -> Any:
    return lambda events, cluster, fault_s: spans(moments(events, cluster, fault_s, **options), fault_s)


def since_fault(events: Sequence[Event], cluster: str, fault_s: float) -> Parts:
    return {part: None if t is None else t - fault_s for part, t in moments(events, cluster, fault_s).items()}


def zeros(events: Sequence[Event], cluster: str, fault_s: float) -> Parts:
    return {part: span or 0 for part, span in right(events, cluster, fault_s).items()}


def anybodys(events: Sequence[Event], cluster: str, fault_s: float) -> Parts:
    return spans(moments(events, cluster, 0.0, ready="condition Ready True"), fault_s)


def careful(budget_s: float) -> dict[str, int]:
    flags: dict[str, int] = {}
    for flag in ("failover-eviction-timeout", "default-not-ready-toleration-seconds", "cluster-failure-threshold"):
        if worst(flags) > budget_s:
            flags[flag] = 0
            flags[flag] = int(max(0, budget_s - worst(flags)) // 10 * 10)
    return flags


def but_for(budget_s: float, flags: Mapping[str, Any]) -> Mapping[str, Any]:
    """The given flags for the student's first budget, right ones otherwise."""
    return flags if budget_s == 420 else careful(budget_s)


def test_any_split_between_the_two_waits_is_right() -> None:
    """The rules leave it open, so the check must too."""
    evict_first = {420: {"default-not-ready-toleration-seconds": 60}}
    half = {150: {"failover-eviction-timeout": "45s", "default-not-ready-toleration-seconds": 45}}
    assert check("40.2", lambda budget_s: {**evict_first, **half}.get(budget_s) or careful(budget_s))


@pytest.mark.parametrize("student", ["s1", "s2", "s3"])
def test_each_students_budgets_ask_for_one_two_and_three_flags(student: str) -> None:
    mine = parameters("40", student)
    assert [tuning.needed(budget_s) for budget_s in mine] == [1, 2, 3]
    assert check("40.2", careful, mine)


def test_no_student_draws_a_budget_that_can_not_be_met() -> None:
    everything = dict.fromkeys(tuning._WAITS, 0)
    assert worst(everything) < min(tuning.drawn(Random(seed)).hard_s for seed in range(50))


PARTS: dict[str, tuple[Any, str]] = {
    "something else that can be called": (None.__class__, "`NoneType` raises TypeError"),
    "a list": (lambda e, c, f: [33, 300], "the parts are detect, wait, evict, reschedule, start"),
    "text": (lambda e, c, f: dict.fromkeys(PHASES, "33s"), "is '33s'"),
    "moments of the run": (moments, "counted from the beginning of the run"),
    "moments since the fault": (since_fault, "counts from the fault"),
    "0 for never": (zeros, "None says so"),
    "the cluster's joining": (anybodys, "before the part began"),
    "only False": (wrong(ready="condition Ready True -> False"), "becomes Unknown, not False"),
    "the first taint": (wrong(taint=":NoSchedule"), "NoSchedule comes with the condition"),
    "the first pod": (wrong(pods=1), "not the last one"),
}


@pytest.mark.parametrize(("answer", "says"), PARTS.values(), ids=PARTS)
def test_wrong_parts_get_their_own_sentence(answer: Any, says: str) -> None:
    assert says in mistake("40.1", answer)


FLAGS: dict[str, tuple[Any, str]] = {
    "nothing": (None, "returns None"),
    "a typo": ({"failover-eviction-timout": "1m"}, "there is no flag 'failover-eviction-timout'"),
    "no length of time": ({"failover-eviction-timeout": "soon"}, "that flag and its value"),
    "the defaults": ({}, "take longer than that by themselves"),
    "one lucky run": ({"failover-eviction-timeout": 82}, "at the luckiest beat it is 418 s"),
    "all of it": ({"failover-eviction-timeout": 0}, "each second that you don't need"),
    "a flag without effect": ({"cluster-monitor-grace-period": 10}, "no lease to go stale"),
    "a flag without effect beside a right one": (
        {"failover-eviction-timeout": 60, "cluster-monitor-grace-period": 10},
        "has no effect in this story",
    ),
    "two flags where one would do": (
        {"failover-eviction-timeout": 150, "default-not-ready-toleration-seconds": 200},
        "one to explain",
    ),
}


@pytest.mark.parametrize(("flags", "says"), FLAGS.values(), ids=FLAGS)
def test_wrong_flags_get_their_own_sentence(flags: Any, says: str) -> None:
    assert says in mistake("40.2", lambda budget_s: but_for(budget_s, flags))


def test_the_right_answers_pass() -> None:
    assert "seven stories" in check("40.1", right).text
    assert "every beat" in check("40.2", careful).text


def test_the_stories_differ_in_what_never_came() -> None:
    never = {
        story: [p for p, s in right(failover(story).timeline, "member1", 120).items() if s is None] for story in STORIES
    }
    assert never["an outage of 15 s"] == list(PHASES)
    assert never["an outage of 45 s"] == list(PHASES[1:])
    assert never["nowhere to go"] == ["reschedule", "start"]
    assert sum(not parts for parts in never.values()) == 4

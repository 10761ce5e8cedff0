"""Lab 32: right assessments pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from karmadalab import Settings, replace
from karmadalab.api.time import Time
from karmadalab.teaching import check, parameters
from karmadalab.teaching.labs.eviction import Drain, hole_s, plugged
from tests.answers import mistake


def healthy_names(binding: Any) -> set[str]:
    return {item.clusterName for item in binding.status.aggregatedStatus if item.health == "Healthy"}


def seen(binding: Any) -> bool:
    return bool(binding.status.schedulerObservedGeneration == binding.metadata.generation)


def right_replaced(binding: Any) -> bool:
    return seen(binding) and {target.name for target in binding.spec.clusters} <= healthy_names(binding)


def assess(stays: Callable[..., bool], stamps: bool = True) -> Callable[..., Any]:
    """An assessment that stamps new tasks and asks `stays(task, binding, timeout, now)` about the others."""

    def answer(binding: Any, timeout_s: float, now: float) -> Any:
        kept, ended = [], []
        for task in binding.spec.gracefulEvictionTasks:
            if stamps and task.creationTimestamp is None:
                kept.append(replace(task, creationTimestamp=Time(now)))
            elif stays(task, binding, timeout_s, now):
                kept.append(task)
            else:
                ended.append(task.fromCluster)
        return kept, ended

    return answer


def grace(task: Any, timeout_s: float) -> float:
    return timeout_s if task.gracePeriodSeconds is None else float(task.gracePeriodSeconds)


def age(task: Any, now: float) -> float:
    return now - (task.creationTimestamp or now)


def by_hand(task: Any, otherwise: bool) -> bool:
    return otherwise if task.suppressDeletion is None else bool(task.suppressDeletion)


def right(task: Any, binding: Any, timeout_s: float, now: float) -> bool:
    in_time = age(task, now) <= grace(task, timeout_s)
    return by_hand(task, in_time and not right_replaced(binding))


REPLACED: dict[str, tuple[Any, str]] = {
    "all statuses": (
        lambda b: seen(b) and all(item.health == "Healthy" for item in b.status.aggregatedStatus),
        "only the clusters that the workload is scheduled to count",
    ),
    "the old one's health": (lambda b: seen(b) and "member1" in healthy_names(b), "only the clusters"),
    "any healthy one": (
        lambda b: seen(b) and (any(t.name in healthy_names(b) for t in b.spec.clusters) or not b.spec.clusters),
        "all clusters must be healthy",
    ),
    "nobody ill": (
        lambda b: (
            seen(b)
            and not any(
                item.health != "Healthy" and item.clusterName in {t.name for t in b.spec.clusters}
                for item in b.status.aggregatedStatus
            )
        ),
        "who has not reported is not healthy",
    ),
    "applied": (
        lambda b: (
            seen(b)
            and all(
                t.name in {i.clusterName for i in b.status.aggregatedStatus if i.applied and i.health != "Unhealthy"}
                for t in b.spec.clusters
            )
        ),
        "applied means that the member took the manifest",
    ),
    "no generation": (
        lambda b: {t.name for t in b.spec.clusters} <= healthy_names(b),
        "Until the scheduler has seen it",
    ),
    "an empty list": (lambda b: bool(b.spec.clusters) and right_replaced(b), "no cluster at all counts as healthy"),
    "no truth value": (lambda b: healthy_names(b), "two answers, True and False"),
}


@pytest.mark.parametrize(("answer", "says"), REPLACED.values(), ids=REPLACED)
def test_a_mistake_about_the_replacement(answer: Any, says: str) -> None:
    assert says in mistake("32.1", answer)


ASSESSED: dict[str, tuple[Any, str]] = {
    "no stamp": (
        assess(lambda t, b, timeout, now: t.creationTimestamp is None or right(t, b, timeout, now), stamps=False),
        "`Time(now)`",
    ),
    "ended before it was stamped": (assess(right, stamps=False), "stamped and stays, whatever else is so"),
    "as soon as it is placed": (assess(lambda t, b, *_: not b.spec.clusters), "all that serves"),
    "time only": (
        assess(lambda t, b, timeout, now: by_hand(t, age(t, now) <= grace(t, timeout))),
        "one of them is enough",
    ),
    "health only": (assess(lambda t, b, *_: by_hand(t, not right_replaced(b))), "nobody waits longer"),
    "too early by a moment": (
        assess(lambda t, b, s, now: by_hand(t, age(t, now) < grace(t, s) and not right_replaced(b))),
        "at the very moment it is not",
    ),
    "both reasons": (
        assess(lambda t, b, s, now: by_hand(t, age(t, now) <= grace(t, s) or not right_replaced(b))),
        "one of them is enough",
    ),
    "no grace of its own": (
        assess(lambda t, b, s, now: by_hand(t, age(t, now) <= s and not right_replaced(b))),
        "takes the place of the timeout",
    ),
    "a grace of zero taken for none": (
        assess(lambda t, b, s, now: by_hand(t, age(t, now) <= (t.gracePeriodSeconds or s) and not right_replaced(b))),
        "Python takes both for false",
    ),
    "no hand": (
        assess(lambda t, b, s, now: age(t, now) <= grace(t, s) and not right_replaced(b)),
        "holds the old copy by hand",
    ),
    "false is no order": (
        assess(lambda t, b, s, now: bool(t.suppressDeletion) or right(replace(t, suppressDeletion=None), b, s, now)),
        "false is an order too",
    ),
    "one for all": (
        lambda b, s, now: (
            (list(b.spec.gracefulEvictionTasks), [])
            if all(t.creationTimestamp is not None and right(t, b, s, now) for t in b.spec.gracefulEvictionTasks)
            else assess(right)(b, s, now)
            if len(b.spec.gracefulEvictionTasks) < 2
            else ([], [t.fromCluster for t in b.spec.gracefulEvictionTasks])
        ),
        "each task is judged by itself",
    ),
    "no pair": (lambda *_: None, "two lists"),
    "names in place of tasks": (
        lambda b, *_: ([t.fromCluster for t in b.spec.gracefulEvictionTasks], []),
        "the tasks that stay, and the names",
    ),
    "it raises": (lambda b, s, now: (list(b.tasks), []), "raises AttributeError"),
}


@pytest.mark.parametrize(("answer", "says"), ASSESSED.values(), ids=ASSESSED)
def test_a_mistake_about_tasks(answer: Any, says: str) -> None:
    assert says in mistake("32.2", answer)


def test_the_right_answers_pass() -> None:
    assert "sixty random ones" in check("32.1", right_replaced).text
    assert "150 random ones" in check("32.2", assess(right)).text
    assert "six stories" in check("32.3", assess(right), parameters("32", "anna")).text


def test_a_rule_that_leaves_a_hole_is_told_how_long_it_is() -> None:
    told = mistake("32.3", assess(lambda t, b, *_: not b.spec.clusters))
    assert "a drain, 90 s to start" in told
    assert "nobody serves for 90 s; with Karmada's" in told


def test_a_running_controller_asks_the_learners_function() -> None:
    never = plugged(assess(lambda *_: True), Drain(45, 30))
    assert hole_s(never) == 0
    assert len(never.get("ResourceBinding", "web-deployment").spec.gracefulEvictionTasks) == 1
    assert hole_s(plugged(None, Drain(45, 30))) == 15


def test_a_students_drain_is_one_that_the_lab_can_tell() -> None:
    usual = Settings().graceful_eviction_timeout
    for student in "abcdefgh":
        drain = parameters("32", student)
        assert 45 <= drain.startup_s <= 120
        assert 0 < drain.timeout_s <= usual

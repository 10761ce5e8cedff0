"""Checks 32.1 and 32.2: what people get wrong about eviction tasks, told by what their functions answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from karmadalab.api.work import HEALTHY, UNHEALTHY, UNKNOWN, AnyBinding, GracefulEvictionTask
from karmadalab.controllers.graceful_eviction import (
    Assessment,
    all_healthy,
    assess_eviction_tasks,
    next_deadline_s,
)
from karmadalab.teaching.asking import EPOCH, called
from karmadalab.teaching.labs.eviction.bindings import binding, healthy, starting, task
from karmadalab.teaching.verdict import Finding, Mistake

TIMEOUT_S = 600.0

Assess = Callable[[AnyBinding, float, float], tuple[Sequence[GracefulEvictionTask], Sequence[str]]]


class _Case(NamedTuple):
    """A binding, and what a wrong answer to it shows."""

    words: str
    binding: AnyBinding
    why: str
    look: str


_REPLACED = (
    _Case(
        "member2 is Healthy, member1, which was given up, is Unhealthy",
        healthy(),
        "only the clusters that the workload is scheduled to count. The old one may be dead for good.",
        "over which list you go: `spec.clusters`, and not the statuses.",
    ),
    _Case(
        "member1, which was given up, is Healthy, member2 is Unhealthy",
        starting(),
        "the old copy is not the replacement.",
        "whose health you ask for.",
    ),
    _Case(
        "member2 is scheduled and has not reported yet",
        binding(),
        "who has not reported is not healthy. A list of statuses in which nobody is ill may simply be short.",
        "a cluster of `spec.clusters` without a status.",
    ),
    _Case(
        "member2 is Healthy, member3 is Unhealthy",
        binding(("member2", "member3"), {"member2": HEALTHY, "member3": UNHEALTHY}),
        "all clusters must be healthy, not one of them.",
        "`any` and `all`.",
    ),
    _Case(
        "member2 has applied the workload, and its health is Unknown",
        binding(health={"member2": UNKNOWN}),
        "applied means that the member took the manifest. Healthy means that the replicas are ready; Unknown is not.",
        "`health`.",
    ),
    _Case(
        "member2 is Healthy, and the scheduler has not seen the latest spec",
        binding(health={"member2": HEALTHY}, seen=False),
        "the eviction is a change of the spec. Until the scheduler has seen it, `spec.clusters` is what is left over "
        "and no answer to it.",
        "`metadata.generation` and `status.schedulerObservedGeneration`.",
    ),
    _Case(
        "there is no cluster at all, and the scheduler has seen it",
        binding(()),
        "a workload that was scaled to nothing, say, has nobody to wait for: no cluster at all counts as healthy.",
        "an empty list.",
    ),
)


def replacement(answer: Callable[[AnyBinding], bool]) -> Finding | None:
    """32.1: whether the replacement is healthy."""
    for case in _REPLACED:
        said, karmada = called(answer, case.binding), _is_replaced(case.binding)
        if not isinstance(said, bool):
            why = "the question has two answers, True and False."
            return Finding(f"{case.words}: you say {said!r}.", why, "what your function returns.")
        if said != karmada:
            return Finding(f"{case.words}: you say {said}, Karmada says {karmada}.", case.why, case.look)
    for one in _random_bindings(60):
        if called(answer, one) != _is_replaced(one):
            statuses = {item.clusterName: item.health for item in one.status.aggregatedStatus}
            what = f"{one!r}, statuses {statuses}: Karmada says {_is_replaced(one)}."
            return Finding(what, "all of `spec.clusters` must be Healthy, and the spec seen.", "each part by itself.")
    return None


def _is_replaced(one: AnyBinding) -> bool:
    seen = one.status.schedulerObservedGeneration == one.metadata.generation
    return seen and all_healthy(one.spec.clusters, one.status.aggregatedStatus)


_TASKS = (
    _Case(
        "a task without a stamp, the replacement is healthy",
        healthy(task(None)),
        "a task that is seen for the first time is stamped and stays, whatever else is so: its time begins now.",
        "what you do when `creationTimestamp` is None, and that you do it first.",
    ),
    _Case(
        "a task of 60 s, the replacement is not healthy",
        starting(task(60)),
        "while the replacement is not healthy, the old copy is all that serves.",
        "the condition under which a task ends.",
    ),
    _Case(
        "a task of 60 s, the replacement is healthy",
        healthy(task(60)),
        "its duty is done. There are two reasons to end, and one of them is enough.",
        "how you combine time and health, and 32.1's answer.",
    ),
    _Case(
        "a task of 600 s, the replacement is not healthy",
        starting(task(600)),
        "it ends when its time is *over*; at the very moment it is not.",
        "`<` and `<=`.",
    ),
    _Case(
        "a task of 601 s, the replacement is not healthy",
        starting(task(601)),
        "nobody waits longer than the timeout. There are two reasons to end, and one of them is enough.",
        "how you combine time and health.",
    ),
    _Case(
        "a task of 60 s with gracePeriodSeconds 30",
        starting(task(60, gracePeriodSeconds=30)),
        "a task's own grace period takes the place of the timeout.",
        "`gracePeriodSeconds`.",
    ),
    _Case(
        "a task of 60 s with gracePeriodSeconds 0",
        starting(task(60, gracePeriodSeconds=0)),
        "0 is a grace period, and None is none. Python takes both for false.",
        "`or`, or an `if` without `is None`.",
    ),
    _Case(
        "a task of 900 s with suppressDeletion true, the replacement is healthy",
        healthy(task(900, suppressDeletion=True)),
        "somebody holds the old copy by hand; then neither time nor health counts.",
        "`suppressDeletion`, before anything else about a stamped task.",
    ),
    _Case(
        "a task of 1 s with suppressDeletion false, the replacement is not healthy",
        starting(task(1, suppressDeletion=False)),
        "false is an order too: let it go at once. Only None leaves the decision to you.",
        "`suppressDeletion` has three values.",
    ),
    _Case(
        "three tasks of 700 s, 60 s and none",
        starting(task(700), task(60, "member3"), task(None, "member4")),
        "each task is judged by itself, and those that stay keep their order.",
        "what you do with the second and the third.",
    ),
)


def assessment(answer: Assess) -> Finding | None:
    """32.2: what becomes of the tasks."""
    for case in _TASKS:
        finding = _compare(answer, case.binding, TIMEOUT_S, case.words, case.why, case.look)
        if finding is not None:
            return finding
    for one in _random_bindings(150):
        tasks = "; ".join(_words(found) for found in one.spec.gracefulEvictionTasks) or "no task"
        words = f"{tasks}; the replacement is {'' if _is_replaced(one) else 'not '}healthy"
        why = "stamp; hand; time; health: in this order."
        if finding := _compare(answer, one, 90.0, f"with a timeout of 90 s, {words}", why, "each task by itself."):
            return finding
    return None


def _compare(answer: Assess, one: AnyBinding, timeout_s: float, words: str, why: str, look: str) -> Finding | None:
    mine = call(answer, one, timeout_s, EPOCH)
    karmada = assess_eviction_tasks(one, timeout_s, EPOCH, leak=False)
    if mine.kept == karmada.kept and mine.ended == karmada.ended:
        return None
    if [found.fromCluster for found in mine.kept] == [found.fromCluster for found in karmada.kept] and mine.ended == (
        karmada.ended
    ):
        what = f"{words}: the right tasks stay, but not as they should be: you have {_all(mine.kept)}."
        why = "a task that stays is the same as before; only one without a stamp gets one, which is `Time(now)`."
        return Finding(what, why, "what you put into the list of those that stay.")
    mine_says, karmada_says = (f"{_names(side.kept)} stays, {_names(side.ended)} ends" for side in (mine, karmada))
    return Finding(f"{words}: you say that {mine_says}; in Karmada {karmada_says}.", why, look)


def call(answer: Any, one: AnyBinding, timeout_s: float, now: float) -> Assessment:
    """Ask a learner's function, as the controller does. Raises as `called` does, and when it says no such pair."""
    said = called(answer, one, timeout_s, now)
    if isinstance(said, tuple | list) and len(said) == 2 and all(isinstance(side, tuple | list) for side in said):
        kept, ended = tuple(said[0]), tuple(said[1])
        if all(isinstance(found, GracefulEvictionTask) for found in kept) and all(isinstance(n, str) for n in ended):
            return Assessment(kept, ended, next_deadline_s(kept, timeout_s, now))
    why = "the controller needs two lists: the tasks that stay, and the names of the clusters whose tasks end."
    raise Mistake(Finding(f"your function returns {said!r:.80}.", why, "the last line."))


def _random_bindings(count: int) -> Iterator[AnyBinding]:
    """The same each time. Grace periods come last in a list, where v1.13's slip with them changes nothing."""
    rng = Random(32)
    names = ("member2", "member3", "member4")
    for _ in range(count):
        on = rng.sample(names, rng.randint(0, 3))
        health = {n: rng.choice((HEALTHY, HEALTHY, UNHEALTHY, UNKNOWN)) for n in names if rng.random() < 0.85}
        tasks = [
            task(rng.choice((None, 0, 30, 60, 89, 90, 91, 400)), f"member{number}", suppressDeletion=by_hand)
            for number, by_hand in enumerate(rng.choices((None, None, None, True, False), k=rng.randint(0, 3)), 5)
        ]
        if rng.random() < 0.4:
            tasks.append(task(rng.choice((5, 50, 500)), "member9", gracePeriodSeconds=rng.choice((0, 50, 600))))
        yield binding(on, health, tasks, seen=rng.random() < 0.8)


def _words(found: GracefulEvictionTask) -> str:
    stamp = found.creationTimestamp
    age = "without a stamp" if stamp is None else f"{EPOCH - float(stamp):g} s old"
    more = [
        f"{name} {value}"
        for name, value in (
            ("suppressDeletion", found.suppressDeletion),
            ("gracePeriodSeconds", found.gracePeriodSeconds),
        )
        if value is not None
    ]
    return ", ".join((f"{found.fromCluster} {age}", *more))


def _all(tasks: Sequence[GracefulEvictionTask]) -> str:
    return "; ".join(_words(found) for found in tasks)


def _names(found: Sequence[Any]) -> str:
    return ", ".join(one if isinstance(one, str) else one.fromCluster for one in found) or "nobody"

"""Threshold filters with one mistake each, as learners write them, and a right one."""

from __future__ import annotations

from typing import Any

from karmadalab.api.meta import Condition, replace
from karmadalab.controllers.cluster_status import Observation

Pair = tuple[Any, Condition]
START = float("-inf")


def right(saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float) -> Pair:
    if saved is None:
        return Observation(observed.status, START), observed
    if published is None:
        return saved, observed
    if observed.status != saved.status:
        saved = Observation(observed.status, now)
    if crosses(observed, published) and now < saved.since + limit(observed, failure_s, success_s):
        return saved, published
    return saved, observed


def crosses(observed: Condition, published: Condition) -> bool:
    return (observed.status == "True") != (published.status == "True")


def limit(observed: Condition, failure_s: float, success_s: float) -> float:
    return success_s if observed.status == "True" else failure_s


def counts_probes(saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float) -> Pair:
    if saved is None:
        return (observed.status, 99), observed
    count = saved[1] + 1 if saved[0] == observed.status else 1
    if published is not None and crosses(observed, published) and count < limit(observed, failure_s, success_s) / 10:
        return (observed.status, count), published
    return (observed.status, count), observed


def compares_last(saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float) -> Pair:
    if saved is None:
        return Observation(observed.status, START), observed
    if saved.status != observed.status:
        fresh = Observation(observed.status, now)
        return (fresh, published) if now < fresh.since + limit(observed, failure_s, success_s) else (fresh, observed)
    return saved, observed


def keeps_on_no_change(
    saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float
) -> Pair:
    if saved is None:
        return Observation(observed.status, START), observed
    if saved.status == observed.status:
        return saved, published
    return Observation(observed.status, now), published


def no_threshold(saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float) -> Pair:
    return Observation(observed.status, now), observed


def nothing_on_the_way_up(
    saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float
) -> Pair:
    return right(saved, observed, published, now, failure_s, 0.0)


def one_threshold(saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float) -> Pair:
    return right(saved, observed, published, now, failure_s, failure_s)


def first_delayed(saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float) -> Pair:
    if saved is None and published is not None:
        return Observation(observed.status, now), published
    return right(saved, observed, published, now, failure_s, success_s)


def one_moment_late(saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float) -> Pair:
    if saved is None or published is None:
        return right(saved, observed, published, now, failure_s, success_s)
    if observed.status != saved.status:
        saved = Observation(observed.status, now)
    if crosses(observed, published) and now <= saved.since + limit(observed, failure_s, success_s):
        return saved, published
    return saved, observed


def clock_never_restarts(
    saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float
) -> Pair:
    if saved is not None:
        saved = Observation(observed.status, saved.since)
    return right(saved, observed, published, now, failure_s, success_s)


def clock_outlives_a_good_probe(
    saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float
) -> Pair:
    """Starts the clock when trouble begins, and forgets to stop it when the trouble is over in time."""
    if saved is None or published is None:
        return right(saved, observed, published, now, failure_s, success_s)
    if not crosses(observed, published):
        return saved, observed
    if saved.since == START:
        saved = Observation(observed.status, now)
    if now < saved.since + limit(observed, failure_s, success_s):
        return saved, published
    return Observation(observed.status, START), observed


def clock_always_restarts(
    saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float
) -> Pair:
    if saved is None:
        return Observation(observed.status, START), observed
    saved = Observation(observed.status, now)
    if crosses(observed, published) and now < saved.since + limit(observed, failure_s, success_s):
        return saved, published
    return saved, observed


def half_a_condition(saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float) -> Pair:
    memory, ready = right(saved, observed, published, now, failure_s, success_s)
    return memory, replace(observed, status=ready.status)


def any_change_waits(saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float) -> Pair:
    if saved is None or published is None:
        return right(saved, observed, published, now, failure_s, success_s)
    if observed.status != saved.status:
        saved = Observation(observed.status, now)
    if observed.reason != published.reason and now < saved.since + limit(observed, failure_s, success_s):
        return saved, published
    return saved, observed


def clock_of_the_published(
    saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float
) -> Pair:
    """Remembers when it first disagreed with the API, so a foreign write starts the clock too."""
    if saved is None:
        return ("none", START), observed
    if published is None or not crosses(observed, published):
        return ("none", START), observed
    if saved[0] == "none":
        saved = ("some", now)
    if now < saved[1] + limit(observed, failure_s, success_s):
        return saved, published
    return ("none", START), observed


def first_starts_now(saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float) -> Pair:
    memory, ready = right(saved, observed, published, now, failure_s, success_s)
    return (Observation(observed.status, now) if saved is None else memory), ready


def keeps_nothing(saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float) -> Pair:
    if saved is not None and published is None:
        return saved, Condition("Ready", "True", "ClusterReady")
    return right(saved, observed, published, now, failure_s, success_s)


def forgets_without_a_condition(
    saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float
) -> Pair:
    """Takes a probe that finds no condition for the first one."""
    return right(None if published is None else saved, observed, published, now, failure_s, success_s)


def clock_moves_without_a_condition(
    saved: Any, observed: Any, published: Any, now: float, failure_s: float, success_s: float
) -> Pair:
    """Looks at the clock before it asks whether there is a condition."""
    if saved is not None and observed.status != saved.status:
        saved = Observation(observed.status, now)
    return right(saved, observed, published, now, failure_s, success_s)

"""Check 40.2: as little haste as a budget asks for. The answer is run, at lucky and at unlucky beats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import inf
from random import Random
from typing import Any, NamedTuple

from karmadalab.analysis import outages
from karmadalab.api.errors import ApiError, shortly
from karmadalab.core.settings import Settings
from karmadalab.lab import Lab
from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.timeouts.stories import FAULT_S, MEMBER, failover
from karmadalab.teaching.verdict import Finding, Mistake

Tuner = Callable[[float], Mapping[str, Any]]

_BEATS = ((0.1, 0.1), (9.9, 0.1), (9.9, 1.5), (9.9, 3.0), (9.9, 4.5))  # of a probe and the monitor; the first is lucky
_IDLE_S = 15.0  # so much of a budget may be left: a threshold acts in steps of 10 s
_WAITS = ("failover-eviction-timeout", "default-not-ready-toleration-seconds", "cluster-failure-threshold")


class Budgets(NamedTuple):
    """How long an outage may last, in seconds: three objectives, each harder than the one before."""

    easy_s: int = 420
    fair_s: int = 150
    hard_s: int = 36


def drawn(rng: Random) -> Budgets:
    """A student's own; each asks for another number of flags."""
    return Budgets(rng.randrange(370, 590, 10), rng.randrange(80, 320, 10), rng.randrange(33, 44))


def total_s(lab: Lab) -> float:
    """From the fault to the replacement that serves, in seconds; infinite if there was none."""
    found = next(outage.total_s for outage in outages(lab) if (outage.cluster, outage.fault_s) == (MEMBER, FAULT_S))
    return inf if found is None else found


def worst(flags: Mapping[str, Any] | None = None) -> float:
    """How long the outage of a push member without power lasts at the unluckiest beat, in seconds."""
    return spread(flags or {})[1]


def spread(flags: Mapping[str, Any]) -> tuple[float, float]:
    """The shortest and the longest outage over the beats of probes and monitor, in seconds."""
    return _spread(tuple(Settings().with_flags(flags).changed().items()))


@cache  # a learner's function asks for the same flags again and again
def _spread(flags: tuple[tuple[str, Any], ...]) -> tuple[float, float]:
    totals = [
        total_s(failover(flags=dict(flags), probe_s=probe_s, monitor_s=monitor_s)) for probe_s, monitor_s in _BEATS
    ]
    return min(totals), max(totals)


def needed(budget_s: float) -> int:
    """How many of the three waits must be touched to meet a budget."""
    for count in range(len(_WAITS)):
        if worst({flag: "0s" if "toleration" not in flag else 0 for flag in _WAITS[:count]}) <= budget_s:
            return count
    return len(_WAITS)


def judge(tuner: Tuner, budgets: Budgets | None = None) -> Finding | None:
    """Ask for flags for each budget, and run them."""
    for budget_s in (700, *(budgets or Budgets())):
        if finding := _judged(called(tuner, budget_s), budget_s):
            return finding
    return None


def _judged(flags: Any, budget_s: float) -> Finding | None:
    _check(flags, budget_s)
    shortest_s, longest_s = spread(flags)
    if longest_s > budget_s:
        return _late(flags, budget_s, shortest_s, longest_s)
    if len(flags) > needed(budget_s):
        return _too_many(flags, budget_s, longest_s)
    if flags and longest_s < budget_s - _IDLE_S:
        return Finding(
            f"budget {budget_s:g} s: with {_words(flags)} the outage never lasts longer than {longest_s:.0f} s.",
            "each second that you don't need is a second in which a cluster could have come back by itself.",
            "by how much `worst(flags)` is below the budget.",
        )
    return None


def _check(flags: Any, budget_s: float) -> None:
    asked_for = f"my_flags({budget_s:g})"
    if not isinstance(flags, Mapping):
        why = 'flags are a dict in Karmada\'s words: {"failover-eviction-timeout": "2m"}; {} leaves all as they are.'
        raise Mistake(Finding(f"{asked_for} returns {shortly(flags)}.", why, "what your function returns."))
    try:
        Settings().with_flags(flags)
    except ApiError as error:
        why = "a flag that the control plane refuses does not start."
        raise Mistake(Finding(f"{asked_for}: {error}.", why, "that flag and its value.")) from None


def _late(flags: Mapping[str, Any], budget_s: float, shortest_s: float, longest_s: float) -> Finding:
    what = f"budget {budget_s:g} s: with {_words(flags)} the outage lasts {_span(longest_s)} at the unluckiest beat."
    look = "the parts: `show.outage_split({'mine': failover(flags=my_flags(...))})`."
    if shortest_s <= budget_s:
        return Finding(
            what,
            f"at the luckiest beat it is {shortest_s:.0f} s. Fault, probes and monitor keep no common time; an "
            "objective holds for the worst of it.",
            "how long it takes from the fault to the next probe, and from the end of a wait to the next look.",
        )
    idle = [flag for flag in flags if abs(worst(_without(flags, flag)) - longest_s) < 1]
    if idle:
        return Finding(what, f"{idle[0]} has no effect in this story: a push member has no lease to go stale.", look)
    return Finding(what, "the flags that you left alone take longer than that by themselves.", look)


def _too_many(flags: Mapping[str, Any], budget_s: float, longest_s: float) -> Finding:
    what = f"budget {budget_s:g} s: you change {len(flags)} flags, and {needed(budget_s)} would do."
    look = "which single wait is long enough to give all that you need."
    for flag in flags:
        if abs(worst(_without(flags, flag)) - longest_s) < 1:
            return Finding(what, f"{flag} has no effect in this story; somebody will wonder why it is set.", look)
    return Finding(what, "each flag that you change is one to explain, and to forget at the next update.", look)


def _without(flags: Mapping[str, Any], left_out: str) -> dict[str, Any]:
    return {flag: value for flag, value in flags.items() if flag != left_out}


def _words(flags: Mapping[str, Any]) -> str:
    return ", ".join(f"{flag}={value}" for flag, value in flags.items()) or "the defaults"


def _span(length_s: float) -> str:
    return "for ever" if length_s == inf else f"{length_s:.0f} s"

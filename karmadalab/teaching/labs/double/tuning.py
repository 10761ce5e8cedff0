"""Check 35.3: flags under which two copies run as seldom as possible, and a death is not sat out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from karmadalab.analysis import serving
from karmadalab.api.errors import KarmadalabError
from karmadalab.core.settings import Settings
from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.double.story import BEGIN_S, Double, gone_at, partition, ready_at, twice_s
from karmadalab.teaching.verdict import Finding

FLAGS = (
    "failover-eviction-timeout",
    "default-not-ready-toleration-seconds",
    "rate-limiter-base-delay",
    "rate-limiter-max-delay",
)
GONE_S, LEAST_PAUSE_S = 45.0, 20.0


def judge(answer: Callable[[], Mapping[str, Any]], own: Double | None = None) -> Finding | None:
    """Three stories and a price."""
    terms = own or Double()
    flags = called(answer)
    if not isinstance(flags, Mapping) or not set(flags) <= set(FLAGS):
        why = f"only these flags are yours: {', '.join(FLAGS)}."
        return Finding(f"you return {flags!r:.120}.", why, "the keys of your dict.")
    try:
        settings = Settings().with_flags(flags)
    except (KarmadalabError, TypeError, ValueError) as error:
        return Finding(f"a flag is refused: {error}", "Karmada would not start.", "the value of that flag.")
    if settings.rate_limiter_max_delay < LEAST_PAUSE_S:
        return Finding(
            f"the longest pause is {settings.rate_limiter_max_delay:g} s.",
            f"it paces the retries of all controllers; less than {LEAST_PAUSE_S:g} s costs too much on every day.",
            "rate-limiter-max-delay.",
        )
    return _harmless(flags, terms) or _replaced(flags, terms) or _gone(flags, terms)


def _harmless(flags: Mapping[str, Any], terms: Double) -> Finding | None:
    both_s = twice_s(partition(terms.harmless_s, flags))
    if not both_s:
        return None
    return Finding(
        f"m1 is cut off for {terms.harmless_s} s: two copies run for {both_s:.0f} s.",
        "the eviction came before m1 was Ready again, which takes up to 40 s from the end of a partition.",
        "detection, failover-eviction-timeout and toleration, added up.",
    )


def _replaced(flags: Mapping[str, Any], terms: Double) -> Finding | None:
    lab = partition(7200, flags, kind="power_off")
    served_s = serving(lab).by_cluster["m2"].first(1, BEGIN_S)
    if served_s is not None and served_s - BEGIN_S <= terms.replaced_s:
        return None
    told = "nobody serves for an hour" if served_s is None else f"m2 serves after {served_s - BEGIN_S:.1f} s"
    return Finding(
        f"m1 dies for good: {told}; {terms.replaced_s} s are allowed.",
        "every second of patience with a partition is one more without service after a death.",
        "the sum of the two waits, and the 20 s of a start.",
    )


def _gone(flags: Mapping[str, Any], terms: Double) -> Finding | None:
    for more_s in range(900, 960, 10):  # the end of the partition at six moments of a pause
        outage_s = terms.harmless_s + more_s
        lab = partition(outage_s, flags, run="2h")
        ready_s, gone_s = ready_at(lab), gone_at(lab)
        if ready_s is not None and gone_s is not None and gone_s - ready_s <= GONE_S:
            continue
        told = "is still there" if gone_s is None or ready_s is None else f"is gone {gone_s - ready_s:.1f} s after it"
        what = f"m1 is cut off for {outage_s} s and is Ready again: the old copy {told}; {GONE_S:.0f} s are allowed."
        return Finding(what, "the deletion sleeps to the end of its pause.", "the longest pause.")
    return None

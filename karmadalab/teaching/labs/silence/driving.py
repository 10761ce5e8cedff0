"""Drive a rule of silence as the health monitor does, look after look, without a control plane around it."""

from __future__ import annotations

from collections.abc import Iterable
from traceback import extract_tb
from typing import Any, NamedTuple

from karmadalab.api.health import Heard, SilenceRule
from karmadalab.api.meta import Condition, replace
from karmadalab.api.time import Time
from karmadalab.controllers.cluster_status import ready_from_probe
from karmadalab.teaching.verdict import Finding, Mistake

GRACE_S = 40.0
EPOCH = 1_767_225_600.0  # real moments, so that a rule that takes the time for small is found

UP = replace(ready_from_probe(online=True, healthy=True), lastTransitionTime=Time(EPOCH))
DOWN = replace(ready_from_probe(online=False, healthy=False), lastTransitionTime=Time(EPOCH))


class Look(NamedTuple):
    """One pass of the monitor over a cluster: when, the Ready condition, the lease's renewTime (None: no lease)."""

    at: float
    ready: Condition
    renewed_at: float | None


def drive(rule: SilenceRule, looks: Iterable[Look], grace_s: float = GRACE_S) -> list[bool]:
    """What a rule says at each look; moments are seconds after `EPOCH`.

    Raises:
        Mistake: it raised, or what it returned is no pair of memory and truth value.
        NotImplementedError: it is not written yet.
    """
    saved: Heard | None = None
    said = []
    for look in looks:
        renewed_at = None if look.renewed_at is None else EPOCH + look.renewed_at
        saved, silent = ask(rule, saved, look.ready, renewed_at, EPOCH + look.at, grace_s)
        said.append(silent)
    return said


def first_silent(rule: SilenceRule, looks: Iterable[Look], grace_s: float = GRACE_S) -> float | None:
    """When a rule first calls the cluster silent; None for never."""
    passed = list(looks)
    return next((look.at for look, silent in zip(passed, drive(rule, passed, grace_s), strict=True) if silent), None)


def ask(rule: Any, *arguments: Any) -> tuple[Heard, bool]:
    """Call a rule once, and look at what it returns. Raises as `drive` does."""
    if not callable(rule):
        why = "the check calls your rule itself, look after look."
        raise Mistake(Finding(f"the check wants your function and got {rule!r}.", why, "the check's call."))
    try:
        result: Any = rule(*arguments)
    except (NotImplementedError, Mistake):
        raise
    except Exception as error:
        raise Mistake(_raised(error, arguments)) from None
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], Heard) and isinstance(result[1], bool):
        return result[0], result[1]
    text = repr(result) if len(repr(result)) <= 60 else f"{repr(result)[:57]}..."
    why = "the monitor needs two things: what to remember until the next look (a `Heard`), and True or False."
    raise Mistake(Finding(f"your rule returns {text}.", why, "each way through it: does every one return a pair?"))


def _raised(error: Exception, arguments: tuple[Any, ...]) -> Finding:
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename != __file__]
    where = f" (line {lines[-1]} of its cell)" if lines else ""
    saved, _, renewed_at, *_ = arguments
    why = "an exception in the monitor ends its pass."
    if saved is None:
        why = "`saved` is None at the first look: nothing is remembered yet."
    elif renewed_at is None or saved.renewed_at is None:
        why = "`renewed_at` is None when there is no lease, and so is `saved.renewed_at` while none counts."
    return Finding(f"your rule raises {type(error).__name__}: {error}{where}.", why, "that line.")

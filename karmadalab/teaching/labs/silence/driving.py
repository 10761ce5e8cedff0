"""Drive a rule of silence as the health monitor does, look after look, without a control plane around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from karmadalab.api.health import Heard, SilenceRule
from karmadalab.api.meta import Condition, replace
from karmadalab.api.time import Time
from karmadalab.controllers.cluster_status import ready_from_probe
from karmadalab.teaching.asking import EPOCH, ask

GRACE_S = 40.0

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
        saved, silent = call(rule, saved, look.ready, renewed_at, EPOCH + look.at, grace_s)
        said.append(silent)
    return said


def first_silent(rule: SilenceRule, looks: Iterable[Look], grace_s: float = GRACE_S) -> float | None:
    """When a rule first calls the cluster silent; None for never."""
    passed = list(looks)
    return next((look.at for look, silent in zip(passed, drive(rule, passed, grace_s), strict=True) if silent), None)


def call(rule: SilenceRule, *arguments: Any) -> tuple[Heard, bool]:
    """Ask a rule. Raises as `drive` does."""
    saved, _, renewed_at, *_ = arguments
    hint = "an exception in the monitor ends its pass."
    if saved is None:
        hint = "`saved` is None at the first look: nothing is remembered yet."
    elif renewed_at is None or saved.renewed_at is None:
        hint = "`renewed_at` is None when there is no lease, and so is `saved.renewed_at` while none counts."
    wanted = "a pair: what to remember until the next look (a `Heard`), and True or False"
    said: tuple[Heard, bool] = ask(rule, *arguments, fits=_is_pair, wanted=wanted, hint=hint)
    return said


def _is_pair(said: Any) -> bool:
    return isinstance(said, tuple) and [type(part) for part in said] == [Heard, bool]

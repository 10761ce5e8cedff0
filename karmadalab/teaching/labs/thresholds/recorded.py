"""Cases recorded from a real Karmada v1.13.10, in `recorded.json`: what its filter published, probe by probe."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from karmadalab.api.cluster import READY
from karmadalab.api.meta import Condition
from karmadalab.controllers.cluster_status import ThresholdFilter
from karmadalab.teaching.labs.thresholds.driving import Probe, Restart, Step, Write, drive
from karmadalab.teaching.recording import Recording, recording_in
from karmadalab.teaching.verdict import Finding

_EPOCH = 946684800.0  # the recordings begin on 2000-01-01


class Case(msgspec.Struct, frozen=True):
    """A recorded sequence.

    Attributes:
        id: its name among the recordings.
        failure_threshold_s, success_threshold_s: the flags.
        published: the name of the condition in the API at the beginning.
        steps: [seconds, "probe", seen, published], [seconds, "write", condition] or [seconds, "restart"].
    """

    id: str
    failure_threshold_s: float
    success_threshold_s: float
    published: str | None
    steps: tuple[tuple[Any, ...], ...]


class Sequences(Recording[Case], frozen=True, kw_only=True):
    """The file, with the conditions by name: status, reason, message."""

    conditions: dict[str, tuple[str, str, str]]

    def condition(self, name: str | None) -> Condition | None:
        """The Ready condition of that name."""
        return None if name is None else Condition(READY, *self.conditions[name])


@cache
def recording() -> Sequences:
    """What is in the package."""
    return recording_in(__package__, Sequences)


def compare(adjust: ThresholdFilter) -> Finding | None:
    """The first probe at which a filter and the recorded Karmada publish different things, None when there is none."""
    for case in recording().cases:
        finding = _compare(adjust, recording(), case)
        if finding is not None:
            return finding
    return None


def _compare(adjust: ThresholdFilter, known: Sequences, case: Case) -> Finding | None:
    answers = drive(
        adjust,
        [_step(known, step) for step in case.steps],
        case.failure_threshold_s,
        case.success_threshold_s,
        known.condition(case.published),
    )
    wanted = [known.conditions[step[3]] for step in case.steps if step[1] == "probe"]
    for answer, (status, reason, message) in zip(answers, wanted, strict=True):
        got = answer.published
        if (got.status, got.reason, got.message) == (status, reason, message):
            continue
        before = "nothing" if answer.before is None else f"{answer.before.status} ({answer.before.reason})"
        at_s, sees = answer.probe.at - _EPOCH, answer.probe.sees
        return Finding(
            f"in the recorded case {case.id} (failure threshold {case.failure_threshold_s:g} s, success threshold "
            f"{case.success_threshold_s:g} s), the probe at {at_s:g} s sees {sees.status} ({sees.reason}) while "
            f"{before} is published. You publish {got.status} ({got.reason}), the real Karmada published {status} "
            f"({reason}).",
            f"what came before it, in seconds: {_story(case, at_s)}.",
            "which of the rules above speaks about this probe?",
        )
    return None


def _step(known: Sequences, step: tuple[Any, ...]) -> Step:
    at = _EPOCH + step[0]
    if step[1] == "restart":
        return Restart(at)
    condition = known.condition(step[2])
    if step[1] == "write":
        return Write(at, condition)
    assert condition is not None, "a probe always sees something"  # noqa: S101 - narrows the type; the file is ours
    return Probe(at, condition)


def _story(case: Case, until_s: float) -> str:
    told = []
    for at, what, *names in case.steps:
        if at >= until_s:
            break
        told.append(f"{at:g} {'restart' if what == 'restart' else f'{what} {names[0]}'}")
    return ", ".join(told) or "nothing"

"""When does a filter change its mind? Measured with probes at a steady beat."""

from __future__ import annotations

from typing import Any, NamedTuple

from karmadalab.api.meta import Condition
from karmadalab.controllers.cluster_status import ThresholdFilter
from karmadalab.teaching.labs.thresholds.driving import Answer, Probe, drive

_WARM = 3


class Turn(NamedTuple):
    """How a filter turns from one condition to another.

    Attributes:
        probes: how many probes saw the new condition before it was published, that one included; None: it never was.
        after_s: seconds from the first of them to the last; None: it never was.
        answers: the answers to the probes that saw the new condition.
    """

    probes: int | None
    after_s: float | None
    answers: list[Answer]

    @property
    def clock_moved(self) -> bool:
        """Whether the first probe that saw the new condition set the remembered start anew."""
        before, after = (_since(saved) for saved in self.answers[0].saved)
        return bool(before != after)

    @property
    def clock_moves_always(self) -> bool:
        """Whether every probe sets the remembered start anew, also one that saw the same as the last."""
        starts = [_since(answer.saved[1]) for answer in self.answers[:5]]
        return None not in starts and len(set(starts)) == len(starts)


def _since(saved: Any) -> Any:
    return getattr(saved, "since", None)


def turn(
    adjust: ThresholdFilter,
    old: Condition,
    new: Condition,
    every_s: float,
    failure_s: float = 30.0,
    success_s: float = 30.0,
    probes: int = 100,
) -> Turn:
    """Let a filter see `old` a few times, then `new` at every probe, until it publishes that."""
    seen = [old] * _WARM + [new] * probes
    steps = [Probe(index * every_s, condition) for index, condition in enumerate(seen)]
    answers = drive(adjust, steps, failure_s, success_s)[_WARM:]
    for index, answer in enumerate(answers):
        if answer.published.status == new.status:
            return Turn(index + 1, index * every_s, answers)
    return Turn(None, None, answers)

"""Check 11.3: S3's arithmetic. Of all outages of one length, which share turns Ready False?

The answer is not computed but run: a control plane for each beat that the probes may have.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from karmadalab.controllers.cluster_status import ThresholdFilter
from karmadalab.teaching.asking import called, is_number
from karmadalab.teaching.labs.thresholds.scenarios import outage, ready_changes
from karmadalab.teaching.verdict import Finding

_BEATS = 20

FlipProbability = Callable[[float, "Flags"], float]


@dataclass(frozen=True)
class Flags:
    """The two flags that decide which outages are seen, in seconds.

    Attributes:
        frequency_s: `--cluster-status-update-frequency`, from one probe to the next.
        threshold_s: `--cluster-failure-threshold`.
    """

    frequency_s: float = 10.0
    threshold_s: float = 30.0

    @property
    def settings(self) -> dict[str, float]:
        """The flags as `Lab.fake(settings=...)` takes them."""
        return {
            "cluster-status-update-frequency": self.frequency_s,
            "cluster-failure-threshold": self.threshold_s,
        }


_DRAWN = (Flags(10, 25), Flags(10, 35), Flags(10, 45), Flags(20, 30), Flags(20, 50), Flags(15, 40), Flags(15, 50))


def drawn(rng: Random) -> Flags:
    """A student's own flags; none of the thresholds is a multiple of the frequency."""
    return rng.choice(_DRAWN)


def flipped_share(
    outage_s: float, flags: Flags, threshold: ThresholdFilter | None = None, beats: int = _BEATS
) -> float:
    """The share of outages of a length that turn Ready False, over probes that fall at evenly spread moments."""
    turned = 0
    for beat in range(beats):
        probe_s = (beat + 0.5) / beats * flags.frequency_s
        turned += bool(ready_changes(outage(outage_s, threshold, probe_s, flags.settings)))
    return turned / beats


def judge(answer: FlipProbability, flags: Flags | None = None) -> Finding | None:
    """Hold a formula against runs, first with Karmada's defaults, then with the learner's flags and a third pair."""
    for chosen in dict.fromkeys((Flags(), flags or Flags(), Flags(10, 25))):
        for outage_s in _lengths(chosen):
            finding = _compare(answer, outage_s, chosen)
            if finding is not None:
                return finding
    return None


def _probes(flags: Flags) -> int:
    """From the first failing probe, how many more it takes to reach the threshold."""
    return math.ceil(flags.threshold_s / flags.frequency_s)


def _lengths(flags: Flags) -> list[float]:
    """Below, on, inside and beyond the interval in which chance decides."""
    start, step = _probes(flags) * flags.frequency_s, flags.frequency_s
    return [start - 0.7 * step, start, start + 0.25 * step, start + 0.5 * step, start + step, start + 2.5 * step]


def _compare(answer: FlipProbability, outage_s: float, flags: Flags) -> Finding | None:
    said = called(answer, outage_s, flags, hint="it should return a number.")
    if not is_number(said):
        what = f"flip_probability({outage_s:g}, {flags}) returns {said!r}."
        return Finding(what, "a probability is a number from 0 to 1.", "what your function returns.")
    measured = flipped_share(outage_s, flags)
    if abs(said - measured) <= 0.5 / _BEATS:
        return None
    what = (
        f"outages of {outage_s:g} s, a probe every {flags.frequency_s:g} s, threshold {flags.threshold_s:g} s: you say "
        f"{said:g}; of {_BEATS} control planes, each with its probes at another beat, {measured * _BEATS:g} turn "
        "Ready False."
    )
    return Finding(what, *_why(said, measured, outage_s, flags))


def _why(said: float, measured: float, outage_s: float, flags: Flags) -> tuple[str, str]:
    """The idea behind a wrong number, and where to look."""
    frequency_s, threshold_s = flags.frequency_s, flags.threshold_s
    if measured and abs(said - 100 * measured) < 1:
        return "a probability runs from 0 to 1, not to 100.", "the unit of what you return."
    if not 0 <= said <= 1:
        return "a probability is never below 0 or above 1.", "outages much shorter and much longer than the threshold."
    if said == 1 and outage_s > threshold_s:
        return (
            "the clock starts at the first failing probe, not at the outage: by then some of the outage has passed "
            "unseen.",
            "where in the time between two probes an outage may begin.",
        )
    if _close(said, (outage_s - threshold_s) / frequency_s):
        return (
            "a filter can publish only when a probe comes: a threshold that ends between two probes waits for the "
            "next.",
            "how many probes after the first failing one the change is published.",
        )
    if _close(said, (outage_s - (_probes(flags) + 1) * frequency_s) / frequency_s):
        return (
            "the probe that falls on the very end of the threshold publishes already.",
            "how many probes after the first failing one the change is published.",
        )
    return (
        "the outage must still last when the deciding probe comes.",
        "draw it: the beginning of the outage, the first failing probe, the deciding probe, the end.",
    )


def _close(said: float, linear: float) -> bool:
    return math.isclose(said, min(1.0, max(0.0, linear)), abs_tol=1e-6)

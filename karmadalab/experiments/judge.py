"""Whether a run was as expected, and if not, what happened instead."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from karmadalab.api.time import duration, seconds
from karmadalab.experiments.evidence import Evidence
from karmadalab.experiments.expectations import (
    END,
    Expectation,
    Happens,
    Never,
    Order,
    Placement,
    Range,
    Ready,
    Running,
    choices,
)
from karmadalab.experiments.patterns import Pattern
from karmadalab.experiments.words import Length, named


@dataclass(frozen=True)
class Outcome:
    """What became of one expectation.

    Attributes:
        expected: the expectation as a sentence.
        met: whether the run was so.
        instead: what happened; for one that is met, when.
        why: the remark of the scenario's author.
    """

    expected: str
    met: bool
    instead: str
    why: str = ""

    def __str__(self) -> str:
        if self.met:
            return f"as expected: {self.expected} ({self.instead})"
        return f"expected: {self.expected}; instead: {self.instead}" + (f" [{self.why}]" if self.why else "")


def judge(expectations: tuple[Expectation, ...], evidence: Evidence) -> tuple[Outcome, ...]:
    """Judge a run; a named expectation leaves its moment for those that come after it."""
    return tuple(_judge_one(expectation, evidence) for expectation in expectations)


def _judge_one(expectation: Any, evidence: Evidence) -> Outcome:
    expected = _sentence(expectation)
    start_s = evidence.moments[expectation.after] if expectation.after else 0.0
    if start_s is None:
        if name := getattr(expectation, "name", ""):
            evidence.moments[name] = None
        return Outcome(expected, False, f"{expectation.after} itself never happened", expectation.why)
    met, instead = _JUDGES[type(expectation)](expectation, evidence, start_s)
    return Outcome(expected, met, instead, expectation.why)


# --- events ----------------------------------------------------------------------------------------------------------


def _happens(expectation: Happens, evidence: Evidence, start_s: float) -> tuple[bool, str]:
    pattern = Pattern(expectation.happens)
    low_s, high_s = _window(expectation, evidence, start_s)
    hits = evidence.hits(pattern, start_s, evidence.end_s)
    if expectation.name:
        evidence.moments[expectation.name] = hits[0].t if hits else None
    if not hits:
        return False, _nearest(pattern, evidence, start_s)
    if expectation.times is not None:
        inside = evidence.hits(pattern, low_s, high_s)
        when = ", ".join(_when(said.t, start_s, expectation.after) for said in inside[:4])
        return len(inside) == expectation.times, f"it happened {_times(len(inside))}" + (f": {when}" if when else "")
    return low_s - 1e-6 <= hits[0].t <= high_s + 1e-6, f"it happened {_when(hits[0].t, start_s, expectation.after)}"


def _never(expectation: Never, evidence: Evidence, start_s: float) -> tuple[bool, str]:
    low_s, high_s = _span(expectation.between, start_s, evidence.end_s)
    hits = evidence.hits(Pattern(expectation.never), low_s, high_s)
    if not hits:
        return True, "it did not happen"
    return False, f"{hits[0].words} happened {_when(hits[0].t, start_s, expectation.after)}"


def _order(expectation: Order, evidence: Evidence, start_s: float) -> tuple[bool, str]:
    remaining = iter([said for said in evidence.said if said.t >= start_s - 1e-6])
    times: list[str] = []
    for text in expectation.order:
        pattern = Pattern(text)
        found = next((said for said in remaining if pattern.matches(said.words)), None)
        if found is None:
            hits = evidence.hits(pattern, start_s, evidence.end_s)
            early = f"it came at {duration(hits[0].t)}, before it should" if hits else ""
            reason = early or _nearest(pattern, evidence, start_s)
            return False, f"number {len(times) + 1}, {text}, did not come in its turn: {reason}"
        times.append(duration(found.t))
    return True, ", ".join(times)


def _nearest(pattern: Pattern, evidence: Evidence, start_s: float) -> str:
    """What did happen to the object that the pattern is about, the likest events first."""
    subject = Pattern(pattern.subject + ": *")
    about = evidence.hits(subject, start_s, evidence.end_s)
    if not about:
        return f"nothing happened to {pattern.subject}"
    texts = {said.words.partition(": ")[2]: said for said in reversed(about)}
    close = difflib.get_close_matches(pattern.words, texts, n=3, cutoff=0.0)
    when = sorted((texts[text] for text in close), key=lambda said: said.t)
    told = "; ".join(f"{said.words.partition(': ')[2]} at {duration(said.t)}" for said in when)
    return f"it never happened; of {pattern.subject} there was: {told}"


# --- states ----------------------------------------------------------------------------------------------------------


def _placement(expectation: Placement, evidence: Evidence, start_s: float) -> tuple[bool, str]:
    what = named(expectation.placement, "placement")
    allowed = choices(expectation.is_)
    value = _Value(
        lambda t: evidence.placed(what, t), lambda v: v in allowed, ("ResourceBinding", "ClusterResourceBinding")
    )
    return _holds(expectation, evidence, start_s, value)


def _running(expectation: Running, evidence: Evidence, start_s: float) -> tuple[bool, str]:
    what = named(expectation.running, "running")
    allowed = [{m: count for m, count in choice.items() if count} for choice in choices(expectation.is_)]
    value = _Value(lambda t: evidence.running(what, t), lambda v: v in allowed, ("Pod", "fault"))
    return _holds(expectation, evidence, start_s, value)


def _ready(expectation: Ready, evidence: Evidence, start_s: float) -> tuple[bool, str]:
    what = named(expectation.ready, "ready")
    value = _Value(lambda t: evidence.ready(what, t), lambda v: v == expectation.is_, (what.kind,))
    return _holds(expectation, evidence, start_s, value)


class _Value(NamedTuple):
    """What an expectation about a state looks at: its value at a moment, whether that is right, what changes it."""

    at: Callable[[float], Any]
    right: Callable[[Any], bool]
    kinds: tuple[str, ...]


def _holds(
    expectation: Placement | Running | Ready, evidence: Evidence, start_s: float, value: _Value
) -> tuple[bool, str]:
    """Whether a value is right at a moment, or all through a span."""
    if expectation.between is None:
        t = evidence.end_s if expectation.at is None else _moment(expectation.at, start_s, evidence.end_s)
        if t > evidence.end_s:
            return False, f"the run ended before, at {duration(evidence.end_s)}"
        return value.right(found := value.at(t)), f"it was {_plain(found)} at {duration(t)}"
    low_s, high_s = _span(expectation.between, start_s, evidence.end_s)
    if high_s > evidence.end_s:
        return False, f"the run ended before, at {duration(evidence.end_s)}"
    for t, found in evidence.changes(value.at, value.kinds, low_s, high_s):
        if not value.right(found):
            return False, f"it was {_plain(found)} from {duration(t)} on"
    return True, f"it was so from {duration(low_s)} to {duration(high_s)}"


# --- times and words -------------------------------------------------------------------------------------------------


def _window(expectation: Happens, evidence: Evidence, start_s: float) -> tuple[float, float]:
    if expectation.at is not None:
        middle_s = _moment(expectation.at, start_s, evidence.end_s)
        tolerance_s = seconds(expectation.within)
        return middle_s - tolerance_s, middle_s + tolerance_s
    return _span(expectation.between, start_s, evidence.end_s)


def _span(between: Range | None, start_s: float, end_s: float) -> tuple[float, float]:
    if between is None:
        return start_s, end_s
    low, high = between
    return start_s + seconds(low), _moment(high, start_s, end_s)


def _moment(at: Length, start_s: float, end_s: float) -> float:
    return end_s if at == END else start_s + seconds(at)


def _when(t: float, start_s: float, after: str) -> str:
    return f"at {duration(t)}" + (f" ({duration(t - start_s)} after {after})" if after else "")


def _times(count: int) -> str:
    return {0: "not once", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _plain(value: Any) -> str:
    """A value as a scenario file would say it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {item}" for key, item in value.items()) + "}"
    return " or ".join(map(_plain, value)) if isinstance(value, tuple) else str(value)


def _sentence(expectation: Any) -> str:
    after = f" after {expectation.after}" if expectation.after else ""
    if isinstance(expectation, Order):
        return f"in this order{after}: {', then '.join(expectation.order)}"
    if isinstance(expectation, Never):
        return f"never{_range(expectation)}{after}: {expectation.never}"
    if isinstance(expectation, Happens):
        times = "" if expectation.times is None else f", {_times(expectation.times)}"
        within = f" ± {expectation.within}" if expectation.at is not None else ""
        return f"{expectation.happens}{_range(expectation)}{within}{after}{times}"
    if isinstance(expectation, Ready):
        return f"ready replicas of {expectation.ready} are {expectation.is_}{_range(expectation)}{after}"
    verb = "placement of" if isinstance(expectation, Placement) else "ready pods of"
    what = expectation.placement if isinstance(expectation, Placement) else expectation.running
    return f"{verb} {what} is {_plain(expectation.is_)}{_range(expectation)}{after}"


def _range(expectation: Any) -> str:
    if getattr(expectation, "at", None) is not None:
        return f" at {'the end' if expectation.at == END else expectation.at}"
    if expectation.between is not None:
        return f" between {expectation.between[0]} and {expectation.between[1]}"
    return "" if isinstance(expectation, (Happens, Never)) else " at the end"


_JUDGES: dict[type[Any], Callable[..., tuple[bool, str]]] = {
    Happens: _happens,
    Never: _never,
    Order: _order,
    Placement: _placement,
    Running: _running,
    Ready: _ready,
}

"""Drive a threshold filter as cluster-status-controller does, without a control plane around it.

A filter is judged by what it publishes. What it remembers is its own business: whatever it returned comes back to it
with the next probe, and a restart of the controller forgets it.
"""

from __future__ import annotations

from collections.abc import Iterable
from traceback import extract_tb
from typing import Any, NamedTuple

from karmadalab.api.cluster import READY
from karmadalab.api.meta import Condition, set_condition
from karmadalab.controllers.cluster_status import ThresholdFilter, ready_from_probe
from karmadalab.teaching.verdict import Finding, Mistake

UP = ready_from_probe(online=True, healthy=True)
DOWN = ready_from_probe(online=False, healthy=False)
UNWELL = ready_from_probe(online=True, healthy=False)
UNKNOWN = Condition(
    READY, "Unknown", "ClusterStatusUnknown", "Cluster status controller stopped posting cluster status."
)


class Probe(NamedTuple):
    """The cluster is asked and answers."""

    at: float
    sees: Condition


class Write(NamedTuple):
    """Somebody else writes the Ready condition; None removes it."""

    at: float
    condition: Condition | None


class Restart(NamedTuple):
    """The controller starts anew and remembers nothing."""

    at: float


Step = Probe | Write | Restart


class Answer(NamedTuple):
    """What the filter did with one probe.

    Attributes:
        probe: the probe.
        before: the condition in the API before it.
        published: the condition that the filter publishes.
        saved: what it remembered before, what it remembers now.
    """

    probe: Probe
    before: Condition | None
    published: Condition
    saved: tuple[Any, Any]


def drive(
    adjust: ThresholdFilter,
    steps: Iterable[Step],
    failure_s: float = 30.0,
    success_s: float = 30.0,
    published: Condition | None = None,
) -> list[Answer]:
    """Lead a filter through some steps.

    Args:
        adjust: the filter.
        published: the condition in the API at the beginning.

    Returns:
        an answer a probe.

    Raises:
        Mistake: it raised, or what it returned is no pair of memory and condition.
    """
    saved: Any = None
    answers = []
    for step in steps:
        if isinstance(step, Restart):
            saved = None
        elif isinstance(step, Write):
            published = None if step.condition is None else set_condition((), step.condition, step.at)[0]
        else:
            remembered, ready = ask(adjust, saved, step.sees, published, step.at, failure_s, success_s)
            answers.append(Answer(step, published, ready, (saved, remembered)))
            saved = remembered
            published = set_condition(() if published is None else (published,), ready, step.at)[0]
    return answers


def ask(adjust: ThresholdFilter, *arguments: Any) -> tuple[Any, Condition]:
    """Call a filter once, and look at what it returns.

    Raises:
        Mistake: it raised, or what it returned is no pair of memory and condition.
        NotImplementedError: it is not written yet.
    """
    if not callable(adjust):
        raise Mistake(_not_a_function(adjust))
    try:
        result: Any = adjust(*arguments)
    except (NotImplementedError, Mistake):
        raise
    except Exception as error:
        raise Mistake(raised(error, arguments)) from None
    if isinstance(result, tuple) and len(result) == 2 and _is_ready(result[1]):
        return result[0], result[1]
    raise Mistake(_wrong_shape(result))


def _is_ready(value: Any) -> bool:
    return isinstance(value, Condition) and value.type == READY


def _not_a_function(value: Any) -> Finding:
    return Finding(
        f"the check wants your function and got {value!r}.",
        "it calls your filter itself, probe after probe, with its own observations.",
        "the check's call: hand over the name of the function, without parentheses behind it.",
    )


def raised(error: Exception, arguments: tuple[Any, ...]) -> Finding:
    """The learner's function raised."""
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename != __file__]
    where = f" (line {lines[0]} of its cell)" if lines else ""  # no line: it was called and refused its arguments
    what = f"your filter raises {type(error).__name__}: {error}{where}."
    missing = [
        name for name, value in zip(("saved", "observed", "published"), arguments, strict=False) if value is None
    ]
    if missing and isinstance(error, AttributeError | TypeError):
        why = {
            "saved": "`saved` is None at a cluster's first probe: nothing is remembered yet.",
            "published": "`published` is None while nobody has written a Ready condition.",
        }
        return Finding(what, " ".join(why[name] for name in missing), "what your filter does first of all.")
    return Finding(
        what, "an exception in the filter stops the status controller.", "that line, or the arguments it takes."
    )


def _wrong_shape(result: Any) -> Finding:
    why = "a filter answers two questions at once: what to remember, and what to publish, in this order."
    if result is None:
        return Finding("your filter returns nothing.", why, "each way through it: does every one end in a `return`?")
    if not isinstance(result, tuple) or len(result) != 2:
        return Finding(f"your filter returns {_short(result)}, not a pair.", why, "the lines with `return`.")
    if _is_ready(result[0]):
        return Finding("your filter returns the condition first.", why, "the order of what you return.")
    return Finding(
        f"what your filter publishes is {_short(result[1])}, not a Ready condition.",
        "it publishes a whole condition, status, reason and message: `observed` or `published`.",
        "the second value that you return.",
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

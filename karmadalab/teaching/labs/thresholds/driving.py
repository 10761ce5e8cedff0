"""Drive a threshold filter as cluster-status-controller does, without a control plane around it.

A filter is judged by what it publishes. What it remembers is its own business: whatever it returned comes back to it
with the next probe, and a restart of the controller forgets it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from karmadalab.api.cluster import READY
from karmadalab.api.errors import shortly
from karmadalab.api.meta import Condition, set_condition
from karmadalab.controllers.cluster_status import ThresholdFilter, ready_from_probe
from karmadalab.teaching.asking import called
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
        NotImplementedError: it is not written yet.
    """
    saved: Any = None
    answers = []
    for step in steps:
        if isinstance(step, Restart):
            saved = None
        elif isinstance(step, Write):
            published = None if step.condition is None else set_condition((), step.condition, step.at)[0]
        else:
            remembered, ready = call(adjust, saved, step.sees, published, step.at, failure_s, success_s)
            answers.append(Answer(step, published, ready, (saved, remembered)))
            saved = remembered
            published = set_condition(() if published is None else (published,), ready, step.at)[0]
    return answers


def call(adjust: ThresholdFilter, *arguments: Any) -> tuple[Any, Condition]:
    """Ask a filter. Raises as `drive` does."""
    saved, _, published, *_ = arguments
    nothing = []
    if saved is None:
        nothing.append("`saved` is None at a cluster's first probe: nothing is remembered yet.")
    if published is None:
        nothing.append("`published` is None while nobody has written a Ready condition.")
    hint = " ".join(nothing) or "an exception in the filter stops the status controller."
    said = called(adjust, *arguments, hint=hint)
    if isinstance(said, tuple) and len(said) == 2 and _is_ready(said[1]):
        return said[0], said[1]
    raise Mistake(_wrong_shape(said))


def _is_ready(value: Any) -> bool:
    return isinstance(value, Condition) and value.type == READY


def _wrong_shape(result: Any) -> Finding:
    why = "a filter answers two questions at once: what to remember, and what to publish, in this order."
    if result is None:
        return Finding("your filter returns nothing.", why, "each way through it: does every one end in a `return`?")
    if not isinstance(result, tuple) or len(result) != 2:
        return Finding(f"your filter returns {shortly(result)}, not a pair.", why, "the lines with `return`.")
    if _is_ready(result[0]):
        return Finding("your filter returns the condition first.", why, "the order of what you return.")
    return Finding(
        f"what your filter publishes is {shortly(result[1])}, not a Ready condition.",
        "it publishes a whole condition, status, reason and message: `observed` or `published`.",
        "the second value that you return.",
    )

"""Lab 20 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.claims import choosing, preemption, scenarios, wishes

_CHOICE = Check(
    choosing.judge,
    f"12 cases, 100 random ones, and {len(choosing.recording().cases)} choices recorded from a real Karmada v1.13.10.",
    (
        "First throw out: those that do not match, those that are being deleted. Then the best of what is left, if "
        "anything is.",
        "Four comparisons, one after the other: a tuple does that. `min(left, key=lambda policy: (..., ..., ..., ...), "
        "default=None)`.",
        "For `min`, what is large and good must be turned round: a minus before the priority and before the match. The "
        "kind comes first (`policy.kind == ...` is False or True, and False is smaller), the name last.",
    ),
)

_PLUGGED_IN = Check(
    scenarios.judge,
    "three stories with your policies and with the usual ones: each claim is made and handed on as with Karmada's own "
    "choice.",
    (
        "This check runs the rule of 20.1. Make 20.1 pass first: it says more.",
        "Print `history(plugged(my_choice, ...))` and `history(plugged(None, ...))` for the story that is named.",
        "If 20.1 passes and this one doesn't, your rule keeps something outside itself between two calls.",
    ),
)

_PREEMPTION = Check(
    preemption.judge,
    "96 control planes, and in each you know before whether the workload changes hands.",
    (
        "Begin with what forbids: the gate, then the word. Each is one line that returns False.",
        "Then look at the two kinds. If they differ, the priorities play no part at all.",
        "Of one kind: compare `spec.priority or 0` of both, strictly. Of two: it is True when the taker is the "
        '"PropagationPolicy".',
    ),
)

LAB = TeachingLab(
    checks={"20.1": _CHOICE, "20.2": _PLUGGED_IN, "20.3": _PREEMPTION},
    usual=wishes.USUAL,
    drawn=wishes.drawn,
)

"""Lab 30 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.tolerations import deadlines, matching, scenarios

_MATCH = Check(
    matching.judge,
    "eleven cases, and every combination of three keys, three operators, two values and three effects.",
    (
        "Three questions, one after the other: the effect, the key, the operator. For each, ask first when it is *not* "
        "a match, and return False.",
        "An empty effect and an empty key ask for nothing: compare only when there is something to compare.",
        'What is left is the operator: "Exists" is a match; "Equal" and "" are one when the values are the same; '
        "anything else is none.",
    ),
)

_DEADLINE = Check(
    deadlines.judge,
    f"18 cases, 200 random ones, and {len(deadlines.recording().cases)} decisions recorded from a real Karmada "
    "v1.13.10.",
    (
        "Two loops. The first finds, for each NoExecute taint, the toleration that is used. It may end at once.",
        "`next((t for t in tolerations if my_tolerates(t, taint)), None)` is the first match or None. Collect these; "
        "then, in the second loop, go through what you collected.",
        "In the second loop: for each used toleration that has seconds, and each NoExecute taint that it matches and "
        "that has a `timeAdded`, there is a deadline. Return the smallest; `min(..., default=NEVER)` if there is none.",
    ),
)

_PLUGGED_IN = Check(
    scenarios.judge,
    "four stories, five workloads: everybody leaves, or stays, as with Karmada's own arithmetic.",
    (
        "This check runs the rule of 30.2. Make 30.1 and 30.2 pass first: they look at one decision at a time.",
        "Print `leaves(plugged(my_deadline, ...))` and `leaves(plugged(None, ...))` for the story that is named.",
        "If 30.2 passes and this one doesn't, your rule keeps something outside itself between two calls.",
    ),
)

LAB = TeachingLab(
    checks={"30.1": _MATCH, "30.2": _DEADLINE, "30.3": _PLUGGED_IN},
    usual=scenarios.Patience(),
    drawn=scenarios.drawn,
)

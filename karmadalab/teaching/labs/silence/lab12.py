"""Lab 12 put together: two checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.silence import misconceptions, scenarios

_RULE = Check(
    misconceptions.diagnose,
    "a rule of your own. It tells time by the monitor's clock only, takes nothing but news for a sign of life, and "
    "agrees with Karmada's own on sixty random sequences.",
    (
        "Answer two questions with two variables before you decide anything: is the condition another than the saved "
        "one? Is the lease later than the saved one (and what if there is no saved one)?",
        "If either is so, the cluster was heard of `now`; else it was heard of when you saved it. The member's own "
        "times never go into that.",
        "Three cases for the lease that you remember: it was renewed (remember it), the condition changed (remember "
        "None), neither (keep what you had). If both are so, the renewal wins.",
    ),
)

_PLUGGED_IN = Check(
    scenarios.judge,
    "five stories, each with the agent at three beats: every condition and every taint as with Karmada's own rule.",
    (
        "This check runs the rule of 12.1. Make 12.1 pass first: it looks at one moment at a time and says more.",
        "Draw the lease clock of the story that the message names, once with your rule and once without.",
        "If 12.1 passes and this one doesn't, your rule keeps something outside itself, a global or a default "
        "argument. Everything must travel through `saved`.",
    ),
)

LAB = TeachingLab(checks={"12.1": _RULE, "12.2": _PLUGGED_IN})

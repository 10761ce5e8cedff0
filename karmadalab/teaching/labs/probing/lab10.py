"""Lab 10 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.probing import judging, scenarios, suspects

_PROBE = Check(
    judging.judge,
    "eleven cases and 49 pairs of answers; it asks no more than Karmada does.",
    (
        "Two steps: get one code, then read it. Only the first step has to know that there are two endpoints.",
        "Put both calls of `get` into one `try`. `except Unreachable` returns at once.",
        "One code is left. 400 and more is as good as no answer; 200 is well; what remains was reached and is not "
        "well.",
    ),
)

_PLUGGED_IN = Check(
    scenarios.judge,
    "seven stories on a push and on a pull member: every verdict, and its second, as with Karmada's own probe.",
    (
        "This check runs the probe of 10.1. Make 10.1 pass first: it says more.",
        "Print `verdicts(plugged(my_probe, ...))` and `verdicts(plugged(None, ...))` for the story that is named.",
        "If 10.1 passes and this one doesn't, your probe keeps something outside itself: two processes share it here.",
    ),
)

_SUSPECTS = Check(
    suspects.judge,
    "48 trials at three beats: you name every fault that looks like that, and no other.",
    (
        "Run `seen(mode, fault)` for all of them and write the results down as a table, before you write any code.",
        "Group the rows by mode and reason first. Two groups of the same mode and reason are left to be told apart by "
        "the seconds.",
        "Refusals and error codes take 30 to 50 s, time-outs 70 to 90 s. `ClusterStatusUnknown` comes from the "
        "monitor, and whatever keeps the agent from being heard belongs there.",
    ),
)

LAB = TeachingLab(checks={"10.1": _PROBE, "10.2": _PLUGGED_IN, "10.3": _SUSPECTS})

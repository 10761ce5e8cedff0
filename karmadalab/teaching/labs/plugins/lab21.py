"""Lab 21 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.plugins import judging, scenarios, window

_FILTER = Check(
    judging.judge_filter,
    "seven cases, twice; and its reason can be counted.",
    (
        "Ask two questions: is maintenance announced on this cluster? Is the workload on this cluster already? Only "
        "one of the four combinations is a refusal.",
        "`cluster.labels.get(key)` is None when there is no such label. `cluster.name in binding.previous` is the "
        "other question, whatever the number of replicas.",
        "Return None in three of the four cases, and in the fourth a fixed text that begins with 'cluster(s) '.",
    ),
)

_PLUGGED_IN = Check(
    scenarios.judge_filter,
    "eight steps: nothing new where maintenance is announced, and nobody is moved.",
    (
        "This check runs the filter of 21.1. Make 21.1 pass first: it says more.",
        "Go through the steps by hand: `lab = plugged(Mine())`, then `label(lab, ...)` and `lab.scale(...)`, and "
        "`homes(lab, ...)` after each.",
        "If 21.1 passes and this one doesn't, your filter keeps something outside itself between two calls.",
    ),
)

_SCORE = Check(
    scenarios.judge_both,
    "every price from 1 to 99 and eight that are none; three fleets, in which the cheapest cluster gets what is new, "
    "and nothing that runs.",
    (
        "Take the text of the label. Is it a number at all? `text.isdecimal()` says so, and an empty text is none.",
        "Cheaper is better: something minus the price. From which number do you take it away, so that 1 cent gives "
        "less than 100 points, and 99 cents more than 0?",
        "`100 - int(text)` for a price from 1 to 99, and 0 for everything else.",
    ),
)

LAB = TeachingLab(
    checks={"21.1": _FILTER, "21.2": _PLUGGED_IN, "21.3": _SCORE}, usual=window.Window(), drawn=window.drawn
)

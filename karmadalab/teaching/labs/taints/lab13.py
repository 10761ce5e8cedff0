"""Lab 13 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.taints import merging, scenarios

_MERGE = Check(
    merging.judge,
    "nine cases and all 512 combinations of three taints as in Karmada: order, times and values are kept.",
    (
        "Make two sets of pairs (key, effect) from `taints` as it is given: what is present, and what of it goes. Make "
        "both before you build anything.",
        "The result is three pieces: what was there and does not go, in its order; then what is to be added and was "
        "not there, stamped.",
        "If nothing goes and nothing is new, return `taints` itself, not a copy. Else return `(*kept, *stamped)`.",
    ),
)

_RULE = Check(
    scenarios.on_paper,
    "each state of Ready with each set of taints that may be there before.",
    (
        "Four cases: None, False, Unknown, True. Each is one call of `my_with_taints` with two lists.",
        "When a cluster goes from Unknown to False, the one key comes and the other goes, in one write.",
        "None is the odd one: it adds `not-ready` and removes nothing.",
    ),
)

_PLUGGED_IN = Check(
    scenarios.judge,
    "four stories: every taint comes and goes as with Karmada's own rule, and a taint of somebody else stays.",
    (
        "This check runs the rule of 13.2. Make 13.1 and 13.2 pass first.",
        "Print `marks(plugged(my_rule, ...))` and `marks(plugged(None, ...))` for the story that the message names.",
        "If 13.1 and 13.2 pass and this one doesn't, your rule keeps something outside itself between two calls.",
    ),
)

LAB = TeachingLab(checks={"13.1": _MERGE, "13.2": _RULE, "13.3": _PLUGGED_IN})

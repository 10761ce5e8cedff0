"""Lab 40 put together: two checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.timeouts import parts, tuning

_PARTS = Check(
    parts.judge,
    "seven stories at two beats each: five parts, without a gap, and None for what never came.",
    (
        "Write one small helper first: the first event from a moment on that a condition accepts. Five calls of it, "
        "each from where the last one ended, are the whole function.",
        "Ready is no longer True: `what` begins with `condition Ready True -> `. The taint: it begins with "
        "`taint added` and ends with `:NoExecute`. For the placement compare `detail['from']` and `detail['to']`.",
        "When replicas are gained, add up by how much each other cluster grew. Then go on to the Ready pods of those "
        "clusters (`Pod@member2`) and take the moment of the one that makes the number full. If a helper finds "
        "nothing, all parts from there on are None.",
    ),
)

_FLAGS = Check(
    tuning.judge,
    "each budget is met at every beat, with as few flags as it takes and with no second given away.",
    (
        "Run `worst()` first. By how much is it above the budget? Look at the longest parts of the split, and ask "
        "which flag makes each.",
        "Two waits have 300 s each. One of them is enough while you need to save 300 s or less; then both; the "
        "threshold of 30 s comes last, and acts in steps of one probe, 10 s.",
        "Go through the three waits until `worst(flags)` is within the budget. Set the next one to 0; if that is more "
        "than enough, give it back what is left of the budget, rounded down to tens: looks and probes come in steps.",
    ),
)

LAB = TeachingLab(
    checks={"40.1": _PARTS, "40.2": _FLAGS},
    usual=tuning.Budgets(),
    drawn=tuning.drawn,
)

"""Lab 43 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.recommending import judging, table

_COSTS = Check(
    judging.costs,
    "22 tables: the mean over the seeds, each outage as often as it comes, each thing with its price.",
    (
        "Group the records first: by the pair of flags, then by outage. A dict of dicts of lists does it.",
        "For one pair and one outage: the mean of `lost` over the seeds times `a_second`, and the mean of `moves` "
        "times `a_move`.",
        "Multiply that by `case.a_year[outage]` and add up over the outages.",
    ),
)

_PICK = Check(
    judging.recommendation,
    "the cheapest of those that keep the promise with every seed, and None where none does.",
    (
        "Two steps: strike off what breaks the promise, then take the cheapest of the rest. Your `my_costs` gives the "
        "prices.",
        "A promise holds for the worst run, not for the mean. And a run without a replacement has `total_s` None.",
        "Keep a pair if all its records of the outage 20m have a `total_s` that is not None and at most `most_s`. "
        "`min(kept, key=costs.get, default=None)`.",
    ),
)

_TIP = Check(
    judging.tips,
    "the price at which two combinations change places, and None where they never do.",
    (
        "Think of the figure of round 2 in the lesson: a line for each combination, over the price of a move.",
        "Each line begins at what is lost in a year (`my_costs` with `a_move` 0) and climbs by the moves of a year.",
        "begin1 + slope1 * p = begin2 + slope2 * p. `dataclasses.replace(case, a_move=0)` and `a_move=1` give begin "
        "and slope. No difference in the slopes, or p not above 0: None.",
    ),
)

LAB = TeachingLab(
    checks={"43.1": _COSTS, "43.2": _PICK, "43.3": _TIP},
    usual=table.Case(),
    drawn=table.drawn,
)

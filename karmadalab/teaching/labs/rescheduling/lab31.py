"""Lab 31 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.rescheduling import fleets, judging

_BY_RULE = Check(
    judging.by_rule,
    "the same placements as a control plane, for ten fleets under three rules.",
    (
        "Begin with what is left: all of `before` without `dead`. For `everywhere` that is the whole answer.",
        "`two`: when `dead` was in use, one cluster comes in, with all replicas: of those in `room` that are not in "
        "`before`, the one with the most room.",
        "`static`: `deal` *all* replicas over the weights without `dead`, and hand over what is left as the third "
        "argument. When `dead` was not in use, nothing changes, whatever the rule.",
    ),
)

_BY_ROOM = Check(
    judging.by_room,
    "the same placements as a control plane, for 22 fleets with unequal room; and on paper, with equal room.",
    (
        "What runs on a healthy cluster stays. Only the replicas of the dead one are dealt out.",
        "How many are missing? `before.get(dead, 0)`. By which weights are they dealt? `room`.",
        "Add the two dicts: for every cluster in `room`, what is left there plus what it was dealt. Leave out zeros.",
    ),
)

_UNLUCKY = Check(
    judging.unlucky,
    "in your fleet a failover stops a healthy pod.",
    (
        "Let the computer look: all weights from 1 to 5 for three members, all replicas up to 12, each member dead "
        "once. `deal` tells what is before and what is after.",
        "`before = deal(n, weights)`. Then the same without the dead one, with `before` as the third argument.",
        "Compare survivor by survivor: `after.get(name, 0) < before.get(name, 0)`. And the dead one must have had a "
        "replica.",
    ),
)

LAB = TeachingLab(
    checks={"31.1": _BY_RULE, "31.2": _BY_ROOM, "31.3": _UNLUCKY},
    usual=fleets.Case(),
    drawn=fleets.drawn,
)

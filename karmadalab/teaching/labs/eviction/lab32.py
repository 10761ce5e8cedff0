"""Lab 32 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.eviction import judging, scenarios

_REPLACED = Check(
    judging.replacement,
    "seven bindings, each a trap of its own, and sixty random ones.",
    (
        "Two questions, both must be answered yes: has the scheduler seen the latest spec? Is every cluster of "
        "`spec.clusters` healthy?",
        "Collect the names of those whose status says `Healthy` in a set first. Then ask for every target whether its "
        "name is in it.",
        "`all(...)` over an empty list is True, and that is right here. The generation is in `metadata.generation`; "
        "the scheduler notes the last one it saw in `status.schedulerObservedGeneration`.",
    ),
)

_ASSESS = Check(
    judging.assessment,
    "ten bindings and 150 random ones as in Karmada: stamps, hands, times and health.",
    (
        "Go through the tasks in their order, with two lists to fill. For each task ask, in this order: no stamp? "
        "decided by hand? else: time over, or replaced?",
        "`suppressDeletion` is True, False or None. Compare with `is None` before you use it; the same goes for "
        "`gracePeriodSeconds`, which may be 0.",
        "A new stamp: `replace(task, creationTimestamp=Time(now))`. A stamped task stays while `now <= stamp + grace` "
        "and `my_replaced(binding)` is False.",
    ),
)

_PLUGGED_IN = Check(
    scenarios.judge,
    "six stories with three drains: every task lives as long as with Karmada's own decision.",
    (
        "This check runs the function of 32.2, which calls that of 32.1. Make both pass first: they say more.",
        "Draw the story that the message names with `show.timeline(plugged(my_assess, ...))` and look at where the "
        "triangles are.",
        "If 32.1 and 32.2 pass and this one doesn't, your function keeps something outside itself between two calls.",
    ),
)

LAB = TeachingLab(
    checks={"32.1": _REPLACED, "32.2": _ASSESS, "32.3": _PLUGGED_IN},
    usual=scenarios.Drain(),
    drawn=scenarios.drawn,
)

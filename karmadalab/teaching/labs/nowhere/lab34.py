"""Lab 34 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.nowhere import attacking, fleet, repairing

_POWER = Check(
    attacking.by_power,
    "within the budget, `shop` is given up at a moment at which nobody else may be chosen.",
    (
        "Two moments matter: when the first cluster is given up (your trial says so), and what the scheduler sees of "
        "the others just then.",
        "A failure is seen after 30 to 40 s. So the others must fail a minute before the eviction, and may come back "
        "right after it.",
        "The first: from 60 until half a minute after the eviction. Each other candidate: from a minute before the "
        "eviction, for 80 s. Make the list in a loop over `fleet.candidates`.",
    ),
)

_DRAINS = Check(
    attacking.by_drains,
    "every cluster is healthy, no two were drained at once, and `shop` has nowhere to go for minutes.",
    (
        "A NoExecute taint that nobody tolerates evicts at once, and the eviction leaves a task. What does the filter "
        "ClusterEviction say about a cluster with a task?",
        "The replacement takes two minutes to start. Until then the first cluster is out, though its taint is gone.",
        "Drain every candidate once, for five seconds, ten seconds apart, beginning with the one that `shop` is on. "
        "Where does it go next? `placements` of a run with one drain tells.",
    ),
)

_REPAIR = Check(
    repairing.judge,
    "the same adversary, who knows your placement, does no harm; and what is dead or drained for good is left in time.",
    (
        "Two weak points, two repairs. The one is how many clusters `shop` loses with one cluster; the other is how "
        "long it bears a drain.",
        "In two clusters, and not in one: `minGroups` and `maxGroups`. The drain sets the taint "
        "`maintenance=true:NoExecute`: a toleration has `key`, `operator`, `effect` and `tolerationSeconds`.",
        "Keep the affinity. Set both groups to 2, and tolerate `maintenance` for a minute or more, and less than five.",
    ),
)

LAB = TeachingLab(checks={"34.1": _POWER, "34.2": _DRAINS, "34.3": _REPAIR}, usual=fleet.Fleet(), drawn=fleet.drawn)

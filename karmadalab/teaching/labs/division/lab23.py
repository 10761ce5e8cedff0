"""Lab 23 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.division import judging, scenarios

_LARGEST_WEIGHT = Check(
    judging.by_largest_weight,
    "47 divisions as in Karmada v1.13, ties and replicas held among them.",
    (
        "Two steps. First everybody gets the share rounded down. Then count what is left over; it is always less than "
        "the number of clusters.",
        "`weight * replicas // total` rounds down without any fraction. Then sort the claims: by weight and `last`, "
        "falling, and by name.",
        "Go through the sorted claims and give one replica to each until nothing is left. At the end leave out who has "
        "0.",
    ),
)

_PLUGGED_IN = Check(
    scenarios.judge,
    "a day of scaling, up and down, on the same clusters as with Karmada's own division.",
    (
        "This check runs the division of 23.1. Make 23.1 pass first: it says more.",
        "Print `shares(plugged(my_division, 6))` and call your function by hand with the same numbers.",
        "If 23.1 passes and this one doesn't, your function keeps something outside itself, or changes the list that "
        "it is given.",
    ),
)

_WEBSTER = Check(
    judging.by_webster,
    "44 divisions as in Karmada v1.18; nobody loses a replica when there is one more.",
    (
        "There is no rounding and no rest in it. Replicas are dealt out one by one, like seats in a parliament.",
        "Begin with 0 for everybody. At each turn the best claim is the one with the largest weight / (2 n + 1).",
        "`max` with a key does it; or `min` with the key (-weight / (2 n + 1), n, name), which settles the ties too.",
    ),
)

LAB = TeachingLab(checks={"23.1": _LARGEST_WEIGHT, "23.2": _PLUGGED_IN, "23.3": _WEBSTER})

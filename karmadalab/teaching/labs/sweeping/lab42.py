"""Lab 42 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.sweeping import frontier, judging

_SWEEP = Check(
    judging.sound,
    "every combination with every seed, in order; no run finds what another left behind; the same records as "
    "karmadalab's own sweep.",
    (
        "`itertools.product(*grid.values())` gives every combination of values. Put the names back with `zip`.",
        "Two loops, the seeds inside. Make the record of your own flags, and give the run a copy of them.",
        "`run(copy.deepcopy(scenario), dict(flags), seed)`: three arguments, and none of them is shared. No `try`.",
    ),
)

_HUNT = Check(
    judging.hunt,
    "your test tells all six broken sweeps from the two sound ones.",
    (
        "You don't read the suspects, you try them: with a grid of your own and with a `run` of your own, which can "
        "note what it gets and do what it likes.",
        "Let `run` return what it was given (flags and seed) and how it found the scenario, then let it spoil the "
        "scenario, also a list in it. Compare the records with those of your own sweep.",
        "`suspect(make(), grid, seeds, run) == my_sweep(make(), grid, seeds, run)` finds five of them. For the sixth "
        "let a run raise an error of yours, and return False if the suspect returns all the same.",
    ),
)

_FRONTIER = Check(
    frontier.judge,
    "65 clouds, with equal points and with ties in one direction.",
    (
        "Say in words when a point is *out*. There is another point, and how does it compare in each direction?",
        "Out: another point is not worse in either direction, and not equal in both.",
        "A set comprehension with `not any(...)`: keep a name when no other point is <= in both and != as a whole.",
    ),
)

LAB = TeachingLab(checks={"42.1": _SWEEP, "42.2": _HUNT, "42.3": _FRONTIER})

"""Lab 41 put together: two checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.alarms import attack, judging

_ATTACK = Check(
    judging.attack,
    "a healthy workload moves under each set of flags, and nobody does it with fewer blips.",
    (
        "The attack has two parts: first make Ready turn False, then keep it from turning True until web has moved. "
        "Find the first part alone, with `ready_changes` or with the figure.",
        "The first part meets every probe: one to start the clock, and more until the threshold is over. The second "
        "part meets a probe now and then: a failing one starts the clock of success anew.",
        "In a row: ceil(failure_s / frequency_s) + 1 blips from 3 s on, a frequency apart. Then let the run tell you: "
        "while `moved_s(attacked(target, blips))` is None, the next blip belongs to the second in which Ready turns "
        "True, the first such entry of `ready_changes`.",
    ),
)

_DEFENCE = Check(
    judging.defence,
    "an attacker who has read your flags needs twice as many blips as before, and a real outage is replaced as soon.",
    (
        "Look at what the attacker pays in each part. In which of them is a blip worth more than one probe?",
        "There are two ways. One makes the second part as dear as the first. The other makes the second part so short "
        "that there is none.",
        "Either success counts at once, and each probe that succeeds undoes the verdict; or you move the seconds of "
        "wait and toleration into the failure threshold, where each of them costs a failing probe.",
    ),
)

LAB = TeachingLab(
    checks={"41.1": _ATTACK, "41.2": _DEFENCE},
    usual=attack.Target(),
    drawn=attack.drawn,
)

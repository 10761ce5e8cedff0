"""Lab 35 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.double import arithmetic, story, suspects, tuning

_GONE = Check(
    arithmetic.judge,
    "seven partitions, to the hundredth of a second, and a deletion while all is well.",
    (
        "Write the tries down for a base of 1 s: 0, 1, 3, 7, 15 ... after the deletion was asked for. Each pause is "
        "twice the one before, and none is longer than `max_s`.",
        "Two variables: the moment of the next try and the pause after it. A loop goes on while the moment is before "
        "`ready_s`.",
        "In the loop: add the smaller of pause and `max_s` to the moment, then double the pause. After the loop the "
        "answer is the moment.",
    ),
)

_CULPRITS = Check(
    suspects.judge,
    "the guilty are named, and the innocent go free.",
    (
        "Follow the chain: the task ends; the Work is marked for deletion; the copy in m1 is deleted; the Work is "
        "gone. Which is the first link that is missing?",
        "Three things to look for in `case_of(name, numbers).timeline`: `gracefulEvictionTasks changed`, "
        "`deletionTimestamp set` on a Work of karmada-es-m1, and `deleted` of Deployment@m1.",
        "No end of the task: who ends tasks? An end and no deletionTimestamp: who deletes Works? A Work that is gone "
        "before its copy: who holds the finalizer? All there, only late: nobody.",
    ),
)

_FLAGS = Check(
    tuning.judge,
    "short partitions move nothing, a death is replaced in time, and a late deletion comes soon.",
    (
        "Three numbers to choose: how long everything together waits before an eviction, how it is shared between the "
        "two waits (that does not matter), and the longest pause.",
        "An eviction comes 30 to 45 s (detection and a look of the monitor) plus both waits after the failure. A "
        "partition is over for Karmada up to 40 s after its end.",
        "Both waits together a minute more than the harmless partition. rate-limiter-max-delay: between the least "
        "pause and the time that the old copy may stay.",
    ),
)

LAB = TeachingLab(checks={"35.1": _GONE, "35.2": _CULPRITS, "35.3": _FLAGS}, usual=story.Double(), drawn=story.drawn)

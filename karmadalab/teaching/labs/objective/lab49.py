"""Lab 49 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.objective import judging, measuring, week

_MEASURE = Check(
    measuring.judge,
    "47 stretches of service, with surplus, with gaps, and with changes before and after the span.",
    (
        "Draw it: replicas over time, a line at `wanted`. Lost is the area between the line and what was served, where "
        "that is below.",
        "Cut the span into pieces at each change. In each piece the value is the one of the last change before it; "
        "before the first change it is 0.",
        "Add up (end - begin) * min(value, wanted) over the pieces and divide by wanted * (end_s - begin_s).",
    ),
)

_PLAN = Check(
    judging.own_week,
    "web and api are served as was asked, and no workload left a cluster that served it.",
    (
        "Print the week. How long do the troubles last in which pods serve on, or come back soon? How long the others? "
        "Your waits must fall between the two.",
        "A duplicated workload on two clusters loses nothing when one of them dies, however long you wait. A divided "
        "one does. So give each what it needs: flags hold for all, tolerations for one policy.",
        'web: minGroups and maxGroups 2. api: `{**DIVIDED, "clusterTolerations": tolerates(...)}`. Threshold, '
        "failover-eviction-timeout and toleration of api together: a bit more than the longest short trouble and the "
        "40 s after it.",
    ),
)

_OTHERS = Check(
    judging.other_weeks,
    "three weeks that you have not seen: the objective is met in each, and nothing moves in vain.",
    (
        "This check runs the plan of 49.2. Make 49.2 pass first.",
        "Your own week may have been kind. The lengths of short troubles differ from week to week by some ten seconds: "
        "leave room for that.",
        "Short troubles last up to 200 s, and it takes up to 40 s until success is believed. Four minutes from the "
        "fault to the move are enough, and little more is too much.",
    ),
)

LAB = TeachingLab(
    checks={"49.1": _MEASURE, "49.2": _PLAN, "49.3": _OTHERS},
    usual=week.USUAL,
    drawn=week.week,
)

"""Lab 11 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.thresholds import filtering, probability, recorded, scenarios

_FILTER = Check(
    filtering.judge,
    "a filter of your own. It tells time from probes, keeps what it holds back whole, and agrees with all "
    f"{len(recorded.recording().cases)} sequences recorded from a real Karmada v1.13.10.",
    (
        "Two questions come up at each probe, and they have different answers: since when do I see this? (compare with "
        "`saved`) and is it news for the readers of the API? (compare with `published`). Write the two comparisons as "
        "two variables before you decide anything.",
        "Take the rules in their order. The first two end at once with a `return`. The third only changes what you "
        "remember. The last one picks one of two conditions to publish; what you remember does not depend on that "
        "choice.",
        "Say it as a sentence and translate it: if exactly one of the two statuses is True, and `now` has not come to "
        "the remembered start plus the threshold of that direction, publish `published`; in every other case publish "
        "`observed`.",
    ),
)

_PLUGGED_IN = Check(
    scenarios.judge,
    "four flaps of 20 s pass unseen. An outage of 45 s is seen 30 to 40 s after it begins, and forgiven as long "
    "after it ends, with a probe every 10 s and with one every 5 s.",
    (
        "This check runs the filter of 11.1. Make 11.1 pass first: it looks at one probe at a time and says more.",
        "Print the timeline that the message names. Each probe that changes its answer is an event; count the seconds "
        "from there to the change of Ready.",
        "If 11.1 passes and this one doesn't, your filter keeps something outside itself, a global or a default "
        "argument: several control planes run here, one after the other. Everything must travel through `saved`.",
    ),
)

_ARITHMETIC = Check(
    probability.judge,
    "your formula agrees with the control plane below, inside and beyond the interval in which chance decides.",
    (
        "Draw a line: the outage begins, some time later the first probe fails, then one probe follows the other. "
        "Which of them publishes False? Does the outage last that long?",
        "The first failing probe comes after a time that is anywhere between 0 and one period, each moment as likely "
        "as the next. The deciding probe comes a fixed time after it: a whole number of periods, the first that "
        "reaches the threshold.",
        "Call that fixed time D and the period f. The outage of length L is seen when the first failing probe comes "
        "earlier than L - D. Which share of the period is that? Mind the ends: a share is never below 0 or above 1.",
    ),
)

LAB = TeachingLab(
    checks={"11.1": _FILTER, "11.2": _PLUGGED_IN, "11.3": _ARITHMETIC},
    usual=probability.Flags(),
    drawn=probability.drawn,
)

"""What people get wrong about thresholds, and how to tell by a filter's behaviour.

Each function looks for one family of mistakes and returns a finding or None. They are asked in order, from the plainest
question (what about the first probe?) to the finest; a later one may rely on the earlier ones having found nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from karmadalab.api.meta import Condition
from karmadalab.controllers.cluster_status import ThresholdFilter
from karmadalab.teaching.labs.thresholds.driving import DOWN, UNKNOWN, UNWELL, UP, Probe, Step, Write, drive
from karmadalab.teaching.labs.thresholds.measuring import Turn, turn
from karmadalab.teaching.verdict import Finding

_FAILURE_S, _SUCCESS_S = 30.0, 50.0


def first_probe(adjust: ThresholdFilter) -> Finding | None:
    """The first observation ever is published as it is."""
    for published in (UP, None):
        [answer] = drive(adjust, [Probe(0, DOWN)], published=published)
        if answer.published.status != "False":
            return Finding(
                "the first probe ever fails, and your filter publishes True; Karmada publishes False at once.",
                "a controller that has just started has nothing to compare with: its first observation is all it "
                "knows, so no threshold applies to it.",
                "the case in which nothing is saved yet.",
            )
    return None


def leaving(adjust: ThresholdFilter) -> Finding | None:
    """True is left when failure has been observed for the failure threshold."""
    fast = turn(adjust, UP, DOWN, 1.0, _FAILURE_S, _SUCCESS_S)
    slow = turn(adjust, UP, DOWN, 2.0, _FAILURE_S, _SUCCESS_S)
    return _mistimed(fast, slow, "failing", _FAILURE_S, _SUCCESS_S)


def returning(adjust: ThresholdFilter) -> Finding | None:
    """True comes back when success has been observed for the success threshold."""
    fast = turn(adjust, DOWN, UP, 1.0, _FAILURE_S, _SUCCESS_S)
    if fast.probes == 1:
        return Finding(
            "one good probe after an outage, and your filter publishes True at once.",
            "recovery is doubted too: a cluster that answers once may be gone again in ten seconds. The way up has its "
            "own threshold, `success_threshold_s`.",
            "what your filter does when `observed` is True and `published` is not.",
        )
    slow = turn(adjust, DOWN, UP, 2.0, _FAILURE_S, _SUCCESS_S)
    return _mistimed(fast, slow, "good", _SUCCESS_S, _FAILURE_S)


def _mistimed(fast: Turn, slow: Turn, word: str, threshold_s: float, other_s: float) -> Finding | None:
    """Why a change is published too early or too late. `fast` was probed each second, `slow` every two."""
    if (fast.after_s, slow.after_s) == (threshold_s, threshold_s):
        return None
    if fast.after_s is None:
        return _never(fast, word)
    if fast.probes == 1:
        return _at_once(fast, word)
    if fast.probes == slow.probes == 2:
        return _last_observation(
            f"the first {word} probe is held back, and the second one is published, long before {threshold_s:g} s are "
            "over."
        )
    if fast.probes == slow.probes:
        return Finding(
            f"your filter publishes the change at the {fast.probes}th {word} probe, whether probes come every second "
            f"({fast.after_s:g} s) or every two ({slow.after_s:g} s).",
            "a threshold is a length of time, not a number of probes: how often a cluster is asked is another flag, "
            "and a slow answer delays the next probe.",
            "what you compare the threshold with: `now` tells you how much time has passed.",
        )
    if fast.after_s == other_s:
        return Finding(
            f"with {threshold_s:g} s for this way and {other_s:g} s for the other, the change comes after {other_s:g} "
            "s.",
            "leaving True and coming back to it have a threshold each; an operator may set them differently.",
            "how your filter chooses between `failure_threshold_s` and `success_threshold_s`.",
        )
    if fast.after_s == threshold_s + 1:
        return Finding(
            f"probed each second, your filter publishes the change after {fast.after_s:g} s; Karmada after "
            f"{threshold_s:g} s.",
            "the threshold is over at the very moment start + threshold, and that moment counts. It matters: with a "
            "probe every 10 s, one moment late is ten seconds late.",
            "the comparison of `now` with the end of the threshold: what happens when the two are equal?",
        )
    return Finding(
        f"probed each second, your filter publishes the change after {fast.after_s:g} s; the threshold is "
        f"{threshold_s:g} s.",
        "the threshold counts from the first probe that saw the change.",
        "when your filter sets `since`, and what it adds to it.",
    )


def _never(turned: Turn, word: str) -> Finding:
    if turned.clock_moves_always:
        return Finding(
            f"a hundred {word} probes in a row, and your filter never publishes the change.",
            "each probe starts the clock anew, so it never reaches the threshold. The start is the moment at which the "
            "observation *changed*.",
            "when your filter sets `since`: which probes are news?",
        )
    return Finding(
        f"a hundred {word} probes in a row, and your filter never publishes the change.",
        "a probe that sees the same as the last one may still be news for those who read the API: a change that was "
        "held back once waits to be published.",
        "what your filter does when the observation is the one it remembers.",
    )


def _at_once(turned: Turn, word: str) -> Finding:
    if turned.clock_moved:
        return Finding(
            f"one {word} probe, and your filter publishes the change at once.",
            "one lost packet would move a workload. A change is published only when it has been observed for the "
            "threshold.",
            "where your filter compares `now` with the start of the observation.",
        )
    return Finding(
        f"one {word} probe, and your filter publishes the change at once: what it remembers still starts in the past.",
        "the clock measures how long *this* observation has lasted, so it starts again when the observation changes.",
        "what your filter remembers when `observed.status` differs from `saved.status`.",
    )


def _last_observation(what: str) -> Finding:
    return Finding(
        what,
        "the last observation says when the clock started; whether there is a change to hold back is another question: "
        "does this probe differ from what is *published*? A change stays unpublished over many equal probes.",
        "the two comparisons in your filter: one is with `saved`, the other with `published`.",
    )


def held_whole(adjust: ThresholdFilter) -> Finding | None:
    """While a change is held back, the condition in the API stays as it is, reason and message too."""
    for old, new in ((UP, DOWN), (DOWN, UP)):
        [_, held] = drive(adjust, [Probe(0, old), Probe(10, new)])
        if (held.published.reason, held.published.message) != (old.reason, old.message):
            return Finding(
                f"while the change is held back you publish {held.published.status} with the reason "
                f"{held.published.reason}.",
                "a condition is one statement: True because ClusterNotReachable is none. What is held back is held "
                "back whole, reason and message too.",
                "the condition that you return inside the threshold: do you make a new one?",
            )
    return None


def flapping(adjust: ThresholdFilter) -> Finding | None:
    """An observation that changes starts the clock again."""
    for down_s, up_s in ((20, 20), (25, 5), (5, 5)):
        steps = [Probe(-5, UP), *_flaps(down_s, up_s, times=8)]
        for answer in drive(adjust, steps):
            if answer.published.status != "True":
                return Finding(
                    f"a link that is down for {down_s} s and up for {up_s} s, again and again, turns Ready False after "
                    f"{answer.probe.at:g} s, though no outage lasts 30 s.",
                    "failures before a good probe don't count towards the next outage: whenever the observation "
                    "changes, either way, its clock starts again.",
                    "what your filter remembers after a good probe that comes in time.",
                )
    return None


def _flaps(down_s: int, up_s: int, times: int) -> Iterable[Probe]:
    for flap in range(times):
        begin = flap * (down_s + up_s)
        yield from (Probe(begin + at, DOWN if at < down_s else UP) for at in range(0, down_s + up_s, 5))


def kinds_of_not_ready(adjust: ThresholdFilter) -> Finding | None:
    """Between the ways of not being ready there is no threshold."""
    stories: tuple[tuple[list[Step], Condition, str], ...] = (
        ([Probe(0, DOWN), Probe(10, UNWELL)], UNWELL, "False (not reachable) to False (not ready)"),
        ([Probe(0, DOWN), Write(5, UNKNOWN), Probe(10, DOWN)], DOWN, "Unknown to False"),
        ([Probe(0, UP), Probe(10, DOWN), Write(15, UNKNOWN), Probe(20, DOWN)], DOWN, "Unknown to False"),
    )
    for steps, right, change in stories:
        if drive(adjust, steps)[-1].published.reason != right.reason:
            return Finding(
                f"your filter holds back the change from {change}; Karmada publishes it at once.",
                "the threshold guards one border, between True and everything else. A cluster that is not ready anyway "
                "gets the newest reason without delay.",
                "how your filter decides whether there is a change to hold back: which values does it tell apart?",
            )
    return None


def foreign_writer(adjust: ThresholdFilter) -> Finding | None:
    """Somebody else's Unknown goes away as soon as success has lasted for the threshold, whoever saw it."""
    good = [Probe(at, UP) for at in range(0, 61, 10)]
    later = [Probe(at, UP) for at in range(70, 141, 10)]
    first, *rest = drive(adjust, [*good, Write(65, UNKNOWN), *later])[len(good) :]
    if first.published.status == "True":
        return None
    what = "after a minute of good probes somebody else writes Unknown; the next good probe does not bring True back"
    if rest[-1].published.status != "True":
        return _last_observation(f"{what}, and no later one does.")
    return Finding(
        f"{what} at once.",
        "the health monitor may write Ready too, and it knows nothing of your clock: success has been *observed* for a "
        "minute, longer than the threshold.",
        "what starts your clock: a change of the observation, or a change of what is published?",
    )


def no_beginning(adjust: ThresholdFilter) -> Finding | None:
    """The first observation has no start: it counts as having lasted for ever."""
    *_, last = drive(adjust, [Probe(0, UP), Write(5, UNKNOWN), Probe(10, UP)])
    if last.published.status == "True":
        return None
    return Finding(
        "the first probe is good, somebody else writes Unknown, and ten seconds later the next good probe does not "
        "bring True back; in Karmada it does.",
        "nobody knows how long the first observation had lasted already, so its clock has no start in time: it counts "
        "as having lasted for ever.",
        "the start that your filter remembers at the first probe.",
    )


def nothing_published(adjust: ThresholdFilter) -> Finding | None:
    """With no Ready condition in the API there is nothing to keep; and what is remembered stays as it was."""
    *_, last = drive(adjust, [Probe(0, UP), Write(5, None), Probe(10, DOWN)])
    if last.published.status != "False":
        return Finding(
            "no Ready condition is in the API, a probe fails, and your filter does not publish False.",
            "holding a change back means keeping the old condition; where there is none, the observation is published "
            "as it is.",
            "the case in which `published` is None.",
        )
    *_, last = drive(
        adjust, [Probe(0, UP), Probe(10, DOWN), Write(15, None), Probe(20, UP), Probe(30, DOWN), Probe(40, DOWN)]
    )
    if last.published.status != "False":
        return Finding(
            "probes fail from 10 s on; somebody removes the condition, and only the probe that finds none, at 20 s, is "
            "good. At 40 s Karmada publishes False, and your filter does not.",
            "where there is no condition, the observation is published as it is, and what is remembered is not touched:"
            " the clock goes on from 10 s.",
            "what your filter remembers in the case in which `published` is None.",
        )
    return None


MISCONCEPTIONS: tuple[Callable[[ThresholdFilter], Finding | None], ...] = (
    first_probe,
    leaving,
    returning,
    held_whole,
    flapping,
    kinds_of_not_ready,
    foreign_writer,
    no_beginning,
    nothing_published,
)


def diagnose(adjust: ThresholdFilter) -> Finding | None:
    """The first thing wrong with a filter, None when all is well.

    Raises:
        Mistake: the filter raises, or returns something else than a memory and a condition.
        NotImplementedError: it is not written yet.
    """
    for looks_wrong in MISCONCEPTIONS:
        finding = looks_wrong(adjust)
        if finding is not None:
            return finding
    return None

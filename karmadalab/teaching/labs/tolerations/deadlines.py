"""Check 30.2: when a workload must leave a cluster, by its taints and the workload's tolerations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

import msgspec

from karmadalab.api.codec import convert
from karmadalab.api.meta import NO_EXECUTE, NO_SCHEDULE, Taint, Toleration
from karmadalab.api.time import Time
from karmadalab.controllers.taint_manager import DeadlineRule, eviction_deadline
from karmadalab.teaching.asking import EPOCH, ask, is_number
from karmadalab.teaching.labs.tolerations.matching import words
from karmadalab.teaching.recording import Recording, recording_in
from karmadalab.teaching.verdict import Finding

NOW = EPOCH


def taint(key: str, ago_s: float | None = 100, effect: str = NO_EXECUTE) -> Taint:
    """A taint added some seconds before `NOW`; None: nobody knows when."""
    return Taint(key=key, effect=effect, timeAdded=None if ago_s is None else Time(NOW - ago_s))


def bears(key: str, seconds: int | None = None, effect: str = NO_EXECUTE) -> Toleration:
    """A toleration of any value of a key; None: for ever."""
    return Toleration(key, "Exists", effect=effect, tolerationSeconds=seconds)


class Case(NamedTuple):
    """Taints, tolerations, and the idea that they test."""

    taints: Sequence[Taint]
    tolerations: Sequence[Toleration]
    why: str
    look: str
    now: float = NOW


_WHICH, _FROM = "which toleration you use for a taint.", "the moment from which you count."
CASES: tuple[Case, ...] = (
    Case((), (), "without a taint there is no reason to leave.", "what you return when there is nothing to count."),
    Case(
        (taint("a", effect=NO_SCHEDULE),),
        (),
        "NoSchedule speaks to the scheduler about what is to come. What runs is moved by NoExecute alone.",
        "which taints you look at.",
    ),
    Case((taint("a"),), (), "a NoExecute taint that nothing tolerates means: now.", "a taint without a match."),
    Case((taint("a"),), (bears("b"),), "a toleration for another key is none.", "a taint without a match."),
    Case(
        (taint("a"),),
        (bears("a", 300, NO_SCHEDULE),),
        "the seconds stand in a toleration for NoSchedule. It does not match a NoExecute taint, so they mean nothing.",
        "the effect: does your rule ask `my_tolerates`?",
    ),
    Case((taint("a"),), (bears("a"),), "a toleration without seconds tolerates for ever.", "`tolerationSeconds`."),
    Case((taint("a"),), (bears("a", 300),), "patience counts from `timeAdded`, 100 s ago, not from now.", _FROM),
    Case((taint("a"),), (bears("a", 60),), "60 s of patience are over when the taint is 100 s old.", _FROM),
    Case((taint("a"),), (bears("a", 0),), "0 seconds are a number like any other: no patience at all.", "`0` or None?"),
    Case(
        (taint("a"), taint("b", effect=NO_SCHEDULE)),
        (bears("a", 300),),
        "beside a NoExecute taint, NoSchedule still moves nobody.",
        "which taints you look at.",
    ),
    Case(
        (taint("a"),),
        (bears("a", 300), bears("a", 200)),
        "the *first* toleration of the list that matches is used; a later one is not, be it shorter or longer.",
        _WHICH,
    ),
    Case((taint("a"),), (bears("a"), bears("a", 200)), "the first that matches has no end: it stays.", _WHICH),
    Case((taint("a"),), (bears("a", 200), bears("a")), "the first that matches has 200 s; then it leaves.", _WHICH),
    Case(
        (taint("a"), taint("b", 50)),
        (bears("a", 300), bears("b", 200)),
        "of several deadlines the earliest counts.",
        "how you put the deadlines together.",
    ),
    Case(
        (taint("a"), taint("b", 50)),
        (bears("a"), bears("b", 200)),
        "for ever is no deadline; the other taint still has one.",
        "how you put the deadlines together.",
    ),
    Case(
        (taint("a"), taint("b")),
        (bears("a"),),
        "one taint that nothing tolerates is enough to leave.",
        "a taint without a match, when another one has one.",
    ),
    Case(
        (taint("a", 200), taint("b", 50)),
        (bears("a"), bears("", 300)),
        "once a toleration is used, its seconds count from every NoExecute taint that it matches, also from one for "
        "which an earlier toleration was used.",
        "rule 4: two loops, one after the other.",
    ),
    Case(
        (taint("a", None),),
        (bears("a", 10),),
        "nobody knows when the taint was added, so nothing is to be counted: it stays.",
        "`timeAdded` is None.",
    ),
)


class Recorded(msgspec.Struct, frozen=True):
    """A recorded decision: keep, evict-now, or evict-later, and then in how many seconds."""

    id: str
    now: str
    taints: list[dict[str, object]]
    tolerations: list[dict[str, object]]
    decision: str
    seconds: int


@cache
def recording() -> Recording[Recorded]:
    """What is in the package."""
    return recording_in(__package__, Recording[Recorded])


def judge(rule: DeadlineRule) -> Finding | None:
    """Hold a rule against the cases above, then against recorded decisions, then against random ones."""
    for case in (*CASES, *_random(200)):
        right = _left(eviction_deadline(case.taints, case.tolerations), case.now)
        if finding := _compare(rule, case, right, "Karmada"):
            return finding
    return next((finding for known in recording().cases if (finding := _recorded(rule, known))), None)


def call(rule: DeadlineRule, taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> float:
    """Ask a rule. Raises as `ask` does."""
    hint: dict[type[Exception], str] = {}
    if not taints:
        why = "here there is no taint at all, so no deadline either: `min` of nothing raises, unless it has a default."
        hint = {ValueError: why}
    elif any(t.tolerationSeconds is None for t in tolerations):
        hint = {
            TypeError: "`tolerationSeconds` is None for a toleration without end, and `timeAdded` may be None, too."
        }
    return float(ask(rule, tuple(taints), tuple(tolerations), fits=is_number, wanted="a moment in seconds", hint=hint))


def _recorded(rule: DeadlineRule, known: Recorded) -> Finding | None:
    right = {"keep": math.inf, "evict-now": 0.0}.get(known.decision, float(known.seconds))
    case = Case(
        [convert(item, Taint) for item in known.taints],
        [convert(item, Toleration) for item in known.tolerations],
        f"this is the recorded case {known.id}; one of the rules is broken.",
        "the rules, in order.",
        float(Time.parse(known.now)),
    )
    return _compare(rule, case, right, "a real Karmada")


def _compare(rule: DeadlineRule, case: Case, right: float, whose: str) -> Finding | None:
    mine = _left(call(rule, case.taints, case.tolerations), case.now)
    if mine == right:
        return None
    taints = ", ".join(_told(item, case.now) for item in case.taints) or "none"
    tolerations = ", ".join(map(words, case.tolerations)) or "none"
    what = f"taints: {taints}; tolerations: {tolerations}. By your rule it {_fate(mine)}; by {whose} it {_fate(right)}."
    return Finding(what, case.why, case.look)


def _left(deadline: float, now: float) -> float:
    """What is left until then: all moments that have passed are as good as now."""
    return max(deadline - now, 0.0)


def _told(item: Taint, now: float) -> str:
    age = "of unknown age" if item.timeAdded is None else f"{now - float(item.timeAdded):g} s old"
    return f"{item.key}:{item.effect} ({age})"


def _fate(left_s: float) -> str:
    return "stays" if left_s == math.inf else f"leaves in {left_s:g} s" if left_s else "leaves now"


def _random(count: int) -> Iterator[Case]:
    """The same cases each time: a few keys, so that much matches."""
    rng = Random(30)
    for _ in range(count):
        effects = [rng.choice((NO_EXECUTE, NO_EXECUTE, NO_SCHEDULE)) for _ in range(rng.randint(1, 3))]
        taints = [taint(rng.choice("abc"), rng.choice((None, 10, 70, 200)), effect) for effect in effects]
        tolerations = [
            bears(rng.choice(("a", "b", "c", "")), rng.choice((None, 30, 100, 300)), rng.choice((NO_EXECUTE, "")))
            for _ in range(rng.randint(0, 3))
        ]
        yield Case(taints, tolerations, "one of the rules is broken.", "the rules, in order.")

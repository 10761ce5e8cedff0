"""Check 13.1: adding and removing taints without touching what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, NamedTuple

from karmadalab.api.meta import Taint
from karmadalab.api.taints import with_taints
from karmadalab.api.time import Time
from karmadalab.teaching.asking import EPOCH, ask
from karmadalab.teaching.verdict import Finding

NOW = EPOCH
BEFORE = Time(NOW - 100)

Merge = Callable[[tuple[Taint, ...], Iterable[Taint], Iterable[Taint], float], tuple[Taint, ...]]


def taint(key: str, effect: str = "NoSchedule", value: str = "", added: Time | None = BEFORE) -> Taint:
    """A taint for the tables here."""
    return Taint(key=key, value=value, effect=effect, timeAdded=added)


class Case(NamedTuple):
    """What a merge is given, and the idea that it tests."""

    had: tuple[Taint, ...]
    add: tuple[Taint, ...]
    remove: tuple[Taint, ...]
    why: str
    look: str


_NEW, _STAMP = taint("a", added=None), "the line that makes a new taint."
CASES: tuple[Case, ...] = (
    Case((), (_NEW,), (), "a new taint is stamped with `now`: tolerations count from `timeAdded`.", _STAMP),
    Case(
        (taint("z"),),
        (_NEW,),
        (),
        "new taints go to the end; nobody else's are lost.",
        "what you return besides the new ones.",
    ),
    Case(
        (taint("a"),),
        (_NEW,),
        (),
        "a taint that is there already keeps its time. To stamp it anew at every look would put off each eviction for "
        "ever.",
        "what happens to a taint that is already present.",
    ),
    Case(
        (taint("a", value="mine"),),
        (_NEW,),
        (),
        "key and effect name a taint; its value belongs to whoever set it.",
        "by what you recognise a taint that is already present.",
    ),
    Case(
        (taint("a", "NoExecute"),),
        (_NEW,),
        (),
        "NoSchedule and NoExecute of one key are two taints.",
        "by what you recognise a taint that is already present.",
    ),
    Case(
        (taint("a", value="mine"), taint("b")),
        (),
        (_NEW,),
        "key and effect name a taint; its value and time do not count when it is removed either.",
        "by what you recognise the taint to remove.",
    ),
    Case(
        (taint("a", "NoExecute"), taint("a")),
        (),
        (_NEW,),
        "only the effect that is named goes.",
        "by what you recognise the taint to remove.",
    ),
    Case(
        (),
        (_NEW,),
        (taint("a"),),
        "both lists are decided on the taints as they are given: what is absent and in both lists is added.",
        "the order of your two steps: does one see what the other did?",
    ),
    Case(
        (taint("a"),),
        (_NEW,),
        (taint("a"),),
        "both lists are decided on the taints as they are given: what is present and in both lists is removed.",
        "the order of your two steps: does one see what the other did?",
    ),
)


def judge(merge: Merge) -> Finding | None:
    """Hold a merge against the cases above, then against all small combinations."""
    for case in CASES:
        finding = _compare(merge, case)
        if finding is not None:
            return finding
    return _combinations(merge)


def _combinations(merge: Merge) -> Finding | None:
    pool = (taint("a"), taint("a", "NoExecute"), taint("b"))
    subsets = [tuple(t for t, chosen in zip(pool, bits, strict=True) if chosen) for bits in product((0, 1), repeat=3)]
    for had, add, remove in product(subsets, repeat=3):
        finding = _compare(merge, Case(had, add, remove, "one of the rules above is broken.", "the rules, in order."))
        if finding is not None:
            return finding
    kept = (taint("a"),)
    if call(merge, kept, (), (), NOW) is not kept:
        return Finding(
            "nothing is to be added or removed, and your function returns another tuple than it was given.",
            "the controller writes when the tuple is another one. Its write wakes it, and it writes again, for ever.",
            "the case in which nothing changes: return `taints` itself.",
        )
    return None


def _compare(merge: Merge, case: Case) -> Finding | None:
    right = with_taints(case.had, case.add, case.remove, NOW)
    mine = call(merge, case.had, case.add, case.remove, NOW)
    if mine == right:
        return None
    return Finding(
        f"there is {_words(case.had)}; to add: {_words(case.add)}; to remove: {_words(case.remove)}. You return "
        f"{_words(mine)}, Karmada {_words(right)}.",
        case.why,
        case.look,
    )


def call(function: Any, *arguments: Any) -> tuple[Taint, ...]:
    """Ask a function that makes taints of taints. Raises as `ask` does."""
    hint = "a taint is frozen: to change one, make another with `replace(taint, timeAdded=Time(now))`."
    wanted = "a tuple of `Taint`, in their order"
    said: tuple[Taint, ...] = ask(function, *arguments, fits=_are_taints, wanted=wanted, hint=hint)
    return said


def _are_taints(said: Any) -> bool:
    return isinstance(said, tuple) and all(isinstance(item, Taint) for item in said)


def _words(taints: Iterable[Taint]) -> str:
    told = []
    for item in taints:
        value = f"={item.value}" if item.value else ""
        stamp = "no time" if item.timeAdded is None else "now" if item.timeAdded == Time(NOW) else "100 s ago"
        told.append(f"{item.key}{value}:{item.effect} ({stamp})")
    return ", ".join(told) or "none"

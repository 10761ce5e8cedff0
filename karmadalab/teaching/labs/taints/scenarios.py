"""Checks 13.2 and 13.3: from a condition to its taints, on paper and in a running control plane."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from karmadalab.api.cluster import NOT_READY_NO_SCHEDULE, READY, UNREACHABLE_NO_SCHEDULE
from karmadalab.api.meta import Condition, Taint, replace
from karmadalab.api.taints import TaintRule, taints_by_condition
from karmadalab.api.time import Time
from karmadalab.controllers.cluster import NAME, ClusterController
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.labs.taints.merging import BEFORE, NOW, call, taint
from karmadalab.teaching.verdict import Finding

NOT_READY, UNREACHABLE = (replace(t, timeAdded=BEFORE) for t in (NOT_READY_NO_SCHEDULE, UNREACHABLE_NO_SCHEDULE))
_OWN = taint("maintenance", "NoExecute")
_STATES: tuple[tuple[str | None, str], ...] = (
    ("False", "`False`: somebody asked, and it is not well. The key is `not-ready`, and `unreachable` goes."),
    ("Unknown", "`Unknown`: nobody heard of it. The key is `unreachable`, and `not-ready` goes."),
    ("True", "`True`: both keys go, and only these two."),
    (None, "no Ready condition at all: it has never reported. `not-ready` comes, and `unreachable` is left alone."),
)


def on_paper(rule: TaintRule) -> Finding | None:
    """Each state of Ready with each set of taints that may be there before."""
    before = (
        (),
        (NOT_READY,),
        (UNREACHABLE,),
        (_OWN,),
        (_OWN, NOT_READY),
        (UNREACHABLE, _OWN),
        (NOT_READY, UNREACHABLE),
    )
    for status, why in _STATES:
        ready = None if status is None else Condition(READY, status, "AnyReason", "any message")
        for had in before:
            mine, right = call(rule, ready, had, NOW), taints_by_condition(ready, had, NOW)
            if mine != right:
                what = (
                    f"Ready is {status or 'absent'} and the taints are {_words(had)}. You return {_words(mine)}, "
                    f"Karmada {_words(right)}."
                )
                return Finding(what, why, f"the case of {status or 'None'} in your rule.")
            if right is had and mine is not had:
                why = "the controller writes whenever the tuple is another one, and its own write wakes it again."
                what = f"Ready is {status or 'absent'}, nothing is to be changed, and you return a new tuple."
                return Finding(what, why, "does your `my_with_taints` return `taints` itself then?")
    return None


def _words(taints: tuple[Taint, ...]) -> str:
    stamps = {BEFORE: "old", Time(NOW): "new", None: "no time"}
    told = [f"{t.key.rpartition('/')[2]}:{t.effect} ({stamps.get(t.timeAdded, 'another time')})" for t in taints]
    return ", ".join(told) or "none"


# --- in a running control plane

FAULTS: dict[str, tuple[str, Callable[[MemberFaults], object]]] = {
    "a push member loses its power for 2 minutes": ("member1", lambda fault: fault.power_off(for_="2m")),
    "a push member loses its power for 7 minutes": ("member1", lambda fault: fault.power_off(for_="7m")),
    "a pull member is cut off for 2 minutes": ("member2", lambda fault: fault.cut_off(for_="2m")),
    "a link flaps": ("member1", lambda fault: fault.flapping("50s", "80s", 3)),
}


def plugged(rule: TaintRule | None = None, fault: str = next(iter(FAULTS)), run: str = "10m") -> Lab:
    """A lab with a push member and a pull member (member2), whose trouble begins at 60 s.

    Args:
        rule: the rule in the cluster controller; None for Karmada's own.
        fault: one of `FAULTS`.
        run: cluster time from then on.
    """
    lab = Lab.fake(members=2, pull=1, seed=1)
    if rule is not None:
        controller: ClusterController = lab.world.control_plane.controller_manager.controller(NAME)
        controller.by_condition = partial(call, rule)
    lab.taint("member1", "maintenance=true:NoSchedule")  # somebody else's, to be left alone
    lab.run("1m")
    member, begin = FAULTS[fault]
    begin(MemberFaults(lab.world, member))
    return lab.run(run)


def marks(lab: Lab) -> list[tuple[float, str, str]]:
    """What happened to the taints: when, on which cluster, what; the key's group is left out."""
    events = lab.timeline.where(kind="Cluster", what="taint ")
    return [(e.t, e.name, e.what.removeprefix("taint ").replace("cluster.karmada.io/", "")) for e in events]


def judge(rule: TaintRule) -> Finding | None:
    """Plug a rule in and hold what becomes of the taints against Karmada's own rule."""
    for fault in FAULTS:
        mine, theirs = (marks(plugged(which, fault)) for which in (rule, None))
        if mine != theirs:
            extra = next((mark for mark in mine if mark not in theirs), None)
            lacking = next((mark for mark in theirs if mark not in mine), None)
            return Finding(
                f"{fault}: only with your rule {_mark(extra)}; only with Karmada's {_mark(lacking)}.",
                "the reconciler calls your rule at every change of a cluster, the monitor adds NoExecute beside it.",
                f"the run: `marks(plugged(my_rule, {fault!r}))`.",
            )
    return None


def _mark(mark: tuple[float, str, str] | None) -> str:
    return "nothing" if mark is None else f"{mark[1]} at {mark[0]:g} s: {mark[2]}"

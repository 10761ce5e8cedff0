"""Checks 31.1, 31.2 and 31.3: what people get wrong about the replicas of a dead cluster, told by their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from karmadalab.api.errors import shortly
from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.rescheduling.fleets import (
    DYNAMIC,
    EVERYWHERE,
    STATIC,
    TWO,
    Case,
    Moved,
    deal,
    fleets,
    moved,
)
from karmadalab.teaching.verdict import Finding, Mistake

Placed = Mapping[str, int]
Reasons = list[tuple[dict[str, int], str, str]]

MOST_REPLICAS, MOST_WEIGHT = 12, 5


def by_rule(answer: Callable[..., Placed], own: Case | None = None) -> Finding | None:
    """31.1: everywhere, two and static."""
    for case in fleets(own):
        for rule in (EVERYWHERE, TWO, STATIC):
            run = moved(rule, case)
            asked = (rule, case.replicas, dict(run.before), case.dead, dict(case.weights), dict(run.room))
            if finding := _compare(answer, asked, run.before, run.after, case.dead, _rule_reasons(rule, case, run)):
                return finding
    return None


def by_room(answer: Callable[..., Placed], own: Case | None = None) -> Finding | None:
    """31.2: dynamic weights."""
    for case in fleets(own, 20):
        run = moved(DYNAMIC, case)
        asked = (dict(run.before), case.dead, dict(run.room))
        if finding := _compare(answer, asked, run.before, run.after, case.dead, _room_reasons(case, run)):
            return finding
    return _of_equal_room(answer)


def _of_equal_room(answer: Callable[..., Placed]) -> Finding | None:
    """On paper: in a small fleet hardly ever two clusters have room for as many."""
    before, dead, room = {"a": 1, "c": 2}, "a", {"b": 3, "c": 3, "d": 3}
    why = "between clusters with equal room, who has more replicas already comes first."
    reasons = [({"b": 1, "c": 2}, why, "the third argument of `deal`.")]
    return _compare(answer, (dict(before), dead, room), before, {"c": 3}, dead, reasons)


def _compare(
    answer: Any, asked: tuple[Any, ...], before: Placed, after: Placed, dead: str, reasons: Reasons
) -> Finding | None:
    said = called(answer, *asked)
    if not isinstance(said, Mapping) or not all(type(count) is int for count in said.values()):
        why = "a placement is a dict: a cluster's name and its replicas, a whole number."
        look = "each way through it: does every one return such a dict?"
        return Finding(f"your function returns {shortly(said)}.", why, look)
    if said == after:
        return None
    rule = f"{asked[0]}, " if isinstance(asked[0], str) else ""
    what = f"{rule}{before}, {dead} is given up: you say {dict(said)}, Karmada says {after}."
    if dead in said:
        return Finding(what, "who is given up has no replicas in the binding any more.", f"where {dead} comes from.")
    if not all(said.values()):
        return Finding(what, "a cluster without replicas is not in the placement at all.", "the clusters with 0.")
    for wrong, why, look in reasons:
        if said == wrong:
            return Finding(what, why, look)
    return Finding(what, *_in_general(said, after))


def _in_general(said: Placed, after: Placed) -> tuple[str, str]:
    if sum(said.values()) != sum(after.values()):
        return (
            f"you place {sum(said.values())} replicas in all, and there are {sum(after.values())}.",
            "what is missing after the eviction, and whether this rule cares.",
        )
    return "the sum is right, and the shares are not.", "by which weights you deal, and what each has already."


def _survivors(run: Moved, dead: str) -> dict[str, int]:
    return {name: count for name, count in run.before.items() if name != dead}


def _rule_reasons(rule: str, case: Case, run: Moved) -> Reasons:
    left = _survivors(run, case.dead)
    lost = run.before.get(case.dead, 0)
    weights = {name: weight for name, weight in case.weights.items() if name != case.dead}
    if rule == STATIC:
        return [
            (
                _sum(left, deal(lost, weights, left)),
                "you deal out what is lost, on top of what the others have. Static weights divide *all* replicas anew.",
                "how many replicas you deal.",
            ),
            (left, "the sum is short, and for a divided workload that is a reason to schedule.", "the missing ones."),
        ]
    split = _sum(left, deal(lost, weights, left))
    return [
        (split, "you divide the lost copy among the others. A duplicated workload knows whole copies only.", "`deal`."),
        (
            left | {name: case.replicas for name in sorted(run.room) if name not in left and name != case.dead},
            "as many clusters as the constraint wants, and no more.",
            "how many clusters come in.",
        ),
        (
            left | {min((n for n in run.room if n not in run.before), default=case.dead): case.replicas},
            "of clusters with equal scores, the one with the most room comes in; the name decides only after that.",
            "`room`.",
        ),
        (
            left,
            "two clusters are wanted, and one is left. Duplicated workloads are decided anew at each look.",
            "what the constraint asks for.",
        ),
    ]


def _room_reasons(case: Case, run: Moved) -> Reasons:
    left = _survivors(run, case.dead)
    lost = run.before.get(case.dead, 0)
    return [
        (
            _sum(left, deal(lost, left)),
            "you deal by what the clusters have. The weight is the room that they have left.",
            "the second argument of `deal`.",
        ),
        (
            _sum(left, deal(lost, dict.fromkeys(run.room, 1), left)),
            "you deal equal shares. The weight is the room that each has left.",
            "the second argument of `deal`.",
        ),
        (
            deal(sum(run.before.values()), run.room, left),
            "you divide all replicas anew. Under dynamic weights, what runs on a healthy cluster stays there.",
            "how many replicas you deal.",
        ),
        (left, "the sum is short, and for a divided workload that is a reason to schedule.", "the missing ones."),
        (
            _sum(left, deal(lost, {name: room + left.get(name, 0) for name, room in run.room.items()}, left)),
            "the room counts on top of what a cluster has; its own replicas are not in it again.",
            "the second argument of `deal`.",
        ),
    ]


def _sum(first: Placed, second: Placed) -> dict[str, int]:
    return {
        name: first.get(name, 0) + second.get(name, 0)
        for name in {**first, **second}
        if first.get(name, 0) + second.get(name, 0)
    }


def unlucky(answer: Callable[[], Any]) -> Finding | None:
    """31.3: a fleet of three in which a failover stops a pod on a healthy cluster."""
    case = _read(called(answer))
    run = moved(STATIC, case)
    if case.dead not in run.before:
        what = f"{case.dead} has no replica: {run.before}."
        return Finding(what, "who has nothing has nothing to give up; no failover takes place.", "the weights.")
    if run.stopped:
        return None
    return Finding(
        f"{run.before} becomes {run.after}: nobody on a healthy cluster has less than before.",
        "a healthy cluster loses a replica when it had one of the rest before, and does not get one now. Its exact "
        "share grows, so it must not reach the next whole number.",
        "the exact shares of the two survivors, before and after: weight * replicas / sum of weights.",
    )


def _read(answer: Any) -> Case:
    """The learner's fleet. Raises `Mistake` when it is none, or too large."""
    where = "what `unlucky` returns: (replicas, weights, dead)."
    try:
        replicas, weights, dead = answer
        named = {f"member{number}": int(weights[f"member{number}"]) for number in (1, 2, 3)}
    except (TypeError, ValueError, KeyError, OverflowError):
        why = "the check needs a number, the weights of member1, member2 and member3 as a dict, and a name."
        raise Mistake(Finding(f"the answer is {answer!r}.", why, where)) from None
    whole = all(isinstance(number, int) for number in (replicas, *weights.values()))
    small = whole and 1 <= replicas <= MOST_REPLICAS and all(1 <= weight <= MOST_WEIGHT for weight in named.values())
    if not small or len(weights) != len(named) or not isinstance(dead, str) or dead not in named:
        what = f"{replicas!r} replicas over {weights!r}, without {dead!r}."
        why = f"1 to {MOST_REPLICAS} replicas, weights of 1 to {MOST_WEIGHT} for three members, one of which dies."
        raise Mistake(Finding(what, why, where))
    return Case(replicas, named, (4, 4, 4), dead)

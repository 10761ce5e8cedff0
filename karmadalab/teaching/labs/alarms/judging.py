"""Checks 41.1 and 41.2: an attack is run, and flags are attacked by somebody who has read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

from karmadalab.api.errors import shortly
from karmadalab.lab import Lab
from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.alarms.attack import (
    BEGIN_S,
    MOST,
    PROBE_S,
    Target,
    attacked,
    moved_s,
    price,
    ready_changes,
    replaced_s,
)
from karmadalab.teaching.verdict import Finding

Attack = Callable[[Target], Sequence[int]]
Defence = Callable[[Target], Target]

_OTHERS = (Target(), Target(10, 25, 40, 0, 90), Target(20, 30, 30, 60, 60))
_LATEST_S = 3600  # a later blip, or a longer wait, decides nothing, and the run would have to go on for it
_MAY_LOSE_S = 10.0  # a beat of the probes


def attack(answer: Attack, target: Target | None = None) -> Finding | None:
    """41.1: as few blips as it takes, for several targets."""
    for chosen in dict.fromkeys((Target(), target or Target(), *_OTHERS)):
        blips = called(answer, chosen)
        finding = _shape(blips) or _judged(sorted(blips), chosen)
        if finding is not None:
            return finding
    return None


def _shape(blips: Any) -> Finding | None:
    what = f"your attack is {shortly(blips)}."
    if not isinstance(blips, list | tuple | set | range) or any(type(blip) is not int or blip < 0 for blip in blips):
        why = "an attack is a list of whole seconds after its beginning: [3, 13, 23]."
        return Finding(what, why, "what your function returns.")
    if any(blip > _LATEST_S for blip in blips):
        why = f"blips are seconds after the beginning of the attack, {_LATEST_S} at most: by then all is decided."
        return Finding(what, why, "what you count from: not from the beginning of the lab, and not in milliseconds.")
    if len(set(blips)) < len(blips) or len(blips) > MOST:
        return Finding(what, f"each second once, and {MOST} blips at most.", "what your function returns.")
    return None


def _judged(blips: list[int], target: Target) -> Finding | None:
    lab = attacked(target, blips)
    at = f"{target}: with {len(blips)} blips"
    if moved_s(lab) is None:
        return _too_weak(blips, target, lab, at)
    if len(blips) > price(target):
        return _too_dear(blips, target, lab, at)
    return None


def _too_weak(blips: list[int], target: Target, lab: Lab, at: str) -> Finding:
    met, seen = _met(blips, target, lab), ready_changes(lab)
    look = "the run: `show.timeline(attacked(target, my_blips(target)))`."
    if len(met) < len(blips):
        lost = next(blip for blip in blips if blip not in met)
        why = f"a blip that no probe meets is not seen: at {lost} s there is none. Probes come at {_beats(target)}."
        return Finding(f"{at} web stays where it is.", why, "from which moment on you count, and in which steps.")
    if not seen:
        why = (
            f"the first failing probe starts the clock, and each success ends it. Failure must have lasted for "
            f"{target.failure_s} s when a probe fails."
        )
        return Finding(f"{at} Ready stays True.", why, "how many probes in a row must fail.")
    back = next((t for t, status in seen if status == "True"), None)
    what = (
        f"{at} Ready is False from {seen[0][0]:g} s to {'the end' if back is None else f'{back:g} s'}, and web stays."
    )
    why = "False must last through the wait and the toleration. It ends when probes have succeeded long enough."
    return Finding(what, why, look)


def _too_dear(blips: list[int], target: Target, lab: Lab, at: str) -> Finding:
    met = _met(blips, target, lab)
    if len(met) < len(blips):
        why = "some of them meet no probe. The control plane sees a member only where it looks."
        return Finding(
            f"{at} web moves, and {price(target):g} would do.", why, "which of your blips meets which probe."
        )
    row = ceil(target.failure_s / target.frequency_s) + 1
    if blips[row : row + 1] == [blips[row - 1] + target.frequency_s]:
        why = (
            "once Ready is False, it needs no more failing probes in a row: one now and then keeps success from "
            f"lasting for {target.success_s} s."
        )
    else:
        why = "some of them could come later, or after the workload has moved."
    return Finding(f"{at} web moves, and {price(target):g} would do.", why, "the blips after Ready has turned False.")


def _met(blips: list[int], target: Target, lab: Lab) -> list[int]:
    """The blips that a probe meets: one in the beat, or the one that the taint NoExecute calls for."""
    events = lab.timeline.where("Cluster", what="taint added", since_s=BEGIN_S)
    called_for = {int(event.t - BEGIN_S) for event in events}
    first, step = int(PROBE_S), target.frequency_s
    return [blip for blip in blips if (blip >= first and (blip - first) % step == 0) or blip in called_for]


def _beats(target: Target) -> str:
    return ", ".join(f"{PROBE_S + n * target.frequency_s:g}" for n in range(3)) + ", ... s"


def defence(answer: Defence, target: Target | None = None) -> Finding | None:
    """41.2: flags under which an attack costs twice as much, and which are no slower."""
    for chosen in dict.fromkeys((target or Target(), Target())):
        own = called(answer, chosen)
        if finding := _flags(own, chosen) or _defended(own, chosen):
            return finding
    return None


def _flags(own: Any, target: Target) -> Finding | None:
    if not isinstance(own, Target):
        why = "flags are a Target: `target._replace(wait_s=40)` changes one and keeps the others."
        return Finding(f"my_defence returns {shortly(own)}.", why, "what your function returns.")
    if any(type(value) is not int or value < 0 for value in own):
        return Finding(f"{own}: that is no set of flags.", "each is a whole number of seconds.", "its values.")
    if max(own) > _LATEST_S:
        why = f"nobody waits for more than {_LATEST_S} s: a real outage would last as long."
        return Finding(f"{own}: that is no set of flags.", why, "its values, in seconds.")
    if own.frequency_s != target.frequency_s:
        why = "each probe costs the members something, whether they are under attack or not. Leave its beat alone."
        return Finding(f"you probe every {own.frequency_s} s, not every {target.frequency_s} s.", why, "`frequency_s`.")
    return None


def _defended(own: Target, target: Target) -> Finding | None:
    before_s, after_s = replaced_s(target), replaced_s(own)
    if after_s > before_s + _MAY_LOSE_S:
        return Finding(
            f"{own}: a real outage lasts {after_s:.0f} s, and {before_s:.0f} s before your change.",
            "a false alarm that you avoid by being slow is paid by the outage that lasts.",
            "the sum of what comes one after the other: threshold, wait and toleration.",
        )
    enough = 2 * price(target)
    if price(own) >= enough:
        return None
    what = f"{own}: whoever reads your flags moves web with {price(own):g} blips; ask for {enough:g} at least."
    if own.failure_s > target.failure_s:
        why = "more of the waiting comes before the verdict now. What is left after it is still cheap to attack."
    elif own.success_s >= target.success_s:
        why = "after the verdict, one blip now and then is enough, because success has to last so long."
    else:
        why = f"success still has to last for {own.success_s} s, and a blip in between begins that anew."
    return Finding(what, why, "which part of the attack your change makes longer: `my_blips(my_defence(target))`.")

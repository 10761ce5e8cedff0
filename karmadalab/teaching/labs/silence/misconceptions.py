"""Check 12.1: what people get wrong about leases, and how to tell by what a rule says.

Each function looks for one family of mistakes, from the plainest to the finest; a later one may rely on the earlier
ones having found nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from karmadalab.api.cluster import Cluster, ClusterStatus
from karmadalab.api.health import ClusterHealth, SilenceRule, condition_of_silence, observe_health, observe_lease
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.time import Time
from karmadalab.teaching.asking import EPOCH
from karmadalab.teaching.labs.silence.driving import DOWN, GRACE_S, UP, Look, drive, first_silent
from karmadalab.teaching.verdict import Finding


def passes(until: int, lease: Callable[[int], float | None]) -> list[Look]:
    """A look every 5 s, Ready all the time, with the lease that stands there at each."""
    return [Look(at, UP, lease(at)) for at in range(0, until + 1, 5)]


def first_look(rule: SilenceRule) -> Finding | None:
    """The first look starts the clock, whatever the lease says."""
    if drive(rule, [Look(0, UP, -3600.0)])[0]:
        return Finding(
            "at the very first look the lease is an hour old, and your rule calls the cluster silent.",
            "a monitor that has just started has heard nothing yet. It gives every cluster a whole grace period, or "
            "each restart of the control plane would condemn the fleet.",
            "the case in which nothing is saved.",
        )
    return None


def silence(rule: SilenceRule) -> Finding | None:
    """A lease that is never renewed is silence."""
    at = first_silent(rule, passes(300, lambda _: -3.0))
    if at is None:
        return Finding(
            "the lease is never renewed, for five minutes, and your rule never calls the cluster silent.",
            "that a lease is *there* says nothing; an old one stays there for ever. Only a renewal is a sign of life.",
            "what your rule compares the lease's renewTime with.",
        )
    if at == GRACE_S:
        return Finding(
            "the last sign of life is exactly 40 s ago, and your rule calls the cluster silent.",
            "the grace period must have passed *in full*: at its very end nothing happens yet.",
            "the comparison with the end of the grace period.",
        )
    if at != GRACE_S + 5:
        return Finding(
            f"the lease is never renewed after the first look, and your rule speaks after {at:g} s; Karmada at the "
            "first look after 40 s, which here is at 45 s.",
            "the grace period counts from the look that saw the last sign of life.",
            "the moment that you remember in `Heard`, and what you add to it.",
        )
    return None


def heartbeat(rule: SilenceRule) -> Finding | None:
    """A lease that is renewed is a sign of life, whatever the member's clock says."""
    for skew_s, clock in ((0, "right"), (-3600, "an hour slow"), (3600, "an hour fast")):
        at = first_silent(rule, passes(600, lambda now, skew=skew_s: skew + now // 10 * 10.0))  # type: ignore[misc]
        if at is not None:
            return Finding(
                f"the lease is renewed every 10 s, the member's clock is {clock}, and your rule calls it silent after "
                f"{at:g} s.",
                "renewTime is written by the member. Compared with your own `now` it says how wrong that clock is; "
                "compared with the renewTime that you saw last it says whether there was a renewal.",
                "every place where your rule uses `renewed_at`.",
            )
        ends = first_silent(rule, passes(600, lambda now, skew=skew_s: skew + min(now, 100) // 10 * 10.0))  # type: ignore[misc]
        if ends != 145:
            told = "never" if ends is None else f"at {ends:g} s"
            return Finding(
                f"the last renewal is seen at 100 s, the member's clock is {clock}, and your rule speaks {told}; "
                "Karmada at 145 s.",
                "the clock starts at the look that *saw* the renewal, by the monitor's own time.",
                "the moment that you remember: is it `now`, or a time that the member wrote?",
            )
    return None


def backwards(rule: SilenceRule) -> Finding | None:
    """A renewTime that steps back is no renewal."""
    at = first_silent(rule, passes(300, lambda now: 100.0 - now))
    if at != GRACE_S + 5:
        return Finding(
            "the lease's renewTime goes *back* by 5 s at each look, and your rule takes that for signs of life.",
            "a renewal is later than the one before. What steps back is a member whose clock is being set, or an old "
            "object that somebody restored.",
            "the comparison of the two renewTimes: different, or later?",
        )
    return None


def no_lease(rule: SilenceRule) -> Finding | None:
    """Without a lease there is no sign of life."""
    at = first_silent(rule, passes(300, lambda _: None))
    if at != GRACE_S + 5:
        told = "never calls it silent" if at is None else f"calls it silent after {at:g} s"
        return Finding(
            f"there is no lease at all, and your rule {told}; Karmada after 45 s.",
            "None is no renewal. The clock of the first look goes on.",
            "the case `renewed_at is None`.",
        )
    return None


def condition_changed(rule: SilenceRule) -> Finding | None:
    """A changed Ready condition is a sign of life: somebody posted it."""
    reworded = replace(UP, message="another message")
    for other, what in ((DOWN, "its status"), (reworded, "only its message")):
        looks = [Look(at, UP if at < 30 else other, None) for at in range(0, 200, 5)]
        at = first_silent(rule, looks)
        if at != 75:
            told = "never" if at is None else f"at {at:g} s"
            return Finding(
                f"there is no lease; at 30 s the Ready condition changes ({what}), and your rule speaks {told}; "
                "Karmada at 75 s.",
                "a condition that differs in any field has been posted by somebody: that is a sign of life, too.",
                "what you compare `ready` with, and which part of it.",
            )
    return None


def forgotten(rule: SilenceRule) -> Finding | None:
    """After a change of the condition the old lease counts once more."""
    looks = [Look(at, UP if at < 30 else DOWN, -3.0) for at in range(0, 200, 5)]
    at = first_silent(rule, looks)
    if at != 80:
        told = "never" if at is None else f"at {at:g} s"
        return Finding(
            f"the condition changes at 30 s and the lease is never renewed; your rule speaks {told}, Karmada at 80 s.",
            "rule 4: a change of the condition makes the monitor forget the lease, so at the next look the old one "
            "counts as new, once.",
            "what you remember of the lease at a look that finds the condition changed.",
        )
    return None


def chance(rule: SilenceRule) -> Finding | None:
    """Random looks, held against Karmada's own functions."""
    rng = Random(12)
    for number in range(60):
        looks = list(_random_looks(rng))
        for look, mine, theirs in zip(looks, drive(rule, looks), _own(looks), strict=True):
            if mine != theirs:
                return Finding(
                    f"in random sequence {number} your rule says {mine} at {look.at:g} s, Karmada says {theirs}.",
                    f"the looks before: {_told(looks, look.at)}.",
                    "which rule speaks about the last sign of life before that look?",
                )
    return None


def _random_looks(rng: Random) -> Iterable[Look]:
    ready, renewed_at = UP, rng.choice((None, -4.0))
    for at in range(0, 400, 5):
        if rng.random() < 0.1:
            renewed_at = rng.choice((None, at - 100.0, float(at), float(at)))
        if rng.random() < 0.04:
            ready = DOWN if ready == UP else UP
        yield Look(at, ready, renewed_at)


def _own(looks: list[Look]) -> Iterable[bool]:
    """What Karmada's own functions say, before anything is written."""
    health: ClusterHealth | None = None
    for look in looks:
        now, before = EPOCH + look.at, health
        cluster = Cluster(
            metadata=ObjectMeta(name="m", creationTimestamp=Time(EPOCH)),
            status=ClusterStatus(conditions=(look.ready,)),
        )
        renewed_at = None if look.renewed_at is None else EPOCH + look.renewed_at
        health = observe_lease(observe_health(before, cluster, now), before, renewed_at, now)
        yield condition_of_silence(health, look.ready, GRACE_S, GRACE_S, now) is not None


def _told(looks: list[Look], until_s: float) -> str:
    told: list[str] = []
    for look in looks:
        lease = "none" if look.renewed_at is None else f"{look.renewed_at:g}"
        line = f"Ready {look.ready.status}, lease {lease}"
        if look.at <= until_s and (not told or not told[-1].endswith(line)):
            told.append(f"{look.at:g} s {line}")
    return "; ".join(told[-6:])


MISCONCEPTIONS: tuple[Callable[[SilenceRule], Finding | None], ...] = (
    first_look,
    silence,
    heartbeat,
    backwards,
    no_lease,
    condition_changed,
    forgotten,
    chance,
)


def diagnose(rule: SilenceRule) -> Finding | None:
    """The first thing wrong with a rule, None when all is well. Raises as `drive` does."""
    for looks_wrong in MISCONCEPTIONS:
        finding = looks_wrong(rule)
        if finding is not None:
            return finding
    return None

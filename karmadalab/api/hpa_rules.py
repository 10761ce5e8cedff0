"""How fast an autoscaler may go: bounds, the longest jump, and not going down on the first quiet minute.

Mirrors what pkg/controllers/federatedhpa took over from Kubernetes (`normalizeDesiredReplicas*`). Moments are Unix
seconds; histories are handed in and handed back.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from karmadalab.api.autoscaling import HorizontalPodAutoscalerBehavior, ScalingRules


class Bounds(NamedTuple):
    """`minReplicas` and `maxReplicas`."""

    least: int
    most: int


class Seen(NamedTuple):
    """A recommendation, or a change of so many replicas, and when it was."""

    at: float
    replicas: int


class Limited(NamedTuple):
    """What is left of a wish.

    Attributes:
        replicas: how many there may be.
        reason, message: of the condition ScalingLimited.
    """

    replicas: int
    reason: str
    message: str


_WITHIN = ("DesiredWithinRange", "the desired count is within the acceptable range")
_TOO_FEW = ("TooFewReplicas", "the desired replica count is less than the minimum replica count")
_TOO_MANY = ("TooManyReplicas", "the desired replica count is more than the maximum replica count")
_TOO_FAST_UP = ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
_TOO_FAST_DOWN = ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")


def scale_up_limit(current: int) -> int:
    """How many replicas there may be after one step without a `behavior`: twice as many, at least four.

    >>> scale_up_limit(1), scale_up_limit(5)
    (4, 10)
    """
    return max(2 * current, 4)


def limited(current: int, desired: int, bounds: Bounds) -> Limited:
    """A wish within bounds and within one step.

    >>> limited(1, 9, Bounds(1, 10)).replicas, limited(5, 9, Bounds(1, 6)).replicas
    (4, 6)
    """
    if desired < bounds.least:
        return Limited(bounds.least, *_TOO_FEW)
    step = scale_up_limit(current)
    most, reason = (step, _TOO_FAST_UP) if bounds.most > step else (bounds.most, _TOO_MANY)
    return Limited(most, *reason) if desired > most else Limited(desired, *_WITHIN)


def stabilized(desired: int, history: Sequence[Seen], window_s: float, now: float) -> int:
    """The highest recommendation of the window: quiet must last before replicas go."""
    return max([desired, *(seen.replicas for seen in history if seen.at > now - window_s)])


def stabilized_by_behavior(
    current: int,
    desired: int,
    history: Sequence[Seen],
    behavior: HorizontalPodAutoscalerBehavior,
    default_down_s: float,
    now: float,
) -> int:
    """The recommendation that neither window speaks against: the lowest wish to grow, the highest wish to shrink."""
    up_s = _window_s(behavior.scaleUp, 0.0)
    down_s = _window_s(behavior.scaleDown, default_down_s)
    up = min([desired, *(seen.replicas for seen in history if seen.at > now - up_s)])
    down = max([desired, *(seen.replicas for seen in history if seen.at > now - down_s)])
    return max(current, up) if current < up else min(current, down)


def _window_s(rules: ScalingRules | None, default_s: float) -> float:
    seconds = rules.stabilizationWindowSeconds if rules is not None else None
    return default_s if seconds is None else float(seconds)


def limited_by_behavior(
    current: int,
    desired: int,
    bounds: Bounds,
    behavior: HorizontalPodAutoscalerBehavior,
    ups: Sequence[Seen],
    downs: Sequence[Seen],
    now: float,
) -> Limited:
    """A wish within bounds and within the pace of the policies.

    Args:
        ups, downs: past changes, as numbers of replicas added and removed.
    """
    if desired > current:
        pace = max(current, _pace(current, behavior.scaleUp, ups, downs, now, up=True))
        most, reason = (pace, _TOO_FAST_UP) if bounds.most > pace else (bounds.most, _TOO_MANY)
        return Limited(most, *reason) if desired > most else Limited(desired, *_WITHIN)
    if desired < current:
        pace = min(current, _pace(current, behavior.scaleDown, ups, downs, now, up=False))
        least, reason = (pace, _TOO_FAST_DOWN) if bounds.least < pace else (bounds.least, _TOO_FEW)
        return Limited(least, *reason) if desired < least else Limited(desired, *_WITHIN)
    return Limited(desired, *_WITHIN)


def _pace(
    current: int, rules: ScalingRules | None, ups: Sequence[Seen], downs: Sequence[Seen], now: float, *, up: bool
) -> int:
    if rules is None or rules.selectPolicy == "Disabled":
        return current
    proposals = []
    for policy in rules.policies:
        since = now - policy.periodSeconds
        added = sum(seen.replicas for seen in ups if seen.at > since)
        removed = sum(seen.replicas for seen in downs if seen.at > since)
        start = current - added + removed  # replicas at the beginning of the period
        if policy.type == "Pods":
            proposals.append(start + policy.value if up else start - policy.value)
        else:
            share = start * policy.value / 100
            proposals.append(ceil(start + share) if up else int(start - share))
    if not proposals:
        return current
    widest = rules.selectPolicy != "Min"
    return max(proposals) if widest == up else min(proposals)

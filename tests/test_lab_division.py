"""Lab 23: right divisions pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from karmadalab.api.webster import webster
from karmadalab.scheduler import ClusterWeight
from karmadalab.scheduler.division import largest_weight_first
from karmadalab.teaching import check
from karmadalab.teaching.labs.division import plugged, shares
from karmadalab.teaching.labs.division.judging import _largest_fraction
from tests.answers import mistake

Claims = Sequence[ClusterWeight]


def right(replicas: int, weights: Claims) -> dict[str, int]:
    return {name: count for name, count in largest_weight_first(replicas, weights).items() if count}


def right_webster(replicas: int, weights: Claims) -> dict[str, int]:
    return {name: count for name, count in webster(replicas, weights).items() if count}


def webster_by_name(replicas: int, weights: Claims) -> dict[str, int]:
    """Of equal quotients the smaller name wins, whoever has fewer."""
    dealt = dict.fromkeys((claim.name for claim in weights), 0)
    for _ in range(replicas):
        dealt[min(weights, key=lambda c: (-c.weight / (2 * dealt[c.name] + 1), c.name)).name] += 1
    return {name: count for name, count in dealt.items() if count}


def nearest(replicas: int, weights: Claims) -> dict[str, int]:
    total = sum(claim.weight for claim in weights)
    return {claim.name: round(claim.weight * replicas / total) for claim in weights}


def forgets_last(replicas: int, weights: Claims) -> dict[str, int]:
    return right(replicas, [ClusterWeight(claim.name, claim.weight) for claim in weights])


def first_takes_the_rest(replicas: int, weights: Claims) -> dict[str, int]:
    total = sum(claim.weight for claim in weights)
    dealt = {claim.name: claim.weight * replicas // total for claim in weights}
    dealt[weights[0].name] += replicas - sum(dealt.values())
    return {name: count for name, count in dealt.items() if count}


def with_zeros(replicas: int, weights: Claims) -> dict[str, int]:
    return largest_weight_first(replicas, weights)


def fractions(replicas: int, weights: Claims) -> dict[str, int]:
    return {name: count for name, count in _largest_fraction(replicas, weights).items() if count}


BY_LARGEST_WEIGHT: dict[str, tuple[Any, str]] = {
    "it returns nothing": (lambda *_: None, "your function returns nothing"),
    "it raises": (lambda *_: 1 // 0, "raises ZeroDivisionError"),
    "it returns fractions": (lambda replicas, weights: {"eastus": replicas / 2}, "how many replicas it gets"),
    "it rounds to the nearest": (nearest, "has to go somewhere"),
    "it keeps the zeros": (with_zeros, "with 0 replicas"),
    "the largest fractions": (fractions, "largest *fractions*"),
    "it forgets last": (forgets_last, "who has more replicas already"),
    "all to the first": (first_takes_the_rest, "rounded down; the rest goes one by one"),
}


@pytest.mark.parametrize(("answer", "says"), BY_LARGEST_WEIGHT.values(), ids=BY_LARGEST_WEIGHT)
def test_a_wrong_division_is_told_what_is_wrong(answer: Any, says: str) -> None:
    assert says in mistake("23.1", answer)


PLUGGED_IN: dict[str, tuple[Any, str]] = {
    "it raises": (lambda *_: 1 // 0, "divide() raised ZeroDivisionError"),
    "the wrong rule": (fractions, "scaled to 4 replicas"),
}


@pytest.mark.parametrize(("answer", "says"), PLUGGED_IN.values(), ids=PLUGGED_IN)
def test_a_wrong_division_is_seen_in_the_run(answer: Any, says: str) -> None:
    assert says in mistake("23.2", answer)


BY_WEBSTER: dict[str, tuple[Any, str]] = {
    "the old rule": (right, "the rule of v1.13"),
    "fractions": (fractions, "weight / (2 n + 1)"),
    "equals by name": (webster_by_name, "between equals to the one with fewer"),
}


@pytest.mark.parametrize(("answer", "says"), BY_WEBSTER.values(), ids=BY_WEBSTER)
def test_a_division_that_is_not_websters_is_told_what_is_wrong(answer: Any, says: str) -> None:
    assert says in mistake("23.3", answer)


def test_the_right_answers_pass() -> None:
    assert "47 divisions" in check("23.1", right).text
    assert "a day of scaling" in check("23.2", right).text
    assert "44 divisions" in check("23.3", right_webster).text


def test_a_control_plane_asks_the_learners_function() -> None:
    assert shares(plugged(lambda replicas, weights: {"westus": replicas})) == {"westus": 5}
    assert shares(plugged(None)) == {"eastus": 3, "centralus": 2}

"""Lab 23: right divisions pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from karmadalab.api.webster import webster
from karmadalab.scheduler import ClusterWeight
from karmadalab.scheduler.division import largest_weight_first
from karmadalab.teaching import Mistake, check
from karmadalab.teaching.labs.division import plugged, shares
from karmadalab.teaching.labs.division.judging import _largest_fraction

Claims = Sequence[ClusterWeight]


def right(replicas: int, weights: Claims) -> dict[str, int]:
    return {name: count for name, count in largest_weight_first(replicas, weights).items() if count}


def right_webster(replicas: int, weights: Claims) -> dict[str, int]:
    return {name: count for name, count in webster(replicas, weights).items() if count}


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


def test_the_right_answers_pass() -> None:
    assert "47 divisions" in check("23.1", right).text
    assert "a day of scaling" in check("23.2", right).text
    assert "43 divisions" in check("23.3", right_webster).text


@pytest.mark.parametrize(
    ("check_id", "answer", "says"),
    [
        pytest.param("23.1", nearest, "has to go somewhere", id="rounds to the nearest"),
        pytest.param("23.1", with_zeros, "with 0 replicas", id="keeps the zeros"),
        pytest.param("23.1", fractions, "largest \\*fractions\\*", id="largest fractions"),
        pytest.param("23.1", forgets_last, "who has more replicas already", id="forgets last"),
        pytest.param("23.1", first_takes_the_rest, "rounded down; the rest goes one by one", id="all to the first"),
        pytest.param("23.2", fractions, "scaled to 4 replicas", id="the wrong rule, plugged in"),
        pytest.param("23.3", right, "the rule of v1.13", id="the old rule for the new one"),
        pytest.param("23.3", fractions, r"weight / \(2 n \+ 1\)", id="fractions for Webster"),
    ],
)
def test_a_mistake_gets_its_own_sentence(check_id: str, answer: Any, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        check(check_id, answer)


def test_a_control_plane_asks_the_learners_function() -> None:
    assert shares(plugged(lambda replicas, weights: {"westus": replicas})) == {"westus": 5}
    assert shares(plugged(None)) == {"eastus": 3, "centralus": 2}

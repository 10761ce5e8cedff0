"""Lab 20: the right choice and the right foresight pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from karmadalab.api.claims import may_preempt, policy_for
from karmadalab.api.selection import match_priority
from karmadalab.teaching import check, parameters
from karmadalab.teaching.labs.claims import claims, plugged
from karmadalab.teaching.labs.claims.wishes import FLEET, USUAL, drawn, winner
from tests.answers import mistake


def best(key: Callable[[Any, int], Any], able: Callable[[Any, int], bool] | None = None, **options: Any) -> Any:
    """A choice by a key that gets the policy and how well it matches."""

    def choice(template: Any, policies: list[Any]) -> Any:
        matches = {id(p): match_priority(template, p.spec.resourceSelectors) for p in policies}
        allowed = able or (lambda policy, match: match > 0 and policy.metadata.deletionTimestamp is None)
        left = [policy for policy in policies if allowed(policy, matches[id(policy)])]
        return min(left, key=lambda policy: key(policy, matches[id(policy)]), **{"default": None, **options})

    return choice


def by_name(template: Any, policies: list[Any]) -> Any:
    """The right choice, if only no two policies had the same name."""
    matches = {p.metadata.name: match_priority(template, p.spec.resourceSelectors) for p in policies}
    left = [p for p in policies if matches[p.metadata.name] and p.metadata.deletionTimestamp is None]
    return min(left, key=lambda p: right_key(p, matches[p.metadata.name]), default=None)


def is_fleet(policy: Any) -> bool:
    return bool(policy.kind == FLEET)


def priority(policy: Any) -> int:
    return policy.spec.priority or 0


def right_key(policy: Any, match: int) -> Any:
    return is_fleet(policy), -priority(policy), -match, policy.metadata.name


CHOICES: dict[str, tuple[Any, str]] = {
    "min of nothing": (lambda template, policies: min(policies, key=priority), "`min` and `max` of nothing raise"),
    "it does not ask whether it matches": (
        best(right_key, lambda policy, match: True),
        "it selects another Deployment",
    ),
    "the smaller priority": (
        best(lambda p, m: (is_fleet(p), priority(p), -m, p.metadata.name)),
        "the larger priority wins",
    ),
    "None is no number": (
        best(lambda p, m: (is_fleet(p), -p.spec.priority, -m, p.metadata.name)),
        "`spec.priority` is None when the policy says nothing of it",
    ),
    "None is the least": (
        best(lambda p, m: (is_fleet(p), -(p.spec.priority or -1000), -m, p.metadata.name)),
        "0 is more than -5",
    ),
    "priority before the kind": (
        best(lambda p, m: (-priority(p), is_fleet(p), -m, p.metadata.name)),
        "goes before every ClusterPropagationPolicy",
    ),
    "the selector before priority": (
        best(lambda p, m: (is_fleet(p), -m, -priority(p), p.metadata.name)),
        "priority comes before the selector",
    ),
    "the selector plays no part": (
        best(lambda p, m: (is_fleet(p), -priority(p), p.metadata.name)),
        "the better selector wins",
    ),
    "the first in the list": (best(lambda p, m: (is_fleet(p), -priority(p), -m)), "the smaller name wins"),
    "deleted ones count": (best(right_key, lambda policy, match: match > 0), "a policy that is being deleted"),
    "what matches is kept by name": (by_name, "may have the same name"),
    "it returns a name": (
        lambda template, policies: policies[0].metadata.name if policies else None,
        "it should return one of the policies that it is given, or None",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("choice", "says"), CHOICES.values(), ids=CHOICES)
def test_a_wrong_choice_is_told_what_is_wrong(choice: Any, says: str) -> None:
    assert says in mistake("20.1", choice)


def takes(taker: Any, holder: Any, gate: bool) -> bool:
    return gate and taker.spec.preemption == "Always" and may_preempt(taker, holder)


FORESIGHTS: dict[str, tuple[Any, str]] = {
    "it forgets the gate": (lambda t, h, gate: takes(t, h, True), "without the gate the word Always is ignored"),
    "a higher priority will do": (lambda t, h, gate: gate and may_preempt(t, h), "a higher priority alone does not"),
    "priority between kinds": (
        lambda t, h, gate: takes(t, h, gate) and priority(t) > priority(h),
        "takes from a ClusterPropagationPolicy at any priority",
    ),
    "both ways between kinds": (
        lambda t, h, gate: takes(t, h, gate) or (gate and t.spec.preemption == "Always" and t.kind != h.kind),
        "and never the other way",
    ),
    "an equal priority will do": (
        lambda t, h, gate: (
            takes(t, h, gate)
            or (gate and t.spec.preemption == "Always" and t.kind == h.kind and priority(t) == priority(h))
        ),
        "the priority must be strictly higher",
    ),
    "None is no number": (
        lambda t, h, gate: gate and t.spec.preemption == "Always" and t.spec.priority > h.spec.priority,
        "`spec.priority` is None when the policy says nothing of it",
    ),
    "it returns a policy": (lambda t, h, gate: t, "it should return True or False"),
}


@pytest.mark.parametrize(("foresight", "says"), FORESIGHTS.values(), ids=FORESIGHTS)
def test_a_wrong_foresight_is_told_what_is_wrong(foresight: Any, says: str) -> None:
    assert says in mistake("20.3", foresight)


def test_the_right_answers_pass() -> None:
    assert "28 choices recorded" in check("20.1", best(right_key)).text
    assert "three stories" in check("20.2", best(right_key)).text
    assert "96 control planes" in check("20.3", takes).text


def test_a_choice_by_priority_alone_is_seen_in_the_run() -> None:
    told = mistake("20.2", best(lambda policy, match: -priority(policy)), USUAL)
    assert "policies first: after step 1 the claims are " in told
    assert "'web': 'everything'" in told


def test_the_control_plane_asks_the_learners_function() -> None:
    assert claims(plugged(lambda template, policies: None)) == {"web": "", "api": ""}
    assert claims(plugged(policy_for)) == {"web": "app", "api": "team-all"}


def test_each_student_has_four_policies_whose_winner_must_be_thought_about() -> None:
    assert parameters("20", "s1") != parameters("20", "s2")
    for seed in range(200):
        wishes = drawn(Random(seed))
        assert winner(wishes) in {wish.name for wish in wishes[1:]}
        assert (wishes[0].priority or 0) > max(wish.priority or 0 for wish in wishes[1:])

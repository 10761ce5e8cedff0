"""Check 20.1: which of several policies an unclaimed workload follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any, NamedTuple, cast

import msgspec

from karmadalab.api.claims import PolicyRule, explicit_priority, policy_for
from karmadalab.api.codec import decode
from karmadalab.api.policy import AnyPropagationPolicy
from karmadalab.api.unstructured import Unstructured
from karmadalab.teaching.asking import ask
from karmadalab.teaching.labs.claims.wishes import FLEET, OWN, USUAL, WEB, Wish, policy_of
from karmadalab.teaching.recording import Recording, recording_in
from karmadalab.teaching.verdict import Finding


class Case(NamedTuple):
    """Some policies, and the idea that they test. `leaving` names one that is being deleted."""

    wishes: Sequence[Wish]
    why: str
    look: str
    leaving: str = ""

    def objects(self) -> list[AnyPropagationPolicy]:
        """The policies as the rule gets them."""
        going = {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["karmada.io/any"]}
        return [wish.object(**(going if wish.name == self.leaving else {})) for wish in self.wishes]


_ORDER = "the order in which you compare."
CASES: tuple[Case, ...] = (
    Case((), "without a policy there is none to follow: None.", "an empty list."),
    Case((Wish("a", selects="another"),), "it selects another Deployment.", "`match_priority(...)` is 0 then."),
    Case((Wish("a", priority=1), Wish("b", priority=2)), "the larger priority wins.", _ORDER),
    Case(
        (Wish("a", priority=-5), Wish("b")),
        "a policy without a priority has 0, and 0 is more than -5.",
        "`spec.priority` is None.",
    ),
    Case(
        (Wish("a", FLEET, "name", 100), Wish("b", OWN, "kind", 0)),
        "a PropagationPolicy of the workload's own namespace goes before every ClusterPropagationPolicy, whatever "
        "their priorities.",
        "the kind of a policy: where does it come in your order?",
    ),
    Case(
        (Wish("a", selects="name", priority=0), Wish("b", selects="kind", priority=1)),
        "priority comes before the selector.",
        _ORDER,
    ),
    Case(
        (Wish("a", selects="kind"), Wish("b", selects="labels"), Wish("c", selects="name")),
        "of equal priorities the better selector wins: name, labels, kind.",
        "what you compare after the priority.",
    ),
    Case((Wish("b"), Wish("a"), Wish("c")), "all else equal, the smaller name wins.", "what you compare last."),
    Case(
        (Wish("a", FLEET, "name", 1), Wish("b", OWN, "another", 9)),
        "a policy of the own namespace that does not select the workload is none.",
        "which policies you leave out, and when.",
    ),
    Case(
        (Wish("a"), Wish("a", FLEET, "another")),
        "a PropagationPolicy and a ClusterPropagationPolicy may have the same name, and are two all the same.",
        "what you keep by name.",
    ),
    Case(
        (Wish("a", priority=9), Wish("b")),
        "a policy that is being deleted (`metadata.deletionTimestamp` is set) takes nobody in any more.",
        "rule 1.",
        leaving="a",
    ),
    Case(USUAL, "all rules together.", "the rules, in order."),
)


class Recorded(msgspec.Struct, frozen=True):
    """A recorded choice; `chosen` is empty for none."""

    id: str
    object: dict[str, Any]
    policies: list[dict[str, Any]]
    chosen: str


@cache
def recording() -> Recording[Recorded]:
    """What is in the package."""
    return recording_in(__package__, Recording[Recorded])


def judge(rule: PolicyRule) -> Finding | None:
    """Hold a rule against the cases above, then random ones, then recorded ones."""
    for case in (*CASES, *_random(100)):
        policies = case.objects()
        mine, right = _told(call(rule, WEB, policies)), _told(policy_for(WEB, policies))
        if mine != right:
            those = "; ".join(f"{wish}{', being deleted' * (wish.name == case.leaving)}" for wish in case.wishes)
            return Finding(f"{those or 'no policy'}: you choose {mine}, Karmada {right}.", case.why, case.look)
    return next((finding for known in recording().cases if (finding := _recorded(rule, known))), None)


def _recorded(rule: PolicyRule, known: Recorded) -> Finding | None:
    policies = [policy_of(item) for item in known.policies]
    mine = name_of(call(rule, cast("Unstructured", decode(known.object)), policies))
    if mine == (known.chosen or "None"):
        return None
    told = ", ".join(f"{name_of(p)} (priority {explicit_priority(p)})" for p in policies)
    return Finding(
        f"in the recorded case {known.id} you choose {mine}, a real Karmada chose {known.chosen or 'None'}; there are "
        f"{told}.",
        "one of the rules is broken.",
        "the rules, in order.",
    )


def call(rule: PolicyRule, template: Unstructured, policies: Sequence[AnyPropagationPolicy]) -> Any:
    """Ask a rule. Raises as `ask` does."""
    hint: dict[type[Exception], str] = {}
    if not policies:
        why = "here there is no policy at all: `min` and `max` of nothing raise, unless they have a `default`."
        hint = {ValueError: why}
    elif any(policy.spec.priority is None for policy in policies):
        hint = {TypeError: "`spec.priority` is None when the policy says nothing of it; that counts as 0."}
    wanted = "one of the policies that it is given, or None"
    return ask(
        rule, template, list(policies), fits=lambda said: said is None or said in policies, wanted=wanted, hint=hint
    )


def name_of(policy: AnyPropagationPolicy | None) -> str:
    """What to call a choice."""
    return "None" if policy is None else policy.metadata.name


def _told(policy: AnyPropagationPolicy | None) -> str:
    """A choice with its kind: two of a name may be there."""
    return "None" if policy is None else f"{policy.kind} {name_of(policy)}"


def _random(count: int) -> Iterator[Case]:
    """The same cases each time: few priorities and few names, so that there are ties."""
    rng = Random(20)
    known = [(name, kind) for name in "abcde" for kind in (OWN, FLEET)]
    for _ in range(count):
        wishes = [
            Wish(name, kind, rng.choice(("name", "labels", "kind", "another")), rng.choice((None, -1, 0, 1)))
            for name, kind in rng.sample(known, rng.randint(1, 5))
        ]
        yield Case(wishes, "one of the rules is broken.", "the rules, in order.")

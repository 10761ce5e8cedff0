"""Check 20.3: may a policy take a workload that another one holds? Judged by control planes in which it tries."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from karmadalab.api.policy import AnyPropagationPolicy
from karmadalab.core.settings import Settings
from karmadalab.lab import Lab
from karmadalab.teaching.asking import ask
from karmadalab.teaching.labs.claims.scenarios import claims
from karmadalab.teaching.labs.claims.wishes import FLEET, OWN, Wish, policy_of
from karmadalab.teaching.manifests import deployment
from karmadalab.teaching.verdict import Finding

GATE = "PropagationPolicyPreemption"
Takes = Callable[[AnyPropagationPolicy, AnyPropagationPolicy, bool], bool]


class Trial(NamedTuple):
    """A policy that arrives while another one holds `web`."""

    taker: Wish
    holder: Wish
    preemption: str
    gate: bool

    def manifests(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The taker and the holder, as one would apply them."""
        return self.taker.manifest(preemption=self.preemption), self.holder.manifest()

    def run(self) -> bool:
        """Whether it takes the workload in a running control plane."""
        taker, holder = self.manifests()
        lab = Lab.fake(members=3, settings=Settings(feature_gates={GATE: self.gate}))
        lab.apply([holder, deployment("web")])
        lab.run("5s").apply(taker)
        return claims(lab.run("5s"))["web"] == self.taker.name


def _all_trials() -> list[Trial]:
    """The gate and the word come first, so that who forgets them hears of it first."""
    kinds = ((OWN, OWN), (FLEET, FLEET), (OWN, FLEET), (FLEET, OWN))
    words = ((True, "Always"), (False, "Always"), (True, "Never"), (False, "Never"))
    priorities = ((2, 1), (1, 1), (1, 2), (1, None), (None, None), (None, -1))
    return [
        Trial(Wish("taker", taker, priority=mine, cluster="member2"), Wish("holder", holder, priority=theirs), word, on)
        for (on, word), (taker, holder), (mine, theirs) in product(words, kinds, priorities)
    ]


@cache
def trials() -> tuple[tuple[Trial, bool], ...]:
    """Every trial with its outcome."""
    return tuple((trial, trial.run()) for trial in _all_trials())


def judge(takes: Takes) -> Finding | None:
    """Whether a function foretells each trial."""
    for trial, taken in trials():
        taker, holder = (policy_of(manifest) for manifest in trial.manifests())
        hint = "`spec.priority` is None when the policy says nothing of it; that counts as 0."
        fits = lambda said: isinstance(said, bool)  # noqa: E731 - one line, used once
        mine = ask(takes, taker, holder, trial.gate, fits=fits, wanted="True or False", hint=hint)
        if mine != taken:
            gate = "on" if trial.gate else "off"
            return Finding(
                f"{trial.taker}, preemption {trial.preemption}, against {trial.holder}, the gate {gate}: you say "
                f"{mine}; in the control plane it {'takes' if taken else 'does not take'} the workload.",
                _why(trial, taken),
                "the rule that speaks about this trial.",
            )
    return None


def _why(trial: Trial, taken: bool) -> str:
    if not trial.gate:
        return "without the gate the word Always is ignored."
    if trial.preemption != "Always":
        return "only a policy that says `preemption: Always` takes; a higher priority alone does not."
    if trial.taker.kind != trial.holder.kind:
        return "a PropagationPolicy takes from a ClusterPropagationPolicy at any priority, and never the other way."
    if taken:
        return "a strictly higher priority is enough, and no priority counts as 0."
    return "between policies of one kind the priority must be strictly higher, and no priority counts as 0."

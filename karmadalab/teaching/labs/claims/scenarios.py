"""Check 20.2: the learner's choice in a running detector, where claims are made and outlive better policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karmadalab.api.claims import PolicyRule, claim_in
from karmadalab.controllers.detector import NAME, ResourceDetector
from karmadalab.core.view import View
from karmadalab.lab import Lab
from karmadalab.teaching.labs.claims.choosing import call
from karmadalab.teaching.labs.claims.wishes import USUAL, Wish, winner
from karmadalab.teaching.manifests import deployment
from karmadalab.teaching.verdict import Finding

STEP_S = 10.0
Wishes = Sequence[Wish]


def _policies_first(lab: Lab, wishes: Wishes) -> None:
    lab.apply([wish.manifest() for wish in wishes])
    lab.apply([deployment("web"), deployment("api")])
    lab.run(STEP_S)


def _better_one_comes(lab: Lab, wishes: Wishes) -> None:
    late = next(wish for wish in wishes if wish.name == winner(wishes))
    _policies_first(lab, [wish for wish in wishes if wish is not late])
    lab.apply(late.manifest())
    lab.run(STEP_S)


def _claimer_goes(lab: Lab, wishes: Wishes) -> None:
    _better_one_comes(lab, wishes)
    while holder := claims(lab)["web"]:
        gone = next(wish for wish in wishes if wish.name == holder)
        lab.delete(gone.kind, gone.name)
        lab.run(STEP_S)


STORIES: dict[str, Callable[[Lab, Wishes], None]] = {
    "policies first": _policies_first,
    "the best one comes last": _better_one_comes,
    "the claimer goes, each time": _claimer_goes,
}


def plugged(rule: PolicyRule | None = None, story: str = "policies first", wishes: Wishes = USUAL) -> Lab:
    """A lab with four members in which policies and two Deployments, web and api, come and go, a step every 10 s.

    Args:
        rule: the choice in the detector; None for Karmada's own.
        story: one of `STORIES`.
        wishes: the policies.
    """
    lab = Lab.fake(members=4, seed=1)
    if rule is not None:
        detector: ResourceDetector = lab.world.control_plane.controller_manager.controller(NAME)
        detector.choose = lambda template, policies: call(rule, template, list(policies))
    STORIES[story](lab, wishes)
    return lab


def claims(lab: View) -> dict[str, str]:
    """Which policy holds each Deployment; empty for none."""
    held = {}
    for template in lab.list("Deployment"):
        claim = claim_in(template.metadata)
        held[template.metadata.name] = claim.name if claim is not None else ""
    return held


def history(lab: Lab) -> list[dict[str, str]]:
    """The claims at the end of each step."""
    return [claims(lab.at(STEP_S * step - 1)) for step in range(1, round(lab.t / STEP_S) + 1)]


def judge(rule: PolicyRule, wishes: Wishes = USUAL) -> Finding | None:
    """Whether claims go the same way as with Karmada's own choice."""
    for policies in (wishes, USUAL):
        for story in STORIES:
            mine, theirs = (history(plugged(which, story, policies)) for which in (rule, None))
            for step, (own, right) in enumerate(zip(mine, theirs, strict=False), 1):
                if own != right:
                    return Finding(
                        f"{story}: after step {step} the claims are {own}; with Karmada's choice {right}.",
                        "the detector asks your rule only for a workload that nobody has claimed: a new one, or one "
                        "whose claimer went.",
                        f"the run: `history(plugged(my_choice, {story!r}, MINE))`.",
                    )
    return None

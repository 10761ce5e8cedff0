"""Check 12.2: the learner's rule in a running control plane, with an agent that freezes or is cut off."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from karmadalab import Phases
from karmadalab.api.health import SilenceRule
from karmadalab.controllers.cluster import NAME, ClusterController
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.labs.silence.driving import call
from karmadalab.teaching.verdict import Finding

BEGIN_S = 60.0
MEMBER = "member1"

FAULTS: dict[str, Callable[[MemberFaults], object]] = {
    "the agent freezes for 25 s": lambda fault: fault.freeze_agent(for_="25s"),
    "the agent freezes for 70 s": lambda fault: fault.freeze_agent(for_="70s"),
    "the agent is killed": lambda fault: fault.stop_agent(),
    "the link is cut for 50 s, four times": lambda fault: fault.flapping("50s", "30s", 4, kind="cut_off"),
    "the API server is down and the agent lives": lambda fault: fault.refuse(for_="2m"),
}


def plugged(
    rule: SilenceRule | None = None,
    fault: str = "the agent freezes for 70 s",
    beat_s: float = 3.0,
    run: str = "6m",
) -> Lab:
    """A lab with one pull member whose trouble begins at 60 s.

    Args:
        rule: the rule in the health monitor; None for Karmada's own.
        fault: one of `FAULTS`.
        beat_s: at which beat the agent reports, modulo 10 s.
        run: cluster time from then on.
    """
    lab = Lab.fake(members=1, pull=1, seed=1, phases=Phases(probe_s={MEMBER: beat_s}))
    if rule is not None:
        # In the running monitor, not in a new one: it has looked already, and its next look is the rule's first.
        controller: ClusterController = lab.world.control_plane.controller_manager.controller(NAME)
        controller.by_silence = partial(call, rule)
    lab.run(BEGIN_S)
    FAULTS[fault](MemberFaults(lab.world, MEMBER))
    return lab.run(run)


def verdicts(lab: Lab) -> list[tuple[float, str]]:
    """When the member's Ready condition changed since the lab began, and to what."""
    events = lab.timeline.where(kind="Cluster", name=MEMBER, what="condition Ready ")
    return [(event.t, event.detail["status"]) for event in events]


def judge(rule: SilenceRule) -> Finding | None:
    """Plug a rule in and hold what becomes of the cluster against Karmada's own rule."""
    for fault in FAULTS:
        for beat_s in (1.0, 4.0, 8.5):
            mine, theirs = (_story(plugged(which, fault, beat_s)) for which in (rule, None))
            if mine != theirs:
                return Finding(
                    f"{fault}: with your rule {_words(mine)}; with Karmada's {_words(theirs)}.",
                    "what the monitor calls silent becomes Unknown, and a taint; it is seen by everybody.",
                    f"the run: `plugged(my_rule, {fault!r}, {beat_s}).timeline.where(kind='Cluster')`, and the lease "
                    "clock above.",
                )
    return None


def _story(lab: Lab) -> list[tuple[float, str]]:
    """Conditions and taints of the member."""
    events: list[Any] = [
        e for e in lab.timeline.where(kind="Cluster") if e.what.startswith(("condition Ready", "taint"))
    ]
    return [(event.t, event.what) for event in events]


def _words(story: list[tuple[float, str]]) -> str:
    told = [f"{what.removeprefix('condition ')} at {t:g} s" for t, what in story if what.startswith("condition")]
    return ", ".join(told) or "Ready stays True"

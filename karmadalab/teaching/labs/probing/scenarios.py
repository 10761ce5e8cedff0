"""Check 10.2: the learner's probe in the control plane, and in an agent."""

from __future__ import annotations

from collections.abc import Callable

from karmadalab.controllers.cluster_status import NAME, ClusterStatusController, Probe, ready_from_probe
from karmadalab.core.controller import Wait
from karmadalab.core.manager import Manager
from karmadalab.core.member import MemberCluster
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.labs.probing.judging import CODES, NOT_REACHABLE, NOT_READY, READY, OwnProbe, call
from karmadalab.teaching.manifests import deployment, policy
from karmadalab.teaching.verdict import Finding

BEGIN_S = 60.0
PUSH, PULL = "member1", "member2"

STORIES: dict[str, Callable[[Lab, str], object]] = {
    **{name: lambda lab, member, name=name: _answer(lab, member, name) for name in CODES},  # type: ignore[misc]
    "the API server refuses for 2 minutes": lambda lab, member: MemberFaults(lab.world, member).refuse(for_="2m"),
    "the API server hangs for 2 minutes": lambda lab, member: MemberFaults(lab.world, member).hang(for_="2m"),
    "the power fails for 2 minutes": lambda lab, member: MemberFaults(lab.world, member).power_off(for_="2m"),
}


def _answer(lab: Lab, member: str, name: str) -> None:
    lab.world.members[member].health_codes = dict(CODES[name])


def plugged(probe: OwnProbe | None = None, story: str = next(iter(STORIES)), run: str = "5m") -> Lab:
    """A lab with web on a push member and on a pull member (member2), on both of which the same happens at 60 s.

    Args:
        probe: the probe in the control plane's status controller, and in the agent's; None for Karmada's own.
        story: one of `STORIES`.
        run: cluster time from then on.
    """
    lab = Lab.fake(members=2, pull=1, seed=1)
    if probe is not None:
        processes: tuple[Manager, ...] = (lab.world.control_plane.controller_manager, lab.world.agents[PULL])
        for process in processes:
            controller: ClusterStatusController = process.controller(NAME)
            controller.probe = lambda member: _probed(probe, member)
    lab.apply([deployment("web"), policy("web", {})])  # so that a figure shows what is, beside what is believed
    lab.run(BEGIN_S)
    for member in (PUSH, PULL):
        STORIES[story](lab, member)
    return lab.run(run)


def _probed(probe: OwnProbe, member: MemberCluster) -> Probe:
    """An answer that is still on its way is the lab's affair, however wide the learner's `except` is."""
    waits: list[Wait] = []

    def get(path: str) -> int:
        try:
            return member.get_code(path)
        except Wait as wait:
            waits.append(wait)
            raise

    try:
        verdict = call(probe, get)
    finally:
        if waits:
            raise waits[0]
    online, healthy = verdict != NOT_REACHABLE, verdict == READY
    return Probe(ready_from_probe(online, healthy), online, healthy, verdict[1])


def verdicts(lab: Lab) -> list[tuple[str, float, str, str]]:
    """What Ready became since the trouble began: the member, seconds after it, the status and the reason."""
    events = lab.timeline.where(kind="Cluster", what="condition Ready ")
    return [(e.name, round(e.t - BEGIN_S, 1), e.detail["status"], e.detail["reason"]) for e in events]


def judge(probe: OwnProbe) -> Finding | None:
    """Whether both members come to be known as they do with Karmada's own probe."""
    for story in STORIES:
        mine, theirs = (verdicts(plugged(which, story)) for which in (probe, None))
        if mine != theirs:
            extra = next((verdict for verdict in mine if verdict not in theirs), None)
            lacking = next((verdict for verdict in theirs if verdict not in mine), None)
            return Finding(
                f"{story}: only with your probe {_words(extra)}; only with Karmada's {_words(lacking)}.",
                "every ten seconds your probe asks member1 from the control plane, and member2 from inside, by its "
                "agent.",
                f"the run: `verdicts(plugged(my_probe, {story!r}))`.",
            )
    return None


def _words(verdict: tuple[str, float, str, str] | None) -> str:
    if verdict is None:
        return "nothing"
    member, after_s, status, reason = verdict
    return f"{member} turns {status} ({reason}) after {after_s:g} s"


__all__ = ["NOT_REACHABLE", "NOT_READY", "PULL", "PUSH", "READY", "STORIES", "judge", "plugged", "verdicts"]

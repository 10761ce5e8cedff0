"""Check 30.3: the learner's arithmetic in a running taint manager, in four stories."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, NamedTuple

from karmadalab.controllers.taint_manager import BINDING_NAME, BindingEviction, DeadlineRule
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.labs.tolerations.deadlines import call
from karmadalab.teaching.manifests import ONE_CLUSTER, deployment, policy
from karmadalab.teaching.verdict import Finding

BEGIN_S = 10.0
MEMBER = "member1"
MAINTENANCE, DISK = "maintenance=true:NoExecute", "disk=full:NoExecute"


class Patience(NamedTuple):
    """A student's own numbers: how long `patient` bears maintenance, and `easy` bears anything."""

    patient_s: int = 60
    easy_s: int = 120


def drawn(rng: Random) -> Patience:
    """A student's own."""
    return Patience(rng.randrange(40, 100, 5), rng.randrange(110, 200, 5))


def _tolerations(patience: Patience) -> dict[str, list[dict[str, Any]]]:
    key = {"key": "maintenance", "operator": "Exists"}
    forever = {**key, "effect": "NoExecute"}
    return {
        "plain": [],
        "patient": [{**forever, "tolerationSeconds": patience.patient_s}],
        "careful": [{**key, "effect": "NoSchedule", "tolerationSeconds": patience.patient_s}],
        "loyal": [forever],
        "easy": [forever, {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": patience.easy_s}],
    }


def _second_taint(lab: Lab) -> None:
    lab.taint(MEMBER, MAINTENANCE)
    lab.run("50s").taint(MEMBER, DISK)


def _flaps(lab: Lab) -> None:
    for _ in range(3):
        lab.taint(MEMBER, MAINTENANCE)
        lab.run("30s").untaint(MEMBER, MAINTENANCE)
        lab.run("5s")


def _power_off(lab: Lab) -> None:
    MemberFaults(lab.world, MEMBER).power_off()


STORIES: dict[str, Callable[[Lab], object]] = {
    "maintenance": lambda lab: lab.taint(MEMBER, MAINTENANCE),
    "a second taint after 50 s": _second_taint,
    "the taint flaps": _flaps,
    "member1 loses its power": _power_off,
}


def plugged(
    rule: DeadlineRule | None = None,
    story: str = "maintenance",
    patience: Patience = Patience(),  # noqa: B008 - it is immutable
    run: str = "12m",
) -> Lab:
    """A lab in which five workloads run on member1 and may go to member2; the story begins at 10 s.

    Args:
        rule: the arithmetic of the taint manager; None for Karmada's own.
        story: one of `STORIES`.
        patience: the seconds in the tolerations.
        run: cluster time from the end of the story on.
    """
    lab = Lab.fake(members=2, seed=1)
    if rule is not None:
        controller: BindingEviction = lab.world.control_plane.controller_manager.controller(BINDING_NAME)
        controller.by_patience = partial(call, rule)
    for name, tolerations in _tolerations(patience).items():
        lab.apply([deployment(name, 1), policy(name, {**ONE_CLUSTER, "clusterTolerations": tolerations})])
    lab.run(BEGIN_S)
    STORIES[story](lab)
    return lab.run(run)


def leaves(lab: Lab) -> dict[str, float | None]:
    """How many seconds after the story began each workload left member1 for the first time; None if it stayed."""
    gone: dict[str, float | None] = dict.fromkeys(_tolerations(Patience()))
    for event in lab.timeline.where(what="spec.clusters changed"):
        name = event.name.removesuffix("-deployment")
        if gone.get(name, 0.0) is None and MEMBER in event.detail["from"] and MEMBER not in event.detail["to"]:
            gone[name] = round(event.t - BEGIN_S, 1)
    return gone


def judge(rule: DeadlineRule, patience: Patience | None = None) -> Finding | None:
    """Whether everybody leaves when they would leave with Karmada's own arithmetic."""
    for story in STORIES:
        mine, theirs = (leaves(plugged(which, story, patience or Patience())) for which in (rule, None))
        for name, left in theirs.items():
            if mine[name] != left:
                return Finding(
                    f"{story}: with your rule `{name}` {_fate(mine[name])}; with Karmada's it {_fate(left)}.",
                    "the taint manager asks your rule at each change of the taints, and again every ten seconds.",
                    f"the run: `leaves(plugged(my_deadline, {story!r}, MINE))`.",
                )
    return None


def _fate(left_s: float | None) -> str:
    return "stays on member1" if left_s is None else f"leaves member1 after {left_s:g} s"

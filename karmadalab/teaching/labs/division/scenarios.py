"""Check 23.2: a control plane whose scheduler divides with the learner's function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from karmadalab.lab import Lab
from karmadalab.scheduler import BindingInfo, ClusterWeight, Scheduler
from karmadalab.teaching.asking import plugin_asked
from karmadalab.teaching.manifests import deployment, policy
from karmadalab.teaching.verdict import Finding

Division = Callable[[int, Sequence[ClusterWeight]], Mapping[str, int]]

WEIGHTS = {"eastus": 170, "centralus": 110, "westus": 60}
SIZES = (4, 5, 6, 7, 12, 11, 3)


class Own:
    """The learner's function as a division strategy."""

    name = "own"

    def __init__(self, divide: Division) -> None:
        self._divide = divide

    def divide(
        self, binding: BindingInfo, replicas: int, weights: Sequence[ClusterWeight], chance: Random | None
    ) -> Mapping[str, int]:
        """Chance is left out, so that a lab's answer is the same each time."""
        return self._divide(replicas, weights)


def plugged(divide: Division | None, replicas: int = 5, weights: Mapping[str, int] = WEIGHTS) -> Lab:
    """A control plane with `web` divided by static weights; None takes Karmada's own division."""
    rules = [{"targetCluster": {"clusterNames": [name]}, "weight": weight} for name, weight in weights.items()]
    placement = {
        "replicaScheduling": {
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": "Weighted",
            "weightPreference": {"staticWeightList": rules},
        }
    }
    scheduler = Scheduler() if divide is None else Scheduler(division=Own(divide))
    lab = Lab.fake({"members": [{"name": name} for name in weights]}, scheduler=scheduler)
    lab.apply([deployment("web", replicas), policy("web", placement)])
    return lab.run("10s")


def shares(lab: Lab) -> dict[str, int]:
    """Where the replicas of `web` are."""
    return dict(lab.placement["default/web-deployment"])


def judge(divide: Division) -> Finding | None:
    """Whether a control plane with the learner's division goes the same way as Karmada's through a day of scaling."""
    with plugin_asked():
        own = plugged(divide, SIZES[0])
    karmada = plugged(None, SIZES[0])
    for size in SIZES:
        for lab in (own, karmada):
            lab.scale("web", size)
            with plugin_asked():
                lab.run("10s")
        if shares(own) != shares(karmada):
            return Finding(
                f"scaled to {size} replicas, your control plane has {shares(own)}; Karmada has {shares(karmada)}.",
                "the scheduler hands your function all replicas and the claims of all clusters, each time anew; `last` "
                "says what a cluster has now.",
                "what your function does for these weights and that number, called by hand.",
            )
    return None

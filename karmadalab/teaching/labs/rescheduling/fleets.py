"""Fleets in which a cluster is given up, run in a control plane: who had what, who has what, and whose pods stopped."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

from karmadalab.lab import Lab
from karmadalab.scheduler import ClusterWeight
from karmadalab.scheduler.division import largest_weight_first
from karmadalab.teaching.manifests import deployment, policy

EVERYWHERE, TWO, STATIC, DYNAMIC = "everywhere", "two", "static", "dynamic"
TAINT = "maintenance=true:NoExecute"


class Case(NamedTuple):
    """A fleet, a workload, and the cluster that is given up.

    Attributes:
        replicas: what the Deployment asks for.
        weights: cluster -> static weight; its keys are the fleet.
        nodes: how many nodes of four cores each cluster has, in the order of `weights`; a replica takes half a core.
        dead: the cluster that is given up.
    """

    replicas: int = 9
    weights: Mapping[str, int] = {"member1": 3, "member2": 2, "member3": 3, "member4": 1}
    nodes: tuple[int, ...] = (3, 5, 7, 4)
    dead: str = "member1"


class Moved(NamedTuple):
    """What became of a workload.

    Attributes:
        before, after: cluster -> replicas.
        room: cluster -> how many replicas more it had room for at the decision; empty when nothing was decided.
        stopped: the healthy clusters on which a pod was stopped, one entry a pod.
        lab: the run.
    """

    before: dict[str, int]
    after: dict[str, int]
    room: dict[str, int]
    stopped: tuple[str, ...]
    lab: Lab


def deal(replicas: int, weights: Mapping[str, int], held: Mapping[str, int] | None = None) -> dict[str, int]:
    """Karmada's own division of lab 23: deal replicas out by weight; who gets none is left out.

    Args:
        replicas: how many to deal.
        weights: cluster -> weight.
        held: cluster -> replicas it has already, which decides between equal weights.

    >>> deal(5, {"a": 1, "b": 3})
    {'b': 4, 'a': 1}
    """
    claims = [ClusterWeight(name, weight, (held or {}).get(name, 0)) for name, weight in weights.items()]
    return {name: count for name, count in largest_weight_first(replicas, claims).items() if count}


def moved(rule: str, case: Case) -> Moved:
    """Run it: `web` under a rule, then the cluster gets a NoExecute taint that nobody tolerates."""
    weights = case.weights
    members = [
        {"name": name, "nodes": [{"count": count, "cpu": "4"}]} for name, count in zip(weights, case.nodes, strict=True)
    ]
    lab = Lab.fake({"members": members})
    lab.apply([deployment("web", case.replicas, cpu="500m"), policy("web", _placement(rule, weights))])
    lab.run("1m")
    before = _placed(lab)
    lab.taint(case.dead, TAINT)
    lab.run("30s")
    return Moved(before, _placed(lab), _room(lab), _stopped(lab, case.dead), lab)


def _placed(lab: Lab) -> dict[str, int]:
    return dict(lab.placement["default/web-deployment"])


def _room(lab: Lab) -> dict[str, int]:
    verdicts = lab.explain("deployment/web").scheduling or ()
    return {verdict.cluster: verdict.estimate for verdict in verdicts if verdict.estimate is not None}


def _stopped(lab: Lab, dead: str) -> tuple[str, ...]:
    pods = [event for event in lab.timeline if event.kind.startswith("Pod@") and event.what == "terminating"]
    return tuple(name for name in (pod.kind.removeprefix("Pod@") for pod in pods) if name != dead)


def _placement(rule: str, weights: Mapping[str, int]) -> dict[str, Any]:
    if rule == EVERYWHERE:
        return {}
    if rule == TWO:
        return {"spreadConstraints": [{"spreadByField": "cluster", "minGroups": 2, "maxGroups": 2}]}
    rules = [{"targetCluster": {"clusterNames": [name]}, "weight": weight} for name, weight in weights.items()]
    preference = {"dynamicWeight": "AvailableReplicas"} if rule == DYNAMIC else {"staticWeightList": rules}
    strategy = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted"}
    return {"replicaScheduling": {**strategy, "weightPreference": preference}}


def drawn(rng: Random) -> Case:
    """A student's own fleet of four; any may be the one that is given up."""
    weights = {f"member{number}": rng.randint(1, 3) for number in range(1, 5)}
    nodes = tuple(rng.randint(3, 8) for _ in weights)
    return Case(rng.randint(10, 12), weights, nodes, rng.choice(list(weights)))


def fleets(own: Case | None, count: int = 8) -> list[Case]:
    """The usual fleet, the learner's own, and some more, the same each time."""
    rng = Random(31)
    return [Case(), *([own] if own else []), *(drawn(rng) for _ in range(count))]

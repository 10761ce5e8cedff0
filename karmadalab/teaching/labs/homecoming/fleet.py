"""A fleet whose largest cluster is drained and comes back, with workloads of many kinds on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from karmadalab.lab import Lab
from karmadalab.teaching.manifests import deployment, policy

TAINT = "maintenance=true:NoExecute"
_CITIES = ("lagos", "lima", "oslo", "pune", "quito", "rome", "seoul", "tunis")
_NAMES = ("basket", "billing", "catalog", "login", "mail", "reports", "search", "stock")

DIVIDED: dict[str, Any] = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted"}
DYNAMIC = {"replicaScheduling": {**DIVIDED, "weightPreference": {"dynamicWeight": "AvailableReplicas"}}}
AGGREGATED = {"replicaScheduling": {**DIVIDED, "replicaDivisionPreference": "Aggregated"}}


class Workload(NamedTuple):
    """Something that runs on the home cluster before the drain; without replicas it is a ConfigMap."""

    name: str
    placement: dict[str, Any]
    replicas: int = 4
    namespace: str = "default"

    @property
    def binding(self) -> str:
        """Its place in `lab.placement`."""
        return f"{self.namespace}/{self.name}-{'deployment' if self.replicas else 'configmap'}"


class Fleet(NamedTuple):
    """A student's fleet.

    Attributes:
        home: the cluster that is drained and comes back; it has the most room.
        others: the other two.
        replicas: of `shop`, in 33.3.
        startup_s: how long a replica of `shop` takes to start.
        divided: Deployments that are divided: name -> namespace.
        copied: Deployments with a copy in each cluster: name -> namespace.
    """

    home: str = "lagos"
    others: tuple[str, str] = ("oslo", "rome")
    replicas: int = 6
    startup_s: int = 30
    divided: Mapping[str, str] = {"billing": "default", "search": "team-a"}
    copied: Mapping[str, str] = {"login": "team-a"}

    @property
    def members(self) -> list[str]:
        """All three, home first."""
        return [self.home, *self.others]


def drawn(rng: Random) -> Fleet:
    """A student's own."""
    home, second, third = rng.sample(_CITIES, 3)
    names = rng.sample(_NAMES, rng.randint(5, 6))
    spaces = [rng.choice(("default", "team-a", "team-b")) for _ in names]
    placed = list(zip(names, spaces, strict=True))
    return Fleet(
        home, (second, third), rng.choice((6, 7, 8)), rng.choice((20, 30, 40)), dict(placed[:3]), dict(placed[3:])
    )


def world(members: Sequence[str], startup_s: float = 3) -> Lab:
    """Clusters of four-core nodes, the first the largest."""
    nodes = (9, 4, 3)
    fleet = [
        {"name": name, "startup": startup_s, "nodes": [{"count": count, "cpu": "4"}]}
        for name, count in zip(members, nodes, strict=False)
    ]
    return Lab.fake({"members": fleet})


def manifests(workload: Workload) -> list[dict[str, Any]]:
    """A workload and its policy."""
    if workload.replicas:
        made = deployment(workload.name, workload.replicas)
        rule = policy(workload.name, workload.placement)
    else:
        made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": workload.name}, "data": {"a": "b"}}
        rule = policy(workload.name, workload.placement)
        rule["spec"]["resourceSelectors"] = [{"apiVersion": "v1", "kind": "ConfigMap", "name": workload.name}]
    for manifest in (made, rule):
        manifest["metadata"]["namespace"] = workload.namespace
    return [made, rule]


def drained_and_back(lab: Lab, workloads: Sequence[Workload], home: str, wait: str = "12m") -> Lab:
    """Apply the workloads, drain the home cluster for two minutes, and wait until every task has ended."""
    for name in sorted({w.namespace for w in workloads} - {"default"}):
        lab.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    for workload in workloads:
        lab.apply(manifests(workload))
    lab.run("2m")
    lab.taint(home, TAINT)
    lab.run("2m")
    lab.untaint(home, TAINT)
    return lab.run(wait)


def returned(fleet: Fleet) -> Lab:
    """The fleet with its divided and copied Deployments and one ConfigMap, after the drain."""
    workloads = [Workload(name, DYNAMIC, 4, space) for name, space in fleet.divided.items()]
    workloads += [Workload(name, {}, 4, space) for name, space in fleet.copied.items()]
    workloads.append(Workload("settings", {}, 0, next(iter(fleet.divided.values()))))
    return drained_and_back(world(fleet.members), workloads, fleet.home)

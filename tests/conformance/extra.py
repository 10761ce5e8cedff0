"""Extra: statuses of bindings, metadata kept in members, remedies, rebalancers, replicas, attached bindings.

The text of a conflict on a rebalancer is compared by its first words: the rest names versions of the recording's store.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.apps import WorkloadRebalancer
from karmadalab.api.cluster import Cluster
from karmadalab.api.codec import decode, plain, to_dict
from karmadalab.api.meta import condition
from karmadalab.api.time import Time
from karmadalab.api.work import BINDING_KINDS, FULLY_APPLIED, ResourceBinding
from karmadalab.controllers.binding_status import BindingStatusController
from karmadalab.controllers.dependencies_distributor import DependenciesDistributor
from karmadalab.controllers.deployment_replicas_syncer import DeploymentReplicasSyncer, replicas_changed
from karmadalab.controllers.remedy import RemedyController
from karmadalab.controllers.workload_rebalancer import WorkloadRebalancerController
from karmadalab.core.queue import Request
from karmadalab.core.settings import Settings
from karmadalab.interpreter import Interpreter
from karmadalab.interpreter.object_watcher import merged_metadata, needs_update, object_version
from tests.conformance.world import World, differing

_STORE_KEEPS = ("uid", "resourceVersion", "generation", "creationTimestamp")


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """What the package does with one recorded case."""
    given = case["input"]
    start = Time.parse(given["now"]) if "now" in given else None
    world = World(Settings(profile=profile), **({} if start is None else {"start": start}))
    return _ANSWERS[given["kind"]](given, world)


def _binding_status(given: dict[str, Any], world: World) -> dict[str, Any]:
    binding = world.load(given["binding"])
    world.load_all(given["works"])
    meta = binding.metadata
    controller = BindingStatusController(world.manager, world.store, Interpreter())
    step = world.reconcile(controller, Request(meta.namespace, meta.name, binding.kind))
    status = world.store.get(type(binding), meta.name, meta.namespace).status
    found = plain(condition(status.conditions, FULLY_APPLIED)) or {}
    found.pop("lastTransitionTime", None)
    return {"aggregatedStatus": plain(status.aggregatedStatus), "condition": found, "error": step.error}


def _retain_metadata(given: dict[str, Any], world: World) -> dict[str, Any]:
    desired, observed = decode(given["desired"]), decode(given["observed"])
    kept = merged_metadata(desired.metadata, observed.metadata)
    return {
        "labels": kept.labels,
        "annotations": kept.annotations,
        "observedVersion": object_version(observed.metadata),
        "needsUpdate": needs_update(desired.metadata, observed.metadata, given["recordedVersion"]),
    }


def _remedy(given: dict[str, Any], world: World) -> dict[str, Any]:
    name = world.load(given["cluster"]).metadata.name
    world.load_all(given["remedies"])
    step = world.reconcile(RemedyController(world.store), Request("", name))
    return {"remedyActions": list(world.store.get(Cluster, name).status.remedyActions), "error": step.error}


def _rebalancer(given: dict[str, Any], world: World) -> dict[str, Any]:
    name = world.load(given["rebalancer"]).metadata.name
    world.load_all(given["bindings"])
    controller = WorkloadRebalancerController(world.manager, world.store)
    steps = []
    for at in given["reconcileAt"]:
        world.run_to(at)
        done = world.reconcile(controller, Request("", name))
        left = world.store.find(WorkloadRebalancer, name)
        answer = {"at": at, "deleted": left is None, "error": done.error, "requeueAfterSeconds": done.requeue_after_s}
        steps.append(answer if left is None else {**answer, "status": plain(left.status)})
    after = [binding for kind in BINDING_KINDS for binding in world.store.list(kind)]
    return {"steps": steps, "bindings": [_triggered(binding) for binding in after]}


def _triggered(binding: Any) -> dict[str, Any]:
    meta, at = binding.metadata, binding.spec.rescheduleTriggeredAt
    return {"name": meta.name, "namespace": meta.namespace or None, "rescheduleTriggeredAt": at and str(at)}


def _replicas(given: dict[str, Any], world: World) -> dict[str, Any]:
    old, deployment = decode(given["oldDeployment"]), world.load(given["deployment"])
    if given["binding"]:
        world.load(given["binding"])
    meta = deployment.metadata
    step = world.reconcile(DeploymentReplicasSyncer(world.store), Request(meta.namespace, meta.name))
    after = world.store.get("Deployment.apps", meta.name, meta.namespace)
    return {
        "specReplicas": after.spec.get("replicas"),
        "requeueAfterSeconds": step.requeue_after_s,
        "error": step.error,
        "updateEventTriggers": replicas_changed(old, deployment),
    }


def _attached(given: dict[str, Any], world: World) -> dict[str, Any]:
    dependency = world.load(given["dependency"])
    independent = decode(given["independentBinding"])
    if given["existingBinding"]:
        world.load(given["existingBinding"])
    world.load_all(given.get("referencingBindings"))
    distributor = DependenciesDistributor(world.manager, world.store, Interpreter())
    error = world.attempt(lambda: distributor.attach(independent, dependency))
    bindings = [b for kind in BINDING_KINDS for b in world.store.list(kind)]
    name = f"{dependency.metadata.name}-{dependency.kind.lower()}"
    found = next((b for b in bindings if b.metadata.name == name), None)
    events = [row.text for row in world.trace.rows if row.text.startswith("Warning")]
    return {"binding": found and _plain_binding(found), "error": error, "events": events}  # v1.13 recorded no events


def _plain_binding(binding: ResourceBinding) -> dict[str, Any]:
    data = to_dict(binding)
    del data["apiVersion"], data["kind"]
    data["metadata"] = {key: value for key, value in data["metadata"].items() if key not in _STORE_KEEPS}
    return data


_ANSWERS = {
    "bindingStatus": _binding_status,
    "retainMetadata": _retain_metadata,
    "remedy": _remedy,
    "workloadRebalancer": _rebalancer,
    "deploymentReplicasSyncer": _replicas,
    "attachedBinding": _attached,
}


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """One line for each part that differs."""
    expected = case["expected"]
    kind = case["input"]["kind"]
    if kind == "attachedBinding":
        return differing(_comparable(expected), _comparable(actual))
    if kind == "workloadRebalancer":
        steps = {"steps": _conflicts(expected["steps"])}, {"steps": _conflicts(actual["steps"])}
        return differing({**expected, **steps[0]}, {**actual, **steps[1]})
    return differing(expected, actual)


def _conflicts(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**step, "error": (step["error"] or "")[:29]} for step in steps]


def _comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """Without what the recording leaves empty: kind, version and the empty reference of a binding made by hand."""
    binding = dict(answer.get("binding") or {})
    for key in ("apiVersion", "kind"):
        binding.pop(key, None)
    spec = dict(binding.get("spec") or {})
    resource = {key: value for key, value in (spec.get("resource") or {}).items() if value}
    return {**answer, "binding": {**binding, "spec": {**spec, "resource": resource}}}

"""Invariants of the simulated members; `check` lists them."""

from __future__ import annotations

from collections import defaultdict

from karmadalab.api.cluster import Cluster
from karmadalab.api.quantity import milli
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import MANAGED_LABEL, WORK_NAME_ANNOTATION, WORK_NAMESPACE_ANNOTATION, Work
from karmadalab.environments.check_bindings import must
from karmadalab.environments.fake import FakeWorld
from karmadalab.environments.member import SimulatedMember
from karmadalab.environments.workloads import DEPLOYMENT, holds_room, is_ready, pod_requests


def check_members(world: FakeWorld) -> None:
    """What holds for each member."""
    for member in world.members.values():
        _check_nodes(member)
        if member.workloads.powered:
            _check_pods(member)
            for deployment in member.store.list(DEPLOYMENT):
                _check_status(member, deployment)
        cluster = world.control_plane.store.find(Cluster, member.spec.name)
        if cluster is not None and cluster.metadata.deletionTimestamp is None:
            _check_managed(world, member)


def _check_nodes(member: SimulatedMember) -> None:
    """No node holds more than it can."""
    asked: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for pod in member.store.list("Pod"):
        if holds_room(pod):
            node = pod.spec["nodeName"]
            must(member.store.find("Node", node), "a pod's node exists", pod)
            for key, amount in pod_requests(pod).items():
                asked[node][key] += amount
    for name, amounts in asked.items():
        allocatable = member.store.get("Node", name).status["allocatable"]
        for key, amount in amounts.items():
            fits = amount <= milli(allocatable.get(key, 0))
            must(fits, f"the pods of a node fit its {key}", f"{name} in {member.spec.name}: {amount} m")


def _check_pods(member: SimulatedMember) -> None:
    """No pod waits for a node that could take it, and none runs without one."""
    for pod in member.store.list("Pod"):
        leaves = pod.metadata.deletionTimestamp is not None
        must(pod.spec.get("nodeName") or not is_ready(pod), "a pod without a node is not ready", pod)
        waits = not pod.spec.get("nodeName") and not leaves
        must(not waits or not member.workloads.has_room_for(pod), "no pod waits that has room", pod)


def _check_status(member: SimulatedMember, deployment: Unstructured) -> None:
    """A Deployment's status counts its pods."""
    namespace = deployment.metadata.namespace
    sets = {
        item.metadata.uid
        for item in member.store.list("ReplicaSet.apps", namespace)
        if _owned(item, {deployment.metadata.uid})
    }
    pods = [
        pod
        for pod in member.store.list("Pod", namespace)
        if pod.metadata.deletionTimestamp is None and _owned(pod, sets)
    ]
    counted = deployment.status.get("replicas", 0), deployment.status.get("readyReplicas", 0)
    there = len(pods), sum(map(is_ready, pods))
    must(counted == there, f"a status counts its pods: it says {counted}, there are {there}", deployment)
    observed = deployment.status.get("observedGeneration", 0)
    must(observed == deployment.metadata.generation, "a Deployment is observed", deployment)


def _owned(obj: Unstructured, uids: set[str]) -> bool:
    return any(owner.uid in uids for owner in obj.metadata.ownerReferences)


def _check_managed(world: FakeWorld, member: SimulatedMember) -> None:
    """What Karmada put there is promised by a Work, or was, when the member left and could not be reached."""
    store = world.control_plane.store
    for kind in member.store.kinds():
        for obj in member.store.list(kind):
            notes = obj.metadata.annotations
            name, namespace = notes.get(WORK_NAME_ANNOTATION), notes.get(WORK_NAMESPACE_ANNOTATION)
            if obj.metadata.labels.get(MANAGED_LABEL) == "true" and name and namespace:
                promised = name in member.let_go or store.find(Work, name, namespace)
                must(promised, f"what Karmada put into {member.spec.name} has a Work", obj)

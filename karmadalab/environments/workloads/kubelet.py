"""What runs inside a simulated member: a deployment controller, a pod scheduler and a kubelet, in miniature.

A Deployment becomes pods; a pod goes to the first node with room (or waits); on its node it takes `startup` to become
Ready, or never does when its image can't be pulled; deleted pods take `shutdown` to end. The Deployment's status counts
them, as the real one's does. This is what Karmada's control plane sees of a cluster, no more.

Not modelled: replica sets, probes, restarts, rolling updates that wait (new pods start while old ones end).
"""

from __future__ import annotations

import hashlib
from typing import Any

from karmadalab.api.errors import NotFound
from karmadalab.api.meta import ObjectMeta, OwnerReference
from karmadalab.api.quantity import milli
from karmadalab.api.scheme import to_json
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import ADDED, DELETED
from karmadalab.core.clock import Timer, VirtualClock
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace

DEPLOYMENT = "Deployment.apps"
HASH_LABEL = "pod-template-hash"
PODS_BY_OWNER = "owner"


class Workloads:
    """The controllers and kubelets of one member.

    Attributes:
        startup_s, shutdown_s: how long pods take.
        bad_images: images (without tag or with) that can't be pulled here.
        full: whether no node has room; a fault sets it to exhaust capacity.
        powered: whether the machines are on.
    """

    def __init__(self, store: Store, clock: VirtualClock, trace: Trace, startup_s: float, shutdown_s: float) -> None:
        self.store = store
        self.startup_s, self.shutdown_s = startup_s, shutdown_s
        self.bad_images: set[str] = set()
        self.full = False
        self.powered = True
        self._clock, self._trace = clock, trace
        self._serial = 0
        self._pending: set[tuple[str, str]] = set()
        self._starting: dict[tuple[str, str], Timer] = {}
        store.add_index("Pod", PODS_BY_OWNER, lambda pod: [owner.uid for owner in pod.metadata.ownerReferences])
        store.watch(DEPLOYMENT, self._deployment_event)
        store.watch("Pod", self._pod_event)

    # --- deployments --------------------------------------------------------------------------------------------------

    def _deployment_event(self, event: str, old: Any, new: Any) -> None:
        if event == DELETED:
            return  # the garbage collector takes the pods
        if event == ADDED or old.metadata.generation != new.metadata.generation:
            self._soon(self._sync, new.metadata.namespace, new.metadata.name)

    def _pod_event(self, event: str, old: Any, new: Any) -> None:
        if event == DELETED:
            self._pending.discard((new.metadata.namespace, new.metadata.name))
            self._starting.pop((new.metadata.namespace, new.metadata.name), None)
        elif event != ADDED and new.metadata.deletionTimestamp and not old.metadata.deletionTimestamp:
            self._later(self.shutdown_s, self._end, new.metadata.namespace, new.metadata.name)
        owner = next((o for o in new.metadata.ownerReferences if o.kind == "Deployment"), None)
        if owner is not None:
            self._soon(self._sync, new.metadata.namespace, owner.name)
        if event == DELETED and self._pending:
            self._soon(self._schedule_pending)

    def _sync(self, namespace: str, name: str) -> None:
        """Bring the pods of a Deployment to what it asks for, then count them."""
        deployment = self.store.find(DEPLOYMENT, name, namespace)
        if deployment is None or not self.powered:
            return
        wanted = deployment.spec.get("replicas", 1)
        revision = template_hash(deployment)
        pods = self._pods_of(deployment)
        alive = [pod for pod in pods if pod.metadata.deletionTimestamp is None]
        current = [pod for pod in alive if pod.metadata.labels.get(HASH_LABEL) == revision]
        stale = [pod for pod in alive if pod.metadata.labels.get(HASH_LABEL) != revision]
        for _ in range(wanted - len(current)):
            self._create_pod(deployment, revision)
        # An old pod goes only when a new one can serve for it, as with maxUnavailable 0.
        ready = sum(1 for pod in current if is_ready(pod))
        surplus = stale[: max(0, ready + len(stale) - wanted)] if wanted else stale
        for pod in [*sorted(current, key=is_ready)[: max(0, len(current) - wanted)], *surplus]:
            self.store.delete("Pod", pod.metadata.name, namespace)
        self._count(namespace, name, revision)

    def _count(self, namespace: str, name: str, revision: str) -> None:
        deployment = self.store.find(DEPLOYMENT, name, namespace)
        pods = [pod for pod in self._pods_of(deployment) if pod.metadata.deletionTimestamp is None]
        ready = sum(1 for pod in pods if is_ready(pod))
        counts = {
            "observedGeneration": deployment.metadata.generation,
            "replicas": len(pods),
            "updatedReplicas": sum(1 for pod in pods if pod.metadata.labels.get(HASH_LABEL) == revision),
            "readyReplicas": ready,
            "availableReplicas": ready,
            "unavailableReplicas": max(0, deployment.spec.get("replicas", 1) - ready),
        }
        status = {key: value for key, value in counts.items() if value}
        if status != deployment.status:
            self.store.update_status(deployment.with_status(status))

    def _pods_of(self, deployment: Unstructured) -> list[Unstructured]:
        return self.store.indexed("Pod", PODS_BY_OWNER, deployment.metadata.uid)

    # --- pods ---------------------------------------------------------------------------------------------------------

    def _create_pod(self, deployment: Unstructured, revision: str) -> None:
        self._serial += 1
        meta = deployment.metadata
        template = deployment.spec.get("template") or {}
        labels = {**((template.get("metadata") or {}).get("labels") or {}), HASH_LABEL: revision}
        suffix = hashlib.sha256(f"{self.store.world}{self._serial}".encode()).hexdigest()[:5]
        pod = Unstructured(
            apiVersion="v1",
            kind="Pod",
            metadata=ObjectMeta(
                name=f"{meta.name}-{revision}-{suffix}",
                namespace=meta.namespace,
                labels=labels,
                ownerReferences=(
                    OwnerReference(
                        apiVersion="apps/v1", kind="Deployment", name=meta.name, uid=meta.uid, controller=True
                    ),
                ),
            ),
            body={"spec": template.get("spec") or {}},
        )
        created = self.store.create(pod)
        self._pending.add((meta.namespace, created.metadata.name))
        self._soon(self._schedule_pending)

    def _schedule_pending(self) -> None:
        if not self.powered:
            return
        for namespace, name in sorted(self._pending):
            pod = self.store.find("Pod", name, namespace)
            if pod is None or pod.metadata.deletionTimestamp is not None:
                self._pending.discard((namespace, name))
            elif (node := self._node_with_room(pod)) is not None:
                self._pending.discard((namespace, name))
                self._bind(pod, node)
            elif not pod.status:
                self.store.update_status(
                    pod.with_status({"phase": "Pending", "conditions": [_condition("PodScheduled", "False", "Unschedulable")]})
                )

    def has_room_for(self, pod: Unstructured) -> bool:
        """Whether a node could take a pod."""
        return self._node_with_room(pod) is not None

    def _node_with_room(self, pod: Unstructured) -> str | None:
        if self.full:
            return None
        requests = pod_requests(pod)
        for node in self.store.list("Node"):
            free = {key: milli(value) for key, value in node.status["allocatable"].items()}
            for other in self.store.list("Pod"):
                if other.spec.get("nodeName") == node.metadata.name:
                    for key, amount in pod_requests(other).items():
                        free[key] = free.get(key, 0) - amount
            if all(free.get(key, 0) >= amount for key, amount in requests.items()):
                return str(node.metadata.name)
        return None

    def _bind(self, pod: Unstructured, node: str) -> None:
        bound = self.store.update(pod.with_spec(nodeName=node))
        self.store.update_status(bound.with_status({"phase": "Pending", "conditions": [_condition("Ready", "False", "")]}))
        self._start(bound.metadata.namespace, bound.metadata.name)

    def _start(self, namespace: str, name: str) -> None:
        """Start a pod, or start it anew: an attempt that is under way counts no more."""
        key = (namespace, name)
        if key in self._starting:
            self._clock.cancel(self._starting[key])
        self._starting[key] = self._later(self.startup_s, self._started, namespace, name)

    def _started(self, namespace: str, name: str) -> None:
        self._starting.pop((namespace, name), None)
        pod = self.store.find("Pod", name, namespace)
        if pod is None or pod.metadata.deletionTimestamp is not None or not self.powered:
            return
        if self._pulls(pod):
            status = {"phase": "Running", "conditions": [_condition("Ready", "True", "", self._clock.now())]}
        else:
            status = {
                "phase": "Pending",
                "conditions": [_condition("Ready", "False", "ContainersNotReady")],
                "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}],
            }
        self.store.update_status(pod.with_status(status))

    def _pulls(self, pod: Unstructured) -> bool:
        images = [container.get("image", "") for container in pod.spec.get("containers") or ()]
        return not any(image in self.bad_images or image.rpartition(":")[0] in self.bad_images for image in images)

    def _end(self, namespace: str, name: str) -> None:
        if not self.powered:
            return  # a kubelet that is off ends nothing; it will when it is back
        try:
            self.store.delete("Pod", name, namespace)
        except NotFound:
            pass  # somebody was faster, which is as good

    # --- machines -----------------------------------------------------------------------------------------------------

    def power(self, on: bool) -> None:
        """Switch the machines: pods don't run while they are off, and start again when they are back."""
        if on == self.powered:
            return
        self.powered = on
        if on:
            self.restart_pods()
            for deployment in self.store.list(DEPLOYMENT):
                self._soon(self._sync, deployment.metadata.namespace, deployment.metadata.name)
            self._soon(self._schedule_pending)

    def restart_pods(self) -> None:
        """Start every pod on a node anew."""
        for pod in self.store.list("Pod"):
            if not pod.spec.get("nodeName"):
                continue
            if pod.metadata.deletionTimestamp is not None:
                self._later(self.shutdown_s, self._end, pod.metadata.namespace, pod.metadata.name)
                continue
            self.store.update_status(
                pod.with_status({"phase": "Running", "conditions": [_condition("Ready", "False", "ContainersNotReady")]})
            )
            self._start(pod.metadata.namespace, pod.metadata.name)

    def retry_images(self) -> None:
        """Images can be pulled again (or no longer): waiting pods try once more."""
        for pod in self.store.list("Pod"):
            if pod.spec.get("nodeName") and not is_ready(pod):
                self._start(pod.metadata.namespace, pod.metadata.name)

    def retry_scheduling(self) -> None:
        """There may be room again."""
        self._soon(self._schedule_pending)

    def serving(self) -> int:
        """How many pods answer requests now."""
        return sum(1 for pod in self.store.list("Pod") if is_ready(pod)) if self.powered else 0

    # --- time ---------------------------------------------------------------------------------------------------------

    def _soon(self, callback: Any, *args: Any) -> None:
        self._clock.call_soon((self._trace.bound(callback, "kubelet"), args))

    def _later(self, delay_s: float, callback: Any, *args: Any) -> Timer:
        return self._clock.call_later(delay_s, self._trace.bound(callback, "kubelet"), *args)


def is_ready(pod: Unstructured) -> bool:
    """Whether a pod answers requests."""
    return any(c["type"] == "Ready" and c["status"] == "True" for c in pod.status.get("conditions") or ())


def pod_requests(pod: Unstructured) -> dict[str, int]:
    """What a pod asks of its node, in thousandths, the pod itself included."""
    total = {"pods": 1000}
    for container in pod.spec.get("containers") or ():
        for key, amount in ((container.get("resources") or {}).get("requests") or {}).items():
            total[key] = total.get(key, 0) + milli(amount)
    return total


def template_hash(deployment: Unstructured) -> str:
    """Which revision of its pod template a Deployment is at."""
    text = to_json(deployment.spec.get("template") or {})
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _condition(type_: str, status: str, reason: str, now: float | None = None) -> dict[str, Any]:
    condition: dict[str, Any] = {"type": type_, "status": status}
    if reason:
        condition["reason"] = reason
    if now is not None:
        condition["lastTransitionTime"] = str(Time(now))
    return condition



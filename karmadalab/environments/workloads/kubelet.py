"""Where pods run: a pod scheduler and the kubelets of all nodes, in miniature.

A pod goes to the first node with room, or waits; on its node it takes `startup_s` to become Ready, or never does when
its image can't be pulled; deleted pods take `shutdown_s` to end. A pod that need not run for ever (`restartPolicy`
other than Always, as in Jobs) succeeds after its time, which an annotation may set: `karmadalab.io/run: 30s`.

Not modelled: probes, restarts, scores of nodes, preemption, volumes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from karmadalab.api.errors import KarmadalabError, NotFound
from karmadalab.api.quantity import milli
from karmadalab.api.time import Time, seconds
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import ADDED, DELETED
from karmadalab.core.clock import Timer
from karmadalab.environments.workloads.pods import (
    PENDING,
    POD,
    RUNNING,
    SUCCEEDED,
    holds_room,
    is_finished,
    is_leaving,
    is_ready,
    pod_condition,
    pod_requests,
)
from karmadalab.environments.workloads.site import Site

ACTOR = "kubelet"
RUN_ANNOTATION = "karmadalab.io/run"
_RUN_S = 10.0

Key = tuple[str, str]


class Kubelet:
    """The nodes of one member.

    Args:
        startup_s, shutdown_s: how long pods take, in seconds.

    Attributes:
        run_s: how long a pod that need not run for ever takes when its annotation does not say, in seconds.
        bad_images: images (without tag or with) that can't be pulled here.
        full: whether no node has room; a fault sets it to exhaust capacity.
        starts: whether a pod, its image there, becomes ready at all.
    """

    def __init__(self, site: Site, startup_s: float, shutdown_s: float) -> None:
        self.startup_s, self.shutdown_s = startup_s, shutdown_s
        self.run_s = _RUN_S
        self.bad_images: set[str] = set()
        self.full = False
        self.starts: Callable[[Unstructured], bool] = lambda pod: True
        self._site, self._store = site, site.store
        self._pending: set[Key] = set()
        self._plans: dict[Key, Timer] = {}  # of each pod on a node: what becomes of it next
        self._addresses = 0
        self._store.watch(POD, self._pod_event)

    def _pod_event(self, event: str, old: Any, new: Any) -> None:
        key = new.metadata.namespace, new.metadata.name
        if event == DELETED:
            self._pending.discard(key)
            self._forget(key)
            if self._pending:
                self._schedule_soon()
        elif event == ADDED:
            if not new.spec.get("nodeName"):
                self._pending.add(key)
                self._schedule_soon()
        elif is_leaving(new) and not is_leaving(old):
            self._plan(key, self.shutdown_s, self._end)
        elif is_finished(new) and not is_finished(old) and self._pending:
            self._schedule_soon()  # its room is free now

    # --- finding a node -----------------------------------------------------------------------------------------------

    def _schedule_soon(self) -> None:
        self._site.soon(ACTOR, self._schedule_pending)

    def _schedule_pending(self) -> None:
        free = self._free() if self._pending else {}
        for key in sorted(self._pending):
            pod = self._store.find(POD, key[1], key[0])
            if pod is None or is_leaving(pod):
                self._pending.discard(key)
            elif (node := self._node_with_room(pod, free)) is not None:
                self._pending.discard(key)
                _take(free[node], pod)
                self._bind(pod, node)
            elif not pod.status:
                conditions = [pod_condition("PodScheduled", "False", "Unschedulable")]
                self._store.update_status(pod.with_status({"phase": PENDING, "conditions": conditions}))

    def has_room_for(self, pod: Unstructured) -> bool:
        """Whether a node could take a pod."""
        return self._node_with_room(pod, self._free()) is not None

    def _free(self) -> dict[str, dict[str, int]]:
        """What is left of each node, in thousandths."""
        free = {
            node.metadata.name: {key: milli(value) for key, value in node.status["allocatable"].items()}
            for node in self._store.list("Node")
        }
        for pod in self._store.list(POD):
            if holds_room(pod) and pod.spec["nodeName"] in free:
                _take(free[pod.spec["nodeName"]], pod)
        return free

    def _node_with_room(self, pod: Unstructured, free: dict[str, dict[str, int]]) -> str | None:
        if self.full:
            return None
        requests = pod_requests(pod)
        for node in self._store.list("Node"):
            name: str = node.metadata.name
            if node_suits(pod, node) and all(free[name].get(key, 0) >= amount for key, amount in requests.items()):
                return name
        return None

    def _bind(self, pod: Unstructured, node: str) -> None:
        bound = self._store.update(pod.with_spec(nodeName=node))
        now = str(Time(self._site.clock.now()))
        status = {"phase": PENDING, "startTime": now, "conditions": [pod_condition("Ready", "False")]}
        self._store.update_status(bound.with_status(status))
        self._start(bound.metadata.namespace, bound.metadata.name)

    # --- running ------------------------------------------------------------------------------------------------------

    def _plan(self, key: Key, delay_s: float, work: Callable[[str, str], None]) -> None:
        """Do something with a pod after a delay; what was planned for it, or for a pod of its name before, is off."""
        self._forget(key)
        self._plans[key] = self._site.later(delay_s, ACTOR, work, *key)

    def _forget(self, key: Key) -> None:
        if key in self._plans:
            self._site.clock.cancel(self._plans.pop(key))

    def _start(self, namespace: str, name: str) -> None:
        """Start a pod, or start it anew: an attempt that is under way counts no more."""
        self._plan((namespace, name), self.startup_s, self._started)

    def _started(self, namespace: str, name: str) -> None:
        pod = self._store.find(POD, name, namespace)
        if pod is None or is_leaving(pod) or is_finished(pod):
            return
        if not self._pulls(pod):
            waits = [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]
            conditions = [pod_condition("Ready", "False", "ContainersNotReady")]
            self._store.update_status(
                pod.with_status({**pod.status, "phase": PENDING, "conditions": conditions, "containerStatuses": waits})
            )
            return
        self._addresses += 1
        status = {
            "phase": RUNNING,
            "startTime": pod.status.get("startTime"),
            "podIP": pod.status.get("podIP") or self._site.address(self._addresses),
            "conditions": [pod_condition("Ready", "True", "", self._site.clock.now())],
        }
        self._store.update_status(pod.with_status(status))
        if pod.spec.get("restartPolicy", "Always") != "Always":
            self._plan((namespace, name), run_s(pod, self.run_s), self._finish)

    def _finish(self, namespace: str, name: str) -> None:
        pod = self._store.find(POD, name, namespace)
        if pod is not None and not is_leaving(pod) and is_ready(pod):
            conditions = [pod_condition("Ready", "False", "PodCompleted", self._site.clock.now())]
            self._store.update_status(pod.with_status({**pod.status, "phase": SUCCEEDED, "conditions": conditions}))

    def _pulls(self, pod: Unstructured) -> bool:
        images = [container.get("image", "") for container in pod.spec.get("containers") or ()]
        return self.starts(pod) and not any(
            image in self.bad_images or image.rpartition(":")[0] in self.bad_images for image in images
        )

    def _end(self, namespace: str, name: str) -> None:
        with suppress(NotFound):  # somebody was faster, which is as good
            self._store.delete(POD, name, namespace)

    # --- machines -----------------------------------------------------------------------------------------------------

    def restart(self) -> None:
        """The machines are back: start every pod on a node anew, end those that were to end."""
        for pod in self._store.list(POD):
            key = pod.metadata.namespace, pod.metadata.name
            if not pod.spec.get("nodeName") or is_finished(pod):
                continue
            if is_leaving(pod):
                self._plan(key, self.shutdown_s, self._end)
                continue
            conditions = [pod_condition("Ready", "False", "ContainersNotReady")]
            self._store.update_status(pod.with_status({**pod.status, "phase": RUNNING, "conditions": conditions}))
            self._start(*key)
        self._schedule_soon()

    def retry_images(self) -> None:
        """Images can be pulled again (or no longer): waiting pods try once more."""
        for pod in self._store.list(POD):
            if pod.spec.get("nodeName") and not is_ready(pod) and not is_finished(pod):
                self._start(pod.metadata.namespace, pod.metadata.name)

    def retry_scheduling(self) -> None:
        """There may be room again."""
        self._schedule_soon()


def _take(free: dict[str, int], pod: Unstructured) -> None:
    for key, amount in pod_requests(pod).items():
        free[key] = free.get(key, 0) - amount


def node_suits(pod: Unstructured, node: Unstructured) -> bool:
    """Whether a pod may run on a node, apart from room: its `nodeSelector`, and a DaemonSet's choice of node."""
    selector = pod.spec.get("nodeSelector") or {}
    labels = node.metadata.labels
    if any(labels.get(key) != value for key, value in selector.items()):
        return False
    chosen = node_chosen(pod)
    return chosen is None or chosen == node.metadata.name


def node_chosen(pod: Unstructured) -> str | None:
    """The one node that the pod's affinity names, as the DaemonSet controller writes it; None without such."""
    try:
        terms = pod.spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        return str(terms["nodeSelectorTerms"][0]["matchFields"][0]["values"][0])
    except (KeyError, IndexError, TypeError):
        return None


def run_s(pod: Unstructured, otherwise: float) -> float:
    """How long a pod runs that need not run for ever, in seconds; an annotation that is no time counts as absent."""
    try:
        return max(0.0, seconds(pod.metadata.annotations.get(RUN_ANNOTATION, otherwise), RUN_ANNOTATION))
    except KarmadalabError:
        return otherwise

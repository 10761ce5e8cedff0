"""statefulset-controller: pods with names that last, started one after the other, replaced from the last to the first.

Not modelled: volume claims, partitions, `minReadySeconds`, ControllerRevision objects (their hash is in the labels).
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import ADDED, DELETED
from karmadalab.environments.workloads.deployment import template_hash
from karmadalab.environments.workloads.pods import POD, is_leaving, is_ready, owner_of, pod_of
from karmadalab.environments.workloads.site import Site

ACTOR = "statefulset-controller"
STATEFUL_SET = "StatefulSet.apps"
REVISION_LABEL = "controller-revision-hash"
NAME_LABEL, INDEX_LABEL = "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"


class StatefulSets:
    """The controller."""

    def __init__(self, site: Site) -> None:
        self._site, self._store = site, site.store
        self._store.watch(STATEFUL_SET, self._event)
        self._store.watch(POD, self._pod_event)

    def _event(self, event: str, old: Any, new: Any) -> None:
        if event == ADDED or (event != DELETED and old.metadata.generation != new.metadata.generation):
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, new.metadata.name)

    def _pod_event(self, event: str, old: Any, new: Any) -> None:
        owner = owner_of(new, "StatefulSet")
        if owner is not None and event != ADDED:
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, owner.name)

    def resync(self) -> None:
        """Look at all of them."""
        for found in self._store.list(STATEFUL_SET):
            self._site.soon(ACTOR, self._sync, found.metadata.namespace, found.metadata.name)

    def _sync(self, namespace: str, name: str) -> None:
        found = self._store.find(STATEFUL_SET, name, namespace)
        if found is None:
            return
        pods = {ordinal(pod): pod for pod in self._site.owned(POD, found.metadata.uid)}
        wanted: int = found.spec.get("replicas", 1)
        revision = f"{name}-{template_hash(found)}"
        self._step(found, pods, wanted, revision)
        self._count(found, revision)

    def _step(self, found: Unstructured, pods: dict[int, Unstructured], wanted: int, revision: str) -> None:
        """Create, then shrink, then replace; in order, unless pods are managed in parallel."""
        in_order = found.spec.get("podManagementPolicy") != "Parallel"
        missing = wanted - sum(index < wanted for index in pods)
        allowed = self._site.allowance(found, missing, [*pods.values()])
        for index in range(min(wanted, len(pods) + allowed)):
            pod = pods.get(index)
            if pod is None and allowed:
                allowed -= 1
                self._create(found, index, revision)
            if in_order and (pod is None or not is_ready(pod) or is_leaving(pod)):
                return
        for index in sorted((index for index in pods if index >= wanted), reverse=True):
            if not is_leaving(pods[index]):
                self._delete(pods[index])
            if in_order:
                return
        if any(is_leaving(pod) or not is_ready(pod) for pod in pods.values()):
            return
        for index in sorted(pods, reverse=True):
            if pods[index].metadata.labels.get(REVISION_LABEL) != revision:
                self._delete(pods[index])
                return

    def _create(self, found: Unstructured, index: int, revision: str) -> None:
        name = f"{found.metadata.name}-{index}"
        labels = {REVISION_LABEL: revision, NAME_LABEL: name, INDEX_LABEL: str(index)}
        self._store.create(pod_of(found, name, labels))

    def _delete(self, pod: Unstructured) -> None:
        self._store.delete(POD, pod.metadata.name, pod.metadata.namespace)

    def _count(self, found: Unstructured, revision: str) -> None:
        pods = [pod for pod in self._site.owned(POD, found.metadata.uid) if not is_leaving(pod)]
        updated = sum(pod.metadata.labels.get(REVISION_LABEL) == revision for pod in pods)
        ready = sum(map(is_ready, pods))
        before = found.status.get("currentRevision") or revision
        done = updated == len(pods) == ready
        counts = {"readyReplicas": ready, "currentReplicas": len(pods) - updated, "updatedReplicas": updated}
        if done or before == revision:
            counts["currentReplicas"] = updated
        status = {
            "observedGeneration": found.metadata.generation,
            "replicas": len(pods),
            "availableReplicas": ready,
            "currentRevision": revision if done else before,
            "updateRevision": revision,
            "collisionCount": 0,
            **{key: value for key, value in counts.items() if value},
        }
        if status != found.status:
            self._store.update_status(found.with_status(status))


def ordinal(pod: Unstructured) -> int:
    """The number at the end of the pod's name."""
    return int(pod.metadata.name.rpartition("-")[2])

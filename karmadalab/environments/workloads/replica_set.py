"""replicaset-controller: as many pods as asked for, no matter which."""

from __future__ import annotations

from typing import Any

from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import ADDED, DELETED
from karmadalab.environments.workloads.pods import POD, first_to_go, is_finished, is_leaving, is_ready, owner_of, pod_of
from karmadalab.environments.workloads.site import Site

ACTOR = "replicaset-controller"
REPLICA_SET = "ReplicaSet.apps"


class ReplicaSets:
    """The controller."""

    def __init__(self, site: Site) -> None:
        self._site, self._store = site, site.store
        self._store.watch(REPLICA_SET, self._event)
        self._store.watch(POD, self._pod_event)

    def _event(self, event: str, old: Any, new: Any) -> None:
        if event == ADDED or (event != DELETED and old.metadata.generation != new.metadata.generation):
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, new.metadata.name)

    def _pod_event(self, event: str, old: Any, new: Any) -> None:
        owner = owner_of(new, "ReplicaSet")
        if owner is not None and event != ADDED:
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, owner.name)

    def resync(self) -> None:
        """Look at all of them."""
        for found in self._store.list(REPLICA_SET):
            self._site.soon(ACTOR, self._sync, found.metadata.namespace, found.metadata.name)

    def _sync(self, namespace: str, name: str) -> None:
        found = self._store.find(REPLICA_SET, name, namespace)
        if found is None:
            return
        pods = self._alive(found)
        missing = found.spec.get("replicas", 1) - len(pods)
        for _ in range(self._site.allowance(found, missing, pods)):
            self._store.create(pod_of(found, f"{name}-{self._site.suffix()}", {}))
        for pod in first_to_go(pods, -missing):
            self._store.delete(POD, pod.metadata.name, namespace)
        self._count(found, self._alive(found) if missing else pods)

    def _alive(self, found: Unstructured) -> list[Unstructured]:
        pods = self._site.owned(POD, found.metadata.uid)
        return [pod for pod in pods if not is_leaving(pod) and not is_finished(pod)]

    def _count(self, found: Unstructured, pods: list[Unstructured]) -> None:
        ready = sum(map(is_ready, pods))
        status = {"replicas": len(pods), "observedGeneration": found.metadata.generation}
        if pods:
            status["fullyLabeledReplicas"] = len(pods)
        if ready:
            status |= {"readyReplicas": ready, "availableReplicas": ready}
        if status != found.status:
            self._store.update_status(found.with_status(status))

"""daemonset-controller: one pod on each node that suits it, replaced one by one."""

from __future__ import annotations

from typing import Any

from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import ADDED, DELETED
from karmadalab.environments.workloads.deployment import template_hash
from karmadalab.environments.workloads.kubelet import node_chosen, node_suits
from karmadalab.environments.workloads.pods import POD, is_leaving, is_ready, owner_of, pod_of
from karmadalab.environments.workloads.site import Site

ACTOR = "daemonset-controller"
DAEMON_SET = "DaemonSet.apps"
REVISION_LABEL = "controller-revision-hash"


class DaemonSets:
    """The controller."""

    def __init__(self, site: Site) -> None:
        self._site, self._store = site, site.store
        self._store.watch(DAEMON_SET, self._event)
        self._store.watch(POD, self._pod_event)

    def _event(self, event: str, old: Any, new: Any) -> None:
        if event == ADDED or (event != DELETED and old.metadata.generation != new.metadata.generation):
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, new.metadata.name)

    def _pod_event(self, event: str, old: Any, new: Any) -> None:
        owner = owner_of(new, "DaemonSet")
        if owner is not None and event != ADDED:
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, owner.name)

    def resync(self) -> None:
        """Look at all of them."""
        for found in self._store.list(DAEMON_SET):
            self._site.soon(ACTOR, self._sync, found.metadata.namespace, found.metadata.name)

    def _sync(self, namespace: str, name: str) -> None:
        found = self._store.find(DAEMON_SET, name, namespace)
        if found is None:
            return
        template = Unstructured("v1", "Pod", body={"spec": (found.spec.get("template") or {}).get("spec") or {}})
        nodes = [node.metadata.name for node in self._store.list("Node") if node_suits(template, node)]
        revision = template_hash(found)
        pods = {node_chosen(pod): pod for pod in self._site.owned(POD, found.metadata.uid)}
        for node in nodes:
            if node not in pods:
                self._create(found, node, revision)
        for node, pod in pods.items():
            if node not in nodes and not is_leaving(pod):
                self._store.delete(POD, pod.metadata.name, namespace)
        self._replace_one(pods, revision)
        self._count(found, nodes, revision)

    def _replace_one(self, pods: dict[str | None, Unstructured], revision: str) -> None:
        """One outdated pod goes, when all others are ready (`maxUnavailable: 1`)."""
        stale = [pod for pod in pods.values() if pod.metadata.labels.get(REVISION_LABEL) != revision]
        if stale and all(is_ready(pod) and not is_leaving(pod) for pod in pods.values()):
            self._store.delete(POD, stale[0].metadata.name, stale[0].metadata.namespace)

    def _create(self, found: Unstructured, node: str, revision: str) -> None:
        field = {"key": "metadata.name", "operator": "In", "values": [node]}
        terms = {"nodeSelectorTerms": [{"matchFields": [field]}]}
        affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
        name = f"{found.metadata.name}-{self._site.suffix()}"
        self._store.create(pod_of(found, name, {REVISION_LABEL: revision}, affinity=affinity))

    def _count(self, found: Unstructured, nodes: list[str], revision: str) -> None:
        pods = [pod for pod in self._site.owned(POD, found.metadata.uid) if not is_leaving(pod)]
        ready = sum(map(is_ready, pods))
        updated = sum(pod.metadata.labels.get(REVISION_LABEL) == revision for pod in pods)
        status = {
            "currentNumberScheduled": len(pods),
            "numberMisscheduled": 0,
            "desiredNumberScheduled": len(nodes),
            "numberReady": ready,
            "observedGeneration": found.metadata.generation,
        }
        optional = {
            "updatedNumberScheduled": updated,
            "numberAvailable": ready,
            "numberUnavailable": len(nodes) - ready,
        }
        status |= {key: value for key, value in optional.items() if value}
        if status != found.status:
            self._store.update_status(found.with_status(status))

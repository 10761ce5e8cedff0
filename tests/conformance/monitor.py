"""Monitor: the cluster controller's taints by condition, its health monitor, and what a cluster leaves behind."""

from __future__ import annotations

from typing import Any

from karmadalab.api.cluster import LEASE_NAMESPACE, Cluster, execution_namespace, ready_condition
from karmadalab.api.codec import plain
from karmadalab.api.meta import Condition, ObjectMeta, replace, set_condition
from karmadalab.api.native import Lease, LeaseSpec
from karmadalab.api.time import MicroTime, Time
from karmadalab.controllers.cluster import ClusterController
from karmadalab.core.controller import Request
from karmadalab.core.settings import Settings
from tests.conformance.world import NEVER_S, World, differing


class _Case:
    def __init__(self, given: dict[str, Any], profile: str) -> None:
        settings = Settings(
            profile=profile,
            cluster_monitor_period=given["monitorPeriodSeconds"],
            cluster_monitor_grace_period=given["monitorGracePeriodSeconds"],
            cluster_startup_grace_period=given["startupGracePeriodSeconds"],
            failover_eviction_timeout=given["failoverEvictionTimeoutSeconds"],
            feature_gates=given["featureGates"],
        )
        self.world = World(settings, Time.parse(given["start"]))
        self.name = self.world.load(given["cluster"]).metadata.name
        self._restart({})

    def cluster(self) -> Cluster:
        return self.world.store.get(Cluster, self.name)

    def state(self) -> dict[str, Any]:
        cluster = self.cluster()
        return {"ready": plain(ready_condition(cluster)), "taints": plain(cluster.spec.taints)}

    def take(self, step: dict[str, Any]) -> None:
        self.world.run_to(step["at"])
        getattr(self, f"_{step['action']}")(step)
        if step["action"] not in ("renewLease", "deleteLease"):
            self._settle()

    def _settle(self) -> None:
        before = -1
        while before != self.world.store.version:
            before = self.world.store.version
            self.world.reconcile(self.controller, Request("", self.name))

    def _restart(self, step: dict[str, Any]) -> None:
        self.controller = ClusterController(self.world.manager, self.world.store, NEVER_S)

    def _monitor(self, step: dict[str, Any]) -> None:
        self.controller.monitor_all()

    def _setReady(self, step: dict[str, Any]) -> None:
        cluster = self.cluster()
        ready = Condition("Ready", step["status"], step["reason"], step["message"])
        conditions = set_condition(cluster.status.conditions, ready, self.world.clock.now())
        self.world.store.update_status(replace(cluster, status=replace(cluster.status, conditions=conditions)))

    def _renewLease(self, step: dict[str, Any]) -> None:
        spec = LeaseSpec(holderIdentity=self.name, renewTime=MicroTime(self.world.start + step["renewTime"]))
        lease = self.world.store.find(Lease, self.name, LEASE_NAMESPACE)
        if lease is None:
            meta = ObjectMeta(name=self.name, namespace=LEASE_NAMESPACE)
            self.world.store.create(Lease(metadata=meta, spec=spec))
        else:
            self.world.store.update(replace(lease, spec=spec))

    def _deleteLease(self, step: dict[str, Any]) -> None:
        if self.world.store.find(Lease, self.name, LEASE_NAMESPACE):
            self.world.store.delete(Lease, self.name, LEASE_NAMESPACE)


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """What the cluster looks like after each recorded step; None where nothing changed."""
    if case["input"].get("kind") == "clusterDeletion":
        return _delete(case["input"], profile)
    run = _Case(case["input"], profile)
    steps: list[dict[str, Any] | None] = []
    last = None
    for step in case["input"]["steps"]:
        run.take(step)
        state = run.state()
        steps.append(state if state != last else None)
        last = state
    namespace = run.world.store.find("Namespace", execution_namespace(run.name))
    return {
        "steps": steps,
        "finalizers": list(run.cluster().metadata.finalizers),
        "executionNamespace": namespace and {"name": namespace.metadata.name, "labels": namespace.metadata.labels},
    }


def _delete(given: dict[str, Any], profile: str) -> dict[str, Any]:
    world = World(Settings(profile=profile))
    cluster = world.load(given["cluster"])
    world.load_all(given["bindings"])
    name = cluster.metadata.name
    controller = ClusterController(world.manager, world.store, NEVER_S)
    answers = []
    for _ in range(given["reconciles"]):
        step = world.reconcile(controller, Request("", name))
        left = world.store.find(Cluster, name)
        answers.append(
            {
                "requeueAfterSeconds": step.requeue_after_s,
                "error": step.error,
                "finalizers": list(left.metadata.finalizers) if left else None,
                "taints": plain(left.spec.taints) if left else None,
                "executionNamespaceGone": world.store.find("Namespace", execution_namespace(name)) is None,
            }
        )
    return {"reconciles": answers}


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """One line for each part that differs."""
    return differing(case["expected"], actual)

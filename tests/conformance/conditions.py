"""Conditions: the cluster status controller between a member's health endpoints and the published Ready condition."""

from __future__ import annotations

from typing import Any

from karmadalab.api.cluster import PULL, APIEnablement, APIResource, Cluster, ready_condition
from karmadalab.api.codec import plain
from karmadalab.api.errors import Unreachable
from karmadalab.api.meta import Condition, replace, set_condition
from karmadalab.api.time import Time
from karmadalab.controllers.cluster_status import ClusterStatusController
from karmadalab.core.controller import Request
from karmadalab.core.member import ClientFailed, MemberCluster
from karmadalab.core.settings import Settings
from karmadalab.core.store import Store
from tests.conformance.world import World, differing

_ENABLEMENTS = (APIEnablement("v1", (APIResource("pods", "Pod"),)),)


class _Member:
    """A member that answers as the recording says; 0 is a connection error."""

    kubernetes_version = "v1.30.0"

    def __init__(self, name: str, world: World) -> None:
        self.name = name
        self.client = _Cache(world.clock, world.trace, world=name)
        self.codes = {"/readyz": 0, "/healthz": 0}
        self.client_error = ""

    def reach(self, name: str) -> MemberCluster:
        if self.client_error:
            raise ClientFailed(self.client_error)
        return self

    def get_code(self, path: str) -> int:
        if not self.codes[path]:
            raise Unreachable(f"GET {path}: connection refused")
        return self.codes[path]

    def api_enablements(self) -> tuple[APIEnablement, ...]:
        return _ENABLEMENTS


class _Cache(Store):
    version = 0


class _Case:
    def __init__(self, given: dict[str, Any], profile: str) -> None:
        settings = Settings(
            profile=profile,
            cluster_failure_threshold=given["failureThresholdSeconds"],
            cluster_success_threshold=given["successThresholdSeconds"],
            cluster_status_update_frequency=given["statusUpdateFrequencySeconds"],
        )
        self.world = World(settings, Time.parse(given["start"]))
        cluster = self.world.load(given["cluster"])
        self.name = cluster.metadata.name
        self.pulls = cluster.spec.syncMode == PULL
        self.member = _Member(self.name, self.world)
        self.observed: Condition | None = None
        self.restart()

    def restart(self) -> None:
        self.controller = ClusterStatusController(self.world.manager, self.world.store, self.member)

    def cluster(self) -> Cluster:
        return self.world.store.get(Cluster, self.name)

    def take(self, step: dict[str, Any]) -> dict[str, Any]:
        self.world.run_to(step["at"])
        action = step["action"]
        if action == "restart":
            self.restart()
            return {}
        if action == "setReady":
            cluster = self.cluster()
            ready = Condition("Ready", step["status"], step["reason"], step["message"])
            conditions = set_condition(cluster.status.conditions, ready, self.world.clock.now())
            self.world.store.update_status(replace(cluster, status=replace(cluster.status, conditions=conditions)))
            return {}
        return self._observe(step)

    def _observe(self, step: dict[str, Any]) -> dict[str, Any]:
        self.member.client_error = step["message"] if step["action"] == "clientError" else ""
        self.member.codes = {"/readyz": step.get("readyz", 0), "/healthz": step.get("healthz", 0)}
        done = self.world.reconcile(self.controller, Request("", self.name))
        answer = {
            "published": plain(ready_condition(self.cluster())),
            "requeueAfterSeconds": done.requeue_after_s,
            "error": done.error,
        }
        if step["action"] == "clientError":
            return answer
        probe = self.controller.probe(self.member)
        seen = plain(probe.condition)
        del seen["type"]
        return {**answer, "online": probe.online, "healthy": probe.healthy, "observed": seen}


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """What the controller observes and publishes in each recorded step."""
    run = _Case(case["input"], profile)
    steps = [run.take(step) for step in case["input"]["steps"]]
    steps[-1]["conditions"] = plain(run.cluster().status.conditions)
    return {"steps": steps}


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """One line for each part of a step that differs."""
    return differing(case["expected"], actual)

"""ClusterTaintPolicy: a cluster's taints after each change of its conditions, of its taints or of the policies."""

from __future__ import annotations

from typing import Any

from karmadalab.api.cluster import Cluster
from karmadalab.api.codec import convert, plain
from karmadalab.api.meta import Condition, Taint, replace
from karmadalab.api.policy import ClusterTaintPolicy
from karmadalab.api.time import MicroTime
from karmadalab.controllers.cluster_taint_policy import ClusterTaintPolicyController
from karmadalab.core.queue import Request
from karmadalab.core.settings import Settings
from tests.conformance.world import World, differing


class _Case:
    def __init__(self, given: dict[str, Any], profile: str) -> None:
        self.world = World(Settings(profile=profile), MicroTime.parse(given["start"]))
        self.name = self.world.load(given["cluster"]).metadata.name
        self.world.load_all(given["policies"])
        self.controller = ClusterTaintPolicyController(self.world.manager, self.world.store)

    def take(self, step: dict[str, Any]) -> dict[str, Any]:
        self.world.run_to(step["at"])
        store = self.world.store
        cluster = store.get(Cluster, self.name)
        if "conditions" in step:
            conditions = tuple(convert(item, Condition) for item in step["conditions"] or ())
            cluster = replace(cluster, status=replace(cluster.status, conditions=conditions))
        if "taints" in step:
            taints = tuple(convert(item, Taint) for item in step["taints"] or ())
            cluster = replace(cluster, spec=replace(cluster.spec, taints=taints))
        self.world.load(cluster)
        if "policies" in step:
            for policy in store.list(ClusterTaintPolicy):
                store.delete(ClusterTaintPolicy, policy.metadata.name)
            self.world.load_all(step["policies"])
        done = self.world.reconcile(self.controller, Request("", self.name))
        after = store.get(Cluster, self.name)
        return {"now": _moment(self.world.clock.now()), "taints": plain(after.spec.taints), "error": done.error}


def _moment(now: float) -> str:
    """A time of day as Go prints it: no zeros at the end of the fraction."""
    return str(MicroTime(round(now, 3))).removesuffix("Z").rstrip("0").removesuffix(".") + "Z"


def emit(case: dict[str, Any], profile: str = "v1.18") -> dict[str, Any]:
    """The taints after each recorded step."""
    run = _Case(case["input"], profile)
    return {"steps": [run.take(step) for step in case["input"]["steps"]]}


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """One line for each part that differs."""
    return differing(case["expected"], actual)

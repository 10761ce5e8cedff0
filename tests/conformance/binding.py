"""Binding: the Works of a binding after its first reconcile, after a change of the binding, after its deletion.

No admission ran in the recording, so Works carry no permanent id.
"""

from __future__ import annotations

import json
from typing import Any

from karmadalab.api.codec import decode, plain, to_dict
from karmadalab.api.meta import replace
from karmadalab.api.work import Work
from karmadalab.controllers.binding import BindingController
from karmadalab.core.queue import Request
from karmadalab.core.settings import Settings
from karmadalab.interpreter import Interpreter
from tests.conformance.world import World, differing

# The recording leaves out what an API server keeps by itself; `deleting` stands for the last two.
_STORE_KEEPS = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)


class _Case:
    def __init__(self, given: dict[str, Any], profile: str) -> None:
        settings = Settings(profile=profile, feature_gates=given["featureGates"])
        self.world = World(settings)
        self.timed = () if profile == "v1.13" else ("AfterUpdate", "AfterPurge")
        self.world.load_all(given["clusters"])
        self.world.load_all(given["clusterOverridePolicies"])
        self.world.load_all(given["overridePolicies"])
        self.world.load(given["template"])
        self.put(given["binding"])
        self.controller = BindingController(self.world.manager, self.world.store, Interpreter(profile))

    def put(self, binding: dict[str, Any]) -> None:
        self.binding = self.world.load(decode(binding))

    def reconcile(self, suffix: str) -> dict[str, Any]:
        meta = self.binding.metadata
        step = self.world.reconcile(self.controller, Request(meta.namespace, meta.name, self.binding.kind))
        answer = {
            f"works{suffix}": [_work(work) for work in self.world.store.list(Work)],
            f"error{suffix}": step.error,
        }
        if suffix in self.timed:
            answer[f"requeueAfterSeconds{suffix}"] = step.requeue_after_s
        return answer

    def finish_deleting(self) -> None:
        """What the members have deleted vanishes."""
        store = self.world.store
        for work in store.list(Work):
            if work.metadata.deletionTimestamp is not None:
                store.update(replace(work, metadata=replace(work.metadata, finalizers=())))

    def delete(self) -> None:
        meta = self.binding.metadata
        self.world.store.delete(type(self.binding), meta.name, meta.namespace)


def _work(work: Work) -> dict[str, Any]:
    data = json.loads(json.dumps(to_dict(work)))
    meta = {key: value for key, value in data["metadata"].items() if key not in _STORE_KEEPS}
    spec = {**plain(work.spec), "workload": data["spec"]["workload"]}
    return {
        "deleting": work.metadata.deletionTimestamp is not None,
        "work": {"metadata": meta, "spec": spec, "status": {}},
    }


def _trace(item: dict[str, Any]) -> dict[str, Any]:
    meta = item["work"]["metadata"]
    return {"name": meta["name"], "namespace": meta["namespace"], "deleting": item["deleting"]}


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """The Works of one recorded binding, phase by phase."""
    given = case["input"]
    run = _Case(given, profile)
    answer = run.reconcile("")
    run.put(given["bindingUpdate"])
    answer |= run.reconcile("AfterUpdate")
    if profile != "v1.13" and not given.get("recordedForV1_13"):
        run.finish_deleting()
        answer |= run.reconcile("AfterPurge")
    run.delete()
    answer |= run.reconcile("AfterDelete")
    answer["worksAfterDelete"] = [_trace(item) for item in answer["worksAfterDelete"]]
    meta = run.binding.metadata
    gone = run.world.store.find(type(run.binding), meta.name, meta.namespace) is None
    return {**answer, "bindingGone": gone}


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """One line for each part that differs."""
    expected = case["expected"]
    return differing(expected, {key: actual.get(key) for key in expected})

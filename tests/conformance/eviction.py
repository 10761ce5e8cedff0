"""Eviction: graceful tasks, giving clusters up, the taint manager, application failover and the paced queue.

Not compared: in v1.18 what the reconcile of a cluster puts into the queue, because the recording shows nothing there
even where the same case then evicts (the recorded timelines of v1.18 show that the binding is queued at once); in the
inputs of v1.13 run through v1.18, whether a toleration of 0 is called "now".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karmadalab.api.codec import convert, plain
from karmadalab.api.eviction import evicted
from karmadalab.api.meta import replace
from karmadalab.api.time import MicroTime, Time
from karmadalab.api.work import (
    AggregatedStatusItem,
    GracefulEvictionTask,
    ResourceBindingSpec,
    ResourceBindingStatus,
)
from karmadalab.controllers.application_failover import LATE_S, ApplicationFailoverController
from karmadalab.controllers.graceful_eviction import GracefulEvictionController, assess_eviction_tasks
from karmadalab.controllers.taint_manager import (
    FOREVER,
    BindingEviction,
    TaintManager,
    applied_tolerations,
    eviction_deadline,
    evicts,
)
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.paced_queue import PacedQueue
from karmadalab.core.queue import Request
from karmadalab.core.settings import Settings
from karmadalab.interpreter import Interpreter
from tests.conformance.world import World, differing

_INTERPRETER = Interpreter()


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """What the package does with one recorded case."""
    return _ANSWERS[case["input"]["kind"]](case["input"], profile)


def _result(binding: Any) -> dict[str, Any]:
    spec = binding.spec
    return {"clusters": plain(spec.clusters), "gracefulEvictionTasks": plain(spec.gracefulEvictionTasks)}


def _graceful(given: dict[str, Any], profile: str) -> dict[str, Any]:
    settings = Settings(profile=profile, graceful_eviction_timeout=given["gracefulEvictionTimeoutSeconds"])
    now = MicroTime.parse(given["now"])
    world = World(settings, now)
    binding = world.load(given["binding"])
    meta = binding.metadata
    request = Request(meta.namespace, meta.name, binding.kind)
    timeout_s, leak = settings.graceful_eviction_timeout, profile == "v1.13"
    assessment = assess_eviction_tasks(binding, timeout_s, now, leak=leak)
    step = world.reconcile(GracefulEvictionController(world.manager, world.store), request)
    after = world.store.get(type(binding), meta.name, meta.namespace)
    return {
        **_result(after),
        "evictedClusters": list(assessment.ended),
        "requeueAfterSeconds": assessment.requeue_after_s,
        "error": step.error,
    }


def _give_up(given: dict[str, Any], profile: str) -> dict[str, Any]:
    options = {key: value for key, value in given["options"].items() if value is not None}
    task = convert({"fromCluster": given["cluster"], **options}, GracefulEvictionTask)
    return {"spec": plain(evicted(convert(given["spec"], ResourceBindingSpec), task))}


# --- the taint manager -----------------------------------------------------------------------------------------------


def _taint_manager(given: dict[str, Any], profile: str) -> dict[str, Any]:
    settings = Settings(profile=profile, feature_gates=given["featureGates"])
    if profile != "v1.13":
        mode = given.get("noExecuteTaintEvictionPurgeMode") or "Gracefully"  # what is not Directly is Gracefully
        flags = {"enable_no_execute_taint_eviction": given["enableNoExecuteTaintEviction"]}
        settings = settings.with_flags({**flags, "no_execute_taint_eviction_purge_mode": mode})
    now = MicroTime.parse(given["now"])
    world = World(settings, now)
    cluster, binding = world.load(given["cluster"]), world.load(given["binding"])
    meta, name = binding.metadata, cluster.metadata.name
    request = Request(f"{name}/{meta.namespace}", meta.name, binding.kind)
    need = _need(cluster.spec.taints, binding, now, settings)
    step = world.reconcile(BindingEviction(world.manager, world.store, type(binding)), request)
    answer = {
        **_result(world.store.get(type(binding), meta.name, meta.namespace)),
        "error": step.error,
        "requeueAfterSeconds": step.requeue_after_s or None,
        "needEviction": need,
    }
    if "clusterTaintEvictionRetryFrequencySeconds" not in given:
        return answer
    world = World(settings, now)
    world.load_all([given["cluster"], given["binding"]])
    manager = Manager("recorded", world.clock, world.trace, settings, lambda _: evictions)
    evictions = [BindingEviction(manager, world.store, type(binding))]
    manager.start()
    step = world.reconcile(TaintManager(manager, world.store), Request("", name))
    return {**answer, "clusterReconcile": {"requeueAfterSeconds": step.requeue_after_s, "error": step.error}}


def _need(taints: Any, binding: Any, now: float, settings: Settings) -> dict[str, Any]:
    error, deadline = None, FOREVER
    try:
        deadline = eviction_deadline(taints, applied_tolerations(binding))
    except Retry as failed:
        error = str(failed)
    if deadline == FOREVER or not evicts(settings):
        return {"error": error, "evictNow": False, "toleratesForever": True, "tolerationSeconds": None}
    now_is = deadline == -FOREVER or (settings.profile != "v1.13" and deadline <= now)
    left = max(deadline - now, 0)
    return {"error": None, "evictNow": now_is, "toleratesForever": False, "tolerationSeconds": left}


# --- application failover --------------------------------------------------------------------------------------------


def _application(given: dict[str, Any], profile: str) -> dict[str, Any]:
    world = World(Settings(profile=profile, feature_gates=given["featureGates"]), Time.parse(given["start"]))
    binding = world.load(given["binding"])
    kind, meta = type(binding), binding.metadata
    controller = ApplicationFailoverController(world.manager, world.store, _INTERPRETER)
    steps = []
    for step in given["steps"]:
        world.run_to(step["at"])
        binding = world.store.get(kind, meta.name, meta.namespace)
        items = tuple(convert(item, AggregatedStatusItem) for item in step["aggregatedStatus"] or ())
        world.store.update_status(replace(binding, status=ResourceBindingStatus(aggregatedStatus=items)))
        done = world.reconcile(controller, Request(meta.namespace, meta.name, binding.kind))
        after = world.store.get(kind, meta.name, meta.namespace)
        requeue_s = max(done.requeue_after_s - LATE_S, 0.0)
        steps.append({**_result(after), "error": done.error, "requeueAfterSeconds": requeue_s})
    return {"steps": steps}


# --- the paced queue -------------------------------------------------------------------------------------------------


class _Evictor:
    """Processes requests, of which some fail a number of times, and notes when."""

    name = "recorded-evictor"

    def __init__(self, world: World, given: dict[str, Any]) -> None:
        self._world = world
        self._fail = {item["name"]: item["failures"] for item in given["items"]}
        self.processed: list[dict[str, Any]] = []
        rate, workers = given["resourceEvictionRate"], given["workers"]
        self.make_queue = lambda *args: PacedQueue(*args, rate=rate, workers=workers)

    def watches(self) -> Sequence[Watch]:
        return ()

    def reconcile(self, request: Request) -> Result:
        fails = self._fail[request.name] > 0
        self._fail[request.name] -= 1
        self.processed.append({"name": request.name, "at": self._world.clock.elapsed(), "error": fails})
        if fails:
            raise Retry("recorded failure")
        return DONE


def _queue(given: dict[str, Any], profile: str) -> dict[str, Any]:
    world = World(Settings(profile=profile))
    evictor = _Evictor(world, given)
    world.manager = Manager("recorded", world.clock, world.trace, world.settings, lambda _: [evictor], strict=True)
    world.manager.start()
    for item in given["items"]:
        request = Request("default", item["name"])
        world.clock.call_later(item["at"], world.manager.enqueue, evictor.name, request, item["delaySeconds"])
    world.run_to(given["horizonSeconds"])
    return {"processed": sorted(evictor.processed, key=lambda item: (round(item["at"], 4), item["name"]))}


_ANSWERS = {
    "gracefulEviction": _graceful,
    "gracefulEvictCluster": _give_up,
    "taintManager": _taint_manager,
    "applicationFailover": _application,
    "evictionQueue": _queue,
}


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """One line for each part that differs."""
    again = case["id"].endswith("(v1.13)")
    return differing(_comparable(case["expected"], again), _comparable(actual, again))


def _comparable(answer: Any, again: bool) -> Any:
    if isinstance(answer, list):
        return [_comparable(item, again) for item in answer]
    if not isinstance(answer, dict):
        return answer
    kept = {key: _comparable(value, again) for key, value in answer.items() if key != "enqueuedAfterSeconds"}
    if again and "evictNow" in kept:
        del kept["evictNow"]
    for key in ("requeueAfterSeconds", "tolerationSeconds", "at"):
        if isinstance(kept.get(key), (int, float)):
            kept[key] = round(kept[key], 4)
    return kept

"""Area `taints`: who tolerates what, which taints a condition brings, and when a workload must go."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from karmadalab.api.cluster import READY, Cluster, ClusterSpec, ready_condition
from karmadalab.api.codec import convert, plain
from karmadalab.api.health import ClusterHealth
from karmadalab.api.meta import NO_EXECUTE, Condition, ObjectMeta, Taint, Toleration, tolerates
from karmadalab.api.policy import Placement, PropagationPolicy, PropagationSpec
from karmadalab.api.taints import taints_by_condition, taints_by_time, with_taints
from karmadalab.api.time import Time
from karmadalab.api.work import ResourceBinding, ResourceBindingSpec
from karmadalab.controllers.taint_manager import BindingEviction, eviction_deadline
from karmadalab.core.clock import VirtualClock
from karmadalab.core.controller import Retry
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.settings import Settings
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace
from karmadalab.scheduler import BindingInfo, ClusterInfo
from karmadalab.scheduler.filters import TaintToleration
from karmadalab.webhook.admission import Admission

Given = dict[str, Any]
Answer = dict[str, Any]


def emit(case: dict[str, Any], profile: str = "v1.13") -> Answer:
    """Answer one case with the package's own functions."""
    return FUNCTIONS[case["func"]](case["input"])


def _tolerates(given: Given) -> Answer:
    taints, tolerations = _taints(given["taints"]), _tolerations(given["tolerations"])
    placement = Placement(clusterTolerations=tolerations)
    cluster = Cluster(metadata=ObjectMeta(name="member1"), spec=ClusterSpec(syncMode="Push", taints=taints))
    reason = TaintToleration().filter(BindingInfo.of(ResourceBindingSpec(placement=placement)), ClusterInfo.of(cluster))
    stays = eviction_deadline(taints, tolerations) != -math.inf
    no_execute = [taint for taint in taints if taint.effect == NO_EXECUTE]
    used = [next(t for t in tolerations if tolerates(t, taint)) for taint in no_execute] if stays else []
    return {
        "matrix": [[tolerates(toleration, taint) for toleration in tolerations] for taint in taints],
        "schedulable": reason is None,
        "firstUntolerated": reason and reason.partition("{")[2].removesuffix("}"),
        "noExecuteAllTolerated": stays,
        "usedTolerations": _plain(used),
    }


def _need_eviction(given: Given) -> Answer:
    now = Time.parse(given["now"])
    left = eviction_deadline(_taints(given["taints"]), _tolerations(given["tolerations"])) - now
    if left == math.inf:
        return {"needEviction": False, "tolerationSeconds": -1, "decision": "keep"}
    if left <= 0:
        return {"needEviction": left == -math.inf, "tolerationSeconds": 0, "decision": "evict-now"}
    return {"needEviction": False, "tolerationSeconds": left, "decision": "evict-later"}


def _sync_binding_eviction(given: Given) -> Answer:
    clock = VirtualClock(Time.parse(given["now"]))
    trace = Trace(clock.now)
    store = Store(clock, trace)
    settings = Settings(feature_gates=given["features"])
    manager = Manager("karmada-controller-manager", clock, trace, settings, lambda manager: ())
    cluster = store.create(convert(given["cluster"], Cluster))
    binding = store.create(convert(given["binding"], ResourceBinding))
    namespace, name = binding.metadata.namespace, binding.metadata.name
    answer: Answer = {"requeueAfterSeconds": None}
    try:
        request = Request(f"{cluster.metadata.name}/{namespace}", name, binding.kind)
        answer["requeueAfterSeconds"] = BindingEviction(manager, store).reconcile(request).requeue_after_s
    except Retry as error:
        answer["error"] = str(error)
    spec = store.get(ResourceBinding, name, namespace).spec
    return {**answer, "clusters": _plain(spec.clusters), "gracefulEvictionTasks": _plain(spec.gracefulEvictionTasks)}


def _set_current_cluster_taints(given: Given) -> Answer:
    add, remove = _taints(given["taintsToAdd"]), _taints(given["taintsToRemove"])
    return {"taints": _plain(with_taints(_taints(given["taints"]), add, remove, Time.parse(given["now"])))}


def _taint_by_condition(given: Given) -> Answer:
    cluster = convert(given["cluster"], Cluster)
    taints = taints_by_condition(ready_condition(cluster), cluster.spec.taints, Time.parse(given["now"]))
    return {"taints": _plain(taints)}


def _taint_by_time(given: Given) -> Answer:
    cluster = convert(given["cluster"], Cluster)
    health = ClusterHealth(Time.parse(given["probeTimestamp"]), Time.parse(given["readyTransitionTimestamp"]))
    taints = taints_by_time(
        ready_condition(cluster) or Condition(type=READY, status="Unknown"),
        health,
        cluster.spec.taints,
        given["failoverEvictionTimeoutSeconds"],
        given["features"]["Failover"],
        Time.parse(given["now"]),
    )
    return {"taints": _plain(taints)}


def _add_default_tolerations(given: Given) -> Answer:
    placement = Placement(clusterTolerations=_tolerations(given["tolerations"]))
    policy = PropagationPolicy(
        metadata=ObjectMeta(name="web", namespace="default"), spec=PropagationSpec(placement=placement)
    )
    admission = Admission(lambda: "<uuid>", lambda: 0.0, given["notReadySeconds"], given["unreachableSeconds"])
    return {"tolerations": _plain(admission.mutate("CREATE", policy).spec.placement.clusterTolerations)}


FUNCTIONS: dict[str, Callable[[Given], Answer]] = {
    "tolerates": _tolerates,
    "needEviction": _need_eviction,
    "syncBindingEviction": _sync_binding_eviction,
    "setCurrentClusterTaints": _set_current_cluster_taints,
    "taintClusterByCondition": _taint_by_condition,
    "processTaintBaseEviction": _taint_by_time,
    "addDefaultTolerations": _add_default_tolerations,
}


def _plain(items: Sequence[Any]) -> list[Any]:
    return [plain(item) for item in items]


def _taints(taints: list[Given] | None) -> tuple[Taint, ...]:
    return tuple(convert(taint, Taint) for taint in taints or ())


def _tolerations(tolerations: list[Given] | None) -> tuple[Toleration, ...]:
    return tuple(convert(toleration, Toleration) for toleration in tolerations or ())


def differences(case: dict[str, Any], actual: Answer) -> list[str]:
    """What disagrees with the recording."""
    expected = case["expected"]
    wrong = [key for key in sorted({*expected, *actual}) if not _same(actual.get(key), expected.get(key))]
    return [f"{key}: got {actual.get(key)}, expected {expected.get(key)}" for key in wrong]


def _same(ours: Any, theirs: Any) -> bool:
    """An empty list and none at all are the same."""
    return bool(ours == theirs) or (not ours and not theirs and {type(ours), type(theirs)} <= {list, type(None)})

"""Area `scheduler`: one binding, one fleet, one decision; or, in mode `reconcile`, what is written on the binding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karmadalab.api.cluster import Cluster
from karmadalab.api.codec import convert
from karmadalab.api.work import ResourceBindingSpec, ResourceBindingStatus, TargetCluster
from karmadalab.scheduler import CrashError, Decision, Scheduler, Snapshot
from karmadalab.scheduler.plan import plan
from tests.conformance.chance import is_tie, replicas_by_name

# The rest of `expected` explains the recording and is no part of the answer.
ANSWER = ("clusters", "error", "reason", "retry", "schedulerObservingAffinityName", "condition")


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """Answer one case with the package's own scheduler."""
    if case["input"]["mode"] == "reconcile":
        return _reconciled(*_read(case, profile))
    decision = decide(case, profile)
    error = decision.error
    if error is None:
        return {"clusters": _targets(decision.clusters)}
    answer = {"error": str(error), "reason": error.reason, "retry": error.retry}
    return {"panic": error.panic, **answer} if isinstance(error, CrashError) else answer


def decide(case: dict[str, Any], profile: str) -> Decision:
    """The decision itself, for a case of mode `schedule`."""
    scheduler, spec, status, fleet = _read(case, profile)
    return scheduler.schedule(spec, status, fleet)


def _read(case: dict[str, Any], profile: str) -> tuple[Scheduler, ResourceBindingSpec, ResourceBindingStatus, Snapshot]:
    given = case["input"]
    fleet = Snapshot(convert(cluster, Cluster) for cluster in given["clusters"])
    spec = convert(given["bindingSpec"], ResourceBindingSpec)
    status = convert(given.get("bindingStatus") or {}, ResourceBindingStatus)
    keep_empty = bool((given.get("options") or {}).get("enableEmptyWorkloadPropagation"))
    return Scheduler(profile, enable_empty_workload_propagation=keep_empty), spec, status, fleet


def _reconciled(
    scheduler: Scheduler, spec: ResourceBindingSpec, status: ResourceBindingStatus, fleet: Snapshot
) -> dict[str, Any]:
    planned = plan(spec, status, lambda spec, status: scheduler.schedule(spec, status, fleet))
    condition = planned.condition
    answer: dict[str, Any] = {
        "clusters": _targets(spec.clusters if planned.clusters is None else planned.clusters),
        "schedulerObservingAffinityName": planned.affinity_name,
        "condition": {"status": condition.status, "reason": condition.reason, "message": condition.message},
    }
    if planned.retry:
        answer["error"] = str(planned.error)
    crash = next((d.error for d in planned.decisions if isinstance(d.error, CrashError)), None)
    return {"panic": crash.panic, **answer} if crash is not None else answer


def _targets(clusters: tuple[TargetCluster, ...]) -> list[dict[str, Any]]:
    return [{"name": target.name, "replicas": target.replicas} for target in sorted(clusters, key=lambda t: t.name)]


def differences(case: dict[str, Any], actual: dict[str, Any], expected: dict[str, Any] | None = None) -> list[str]:
    """What disagrees with the recording. Where Karmada flips a coin, each possible outcome agrees."""
    expected = expected if expected is not None else case["expected"]
    if "panic" in expected:
        # The real scheduler crashed; the lab says so and goes on.
        named = "divides by zero" in actual.get("error", "") or "divides by zero" in str(actual.get("condition"))
        return [] if actual.get("panic") == expected["panic"] and named else [f"expected a crash, got {actual}"]
    possible = expected.get("outcomes") or [expected]
    if any(_answer(actual) == _answer(outcome) for outcome in possible):
        return []
    keep_empty = bool((case["input"].get("options") or {}).get("enableEmptyWorkloadPropagation"))
    for tie in (*expected.get("ties", ()), expected.get("stableSortTie")):
        if tie and any(_is_tie(actual, outcome, tie, keep_empty) for outcome in possible):
            return []
    if "stableSortOutcome" in expected and _answer(actual) == _answer(expected["stableSortOutcome"]):
        return []
    return [f"got {_answer(actual)}, expected {' or '.join(str(_answer(outcome)) for outcome in possible[:4])}"]


def _answer(outcome: Mapping[str, Any]) -> dict[str, Any]:
    return {key: outcome[key] for key in ANSWER if key in outcome}


def _is_tie(actual: Mapping[str, Any], outcome: Mapping[str, Any], tie: Mapping[str, Any], keep_empty: bool) -> bool:
    """Whether `actual` is the listed outcome but for who of the tied clusters was lucky."""
    if "clusters" not in actual or "clusters" not in outcome:
        return False
    got = replicas_by_name(actual["clusters"])
    if not keep_empty and 0 in got.values():
        return False
    rest = ("schedulerObservingAffinityName", "condition", "error")
    same = all(actual.get(key) == outcome.get(key) for key in rest)
    return same and is_tie(got, replicas_by_name(outcome["clusters"]), tie)

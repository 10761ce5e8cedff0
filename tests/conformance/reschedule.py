"""Area `reschedule`: does the scheduler schedule this binding at all?"""

from __future__ import annotations

from typing import Any

from karmadalab.api.codec import convert
from karmadalab.api.policy import APPLIED_PLACEMENT_ANNOTATION
from karmadalab.api.work import ResourceBinding
from karmadalab.scheduler.binding_info import reschedule_required
from karmadalab.scheduler.reschedule import placement_changed, replicas_changed, trigger_of


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """Answer one case with the package's own rules."""
    binding = convert(case["input"]["binding"], ResourceBinding)
    spec, status, meta = binding.spec, binding.status, binding.metadata
    applied = meta.annotations.get(APPLIED_PLACEMENT_ANNOTATION, "")
    scheduled = trigger_of(binding) is not None
    left_alone = meta.deletionTimestamp is not None
    assert spec.placement is not None
    return {
        "scheduled": scheduled,
        "placementChanged": placement_changed(spec.placement, applied, status.schedulerObservingAffinityName),
        "replicasChanged": replicas_changed(spec),
        "rescheduleRequired": reschedule_required(spec, status),
        "schedulerObservedGeneration": status.schedulerObservedGeneration if left_alone else meta.generation,
    }


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """What disagrees with the recording."""
    expected = case["expected"]
    wrong = [key for key in expected if actual.get(key) != expected[key]]
    return [f"{key}: got {actual.get(key)}, expected {expected[key]}" for key in wrong]

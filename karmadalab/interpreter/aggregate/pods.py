"""Pods: the worst phase of all members, and all their containers."""

from __future__ import annotations

from typing import Any

from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import AggregatedStatusItem
from karmadalab.interpreter.status import with_new_status

# The phase that decides comes first. A member that reported nothing yet counts as Pending.
_WORST_FIRST = ("Failed", "Pending", "Running", "Succeeded")


def aggregate_pod(template: Unstructured, items: tuple[AggregatedStatusItem, ...], now: float) -> Unstructured:
    """Pod: phase, and of each container whether it is ready and its state; as it was while nobody has reported."""
    if not items:
        return template
    status: dict[str, Any] = {}
    for field in ("containerStatuses", "initContainerStatuses"):
        found = [_container(c) for item in items for c in (item.status or {}).get(field) or ()]
        if found:
            status[field] = found
    phases = {"Pending" if item.status is None else item.status.get("phase") for item in items}
    phase = next((phase for phase in _WORST_FIRST if phase in phases), "")
    if phase:
        status["phase"] = phase
    return with_new_status(template, status)


def _container(status: dict[str, Any]) -> dict[str, Any]:
    """Only readiness and state are kept; the empty rest is what Go writes for an empty `ContainerStatus`."""
    blank = {"name": "", "image": "", "imageID": "", "lastState": {}, "restartCount": 0}
    return {**blank, "ready": bool(status.get("ready")), "state": status.get("state") or {}}

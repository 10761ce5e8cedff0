"""Volumes and claims: the phase that needs attention most wins."""

from __future__ import annotations

from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import AggregatedStatusItem
from karmadalab.interpreter.status import put, with_new_status

Items = tuple[AggregatedStatusItem, ...]

_VOLUME_WORST_FIRST = ("Failed", "Pending", "Available", "Bound", "Released")


def aggregate_volume(template: Unstructured, items: Items, now: float) -> Unstructured:
    """PersistentVolume: a member that reported nothing yet counts as Pending."""
    phases = {"Pending" if item.status is None else item.status.get("phase") for item in items}
    phase = next((phase for phase in _VOLUME_WORST_FIRST if phase in phases), "")
    return with_new_status(template, put(template.status, {"phase": phase}))


def aggregate_volume_claim(template: Unstructured, items: Items, now: float) -> Unstructured:
    """PersistentVolumeClaim: Lost if one is, else what the last says that is not bound, else Bound."""
    phases = [item.status.get("phase", "") for item in items if item.status is not None]
    unbound = [phase for phase in phases if phase != "Bound"] or ["Bound"]
    return with_new_status(template, put({}, {"phase": "Lost" if "Lost" in phases else unbound[-1]}))

"""What one run cost, as a flat record: what a sweep keeps of each run."""

from __future__ import annotations

from typing import Any

from karmadalab.analysis.outage import outages
from karmadalab.analysis.recording import record
from karmadalab.experiments import ScenarioResult


def outage_costs(result: ScenarioResult) -> dict[str, Any]:
    """The costs of a scenario, summed over its outages.

    Returns:
        `detections`: how often a cluster stopped being Ready; `moves`: how many evictions; `lost`: replica-seconds;
        `double_s`: seconds with more replicas than wanted; `total_s`: the longest time from a fault to the replacement
        that serves, None when there was none.
    """
    recording = record(result.lab)
    found = outages(recording)
    events = [event.what for event in recording.events if event.kind == "Cluster"]
    totals = [outage.total_s for outage in found if outage.total_s is not None]
    return {
        "detections": sum(what.startswith("condition Ready True -> ") for what in events),
        "moves": sum(outage.evicted_s is not None for outage in found),
        "total_s": max(totals, default=None),
        "lost": round(sum(outage.lost for outage in found), 3),
        "double_s": round(sum(outage.double_s for outage in found), 3),
    }

"""Real runs for a sweep: a scenario as data, and what one run of it cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from karmadalab.analysis import outage_costs
from karmadalab.experiments import run_scenario
from karmadalab.teaching.manifests import ONE_CLUSTER, deployment, policy

Scenario = dict[str, Any]
Record = dict[str, Any]
Run = Callable[[Scenario, dict[str, Any], int], Mapping[str, Any]]
Sweeper = Callable[[Scenario, Mapping[str, Sequence[Any]], Sequence[int], Run], list[Record]]


def outage(length: str, until: str = "20m") -> Scenario:
    """A scenario: `web` on member1 of three, which after a minute loses its power for a while."""
    return {
        "about": f"member1 has no power for {length}",
        "fleet": {"members": [{"name": f"member{n}"} for n in (1, 2, 3)]},
        "manifests": [deployment("web"), policy("web", ONE_CLUSTER)],
        "actions": [{"at": "1m", "fault": "power_off", "target": "member1", "for": length}],
        "until": until,
    }


def measured(scenario: Scenario, flags: Mapping[str, Any], seed: int) -> Record:
    """One run: `detections`, `moves`, `total_s`, `lost` (replica-seconds) and `double_s`."""
    return outage_costs(run_scenario(scenario, flags, seed))

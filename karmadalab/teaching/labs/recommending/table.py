"""A table of runs as a sweep leaves it, and the case that it is judged for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from karmadalab.analysis import outage_costs
from karmadalab.experiments import sweep
from karmadalab.teaching.manifests import ONE_CLUSTER, deployment, policy

Flags = tuple[Any, ...]
Records = list[dict[str, Any]]

WAIT, TOLERATION = "failover-eviction-timeout", "default-not-ready-toleration-seconds"
GRID: dict[str, list[Any]] = {WAIT: ["0s", "30s", "5m"], TOLERATION: [0, 30, 300]}
SEEDS = (1, 2)
UNTIL = {"25s": "6m", "75s": "8m", "20m": "25m"}
LONG = "20m"


@dataclass(frozen=True)
class Case:
    """A fleet and its owners.

    Attributes:
        a_year: length of an outage -> how often a year it comes.
        a_second: price of a lost replica-second, in coins.
        a_move: price of a move, in coins.
        most_s: how long the long outage (20m) may last until the replacement serves, in seconds, with every seed.
    """

    a_year: Mapping[str, float] = field(default_factory=lambda: {"25s": 240, "75s": 24, "20m": 1})
    a_second: float = 1
    a_move: float = 60
    most_s: float = 400


def drawn(rng: Random) -> Case:
    """A student's own case."""
    a_year = {"25s": rng.randrange(100, 400, 10), "75s": rng.randrange(6, 40), "20m": rng.randint(1, 3)}
    return Case(a_year, rng.choice((0.5, 1, 2)), rng.randrange(20, 200, 5), rng.choice((120, 200, 380, 420)))


def table() -> Records:
    """The runs of lesson 43: each with its flags, `outage`, `seed`, `moves`, `lost`, `double_s` and `total_s`."""
    return [dict(record) for record in _runs()]


@cache
def _runs() -> tuple[dict[str, Any], ...]:
    found: Records = []
    for outage, until in UNTIL.items():
        scenario = {
            "about": f"member1 has no power for {outage}",
            "fleet": {"members": [{"name": f"member{n}"} for n in (1, 2, 3)]},
            "manifests": [deployment("web"), policy("web", ONE_CLUSTER)],
            "actions": [{"at": "1m", "fault": "power_off", "target": "member1", "for": outage}],
            "until": until,
        }
        runs = sweep(scenario, GRID, seeds=SEEDS, measure=outage_costs).records
        found += [{"outage": outage, **record} for record in runs]
    return tuple(found)

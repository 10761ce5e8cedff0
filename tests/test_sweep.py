"""Sweeps: every combination once, in an order that no executor changes, and nothing runs before all is checked."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from karmadalab.analysis import outage_costs
from karmadalab.api.errors import KarmadalabError
from karmadalab.experiments import ScenarioResult, sweep

ENVIRONMENTS = Path(__file__).resolve().parent.parent / "environments"
BLIP: dict[str, Any] = {
    "about": "A short outage.",
    "fleet": {"members": [{"name": "m1"}, {"name": "m2"}]},
    "actions": [{"at": "1m", "fault": "refuse", "target": "m1", "for": "38s"}],
    "until": "3m",
}
GRID = {"cluster-failure-threshold": ["10s", "30s"], "cluster-success-threshold": ["10s", "30s"]}


def test_each_combination_runs_with_each_seed_the_seed_varies_fastest() -> None:
    result = sweep(BLIP, GRID, seeds=(1, 2), measure=outage_costs)
    assert result.flags == tuple(GRID)
    assert [(r["cluster-failure-threshold"], r["cluster-success-threshold"], r["seed"]) for r in result.records] == [
        *[("10s", "10s", 1), ("10s", "10s", 2), ("10s", "30s", 1), ("10s", "30s", 2)],
        *[("30s", "10s", 1), ("30s", "10s", 2), ("30s", "30s", 1), ("30s", "30s", 2)],
    ]
    assert list(result.groups()) == [("10s", "10s"), ("10s", "30s"), ("30s", "10s"), ("30s", "30s")]
    assert all(record["detections"] == 1 for record in result.groups()[("10s", "30s")])


def test_threads_and_processes_give_the_same_records() -> None:
    here = sweep(BLIP, GRID, seeds=range(3), measure=outage_costs)
    with ThreadPoolExecutor(2) as threads:
        assert sweep(BLIP, GRID, seeds=range(3), measure=outage_costs, executor=threads) == here
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert sweep(BLIP, GRID, seeds=range(3), measure=outage_costs, executor=processes) == here


def test_costs_of_a_failover() -> None:
    [record] = sweep(ENVIRONMENTS / "failover.yaml", {}, measure=outage_costs).records
    assert (record["detections"], record["moves"]) == (1, 1)
    assert 630 <= record["total_s"] <= 660
    assert record["lost"] > 1200


def test_a_table_has_a_row_a_run() -> None:
    table = sweep(BLIP, {}, seeds=(1, 2), measure=outage_costs).to_frame()
    assert list(table.columns) == ["seed", "detections", "moves", "total_s", "lost", "double_s"]
    assert len(table) == 2


def never(result: ScenarioResult) -> dict[str, Any]:
    raise AssertionError("it ran")


@pytest.mark.parametrize(
    ("grid", "seeds", "says"),
    [
        pytest.param({"cluster-failure-treshold": ["1s"]}, (1,), "did you mean cluster-failure-threshold", id="typo"),
        pytest.param({"cluster-failure-threshold": ["1s", "-1s"]}, (1,), "negative", id="a bad value, the last"),
        pytest.param({"cluster-failure-threshold": "30s"}, (1,), r"a list of values to try", id="no list"),
        pytest.param({"cluster-failure-threshold": []}, (1,), r"a list of values to try", id="an empty list"),
        pytest.param({}, (), "expected whole numbers", id="no seeds"),
        pytest.param({}, (True,), "expected whole numbers", id="a seed that is none"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(grid: Any, seeds: Any, says: str) -> None:
    with pytest.raises(KarmadalabError, match=says):
        sweep(BLIP, grid, seeds=seeds, measure=never)


def test_a_measure_can_not_overwrite_a_flag() -> None:
    with pytest.raises(KarmadalabError, match="seed is a flag or the seed of the record"):
        sweep(BLIP, {}, measure=lambda _: {"seed": 3})

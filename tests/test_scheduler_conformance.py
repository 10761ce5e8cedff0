"""Every recorded decision of the real scheduler, answered again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance import scheduler
from tests.conformance.__main__ import area_module, read_cases
from tests.conformance.profiles import expected_in

ROOT = Path(__file__).parents[1]
RECORDINGS = ROOT / "tests/data/karmada-v1.13"

AREAS = {
    "scheduler": 3000,
    "scheduler-edge": 213,
    "bench-golden": 10,
    "division": 422,
    "taints": 346,
    "reschedule": 300,
}


def recording(area: str) -> Path:
    return RECORDINGS / f"{area}.jsonl.gz"


@pytest.mark.parametrize("area", AREAS)
def test_v1_13_answers_as_recorded(area):
    module, wrong, cases = area_module(area), [], 0
    for case in read_cases(recording(area)):
        cases += 1
        wrong += [f"{case['id']}: {text}" for text in module.differences(case, module.emit(case, "v1.13"))]
    assert cases == AREAS[area]
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize("area", ["scheduler", "scheduler-edge"])
def test_v1_18_answers_as_recorded(area):
    wrong, unknown = [], []
    for case in read_cases(recording(area)):
        expected = expected_in(case, "v1.18")
        if expected is None:
            unknown.append(case["id"])
            continue
        actual = scheduler.emit(case, "v1.18")
        wrong += [f"{case['id']}: {text}" for text in scheduler.differences(case, actual, expected)]
    assert len(unknown) <= 1
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize("area", AREAS)
def test_a_wrong_answer_is_noticed(area):
    """The comparison itself: an answer to another question hardly ever passes."""
    module = area_module(area)
    cases = list(read_cases(recording(area)))[:60]
    answers = [module.emit(case, "v1.13") for case in cases]
    noticed = sum(bool(module.differences(case, {"error": "no idea"})) for case in cases)
    assert noticed == len(cases)
    assert all(not module.differences(case, answer) for case, answer in zip(cases, answers, strict=True))


def test_the_command_prints_one_answer_a_case():
    command = [sys.executable, "-m", "tests.conformance", "emit", "scheduler-edge", str(recording("scheduler-edge"))]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    answers = [json.loads(line) for line in output.splitlines()]
    cases = list(read_cases(recording("scheduler-edge")))
    assert [answer["id"] for answer in answers] == [case["id"] for case in cases]
    assert not any(scheduler.differences(case, answer["actual"]) for case, answer in zip(cases, answers, strict=True))


def test_explanations_know_what_the_recording_knows():
    """Every refusal of every plugin, the estimates and the clusters selected, where they were recorded."""
    for case in read_cases(recording("scheduler-edge")):
        if case["input"]["mode"] != "schedule" or "map-order" in case["id"]:
            continue
        explanation = scheduler.decide(case, "v1.13").explain()
        detail = case["expected"].get("detail", {})
        refused = {v.cluster: dict(v.refusals) for v in explanation if v.refusals and v.refusals[0][0] != "(fleet)"}
        assert refused == case["expected"]["diagnosis"], case["id"]
        if "availableReplicas" in detail:
            room = {v.cluster: v.estimate for v in explanation if v.estimate is not None}
            assert room == detail["availableReplicas"], case["id"]
        if "selected" in detail:
            assert {v.cluster for v in explanation if v.selected} == set(detail["selected"]), case["id"]

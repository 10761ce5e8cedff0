"""The fake against recorded failovers of a real Karmada v1.18: same milestones, same order, each in its tolerance."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.timeline import Recording, differences, emit_file

RECORDINGS = sorted((Path(__file__).parent / "data" / "timelines-v1.18").glob("*.json.gz"))


def recording(name: str) -> Path:
    return next(path for path in RECORDINGS if path.name == f"{name}.json.gz")


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name.removesuffix(".json.gz"))
def test_a_replay_agrees_with_its_recording(path: Path) -> None:
    assert differences(Recording(path), emit_file(path, "v1.18")) == []


def test_all_recordings_are_compared() -> None:
    runs = Counter(path.name.partition("-")[0] for path in RECORDINGS)
    assert runs == {"A18": 9, "B18": 22, "B18b": 13, "C18": 14, "D18rate05": 1, "D18rate5": 1, "E18": 1}


def changed(actual: dict[str, Any], **milestones: Any) -> dict[str, Any]:
    return {**actual, "milestones": {**actual["milestones"], **milestones}}


def test_the_comparison_notices_what_v1_18_adds() -> None:
    path = recording("C18-c-static")
    file, actual = Recording(path), emit_file(path)
    assert differences(file, changed(actual, purge_mode="Gracefully")) == [
        "purge_mode: recorded Directly, here Gracefully"
    ]
    later = changed(actual, noexecute_added=actual["milestones"]["noexecute_added"] + 1.1)
    assert any(text.startswith("noexecute_added: recorded") for text in differences(file, later))
    elsewhere = changed(actual, placement_after={"member2": 3, "member3": 3})
    assert any(text.startswith("placement_after") for text in differences(file, elsewhere))


def test_the_comparison_notices_one_late_eviction_of_fifteen_and_one_wrong_division() -> None:
    path = recording("D18rate5-r-rate")
    file, actual = Recording(path), emit_file(path)
    queue = [{**item, "t": item["t"] + 4.0 * (item["binding"] == "app-09-deployment")} for item in evictions(actual)]
    assert any("app-09-deployment recorded" in text for text in differences(file, changed(actual, evictions=queue)))
    path = recording("E18-v-divide")
    file, actual = Recording(path), emit_file(path)
    wrong = {**actual["milestones"]["placements"], "web2-21-deployment": [{"member2": 2}]}
    assert any("web2-21-deployment" in text for text in differences(file, changed(actual, placements=wrong)))


def evictions(actual: dict[str, Any]) -> list[dict[str, Any]]:
    return list(actual["milestones"]["evictions"])


@pytest.mark.parametrize(("name", "period_s"), [("D18rate05-r-rate", 2.0), ("D18rate5-r-rate", 0.2)])
def test_evictions_come_in_bursts_of_three_as_the_rate_is_a_workers(name: str, period_s: float) -> None:
    times = [item["t"] for item in evictions(emit_file(recording(name)))]
    bursts = [times[i : i + 3] for i in range(0, 15, 3)]
    assert len(times) == 15
    assert all(burst[0] == burst[2] for burst in bursts)
    assert all(after[0] - before[0] >= period_s for before, after in pairwise(bursts))


def test_a_scale_up_that_never_reaches_a_dead_member_is_hidden_by_its_conditions() -> None:
    """Measured in A18: FullyApplied stays True, the template reads 8 of 9 ready, delivery comes 7 s after Ready."""
    actual = emit_file(recording("A18-c-static"))
    outage = [event for event in actual["events"] if 121 < event["t"] < 240]
    assert not [event for event in outage if event["what"].startswith("condition FullyApplied")]
    template = [e["detail"] for e in outage if e["kind"] == "Deployment" and e["what"] == "status changed"][-1]
    assert (template["replicas"], template["readyReplicas"]) == (8, 8)
    delivered = [e["t"] for e in actual["events"] if e["kind"] == "Deployment@member1" and e["t"] > 121]
    assert delivered[0] == pytest.approx(284.3, abs=1.0)


def test_nothing_new_is_created_while_a_dead_member_holds_a_copy_that_is_to_go_directly() -> None:
    found = emit_file(recording("C18-w-aff"))["milestones"]
    assert found["rescheduled"] - found["evicted"] < 1
    assert found["new_work_created"] > found["work_gone"] > found["ready_true"]


def test_the_command_prints_one_object_with_milestones_and_events() -> None:
    command = ["emit", "timeline", str(recording("B18b-w-aff")), "--profile", "v1.18"]
    run = subprocess.run(
        [sys.executable, "-m", "tests.conformance", *command],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    printed = json.loads(run.stdout)
    assert set(printed) == {"milestones", "placement_before", "events"}
    assert printed["milestones"]["placement_after"] == {"member5": 2}

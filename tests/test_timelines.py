"""The fake against recorded failovers of the real Karmada: same milestones, same order, each in its tolerance."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from karmadalab import Lab, Phases
from tests.conformance.timeline import Recording, differences, emit_file, replay

RECORDINGS = sorted((Path(__file__).parent / "data" / "timelines").glob("*.json.gz"))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name.removesuffix(".json.gz"))
def test_a_replay_agrees_with_its_recording(path: Path) -> None:
    assert differences(Recording(path), emit_file(path)) == []


def test_all_recordings_are_compared() -> None:
    assert len(RECORDINGS) == 96


def test_the_comparison_notices_a_milestone_that_is_late_missing_or_out_of_order() -> None:
    path = next(p for p in RECORDINGS if p.name.startswith("R10-a-dup-spread"))
    recording, actual = Recording(path), emit_file(path)
    late = {
        **actual,
        "milestones": {**actual["milestones"], "ready_not_true": actual["milestones"]["ready_not_true"] + 1.1},
    }
    assert any(text.startswith("ready_not_true: recorded") for text in differences(recording, late))
    missing = {**actual, "milestones": {k: v for k, v in actual["milestones"].items() if k != "task_removed"}}
    assert any("here never" in text for text in differences(recording, missing))
    early = {**actual, "milestones": {**actual["milestones"], "work_gone": actual["milestones"]["evicted"] - 1}}
    assert any("comes after" in text for text in differences(recording, early))


def test_the_command_prints_one_object_with_milestones_and_events() -> None:
    command = [sys.executable, "-m", "tests.conformance", "emit", "timeline", str(RECORDINGS[0])]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
    printed = json.loads(run.stdout)
    assert set(printed) == {"milestones", "placement_before", "events"}
    assert {"ready_not_true", "noexecute_added", "evicted"} <= set(printed["milestones"])
    assert {"t", "kind", "namespace", "name", "what", "detail"} <= set(printed["events"][0])


# --- the race of recoveries -------------------------------------------------------------------------------------------

ONLY_CANDIDATE = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  placement:
    clusterAffinity: {clusterNames: [member1]}
    replicaScheduling: {replicaSchedulingType: Duplicated}
"""


def recover_with(monitor_s: float) -> Lab:
    """member1 is the only candidate; it dies, is evicted, its task ends, and it comes back.

    The NoExecute taint is set by hand at 64 s, so that the taint manager's ten-second retries fall at 4 s past the tens
    and not, as they do for a taint of the monitor's, on a tick of the monitor. Ready comes back at 432 s.
    """
    settings = {"failover_eviction_timeout": "10h", "graceful_eviction_timeout": "30s"}
    lab = Lab.fake(members=1, settings=settings, phases=Phases(monitor_s=monitor_s, probe_s={"member1": 2.0}))
    lab.apply(ONLY_CANDIDATE)
    lab.run("20s")
    fault = lab.fault("member1").refuse()
    lab.run("44s")
    lab.taint("member1", "cluster.karmada.io/not-ready:NoExecute")
    lab.run(400 - lab.t)
    assert lab.placement == {"default/web-deployment": {}}
    fault.heal()
    return lab.run("2m")


def evictions(lab: Lab) -> list[float]:
    """When the binding gave member1 up."""
    changes = lab.timeline.where(kind="ResourceBinding", what="spec.clusters changed")
    return [event.t for event in changes if event.detail["from"] and not event.detail["to"]]


def test_a_retry_of_the_taint_manager_just_before_the_monitors_tick_evicts_again() -> None:
    # The ticks fall some 0.5 s after the retries (4.4 s and 85 passes of 1.6 ms).
    lab = recover_with(monitor_s=4.4)
    assert len(evictions(lab)) == 2
    assert (
        lab.timeline.where(kind="Cluster", what="taint removed cluster.karmada.io/not-ready:NoExecute")[-1].t
        > evictions(lab)[-1]
    )


def test_a_monitors_tick_before_the_retry_leaves_the_workload_where_it_is() -> None:
    lab = recover_with(monitor_s=2.5)
    assert len(evictions(lab)) == 1
    assert lab.placement == {"default/web-deployment": {"member1": 2}}


def test_for_taints_of_the_monitor_the_retry_always_comes_first() -> None:
    """Measured in five of five cases: the monitor's ticks drift late, the retries do not."""
    path = next(p for p in RECORDINGS if p.name.startswith("R1-d-dup-only1"))
    lab = replay(Recording(path))
    assert (
        len(
            [
                e
                for e in lab.timeline.where(kind="ResourceBinding", what="gracefulEvictionTasks changed")
                if e.detail["from"] is None
            ]
        )
        == 2
    )

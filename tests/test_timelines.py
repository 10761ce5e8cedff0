"""The fake against recorded failovers of the real Karmada: same milestones, same order, each in its tolerance."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from karmadalab import Lab, Phases
from tests.conformance.timeline import Recording, differences, emit_file, replay
from tests.worlds import deployment, policy

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

ONLY_CANDIDATE = [
    deployment(),
    policy(clusterAffinity={"clusterNames": ["member1"]}, replicaScheduling={"replicaSchedulingType": "Duplicated"}),
]


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


# --- runs that are quoted for their facts only ------------------------------------------------------------------------


def like(
    name: str, tmp_path: Path, faults: list[tuple[float, str]], phases: dict[str, float], **changes: object
) -> Path:
    """A recording with other faults: those of runs whose facts were noted but whose files were not kept."""
    source = next(p for p in RECORDINGS if p.name.startswith(name))
    with gzip.open(source, "rt") as text:
        data = json.load(text)
    data["fault"] = {"t": 0, "what": faults[0][1], "all": [{"t": t, "what": what} for t, what in faults]}
    data |= {"phases": phases, "milestones": {"bad": data["milestones"]["bad"]}, "internals": {}, **changes}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(data))
    return path


def test_a_hanging_api_server_is_noticed_by_the_clients_time_outs(tmp_path: Path) -> None:
    """R3: first failure 37.7 s after the stop, then every 20 s; not ready 77.7 s after it."""
    faults = [(0.0, "member1 push apiserver SIGSTOP (hang)"), (300.0, "member1 push apiserver SIGCONT")]
    found = emit_file(like("R2-a-dup-spread", tmp_path, faults, {"first_failed_probe": 37.7}))["milestones"]
    assert found["ready_not_true"] == pytest.approx(77.7, abs=1.0)
    assert found["evicted"] == pytest.approx(141.7, abs=5.0)  # the monitor's beat was not noted


def test_a_pull_member_whose_api_server_is_gone_is_not_ready_as_a_push_member_is(tmp_path: Path) -> None:
    """R3, pull: its agent lives, and says False after 30.1 s."""
    faults = [(0.0, "member3 pull apiserver killed"), (305.0, "member3 pull apiserver restarted")]
    path = like("R2-b-dup.", tmp_path, faults, {"first_failed_probe": 0.1})
    emitted = emit_file(path)
    assert emitted["milestones"]["ready_not_true"] == pytest.approx(30.1, abs=1.0)
    words = [event["what"] for event in emitted["events"] if event["kind"] == "Cluster"]
    assert "taint added cluster.karmada.io/not-ready:NoSchedule" in words


def test_a_restarted_controller_manager_gives_a_fresh_grace_period(tmp_path: Path) -> None:
    """R7: stopped at 52.0, started at 53.8, leader at 71.0; NoExecute 30 s after that instead of at 71."""
    faults = [
        (0.0, "member1 push apiserver SIGKILL"),
        (52.0, "karmada-controller-manager stopped"),
        (53.8, "karmada-controller-manager started"),
    ]
    found = emit_file(like("R2-c-static.", tmp_path, faults, {"first_failed_probe": 9.7}))["milestones"]
    assert found["noexecute_added"] == pytest.approx(101.3, abs=1.0)


def test_without_graceful_eviction_the_old_copy_is_ordered_away_at_once(tmp_path: Path) -> None:
    """R8: the old Work gets its deletionTimestamp 20 to 40 ms after the eviction."""
    flags = {"effective": {"failover_eviction_timeout": "30s", "default_unreachable_toleration_seconds": 30}}
    flags["set"] = {"karmada-controller-manager": "--feature-gates=Failover=true,GracefulEviction=false"}  # type: ignore[dict-item]
    path = like("R2-b-dup.", tmp_path, [(0.0, "member3 pull agent SIGSTOP")], {"last_lease_renewal": -9.4}, flags=flags)
    found = emit_file(path)["milestones"]
    assert found["work_deletion_ts"] - found["evicted"] == pytest.approx(0.03, abs=0.1)


def test_an_outage_may_end_before_the_eviction_it_causes(tmp_path: Path) -> None:
    """R4-g2: back at 79.1, True only at 117.7; a policy that tolerates 30 s is evicted at 100.6."""
    faults = [(0.0, "member1 apiserver SIGKILL"), (79.1, "member1 apiserver restarted")]
    found = emit_file(like("R2-a-dup-spread.", tmp_path, faults, {"first_failed_probe": 7.7}))["milestones"]
    assert found["ready_true"] == pytest.approx(117.7, abs=1.0)
    assert found["evicted"] < found["ready_true"]

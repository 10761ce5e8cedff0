"""Every scenario file runs as it says, and the stories in them hold whatever the phases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from karmadalab import Lab, Settings
from karmadalab.api.cluster import is_ready
from karmadalab.core.trace import CREATE, DELETE, STATUS, UPDATE, Row
from karmadalab.experiments import ScenarioResult, read_scenario, run_scenario

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = ROOT / "environments"
WRITES = (CREATE, UPDATE, STATUS, DELETE)


def scenario_files() -> list[Path]:
    """The files that say what they are about; the others are fleets and manifests."""
    return [path for path in sorted(ENVIRONMENTS.glob("*.yaml")) if "\nuntil:" in path.read_text()]


@pytest.mark.parametrize("path", scenario_files(), ids=lambda path: path.stem)
def test_a_scenario_file_meets_its_expectations(path: Path) -> None:
    result = run_scenario(path)
    assert result.outcomes, "a scenario without expectations proves nothing"
    assert result.met, repr(result)
    result.lab.check()


@pytest.mark.parametrize("path", scenario_files(), ids=lambda path: path.stem)
def test_a_scenario_without_phases_holds_in_others_too(path: Path) -> None:
    if read_scenario(path).phases is None:
        result = run_scenario(path, seed=4)
        assert result.met, repr(result)


@pytest.mark.parametrize("path", sorted(ENVIRONMENTS.glob("*-members.yaml")), ids=lambda path: path.stem)
def test_a_fleet_file_makes_a_lab(path: Path) -> None:
    lab = Lab.fake(path, seed=1).run("1m")
    assert [cluster.metadata.name for cluster in lab.list("Cluster")] == sorted(lab.members)
    assert all(is_ready(cluster) for cluster in lab.list("Cluster"))


def test_the_five_members_are_those_of_the_recordings() -> None:
    lab = Lab.fake(ENVIRONMENTS / "five-members.yaml")
    modes = {cluster.metadata.name: cluster.spec.syncMode for cluster in lab.list("Cluster")}
    assert modes == {"member1": "Push", "member2": "Push", "member3": "Pull", "member4": "Push", "member5": "Push"}


@pytest.mark.parametrize("path", scenario_files(), ids=lambda path: path.stem)
def test_a_remark_that_tells_the_value_of_a_flag_tells_it_as_the_default(path: Path) -> None:
    """Remarks are shown when somebody has changed a flag; by then "is 5m" is no longer true."""
    flags = [name.replace("_", "-") for name in Settings.__struct_fields__]
    for expectation in read_scenario(path).expect:
        if any(flag in expectation.why for flag in flags) and re.search(r"\d", expectation.why):
            assert "by default" in expectation.why


# --- story (a): the copy that has nothing to do with the fault is never touched


def rows_after_fault(result: ScenarioResult) -> list[Row]:
    lab = result.lab
    fault = next(row for row in lab.trace.rows if row.kind == "fault")
    return [row for row in lab.trace.rows[fault.id :] if row.verb in WRITES]


@pytest.mark.parametrize("name", ["story-a", "story-a-member5"])
def test_story_a_never_touches_the_copy_on_member1(name: str) -> None:
    rows = rows_after_fault(run_scenario(ENVIRONMENTS / f"{name}.yaml"))
    works = [row for row in rows if row.kind.startswith("Work.") and row.namespace == "karmada-es-member1"]
    inside = [row for row in rows if row.world == "member1" and row.kind in ("Deployment.apps", "Pod")]
    assert works == []
    assert inside == []


@pytest.mark.parametrize("seed", range(6))
def test_story_a_ends_on_member1_with_member3_or_member5_whatever_the_phases(seed: int) -> None:
    result = run_scenario(ENVIRONMENTS / "story-a.yaml", seed=seed)
    assert result.met, repr(result)
    assert result.lab.placement["default/nginx-deployment"] in (
        {"member1": 2, "member3": 2},
        {"member1": 2, "member5": 2},
    )


# --- story (b), sentence by sentence, in any phase


@pytest.mark.parametrize("seed", range(6))
def test_story_b_holds_whatever_the_phases(seed: int) -> None:
    result = run_scenario(ENVIRONMENTS / "story-b.yaml", seed=seed)
    assert result.met, repr(result)


def test_story_b_says_why_nobody_else_was_chosen() -> None:
    lab = run_scenario(ENVIRONMENTS / "story-b.yaml").lab
    assert "member4" not in lab.get("PropagationPolicy", "nginx").spec.placement.clusterAffinity.clusterNames
    [taint] = [str(taint) for taint in lab.get("Cluster", "member2").spec.taints]
    assert taint == "maintenance=true:NoSchedule"


def test_the_lease_of_story_b_stops_with_the_cut_and_goes_on_when_it_is_healed() -> None:
    renewals = [event.t for event in run_scenario(ENVIRONMENTS / "story-b.yaml").lab.timeline.where("Lease", "member3")]
    assert max(t for t in renewals if t <= 60) > 49
    assert [t for t in renewals if 60 < t <= 900] == []
    assert min(t for t in renewals if t > 900) < 925


@pytest.mark.parametrize("seed", range(3))
def test_what_moved_off_a_powered_off_member_does_not_move_back(seed: int) -> None:
    lab = run_scenario(ENVIRONMENTS / "powered-off-and-on.yaml", seed=seed).lab
    assert lab.placement["default/nginx-deployment"] == {"member2": 2, "member3": 2}
    lab.run("12h")
    assert lab.placement["default/nginx-deployment"] == {"member2": 2, "member3": 2}


# --- S7: which eviction is quicker does not matter to a cluster that can't be reached


def double_running_s(result: ScenarioResult) -> float:
    """How long the replicas on m1 and m2 were both ready."""
    replaced = result.lab.timeline.where("Pod@m2", what="Ready")[0].t
    gone = result.lab.timeline.where("Pod@m1", what="terminating")[0].t
    return gone - replaced


def test_s7_evicting_at_once_asks_earlier_and_ends_the_double_running_as_late() -> None:
    gracefully = run_scenario(ENVIRONMENTS / "s7-double-running.yaml")
    at_once = run_scenario(ENVIRONMENTS / "s7-double-running.yaml", {"feature-gates": "GracefulEviction=false"})
    asked = [r.lab.timeline.where("Work", what="deletionTimestamp set")[0].t for r in (gracefully, at_once)]
    assert asked[0] - asked[1] == pytest.approx(20, abs=1), "not after the replacement is ready, but before"
    assert double_running_s(gracefully) == pytest.approx(double_running_s(at_once) + 20, abs=1)
    assert double_running_s(at_once) > 900


# --- a scenario in a notebook


def test_flags_and_seed_can_be_changed_and_the_lab_runs_on() -> None:
    result = run_scenario(ENVIRONMENTS / "failover.yaml", {"cluster-failure-threshold": "60s"}, seed=3)
    assert (result.lab.settings.cluster_failure_threshold, result.lab.seed) == (60.0, 3)
    assert not result.met
    assert "expected: Cluster member1: condition Ready True -> False" in repr(result)
    assert "✗ not met" in result._repr_html_()
    assert result.lab.run("1m").t == 960.0

"""The story that `karmadalab run` tells: where a thing happened, and from which fault it counts."""

from __future__ import annotations

from pathlib import Path

from karmadalab import Lab
from karmadalab.cli.story import Line, story
from karmadalab.experiments import run_scenario
from tests.worlds import DIVIDED, deployment, lab_with_web, policy

ENVIRONMENTS = Path(__file__).resolve().parent.parent / "environments"


def told(name: str) -> list[Line]:
    return story(run_scenario(ENVIRONMENTS / f"{name}.yaml").lab.timeline)


def find(lines: list[Line], where: str, what: str) -> Line:
    return next(line for line in lines if line.where == where and line.what.startswith(what))


def test_a_copy_that_is_deleted_is_deleted_in_its_member() -> None:
    lines = told("story-b")
    [deleted] = [line for line in lines if line.what == "nginx: Deployment deleted"]
    assert (deleted.where, deleted.t) == ("member3", find(lines, "member3", "FAULT ENDS").t)


def test_a_copy_that_is_scaled_is_scaled_in_its_member() -> None:
    lines = told("divided-dynamic")
    assert find(lines, "member5", "nginx: Deployment scaled").what == "nginx: Deployment scaled from 3 to 5"
    assert [line for line in lines if line.where == "Karmada" and "scaled" in line.what] == []


def test_a_template_that_is_scaled_is_scaled_in_the_control_plane() -> None:
    lab = lab_with_web()
    lab.scale("web", 3)
    assert find(story(lab.run("1m").timeline), "Karmada", "web: Deployment scaled from 2 to 3")


# --- after the fault


def test_what_a_repair_sets_off_counts_from_its_fault() -> None:
    lines = told("story-b")
    ends = find(lines, "member3", "FAULT ENDS")
    assert (find(lines, "member3", "FAULT: ").since, ends.since) == ("+0s", "+14m0s")
    assert find(lines, "member3", "nginx: copy removed").since == "+14m0s"


def test_a_replacement_counts_from_the_fault_that_it_replaces() -> None:
    line = find(told("story-b"), "member5", "2 pods ready")
    assert line.since == "+9m58s"


def test_a_fault_elsewhere_does_not_start_the_count_anew() -> None:
    lab = lab_with_web(clusterAffinity={"clusterNames": ["member1"]})
    lab.fault("member1").refuse(at="1m30s")
    lab.fault("member2").refuse(at="2m", for_="10s")
    lines = story(lab.run("4m").timeline)
    noticed = find(lines, "member1", "Ready: True -> False")
    assert noticed.since == f"+{round(noticed.t - 90, 1):g}s"
    assert find(lines, "member2", "FAULT ENDS").since == "+10s"


def test_a_member_that_fails_twice_counts_from_the_second_time() -> None:
    lines = told("blip")
    begins = [line for line in lines if line.where == "member1" and line.what.startswith("FAULT: ")]
    assert len(begins) > 2
    assert {line.since for line in begins} == {"+0s"}
    ends = [line.since for line in lines if line.where == "member1" and line.what.startswith("FAULT ENDS")]
    assert set(ends) == {"+20s"}


def test_a_process_that_fails_meanwhile_does_not_start_the_members_count_anew() -> None:
    lines = told("controller-manager-restart")
    late = find(lines, "Karmada", "nginx: eviction from member1 begins")
    assert late.since.startswith("+2m1")
    assert find(lines, "member1", "taint added not-ready:NoExecute").since.startswith("+1m41")


def test_before_any_fault_nothing_is_counted() -> None:
    assert {line.since for line in told("story-b") if line.t < 60} == {""}


# --- pods that go with their machine


def test_pods_are_lost_with_the_power_and_not_at_the_repair() -> None:
    lines = [line for line in told("powered-off-and-on") if line.where == "member1" and "pods" in line.what]
    words = [(line.since, line.what) for line in lines]
    assert words[:3] == [("", "2 pods ready"), ("+0s", "2 pods lost"), ("+20m3s", "2 pods ready")]


def test_a_member_that_is_only_cut_off_loses_no_pods() -> None:
    assert [line for line in told("story-b") if "lost" in line.what] == []


def test_pods_are_lost_once_though_the_power_goes_twice() -> None:
    lab = Lab.fake(members=2, seed=1)
    lab.apply([deployment(replicas=4), policy(replicaScheduling=DIVIDED)])
    lab.run("1m")
    lab.fault("member1").power_off(for_="30s")
    lab.fault("member1").power_off(at="1m10s", for_="5s")
    lines = [line for line in story(lab.run("3m").timeline) if line.where == "member1"]
    assert [line.what for line in lines if "lost" in line.what or "not ready" in line.what] == ["2 pods lost"]

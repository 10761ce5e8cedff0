"""The control plane loses the credentials for a member: the member is well, but nobody can ask it anything."""

from __future__ import annotations

import pytest

from karmadalab import Lab, Phases
from karmadalab.api.errors import BadRequest
from tests.worlds import deployment, policy

WORKLOAD = [deployment(), policy(clusterAffinity={"clusterNames": ["member1"]})]


def lab_of(profile: str) -> Lab:
    lab = Lab.fake(members=2, settings={"profile": profile}, phases=Phases(probe_s={"member1": 5.0}, jitter=False))
    lab.apply(WORKLOAD)
    return lab.run("1m")


def ready_changes(lab: Lab) -> list[tuple[float, str, str]]:
    events = lab.timeline.where(kind="Cluster", name="member1")
    return [(e.t, e.what, e.detail["reason"]) for e in events if e.what.startswith("condition Ready")]


@pytest.mark.parametrize(("profile", "noticed_at"), [("v1.13", 65.0), ("v1.18", 95.0)])
def test_v1_13_says_so_at_the_next_probe_and_v1_18_after_the_failure_threshold(profile: str, noticed_at: float) -> None:
    lab = lab_of(profile)
    lab.fault("member1").lose_credentials()
    lab.run("2m")
    [(t, what, reason)] = ready_changes(lab)
    assert (round(t), what, reason) == (noticed_at, "condition Ready True -> False", "StatusCollectionFailed")


def test_workloads_go_on_and_changes_wait_until_the_credentials_are_back() -> None:
    lab = lab_of("v1.13")
    fault = lab.fault("member1").lose_credentials()
    lab.run("10s")
    lab.scale("web", 5)
    lab.run("1m")
    member = lab.member("member1")
    assert member.get("Deployment", "web").status["readyReplicas"] == 2
    assert member.get("Deployment", "web").spec["replicas"] == 2
    fault.heal()
    lab.run("5m")
    assert member.get("Deployment", "web").status["readyReplicas"] == 5
    assert ready_changes(lab)[-1][1] == "condition Ready False -> True"


def test_the_cause_of_what_follows_is_the_fault() -> None:
    lab = lab_of("v1.13")
    fault = lab.fault("member1").lose_credentials()
    deleted = lab.timeline.where(kind="Secret", name="member1")[-1]
    assert deleted.what == "deleted"
    assert lab.trace.rows[deleted.row].cause == fault.row


def test_two_losses_end_with_the_second_one_and_other_faults_don_t_bring_them_back() -> None:
    lab = lab_of("v1.13")
    faults = [lab.fault("member1").lose_credentials(), lab.fault("member1").lose_credentials()]
    slow = lab.fault("member1").slow("1s")
    slow.heal()
    faults[0].heal()
    assert lab.store.find("Secret", "member1", "karmada-cluster") is None
    faults[1].heal()
    assert lab.store.find("Secret", "member1", "karmada-cluster") is not None


def test_a_cluster_that_left_meanwhile_gets_none_back() -> None:
    lab = lab_of("v1.13")
    fault = lab.fault("member2").lose_credentials()
    lab.unjoin("member2")
    lab.run("5m")
    fault.heal()
    assert lab.store.find("Secret", "member2", "karmada-cluster") is None


def test_an_agent_has_credentials_of_its_own() -> None:
    lab = Lab.fake(members=1, pull=1)
    with pytest.raises(BadRequest, match="member1 is in pull mode: its agent has its own credentials; try cut_off"):
        lab.fault("member1").lose_credentials()

"""Clusters that have left come back as what they were, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab.api.cluster import is_ready
from karmadalab.api.errors import BadRequest
from karmadalab.lab import Lab

from .worlds import deployment, policy


@pytest.fixture
def lab() -> Lab:
    """member1, in push mode, and member3, in pull mode, have left."""
    lab = Lab.fake(members=3, pull=1, seed=1).run("1m")
    lab.unjoin("member1")
    lab.unjoin("member3")
    return lab.run("2m")


@pytest.mark.parametrize("name", ["member1", "member3"])
def test_a_name_takes_a_cluster_back_as_it_was(lab: Lab, name: str) -> None:
    lab.join(name)
    lab.run("1m")
    found = lab.get("Cluster", name)
    assert (found.spec.syncMode, is_ready(found)) == ("Pull" if name == "member3" else "Push", True)
    lab.check()


def test_a_cluster_may_come_back_in_another_place(lab: Lab) -> None:
    lab.join({"name": "member3", "mode": "pull", "region": "eu", "startup": 3, "labels": {"a": "b"}})
    lab.run("1m")
    found = lab.get("Cluster", "member3")
    assert (found.spec.region, found.metadata.labels["a"], is_ready(found)) == ("eu", "b", True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "member3"}, "with the same mode; it was Pull, not Push: lab.join"),
        ({"name": "member1", "mode": "pull"}, "with the same mode; it was Push, not Pull: lab.join"),
        ({"name": "member1", "nodes": {"count": 9}}, "with the same nodes: lab.join"),
        ({"name": "member1", "startup": "9s"}, "with the same startup: lab.join"),
    ],
)
def test_a_cluster_does_not_come_back_as_another(lab: Lab, given: dict[str, Any], message: str) -> None:
    before = lab.store.version
    with pytest.raises(BadRequest, match=message):
        lab.join(given)
    assert lab.store.version == before


def test_a_name_that_somebody_registered_by_hand_is_taken(lab: Lab) -> None:
    spec = {"syncMode": "Push", "apiEndpoint": "https://extra.example"}
    lab.apply(
        {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": {"name": "extra"}, "spec": spec}
    )
    with pytest.raises(BadRequest, match="the cluster name extra has been registered"):
        lab.join("extra")


def test_an_agent_works_until_its_cluster_has_left_and_then_goes_with_it() -> None:
    lab = Lab.fake(members=2, pull=1, seed=1)
    lab.apply([deployment(), policy()])
    lab.run("1m")
    agent = lab.world.agents["member2"]
    lab.unjoin("member2")
    assert agent.running  # what Karmada put there is for the agent to take away
    lab.run("1m")
    assert lab.world.member("member2").store.list("Deployment.apps") == []
    assert not agent.running
    assert "member2" not in lab.world.agents
    with pytest.raises(BadRequest, match="no process 'karmada-agent@member2'"):
        lab.world.process("karmada-agent@member2")
    lab.join("member2")
    assert lab.world.agents["member2"] is not agent
    assert len(lab.run("1m").world.member("member2").store.list("Deployment.apps")) == 1
    lab.check()


def test_an_agent_whose_cluster_was_deleted_by_hand_stays_and_waits() -> None:
    lab = Lab.fake(members=1, pull=1, seed=1).run("1m")
    lab.delete("Cluster", "member1")
    lab.run("1m")
    assert lab.store.find("Cluster", "member1") is None
    assert lab.world.agents["member1"].running


@pytest.mark.parametrize("fault", ["stop", "freeze"])
def test_a_fault_of_an_agent_may_outlive_it(fault: str) -> None:
    lab = Lab.fake(members=2, pull=1, seed=1).run("1m")
    acting = getattr(lab.fault("karmada-agent@member2"), fault)()
    lab.unjoin("member2")
    lab.run("2m")
    assert "member2" not in lab.world.agents
    acting.heal()
    lab.run("1m")
    lab.join("member2")
    lab.run("1m")
    assert is_ready(lab.get("Cluster", "member2"))


@pytest.mark.parametrize("pull", [0, 3])
def test_what_a_member_keeps_that_leaves_unreachable_is_nothing_broken(pull: int) -> None:
    lab = Lab.fake(members=3, pull=pull, seed=1)
    lab.apply([deployment(replicas=6), policy(clusterAffinity={"clusterNames": ["member1", "member2"]})])
    lab.run("1m")
    member = lab.world.member("member1")
    refused = lab.fault("member1").refuse()
    lab.run("2m").unjoin("member1")
    lab.run("10m")
    assert lab.find("Cluster", "member1") is None
    refused.heal()
    [kept] = member.store.list("Deployment.apps")
    lab.apply(policy(clusterAffinity={"clusterNames": ["member2"]}))
    lab.join("member1")
    lab.run("30m").check()
    assert member.store.list("Deployment.apps")[0].metadata.uid == kept.metadata.uid

    lab.apply(policy(clusterAffinity={"clusterNames": ["member1"]}))
    lab.run("1m").check()
    lab.apply(policy(clusterAffinity={"clusterNames": ["member2"]}))
    lab.run("10m").check()
    assert member.store.list("Deployment.apps") == []  # it has been Karmada's again


def test_what_a_member_keeps_that_was_reached_is_found() -> None:
    lab = Lab.fake(members=2, seed=1)
    lab.apply([deployment(), policy()])
    lab.run("1m")
    [copy] = (member := lab.world.member("member1")).store.list("Deployment.apps")
    lab.unjoin("member1")
    lab.run("2m").join("member1")
    lab.apply(policy(clusterAffinity={"clusterNames": ["member2"]}))
    lab.run("2m").check()
    member.store.create(copy)
    with pytest.raises(AssertionError, match="what Karmada put into member1 has a Work"):
        lab.run("1m").check()

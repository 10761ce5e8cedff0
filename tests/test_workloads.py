"""A member's own life: pods start, wait, fail, end, and the Deployment's status counts them.

Deployments are written straight into the member, past Karmada; the faults are the lab's.
"""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab.api.scheme import decode
from karmadalab.environments.workloads import is_ready
from karmadalab.lab import Lab

from .worlds import deployment

ONE_NODE = {
    "name": "m",
    "startup": "3s",
    "shutdown": "1s",
    "nodes": {"count": 1, "cpu": "1", "memory": "4Gi", "pods": 20},
}


class Member:
    """A lab of one member with one node of one cpu: room for ten pods of 100m."""

    def __init__(self, **changes: Any) -> None:
        self.lab = Lab.fake([{**ONE_NODE, **changes}], seed=1)
        self.store = self.lab.world.member("m").store
        self.fault = self.lab.fault("m")

    def apply(self, replicas: int = 2, **container: Any) -> None:
        obj: Any = decode(deployment(replicas=replicas, **container))
        old = self.store.find(obj.GROUP_KIND, "web", "default")
        if old is None:
            self.store.create(obj)
        else:
            self.store.update(old.with_spec(**obj.spec))

    def ready(self, after: str = "0s") -> str:
        """`ready/all` as the Deployment counts them, after some time; the invariants hold all the while."""
        self.lab.run(after)
        self.lab.check()
        status = self.store.get("Deployment.apps", "web", "default").status
        return f"{status.get('readyReplicas', 0)}/{status.get('replicas', 0)}"

    def pods(self) -> list[Any]:
        return self.store.list("Pod", "default")

    def images(self) -> list[str]:
        return sorted(pod.spec["containers"][0]["image"] for pod in self.pods() if is_ready(pod))


def test_pods_start_after_their_time() -> None:
    member = Member()
    member.apply()
    assert [member.ready(), member.ready("2.9s"), member.ready("0.1s")] == ["0/2", "0/2", "2/2"]
    assert member.lab.world.member("m").workloads.serving() == 2


def test_the_status_is_the_real_ones() -> None:
    member = Member()
    member.apply()
    member.ready("3s")
    status = member.store.get("Deployment.apps", "web", "default").status
    counts = {key: value for key, value in status.items() if isinstance(value, int)}
    assert counts == {
        "observedGeneration": 1,
        "replicas": 2,
        "updatedReplicas": 2,
        "readyReplicas": 2,
        "availableReplicas": 2,
    }


@pytest.mark.parametrize(
    ("before", "after", "soon", "later"),
    [
        pytest.param(2, 5, "2/5", "5/5", id="up"),
        pytest.param(5, 2, "2/2", "2/2", id="down"),
        pytest.param(3, 0, "0/0", "0/0", id="to nothing"),
        pytest.param(0, 1, "0/1", "1/1", id="from nothing"),
    ],
)
def test_scaling(before: int, after: int, soon: str, later: str) -> None:
    member = Member()
    member.apply(before)
    member.ready("5s")
    member.apply(after)
    assert [member.ready(), member.ready("5s")] == [soon, later]
    assert len(member.pods()) == after


def test_a_deleted_deployment_takes_its_pods_along() -> None:
    member = Member()
    member.apply()
    member.ready("5s")
    member.store.delete("Deployment.apps", "web", "default")
    member.lab.run("0s")
    assert all(pod.metadata.deletionTimestamp for pod in member.pods())
    member.lab.run("1s")
    assert member.pods() == []


def test_a_deleted_pod_is_replaced() -> None:
    member = Member()
    member.apply()
    member.ready("5s")
    gone = member.pods()[0].metadata.name
    member.store.delete("Pod", gone, "default")
    assert [member.ready(), member.ready("3s")] == ["1/2", "2/2"]
    assert gone not in [pod.metadata.name for pod in member.pods()]


def test_a_new_image_rolls_out_without_a_gap() -> None:
    member = Member()
    member.apply(4, image="nginx:1.27")
    member.ready("5s")
    member.apply(4, image="nginx:1.28")
    for _ in range(40):
        member.lab.run("0.5s")
        assert member.lab.world.member("m").workloads.serving() >= 3  # maxUnavailable 25 %
    assert member.ready() == "4/4"
    assert member.images() == ["nginx:1.28"] * 4


def test_a_bad_image_never_starts_until_it_can_be_pulled() -> None:
    member = Member()
    fault = member.fault.bad_image("nginx")
    member.apply(2)
    assert member.ready("10m") == "0/2"
    fault.heal()
    assert member.ready("3s") == "2/2"


def test_a_bad_image_hurts_only_pods_that_have_it() -> None:
    member = Member()
    member.fault.bad_image("nginx:1.28")
    member.apply(2, image="nginx:1.27")
    assert member.ready("5s") == "2/2"


def test_a_bad_rollout_leaves_the_old_pods_serving() -> None:
    member = Member()
    member.apply(4, image="nginx:1.27")
    member.ready("5s")
    member.fault.bad_image("nginx:1.28")
    member.apply(4, image="nginx:1.28")
    member.ready("1h")
    assert member.images() == ["nginx:1.27"] * 3  # of four one may be missing


def test_a_slow_start_is_only_slow() -> None:
    member = Member()
    fault = member.fault.slow_start("1m")
    member.apply(1)
    assert [member.ready("59s"), member.ready("1s")] == ["0/1", "1/1"]
    fault.heal()
    member.apply(2)
    assert member.ready("3s") == "2/2"


def test_who_finds_no_room_waits() -> None:
    member = Member()
    member.apply(12)
    assert member.ready("1h") == "10/12"
    waiting = [pod for pod in member.pods() if not pod.spec.get("nodeName")]
    assert [pod.status["conditions"][0]["reason"] for pod in waiting] == ["Unschedulable"] * 2


def test_room_that_becomes_free_is_taken() -> None:
    member = Member()
    member.apply(12)
    member.ready("5s")
    running = next(pod for pod in member.pods() if is_ready(pod))
    member.store.delete("Pod", running.metadata.name, "default")
    assert member.ready("10s") == "10/12"


def test_what_never_fits_waits_for_ever() -> None:
    member = Member()
    member.apply(1, resources={"requests": {"cpu": "1500m"}})
    assert member.ready("1h") == "0/1"


def test_without_nodes_nothing_runs() -> None:
    member = Member(nodes={"count": 0})
    member.apply(1)
    assert member.ready("1h") == "0/1"


def test_exhausted_capacity_stops_new_pods_and_leaves_the_old_alone() -> None:
    member = Member()
    member.apply(2)
    member.ready("5s")
    fault = member.fault.exhaust_capacity()
    member.apply(4)
    assert member.ready("1h") == "2/4"
    fault.heal()
    assert member.ready("3s") == "4/4"


# --- machines ---------------------------------------------------------------------------------------------------------


def test_without_power_nothing_serves_and_nobody_counts() -> None:
    member = Member()
    member.apply(2)
    member.ready("5s")
    member.fault.power_off()
    member.lab.run("10m")
    assert member.lab.world.member("m").workloads.serving() == 0
    assert member.store.get("Deployment.apps", "web", "default").status["readyReplicas"] == 2  # nobody wrote it anew


def test_when_power_is_back_the_same_pods_start_anew() -> None:
    member = Member()
    member.apply(2)
    member.ready("5s")
    names = [pod.metadata.name for pod in member.pods()]
    fault = member.fault.power_off()
    member.lab.run("10m")
    fault.heal()
    assert [member.ready(), member.ready("3s")] == ["0/2", "2/2"]
    assert [pod.metadata.name for pod in member.pods()] == names


def test_power_cut_in_the_middle_of_a_start_begins_it_again() -> None:
    member = Member()
    member.fault.slow_start("1m")
    member.apply(1)
    member.ready("50s")
    member.fault.power_off(for_="5s")
    assert [member.ready("6s"), member.ready("58s"), member.ready("2s")] == ["0/1", "0/1", "1/1"]


def test_power_cut_in_the_middle_of_an_end_ends_it_later() -> None:
    member = Member(shutdown="30s")
    member.apply(1)
    member.ready("5s")
    member.apply(0)
    member.lab.run("20s")
    fault = member.fault.power_off()
    member.lab.run("1h")
    assert len(member.pods()) == 1
    fault.heal()
    member.lab.run("30s")
    assert member.pods() == []


def test_what_was_asked_for_while_the_power_was_off_is_done_afterwards() -> None:
    member = Member()
    member.apply(1)
    member.ready("5s")
    fault = member.fault.power_off()
    member.apply(3)
    member.lab.run("1m")
    assert len(member.pods()) == 1
    fault.heal()
    assert member.ready("3s") == "3/3"


def test_overlapping_power_cuts_end_with_the_last() -> None:
    member = Member()
    member.apply(1)
    member.ready("5s")
    first, second = member.fault.power_off(), member.fault.power_off()
    first.heal()
    member.lab.run("1m")
    assert member.lab.world.member("m").workloads.serving() == 0
    second.heal()
    assert member.ready("3s") == "1/1"

"""FederatedHPA in a lab, one sentence of its description a case: whom it asks, when it looks, what it may do."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab import Lab
from karmadalab.api.meta import condition
from karmadalab.core.trace import STATUS
from tests.worlds import deployment, policy

HPA = "FederatedHPA"
SPREAD = {
    "replicaSchedulingType": "Divided",
    "replicaDivisionPreference": "Weighted",
    "weightPreference": {
        "staticWeightList": [
            {"targetCluster": {"clusterNames": [name]}, "weight": 1} for name in ("member1", "member2")
        ]
    },
}


def autoscaler(least: int = 1, most: int = 10) -> dict[str, Any]:
    """Half of the 100m that each pod of `web` asks for."""
    target = {"type": "Utilization", "averageUtilization": 50}
    return {
        "apiVersion": "autoscaling.karmada.io/v1alpha1",
        "kind": HPA,
        "metadata": {"name": "web"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": least,
            "maxReplicas": most,
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
        },
    }


@pytest.fixture
def lab() -> Lab:
    """Two pods of `web`, one in each member, with half of their cpu in use."""
    lab = Lab.fake(members=2, seed=1)
    lab.apply([deployment(), policy(replicaScheduling=SPREAD)])
    lab.load("deployment/web", 10)
    return lab.run("1m")


def replicas(lab: Lab) -> int:
    return int(lab.get("Deployment", "web").spec["replicas"])


def said(lab: Lab, type_: str) -> tuple[str, str]:
    found = condition(lab.get(HPA, "web").status.conditions, type_)
    assert found is not None
    return found.status, found.reason


def looks(lab: Lab) -> list[float]:
    """When the status was written with a look at the load, in seconds of the lab."""
    rows = [row for row in lab.trace.rows if row.kind.startswith(HPA) and row.verb == STATUS]
    return [row.at - lab.clock.epoch for row in rows]


def test_a_template_that_no_policy_has_claimed_has_no_scale() -> None:
    lab = Lab.fake(members=2, seed=1)
    lab.apply([deployment(), autoscaler(least=5)])
    lab.run("1m")
    assert said(lab, "AbleToScale") == ("False", "FailedGetScale")
    assert replicas(lab) == 2


def test_the_pods_of_all_clusters_count_as_one_workload(lab: Lab) -> None:
    lab.apply(autoscaler())
    lab.load("web", 20)
    lab.run("1m")
    assert replicas(lab) == 4
    assert lab.placement["default/web-deployment"] == {"member1": 2, "member2": 2}


def test_a_duplicated_workload_is_counted_once_and_scaled_once() -> None:
    lab = Lab.fake(members=2, seed=1)
    lab.apply([deployment(), policy()])
    lab.load("deployment/web", 40)  # four pods in two clusters, all of their cpu in use
    lab.run("1m")
    lab.apply(autoscaler())
    lab.run("5s")
    assert replicas(lab) == 4, "twice what the template says, not twice what runs"


def test_a_cluster_that_is_not_ready_is_not_asked(lab: Lab) -> None:
    lab.load("web", 0)
    lab.load("web", 10, member="member1")
    lab.fault("member2").refuse()
    lab.run("2m")
    lab.apply(autoscaler())
    lab.run("5s")
    [metric] = lab.get(HPA, "web").status.currentMetrics
    assert metric["resource"]["current"] == {"averageUtilization": 100}
    assert replicas(lab) == 4, "the one pod that answers should be two, and it stands for one half of the replicas"


def test_with_no_replicas_in_the_members_scaling_is_off(lab: Lab) -> None:
    lab.scale("web", 0)
    lab.run("10s")
    lab.apply(autoscaler(least=2))
    lab.run("1m")
    assert said(lab, "ScalingActive") == ("False", "ScalingDisabled")
    assert replicas(lab) == 0


@pytest.mark.parametrize(("least", "most", "expected"), [(4, 10, 4), (1, 1, 1)])
def test_its_bounds_hold_also_without_metrics(least: int, most: int, expected: int) -> None:
    lab = Lab.fake(members=2, seed=1)
    lab.apply([deployment(), policy(replicaScheduling=SPREAD)])
    lab.run("1m")
    lab.apply(autoscaler(least, most))
    lab.run("1m")
    assert replicas(lab) == expected
    assert said(lab, "ScalingActive") == ("False", "FailedGetResourceMetric")


def test_it_looks_once_a_sync_period_and_at_once_when_its_spec_changes(lab: Lab) -> None:
    lab.apply(autoscaler())
    begun = lab.t
    lab.load("deployment/web", 12)
    lab.run("20s")
    lab.apply(autoscaler(most=9))
    changed = lab.t
    lab.run("1s")
    beats = looks(lab)
    assert beats[0] == pytest.approx(begun, abs=0.1)
    assert any(beat == pytest.approx(changed, abs=0.1) for beat in beats)
    assert any(beat == pytest.approx(begun + 15, abs=0.1) for beat in beats)


def test_a_restart_forgets_the_quiet_that_it_was_waiting_for(lab: Lab) -> None:
    lab.apply(autoscaler())
    lab.load("deployment/web", 20)
    lab.run("1m")
    assert replicas(lab) == 4
    lab.load("deployment/web", 5)
    lab.run("1m")
    assert replicas(lab) == 4, "four minutes of quiet are still missing"
    lab.fault("karmada-controller-manager").restart()
    lab.run("1m")
    assert replicas(lab) == 1


def test_the_heaviest_load_that_is_taken_breaks_nothing(lab: Lab) -> None:
    lab.apply(autoscaler())
    lab.load("web", 1_000_000_000, cpu_ms=1_000_000)
    lab.run("5m")
    assert replicas(lab) == 10


def test_pods_that_are_selected_by_an_expression_count_too(lab: Lab) -> None:
    found = deployment()
    expression = {"key": "app", "operator": "In", "values": [found["spec"]["selector"]["matchLabels"]["app"]]}
    other = Lab.fake(members=2, seed=1)
    other.apply([{**found, "spec": {**found["spec"], "selector": {"matchExpressions": [expression]}}}])
    other.apply(policy(replicaScheduling=SPREAD))
    for one in (lab, other):
        one.apply(autoscaler())
        one.load("web", 40)
        one.run("2m")
    assert replicas(other) == replicas(lab) == 8

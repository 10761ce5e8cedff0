"""What the controllers with recorded decisions do in a whole lab: they are wired, woken, and undo what they did."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

from karmadalab.api.cluster import Cluster, ready_condition
from karmadalab.api.codec import to_dict
from karmadalab.api.meta import Condition, replace, set_condition
from karmadalab.api.policy import APPLIED_PLACEMENT_ANNOTATION
from karmadalab.api.work import DEPENDENCIES_ANNOTATION, DEPENDENCIES_FINALIZER, RETAIN_REPLICAS_LABEL
from karmadalab.controllers import detector
from karmadalab.core.settings import Settings
from karmadalab.lab import Lab

from .worlds import EVICTS, TAINT_POLICY, deployment, policy

ON = {"clusterAffinity": {"clusterNames": ["member1"]}}


def with_policy(spec: dict[str, Any], **placement: Any) -> dict[str, Any]:
    """The policy of `web` with more in its spec."""
    manifest = policy(**placement)
    return {**manifest, "spec": {**manifest["spec"], **spec}}


def config_map(name: str = "settings") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default"},
        "data": {"a": "b"},
    }


def app(name: str = "web", needs: str = "settings") -> dict[str, Any]:
    return deployment(name, envFrom=[{"configMapRef": {"name": needs}}] if needs else [])


def clusters_with(lab: Lab, kind: str, name: str) -> list[str]:
    return [member for member in sorted(lab.members) if lab.member(member).find(kind, name) is not None]


# --- dependencies ----------------------------------------------------------------------------------------------------


@pytest.fixture
def dependent() -> Lab:
    """`web` needs a ConfigMap, which is made a minute later."""
    lab = Lab.fake(members=3)
    lab.apply([app(), with_policy({"propagateDeps": True}, **ON)])
    lab.run("1m")
    lab.apply(config_map())
    return lab.run("1m")


def test_a_dependency_goes_where_its_workload_goes(dependent: Lab) -> None:
    assert clusters_with(dependent, "ConfigMap", "settings") == ["member1"]
    main, attached = (dependent.get("ResourceBinding", n) for n in ("web-deployment", "settings-configmap"))
    assert DEPENDENCIES_FINALIZER in main.metadata.finalizers
    assert '"name":"settings"' in main.metadata.annotations[DEPENDENCIES_ANNOTATION]
    assert [(s.name, [t.name for t in s.clusters]) for s in attached.spec.requiredBy] == [
        ("web-deployment", ["member1"])
    ]
    assert APPLIED_PLACEMENT_ANNOTATION not in attached.metadata.annotations, "an attached binding is never scheduled"


def test_a_dependency_moves_with_its_workload(dependent: Lab) -> None:
    dependent.apply(with_policy({"propagateDeps": True}, clusterAffinity={"clusterNames": ["member2"]}))
    dependent.run("1m")
    assert clusters_with(dependent, "ConfigMap", "settings") == ["member2"]


def test_a_shared_dependency_is_on_the_clusters_of_both_workloads(dependent: Lab) -> None:
    other = policy("shop", clusterAffinity={"clusterNames": ["member3"]})
    dependent.apply([app("shop"), {**other, "spec": {**other["spec"], "propagateDeps": True}}])
    dependent.run("1m")
    assert clusters_with(dependent, "ConfigMap", "settings") == ["member1", "member3"]
    dependent.delete("Deployment", "shop")
    dependent.run("1m")
    assert clusters_with(dependent, "ConfigMap", "settings") == ["member1"]


@pytest.mark.parametrize(
    "change",
    [app(needs=""), with_policy({"propagateDeps": False}, **ON)],
    ids=["reference removed", "propagateDeps off"],
)
def test_what_is_no_longer_needed_goes_and_its_binding_stays_empty(dependent: Lab, change: dict[str, Any]) -> None:
    dependent.apply(change)
    dependent.run("1m")
    assert clusters_with(dependent, "ConfigMap", "settings") == []
    assert dependent.get("ResourceBinding", "settings-configmap").spec.requiredBy == ()
    dependent.check()


# --- application failover --------------------------------------------------------------------------------------------


def failing_over(purge_mode: str) -> Lab:
    """`web` on member1, where its new version has no image; it tolerates 20 s."""
    behavior = {"application": {"decisionConditions": {"tolerationSeconds": 20}, "purgeMode": purge_mode}}
    one = [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}]
    lab = Lab.fake(members=3, seed=1)
    lab.apply([deployment(), with_policy({"propagateDeps": True, "failover": behavior}, spreadConstraints=one)])
    lab.run("1m")
    home = lab.get("ResourceBinding", "web-deployment").spec.clusters[0].name
    lab.fault(home).bad_image("nginx")
    changed = deployment()
    changed["spec"]["template"]["metadata"]["labels"]["version"] = "2"
    lab.apply(changed)
    return lab


@pytest.mark.parametrize(("purge_mode", "old_copies"), [("Graciously", 0), ("Immediately", 0), ("Never", 1)])
def test_an_unhealthy_workload_leaves_after_its_toleration(purge_mode: str, old_copies: int) -> None:
    lab = failing_over(purge_mode)
    home = lab.get("ResourceBinding", "web-deployment").spec.clusters[0].name
    lab.run("19s")
    assert [t.name for t in lab.get("ResourceBinding", "web-deployment").spec.clusters] == [home], "not before its time"
    lab.run("2m")
    away = [t.name for t in lab.get("ResourceBinding", "web-deployment").spec.clusters]
    assert away != [home]
    assert clusters_with(lab, "Deployment", "web").count(home) == old_copies
    lab.check()


# --- taints by policy, v1.18 -----------------------------------------------------------------------------------------


def crowded(**settings: Any) -> Lab:
    """Seven workloads on member1 of a v1.18 fleet, any of the others can take them; then member1 fails."""
    lab = Lab.fake(members=3, seed=1, settings=Settings(profile="v1.18", **settings))
    lab.apply(TAINT_POLICY)
    for number in range(7):
        name = f"web{number}"
        lab.apply([deployment(name), policy(name, **ON)])
    lab.run("1m")
    for number in range(7):  # only now may they leave
        lab.apply(
            policy(f"web{number}", spreadConstraints=[{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}])
        )
    lab.run("1m")
    lab.fault("member1").power_off()
    return lab


def evictions(lab: Lab) -> list[float]:
    """When bindings gave member1 up."""
    gone = [
        row.at
        for row in lab.trace.rows
        if row.actor == "binding-eviction" and row.kind == "ResourceBinding.work.karmada.io" and row.verb == "update"
    ]
    return [round(at - gone[0], 1) for at in gone]


def test_a_taint_policy_evicts_three_at_once_and_three_more_every_two_seconds() -> None:
    lab = crowded(**EVICTS)
    lab.run("3m")
    assert evictions(lab) == [0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 4.0]
    lab.heal()
    lab.run("3m")
    assert lab.get("Cluster", "member1").spec.taints == (), "the policy takes its taint back"


def test_without_the_flag_a_no_execute_taint_moves_nothing() -> None:
    lab = crowded(allow_no_execute_taint_policy=True)
    lab.run("15m")
    assert evictions(lab) == []
    assert all(lab.get("ResourceBinding", f"web{n}-deployment").spec.clusters[0].name == "member1" for n in range(7))


def test_a_taint_policy_also_taints_a_cluster_that_is_leaving() -> None:
    lab = Lab.fake(members=2, seed=1, settings=Settings(profile="v1.18", **EVICTS))
    lab.apply(TAINT_POLICY)
    lab.run("1m")
    member = lab.get("Cluster", "member1")
    held = (*member.metadata.finalizers, "example.com/inventory")
    lab.update(replace(member, metadata=replace(member.metadata, finalizers=held)))
    lab.delete("Cluster", "member1")
    lab.run("1m")
    leaving = lab.get("Cluster", "member1")
    conditions = set_condition(
        leaving.status.conditions, Condition("Ready", "False", "ClusterNotReachable"), lab.clock.now()
    )
    lab.store.update_status(replace(leaving, status=replace(leaving.status, conditions=conditions)))
    lab.run("1s")
    assert leaving.metadata.deletionTimestamp is not None
    assert [taint.key for taint in lab.get("Cluster", "member1").spec.taints] == ["down"]


# --- the rest --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (101, "ClusterNotReachable"),
        (204, "ClusterNotReady"),
        (302, "ClusterNotReachable"),
        (500, "ClusterNotReachable"),
    ],
)
def test_only_a_2xx_counts_as_an_answer_to_a_probe(code: int, reason: str) -> None:
    lab = Lab.fake(members=2, seed=1).run("1m")
    lab.world.members["member1"].health_codes = {"/readyz": code}
    lab.run("1m")
    ready = ready_condition(lab.get("Cluster", "member1"))
    assert ready is not None
    assert ready.reason == reason


def test_a_remedy_lists_its_actions_while_the_cluster_matches() -> None:
    lab = Lab.fake(members=2)
    match = {"clusterConditionMatch": {"conditionType": "Ready", "operator": "NotEqual", "conditionStatus": "True"}}
    remedy = {
        "apiVersion": "remedy.karmada.io/v1alpha1",
        "kind": "Remedy",
        "metadata": {"name": "away"},
        "spec": {"decisionMatches": [match], "actions": ["TrafficControl"]},
    }
    lab.apply(remedy)
    fault = lab.fault("member1").power_off()
    lab.run("1m")
    actions = {cluster.metadata.name: cluster.status.remedyActions for cluster in lab.store.list(Cluster)}
    assert actions == {"member1": ("TrafficControl",), "member2": ()}
    lab.apply({**remedy, "metadata": {"name": "always"}, "spec": {"actions": ["TrafficControl"]}})
    lab.run("1m")  # beyond several probes, which write the rest of the status
    assert lab.get("Cluster", "member2").status.remedyActions == ("TrafficControl",)
    lab.delete("Remedy", "always")
    fault.heal()
    lab.run("2m")
    assert lab.get("Cluster", "member1").status.remedyActions == ()


def test_what_was_moved_comes_back_when_a_rebalancer_asks() -> None:
    lab = Lab.fake(members=2, seed=1)
    weights = {
        "staticWeightList": [{"targetCluster": {"clusterNames": [m]}, "weight": 1} for m in ("member1", "member2")]
    }
    divided = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted", "weightPreference": weights}
    lab.apply([deployment(replicas=4), policy(replicaScheduling=divided)])
    lab.run("1m")
    lab.taint("member1", "maintenance=true:NoExecute")
    lab.run("1m")
    lab.untaint("member1", "maintenance=true:NoExecute")
    lab.run("1m")
    assert [(t.name, t.replicas) for t in lab.get("ResourceBinding", "web-deployment").spec.clusters] == [
        ("member2", 4)
    ]
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "default"}
    rebalancer = {"apiVersion": "apps.karmada.io/v1alpha1", "kind": "WorkloadRebalancer", "metadata": {"name": "again"}}
    lab.apply({**rebalancer, "spec": {"workloads": [workload], "ttlSecondsAfterFinished": 6}})
    lab.run("5s")
    assert lab.get("WorkloadRebalancer", "again").status.observedWorkloads[0].result == "Successful"
    after = {t.name: t.replicas for t in lab.get("ResourceBinding", "web-deployment").spec.clusters}
    assert after == {"member1": 2, "member2": 2}
    lab.run("5s")
    assert lab.store.find("WorkloadRebalancer.apps.karmada.io", "again") is None, "its time to live is over"


def test_an_autoscaled_workload_keeps_its_replicas_when_the_marker_is_on() -> None:
    lab = Lab.fake(members=2, settings=Settings(controllers="*,hpaScaleTargetMarker"))
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    autoscaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 5},
    }
    both = policy(**ON)
    both["spec"]["resourceSelectors"].append({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"})
    lab.apply([deployment(), autoscaler, both])
    lab.run("1m")
    assert lab.get("Deployment", "web").metadata.labels[RETAIN_REPLICAS_LABEL] == "true"
    lab.delete("HorizontalPodAutoscaler", "web")
    lab.run("1m")
    assert RETAIN_REPLICAS_LABEL not in lab.get("Deployment", "web").metadata.labels


def test_a_stronger_policy_takes_over_only_if_it_may() -> None:
    def strong(preemption: str) -> dict[str, Any]:
        manifest = policy(clusterAffinity={"clusterNames": ["member2"]})
        spec = {**manifest["spec"], "priority": 10, "preemption": preemption}
        return {**manifest, "metadata": {"name": "strong", "namespace": "default"}, "spec": spec}

    lab = Lab.fake(members=2, settings=Settings(feature_gates={"PropagationPolicyPreemption": True}))
    lab.apply([deployment(), policy(**ON)])
    lab.run("1m")
    lab.apply(strong("Never"))
    lab.run("1m")
    assert clusters_with(lab, "Deployment", "web") == ["member1"]
    lab.apply(strong("Always"))
    lab.run("1m")
    assert clusters_with(lab, "Deployment", "web") == ["member2"]


PREEMPTING = Settings(feature_gates={"PropagationPolicyPreemption": True})


def ranked(name: str, priority: int, member: str, preemption: str = "Always") -> dict[str, Any]:
    manifest = policy(clusterAffinity={"clusterNames": [member]})
    spec = {**manifest["spec"], "priority": priority, "preemption": preemption}
    return {**manifest, "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def test_a_policy_that_falls_is_robbed_only_by_those_that_it_falls_below() -> None:
    """One that was as strong before takes nothing: Karmada asks those between the old priority and the new one."""
    for rival, taken in ((4, ["member2"]), (5, ["member1"])):
        lab = Lab.fake(members=2, settings=PREEMPTING)
        lab.apply([deployment(), ranked("falls", 5, "member1")])
        lab.run("1m")
        lab.apply(ranked("rival", rival, "member2"))
        lab.run("1m")
        lab.apply(ranked("falls", 3, "member1"))
        lab.run("1m")
        assert clusters_with(lab, "Deployment", "web") == taken


def test_the_claim_of_a_cluster_wide_policy_that_is_gone_is_taken_all_the_same() -> None:
    lab = Lab.fake(members=2, settings=PREEMPTING)
    gone = {"labels": {"clusterpropagationpolicy.karmada.io/permanent-id": "1"}}
    gone["annotations"] = {"clusterpropagationpolicy.karmada.io/name": "gone"}
    marked = deployment()
    lab.apply({**marked, "metadata": {**marked["metadata"], **gone}})
    lab.run("1m")
    lab.apply(ranked("mine", 0, "member2"))
    lab.run("1m")
    assert lab.get("Deployment", "web").metadata.annotations["propagationpolicy.karmada.io/name"] == "mine"


def test_the_flag_for_what_is_not_propagated_names_groups_versions_and_kinds() -> None:
    assert doctest.testmod(detector).failed == 0
    lab = Lab.fake(members=1, settings={"skipped-propagating-apis": "batch;v1/Secret,ConfigMap"})
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}
    selectors = [{"apiVersion": "v1", "kind": "ConfigMap"}, {"apiVersion": "apps/v1", "kind": "Deployment"}]
    both = policy()
    lab.apply([config, deployment(), {**both, "spec": {**both["spec"], "resourceSelectors": selectors}}])
    lab.run("1m")
    assert [binding.metadata.name for binding in lab.list("ResourceBinding")] == ["web-deployment"]


def test_a_lazy_policy_waits_for_the_next_change_of_the_template() -> None:
    lab = Lab.fake(members=2)
    lab.apply([deployment(), with_policy({"activationPreference": "Lazy"}, **ON)])
    lab.run("1m")
    lab.apply(with_policy({"activationPreference": "Lazy"}, clusterAffinity={"clusterNames": ["member2"]}))
    lab.run("1m")
    assert clusters_with(lab, "Deployment", "web") == ["member1"], "a change of the policy does nothing"
    lab.scale("web", 3)
    lab.run("1m")
    assert clusters_with(lab, "Deployment", "web") == ["member2"]


def test_a_work_names_what_it_reports_of_as_karmada_writes_it() -> None:
    lab = Lab.fake(members=1)
    lab.apply([deployment(), policy()])
    lab.run("30s")
    [work] = lab.list("Work")
    assert to_dict(work)["status"]["manifestStatuses"][0]["identifier"] == {
        "ordinal": 0,
        "group": "apps",
        "version": "v1",
        "kind": "Deployment",
        "resource": "",
        "namespace": "default",
        "name": "web",
    }

"""What runs in a simulated member: rollouts, names, sets, jobs, endpoints, namespaces."""

from __future__ import annotations

import re
from typing import Any

import pytest

from karmadalab import Lab
from karmadalab.api.codec import decode
from karmadalab.api.errors import Forbidden, Invalid
from karmadalab.api.meta import replace
from karmadalab.core.store import Store
from karmadalab.environments.workloads.rollout import Scale, fence_posts, new_replicas, old_replicas
from karmadalab.environments.workloads.site import WAITING_MAX

from .worlds import DIVIDED, policy

TEMPLATE = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "web", "image": "nginx:1"}]},
}
SELECTOR = {"matchLabels": {"app": "web"}}


@pytest.fixture
def lab() -> Lab:
    return Lab.fake({"members": [{"name": "m", "nodes": {"count": 3, "cpu": 4, "memory": "8Gi"}}]})


def store(lab: Lab) -> Store:
    return lab.world.member("m").store


def create(lab: Lab, api_version: str, kind: str, name: str = "web", **body: Any) -> None:
    """Write an object into the member by hand."""
    meta = {"name": name, "namespace": "default"}
    store(lab).create(decode({"apiVersion": api_version, "kind": kind, "metadata": meta, **body}))
    lab.run("0s")


def create_deployment(lab: Lab, replicas: int = 4, **spec: Any) -> None:
    create(
        lab, "apps/v1", "Deployment", spec={"replicas": replicas, "selector": SELECTOR, "template": TEMPLATE, **spec}
    )


def names(lab: Lab, kind: str) -> list[str]:
    return [obj.metadata.name for obj in store(lab).list(kind)]


def image(lab: Lab, tag: str, kind: str = "Deployment.apps") -> None:
    found = store(lab).get(kind, "web", "default")
    spec = {"containers": [{"name": "web", "image": tag}]}
    store(lab).update(found.with_spec(template={**TEMPLATE, "spec": spec}))


# --- deployments ------------------------------------------------------------------------------------------------------


def test_names_are_made_as_kubernetes_makes_them(lab: Lab) -> None:
    create_deployment(lab, 1)
    [replica_set], [pod] = names(lab, "ReplicaSet.apps"), names(lab, "Pod")
    assert re.fullmatch(r"web-[bcdfghjklmnpqrstvwxz2456789]{8,10}", replica_set)
    assert re.fullmatch(rf"{replica_set}-[bcdfghjklmnpqrstvwxz2456789]{{5}}", pod)


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
@pytest.mark.parametrize("left_out", [{}, {"replicas": None, "revisionHistoryLimit": None, "minReadySeconds": None}])
def test_a_workload_that_names_no_number_has_one_replica(kind: str, left_out: dict[str, Any]) -> None:
    lab = Lab.fake(members=2)
    spec = {"selector": SELECTOR, "template": {**TEMPLATE, "spec": {**TEMPLATE["spec"], "nodeSelector": None}}}
    manifest = {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": {**spec, **left_out}}
    [stored] = lab.apply(manifest)
    assert (stored.spec["replicas"], stored.spec["revisionHistoryLimit"]) == (1, 10)
    assert "minReadySeconds" not in stored.spec
    assert "nodeSelector" not in stored.spec["template"]["spec"]
    selector = {"apiVersion": "apps/v1", "kind": kind}
    lab.apply({**policy(), "spec": {"resourceSelectors": [selector], "placement": {"replicaScheduling": DIVIDED}}})
    assert sum(t.replicas for t in lab.run("20s").list("ResourceBinding")[0].spec.clusters) == 1
    lab.update(lab.get(kind, "web").with_spec(replicas=None))
    assert lab.get(kind, "web").spec["replicas"] == 1


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({}, (1, 1)),
        ({"parallelism": None, "completions": None}, (1, 1)),
        ({"parallelism": None, "completions": 4}, (1, 4)),
        ({"parallelism": 3, "completions": None}, (3, None)),
    ],
)
def test_a_job_counts_one_unless_told_otherwise(lab: Lab, given: Any, stored: Any) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a:1"}]}}
    create(lab, "batch/v1", "Job", spec={**given, "template": template})
    spec = store(lab).get("Job.batch", "web", "default").spec
    assert (spec.get("parallelism"), spec.get("completions")) == stored
    lab.run("2m")
    status = store(lab).get("Job.batch", "web", "default").status
    assert status["succeeded"] == (stored[1] or stored[0])  # without a number, all that had begun come to their end


def test_five_hundred_pods_in_one_member_have_five_hundred_names() -> None:
    lab = Lab.fake({"members": [{"name": "m", "nodes": {"count": 1, "pods": 200}}]})
    create_deployment(lab, replicas=500)
    lab.run("10s")
    assert len(store(lab).list("Pod")) == 500


def test_a_rollout_keeps_its_promises_at_every_moment(lab: Lab) -> None:
    create_deployment(lab)
    lab.run("5s")
    image(lab, "nginx:2")
    seen = []
    for _ in range(80):
        lab.run("250ms")
        pods = [pod for pod in store(lab).list("Pod") if pod.metadata.deletionTimestamp is None]
        ready = sum(1 for pod in pods if any(c["status"] == "True" for c in pod.status.get("conditions") or ()))
        seen.append((len(pods), ready))
    assert max(count for count, _ in seen) == 5, "maxSurge is 25 % of 4"
    assert min(ready for _, ready in seen) == 3, "maxUnavailable is 25 % of 4"
    status = store(lab).get("Deployment.apps", "web", "default").status
    assert (status["updatedReplicas"], status["replicas"], status["availableReplicas"]) == (4, 4, 4)
    assert [c["reason"] for c in status["conditions"]] == ["MinimumReplicasAvailable", "NewReplicaSetAvailable"]


def test_a_rollout_to_an_image_that_does_not_come_stands_still_and_goes_on_serving(lab: Lab) -> None:
    create_deployment(lab)
    lab.run("5s")
    lab.fault("m").bad_image("nginx:2")
    image(lab, "nginx:2")
    lab.run("5m")
    status = store(lab).get("Deployment.apps", "web", "default").status
    assert (status["availableReplicas"], status["updatedReplicas"]) == (3, 2)


def test_going_back_uses_the_old_replica_set_and_gives_it_the_newest_revision(lab: Lab) -> None:
    create_deployment(lab, 1)
    first = names(lab, "ReplicaSet.apps")
    for tag in ("nginx:2", "nginx:1"):
        image(lab, tag)
        lab.run("30s")
    assert len(names(lab, "ReplicaSet.apps")) == 2
    found = store(lab).get("ReplicaSet.apps", first[0], "default")
    assert (found.spec["replicas"], found.metadata.annotations["deployment.kubernetes.io/revision"]) == (1, "3")


def test_recreate_ends_all_old_pods_before_the_first_new_one(lab: Lab) -> None:
    create_deployment(lab, 2, strategy={"type": "Recreate"})
    lab.run("5s")
    image(lab, "nginx:2")
    lab.run("500ms")
    assert len({pod.metadata.labels["pod-template-hash"] for pod in store(lab).list("Pod")}) == 1
    lab.run("10s")
    assert store(lab).get("Deployment.apps", "web", "default").status["updatedReplicas"] == 2


ROLLS = [
    ("25 % of one pod rounds up to a surge of one", fence_posts({}, 1), (1, 0)),
    ("numbers are taken as they are", fence_posts({"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 1}}, 9), (2, 1)),
    ("the new set fills what surge leaves", new_replicas(4, 1, Scale("n", 1), [Scale("o", 3)]), 2),
    ("it never has more than is wanted", new_replicas(4, 9, Scale("n", 0), [Scale("o", 4)]), 4),
    ("broken old pods go first", old_replicas(4, 1, Scale("n", 1, 1), [Scale("a", 2, 0), Scale("b", 2, 2)]), [0, 2]),
    ("nothing goes while it is needed", old_replicas(4, 0, Scale("n", 1, 0), [Scale("o", 4, 4)]), [4]),
]


@pytest.mark.parametrize(("found", "expected"), [case[1:] for case in ROLLS], ids=[case[0] for case in ROLLS])
def test_the_arithmetic_of_a_rollout(found: Any, expected: Any) -> None:
    assert found == expected


# --- other workloads --------------------------------------------------------------------------------------------------


def test_a_stateful_set_starts_its_pods_one_after_the_other_and_replaces_the_last_first(lab: Lab) -> None:
    create(lab, "apps/v1", "StatefulSet", spec={"replicas": 3, "selector": SELECTOR, "template": TEMPLATE})
    lab.run("4s")
    assert names(lab, "Pod") == ["web-0", "web-1"]
    lab.run("10s")
    assert names(lab, "Pod") == ["web-0", "web-1", "web-2"]
    image(lab, "nginx:2", "StatefulSet.apps")
    lab.run("500ms")
    leaving = [pod.metadata.name for pod in store(lab).list("Pod") if pod.metadata.deletionTimestamp]
    assert leaving == ["web-2"]
    lab.run("1m")
    status = store(lab).get("StatefulSet.apps", "web", "default").status
    assert (status["readyReplicas"], status["updatedReplicas"]) == (3, 3)
    assert status["currentRevision"] == status["updateRevision"]


def test_a_daemon_set_has_one_pod_on_each_node(lab: Lab) -> None:
    create(lab, "apps/v1", "DaemonSet", spec={"selector": SELECTOR, "template": TEMPLATE})
    lab.run("5s")
    assert {pod.spec["nodeName"] for pod in store(lab).list("Pod")} == {"m-node1", "m-node2", "m-node3"}
    status = store(lab).get("DaemonSet.apps", "web", "default").status
    assert (status["desiredNumberScheduled"], status["numberReady"]) == (3, 3)


def test_a_job_runs_so_many_pods_at_a_time_until_enough_have_succeeded(lab: Lab) -> None:
    template = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
    create(lab, "batch/v1", "Job", spec={"completions": 3, "parallelism": 2, "template": template})
    lab.run("5s")
    job = store(lab).get("Job.batch", "web", "default")
    assert (job.status["active"], job.status["ready"]) == (2, 2)
    assert job.metadata.labels == job.spec["template"]["metadata"]["labels"]  # it had none of its own
    assert job.spec["selector"]["matchLabels"].items() <= job.spec["template"]["metadata"]["labels"].items()
    lab.run("1m")
    status = store(lab).get("Job.batch", "web", "default").status
    assert (status["succeeded"], status.get("active")) == (3, None)
    assert [c["type"] for c in status["conditions"]] == ["SuccessCriteriaMet", "Complete"]


ABSURD = 2**31 - 1


@pytest.mark.parametrize(
    ("api_version", "kind", "spec"),
    [
        ("apps/v1", "Deployment", {"replicas": ABSURD, "selector": SELECTOR}),
        ("apps/v1", "StatefulSet", {"replicas": ABSURD, "selector": SELECTOR, "podManagementPolicy": "Parallel"}),
        ("batch/v1", "Job", {"parallelism": ABSURD, "completions": ABSURD}),
    ],
)
def test_an_absurd_number_of_pods_is_made_as_far_as_it_matters(api_version: str, kind: str, spec: Any) -> None:
    lab = Lab.fake({"members": [{"name": "m", "nodes": {"count": 1, "cpu": 4, "memory": "8Gi", "pods": 10}}]})
    template = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never" if kind == "Job" else "Always"}}
    create(lab, api_version, kind, spec={**spec, "template": template})
    lab.run("5s")
    pods = store(lab).list("Pod")
    assert sum("nodeName" in pod.spec for pod in pods) == 10
    assert len(pods) == 10 + WAITING_MAX
    said = [row.text for row in lab.trace.rows if "wait for a node" in (row.text or "")]
    assert said == [f"500 pods wait for a node; the {ABSURD - 510} that are missing are made when these have one"]


@pytest.mark.slow
def test_more_pods_than_are_made_at_a_time_all_run_where_there_is_room() -> None:
    lab = Lab.fake({"members": [{"name": "m", "nodes": {"count": 1, "cpu": 99, "memory": "99Gi", "pods": 999}}]})
    create_deployment(lab, WAITING_MAX + 100)
    lab.run("5s")
    assert store(lab).get("Deployment.apps", "web", "default").status["readyReplicas"] == WAITING_MAX + 100
    assert not any("wait for a node" in (row.text or "") for row in lab.trace.rows)


# --- services and namespaces ------------------------------------------------------------------------------------------


def test_the_endpoints_of_a_service_are_its_ready_pods(lab: Lab) -> None:
    create_deployment(lab, 2)
    create(lab, "v1", "Service", spec={"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]})
    [empty] = store(lab).list("EndpointSlice.discovery.k8s.io")
    assert empty["endpoints"] is None
    lab.run("4s")
    [there] = store(lab).list("EndpointSlice.discovery.k8s.io")
    assert [item["conditions"]["ready"] for item in there["endpoints"]] == [True, True]
    assert there["ports"] == [{"name": "", "protocol": "TCP", "port": 8080}]
    assert store(lab).get("Service", "web", "default").spec["clusterIP"].startswith("10.")
    store(lab).delete("Service", "web", "default")
    lab.run("0s")
    assert store(lab).list("EndpointSlice.discovery.k8s.io") == []


def test_a_load_balancer_has_node_ports_that_no_other_service_has_and_keeps_them(lab: Lab) -> None:
    ports = [{"name": "a", "port": 80}, {"name": "b", "port": 81}]
    for name, type_ in (("one", "LoadBalancer"), ("two", "NodePort"), ("three", "ClusterIP")):
        create(lab, "v1", "Service", name, spec={"type": type_, "ports": ports})
    numbers = {s.metadata.name: [p.get("nodePort") for p in s.spec["ports"]] for s in store(lab).list("Service")}
    assert numbers == {"one": [30000, 30001], "two": [30002, 30003], "three": [None, None]}
    one = store(lab).get("Service", "one", "default")
    again = store(lab).update(one.with_spec(ports=[*ports[::-1], {"name": "c", "port": 82}]))
    assert [port["nodePort"] for port in again.spec["ports"]] == [30001, 30000, 30004]


def test_services_of_a_batch_that_was_refused_use_up_no_address(lab: Lab) -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}}
    with pytest.raises(Invalid):
        lab.apply([service, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "no"}, "spec": {}}])
    lab.apply([service, {**service, "metadata": {"name": "b"}}])
    assert [s.spec["clusterIP"].rpartition(".")[2] for s in lab.list("Service")] == ["1", "2"]


def test_a_namespace_that_is_deleted_takes_its_content_along_and_takes_nothing_new(lab: Lab) -> None:
    store(lab).create(decode({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}))
    create_deployment(lab, 1)
    store(lab).delete("Namespace", "default")
    lab.run("1s")
    with pytest.raises(Forbidden, match="because it is being terminated"):
        create(lab, "v1", "ConfigMap")
    lab.run("30s")
    assert store(lab).list("Pod") == []
    assert store(lab).list("Namespace") == []


def test_pods_stop_with_the_machines_and_start_again_with_them(lab: Lab) -> None:
    create_deployment(lab, 2)
    lab.run("5s")
    member = lab.world.member("m")
    fault = lab.fault("m").power_off()
    assert member.workloads.serving() == 0
    lab.run("1m")
    fault.heal()
    lab.run("5s")
    assert member.workloads.serving() == 2


# --- a pod and its name -----------------------------------------------------------------------------------------------


def one_pod(**member: Any) -> Lab:
    lab = Lab.fake({"members": [{"name": "m", **member}]})
    create(lab, "apps/v1", "StatefulSet", spec={"replicas": 1, "selector": SELECTOR, "template": TEMPLATE})
    return lab


def pod(lab: Lab) -> Any:
    return store(lab).find("Pod", "web-0", "default")


def test_a_pod_starts_in_its_own_time_whenever_the_one_of_its_name_began() -> None:
    lab = one_pod(startup="60s")
    lab.run("30s")
    store(lab).delete("Pod", "web-0", "default")
    lab.run("5s")
    anew_s = pod(lab).metadata.creationTimestamp - lab.clock.epoch
    assert 30 <= anew_s < 35
    lab.run_until(lambda lab: pod(lab).status.get("phase") == "Running", timeout="2m", step="100ms")
    assert 60 <= lab.t - anew_s <= 61


def test_a_pod_that_replaces_one_of_its_name_is_not_ended_in_its_place() -> None:
    lab = one_pod(shutdown="30s")
    lab.run("1m")
    store(lab).delete("Pod", "web-0", "default")
    lab.fault("m").power_off(at="1m5s", for_="5s")
    lab.run("45s")
    successor = pod(lab)
    assert successor.status["phase"] == "Running"
    lab.run("5m")
    assert pod(lab) == successor


def test_a_pod_that_starts_anew_runs_its_whole_time_again(lab: Lab) -> None:
    annotated = {"labels": {"app": "once"}, "annotations": {"karmadalab.io/run": "10m"}}
    template = {"metadata": annotated, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
    create(lab, "batch/v1", "Job", "once", spec={"template": template})
    lab.fault("m").power_off(at="1m", for_="1m")
    lab.run("12m")
    [running] = store(lab).list("Pod")
    assert running.status["phase"] == "Running"
    lab.run("10s")
    assert store(lab).list("Pod")[0].status["phase"] == "Succeeded"


def test_what_is_ending_may_change_and_goes_on_ending() -> None:
    lab = one_pod(shutdown="30s")
    lab.run("10s")
    store(lab).delete("Pod", "web-0", "default")
    leaving = pod(lab)
    assert leaving.metadata.deletionGracePeriodSeconds == 30
    store(lab).update(replace(leaving, metadata=replace(leaving.metadata, labels={"app": "web", "seen": "yes"})))
    assert pod(lab).metadata.labels["seen"] == "yes"
    lab.run("40s")
    assert pod(lab).metadata.uid != leaving.metadata.uid


NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}


def test_a_namespace_that_changes_while_it_ends_still_waits_for_its_content() -> None:
    lab = Lab.fake(members=1)
    kept = {"name": "kept", "namespace": "shop", "finalizers": ["example.com/mine"]}
    lab.apply([NAMESPACE, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": kept}])
    lab.delete("Namespace", "shop")
    lab.run("10s")
    lab.apply({**NAMESPACE, "metadata": {"name": "shop", "labels": {"seen": "yes"}}})
    ending = lab.get("Namespace", "shop").metadata
    assert (ending.labels["seen"], ending.deletionTimestamp is None) == ("yes", False)


# --- node ports -------------------------------------------------------------------------------------------------------


def service(name: str, *ports: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"type": "NodePort", "ports": [{"name": f"p{n}", **port} for n, port in enumerate(ports)]},
    }


def test_a_port_that_is_given_by_name_is_given_to_no_other() -> None:
    lab = Lab.fake(members=1)
    [stored] = lab.apply(service("a", {"port": 80}, {"port": 81, "nodePort": 30000}))
    assert [port["nodePort"] for port in stored.spec["ports"]] == [30001, 30000]
    [again] = lab.apply(service("a", {"port": 80}, {"port": 81, "nodePort": 30000}))
    assert again == stored


@pytest.mark.parametrize(
    ("ports", "problem"),
    [
        (
            [{"port": 80, "nodePort": 30000}],
            "spec.ports[0].nodePort: Invalid value: 30000: provided port is already allocated",
        ),
        (
            [{"port": 80, "nodePort": 30005}, {"port": 81, "nodePort": 30005}],
            "spec.ports[1].nodePort: Invalid value: 30005: provided port is already allocated",
        ),
        (
            [{"port": 80, "nodePort": 5}],
            "spec.ports[0].nodePort: Invalid value: 5: provided port is not in the valid range. "
            "The range of valid ports is 30000-32767",
        ),
        (
            [{"port": n} for n in range(1, 2769)],
            "spec.ports[2767].nodePort: Invalid value: null: no node port from 30000 to 32767 is free",
        ),
    ],
)
def test_a_node_port_that_can_not_be_had(ports: list[dict[str, Any]], problem: str) -> None:
    lab = Lab.fake(members=1)
    lab.apply(service("first", {"port": 80}))
    with pytest.raises(Invalid) as refused:
        lab.apply(service("second", *ports))
    assert str(refused.value) == f"Service default/second: {problem}"

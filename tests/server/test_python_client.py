"""The official Python client, as a notebook would use it: typed, custom, dynamic; CRUD, apply and watches."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from karmadalab.lab import Lab
from karmadalab.server import Served

kubernetes = pytest.importorskip("kubernetes", reason="the kind extra is not installed")

POLICY = ("policy.karmada.io", "v1alpha1", "default", "propagationpolicies")


@pytest.fixture
def client(served: Served) -> Iterator[Any]:
    loaded = kubernetes.config.new_client_from_config(str(served.kubeconfig))
    yield loaded
    loaded.close()


def test_typed_objects(client: Any) -> None:
    core = kubernetes.client.CoreV1Api(client)
    made = core.create_namespaced_config_map("default", {"metadata": {"name": "a"}, "data": {"x": "1"}})
    assert made.metadata.resource_version
    core.patch_namespaced_config_map("a", "default", {"data": {"x": "2"}})
    assert core.read_namespaced_config_map("a", "default").data == {"x": "2"}
    assert [c.metadata.name for c in core.list_namespaced_config_map("default", limit=1).items] == ["a"]
    core.delete_namespaced_config_map("a", "default")
    with pytest.raises(kubernetes.client.ApiException) as caught:
        core.read_namespaced_config_map("a", "default")
    assert caught.value.status == 404
    apps = kubernetes.client.AppsV1Api(client)
    apps.patch_namespaced_deployment_scale("nginx", "default", {"spec": {"replicas": 3}})
    assert apps.read_namespaced_deployment("nginx", "default").spec.replicas == 3
    leases = kubernetes.client.CoordinationV1Api(client).list_namespaced_lease("karmada-cluster").items
    assert [lease.spec.holder_identity for lease in leases] == ["member3"]


def test_custom_objects(client: Any) -> None:
    custom = kubernetes.client.CustomObjectsApi(client)
    found = custom.get_namespaced_custom_object(*POLICY, "nginx")
    assert found["spec"]["placement"]["spreadConstraints"][0]["maxGroups"] == 2
    found["spec"]["priority"] = 7
    assert custom.replace_namespaced_custom_object(*POLICY, "nginx", found)["spec"]["priority"] == 7
    with pytest.raises(kubernetes.client.ApiException) as caught:
        custom.replace_namespaced_custom_object(*POLICY, "nginx", found)
    assert (caught.value.status, caught.value.reason) == (409, "Conflict")
    clusters = custom.list_cluster_custom_object("cluster.karmada.io", "v1alpha1", "clusters")["items"]
    assert [cluster["metadata"]["name"] for cluster in clusters] == [f"member{n}" for n in range(1, 6)]


def test_the_dynamic_client(client: Any) -> None:
    dynamic = kubernetes.dynamic.DynamicClient(client)
    deployments = dynamic.resources.get(api_version="apps/v1", kind="Deployment")
    body = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "nginx", "namespace": "default"},
        "spec": {"replicas": 4},
    }
    applied = dynamic.server_side_apply(deployments, body=body, name="nginx", namespace="default", field_manager="me")
    assert applied.spec.replicas == 4
    bindings = dynamic.resources.get(api_version="work.karmada.io/v1alpha2", kind="ResourceBinding")
    assert bindings.get(name="nginx-deployment", namespace="default").spec.clusters[0].name == "member1"


def test_create_from_dict(client: Any) -> None:
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "default"}}
    (made,) = kubernetes.utils.create_from_dict(client, manifest)
    assert made.metadata.name == "c"


def test_a_watch_sees_a_failover(client: Any, lab: Lab) -> None:
    custom = kubernetes.client.CustomObjectsApi(client)
    listing = custom.list_cluster_custom_object
    seen: list[str] = []
    began = threading.Event()

    def watch() -> None:
        stream = kubernetes.watch.Watch().stream(
            listing, "cluster.karmada.io", "v1alpha1", "clusters", timeout_seconds=20
        )
        for event in stream:
            began.set()
            conditions = {c["type"]: c for c in event["object"]["status"]["conditions"]}
            if event["object"]["metadata"]["name"] == "member1" and conditions["Ready"]["status"] == "False":
                seen.append(conditions["Ready"]["reason"])
                return

    reader = threading.Thread(target=watch)
    reader.start()
    assert began.wait(10)
    lab.fault("member1").power_off()
    lab.run("1m")
    reader.join(20)
    assert seen == ["ClusterNotReachable"]

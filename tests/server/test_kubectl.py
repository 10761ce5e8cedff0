"""The real kubectl works: each command of a Karmada walkthrough, and those of every Kubernetes course."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from karmadalab.lab import Lab
from karmadalab.server import Served

from .conftest import Kubectl, eventually

NGINX = "environments/nginx.yaml"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm, namespace: default%s}\ndata: {x: '%s'}\n"


def test_describe_shows_events_with_the_labs_own_ages(reading: Kubectl) -> None:
    text = reading("describe", "cluster", "member1")
    assert "karmada.io/cluster-controller" in text
    assert re.search(
        r"Normal\s+TaintClusterSucceed\s+6\ds\s+cluster-controller\s+Taint cluster succeed: cluster now", text
    )
    text = reading("describe", "rb", "nginx-deployment")
    assert "Binding has been scheduled successfully. Result: {member1:2, member2:2}" in text


def test_get_yaml_and_jsonpath(reading: Kubectl) -> None:
    text = reading("get", "rb", "nginx-deployment", "-o", "yaml")
    assert text.startswith("apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n")
    path = "jsonpath={.spec.clusters[*].name}"
    assert reading("get", "rb", "nginx-deployment", "-o", path) == "member1 member2"


def test_selectors(reading: Kubectl) -> None:
    assert reading("get", "deploy", "-l", "app=nginx", "-o", "name") == "deployment.apps/nginx\n"
    assert reading("get", "deploy", "-l", "app!=nginx", "-o", "name") == ""
    assert reading("get", "deploy", "-l", "app in (nginx,web),!x", "-o", "name") == "deployment.apps/nginx\n"
    named = ("get", "clusters", "--field-selector", "metadata.name=member2", "-o", "name")
    assert reading(*named) == "cluster.cluster.karmada.io/member2\n"
    reading("get", "clusters", "--field-selector", "spec.region=x", rc=1)
    assert "field label not supported" in reading.err


def test_explain_teaches(reading: Kubectl) -> None:
    text = reading("explain", "propagationpolicy.spec.placement")
    assert "Where the resources go." in text
    assert re.search(r"clusterTolerations\s+<\[\]Toleration>", text)
    assert "replicaSchedulingType" in reading("explain", "pp.spec.placement.replicaScheduling")
    assert "KIND:       Deployment" in reading("explain", "deployment")
    text = reading("explain", "deployment.spec.template.spec.containers")
    assert re.search(r"image\s+<string>", text)
    assert re.search(r"ports\s+<\[\]Object>", text)


def test_a_pod_that_is_ending_is_described(kubectl: Kubectl) -> None:
    there = ("--context", "member1")
    pod = kubectl("get", "pods", "-o", "jsonpath={.items[0].metadata.name}", *there)
    kubectl("delete", "pod", pod, "--wait=false", *there)
    text = kubectl("describe", "pod", pod, *there)
    assert re.search(r"Status:\s+Terminating", text)
    assert re.search(r"Termination Grace Period:\s+30s", text)


def test_long_lists_come_in_pages(reading: Kubectl) -> None:
    assert reading("get", "clusters", "--chunk-size=2", "-o", "name").count("\n") == 5


def test_apply_twice_changes_nothing_the_second_time(kubectl: Kubectl) -> None:
    manifest = kubectl.file(CONFIG % ("", "1"))
    assert kubectl("apply", "-f", manifest) == "configmap/cm created\n"
    version = kubectl("get", "cm", "cm", "-o", "jsonpath={.metadata.resourceVersion}")
    assert kubectl("apply", "-f", manifest) == "configmap/cm unchanged\n"
    kubectl("apply", "-f", NGINX)
    assert "deployment.apps/nginx unchanged" in kubectl("apply", "-f", NGINX)
    assert kubectl("get", "cm", "cm", "-o", "jsonpath={.metadata.resourceVersion}") == version


def test_diff_and_dry_run_leave_no_trace(kubectl: Kubectl, lab: Lab) -> None:
    kubectl("apply", "-f", kubectl.file(CONFIG % ("", "1")))
    rows = len(lab.trace)
    changed = kubectl.file(CONFIG % ("", "2"))
    assert '-  x: "1"\n+  x: "2"' in kubectl("diff", "-f", changed, rc=1)
    assert "(server dry run)" in kubectl("apply", "-f", changed, "--dry-run=server")
    assert "(dry run)" in kubectl("apply", "-f", changed, "--dry-run=client")
    assert "(server dry run)" in kubectl("delete", "cm", "cm", "--dry-run=server")
    assert "(server dry run)" in kubectl("delete", "cm", "--all", "--dry-run=server")
    assert len(lab.trace) == rows


def test_what_is_wrong_is_said(kubectl: Kubectl) -> None:
    text = (
        "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: bad}\n"
        "spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {clusterAfinity: {}}}\n"
    )
    kubectl("apply", "-f", kubectl.file(text), rc=1)
    assert 'The PropagationPolicy "bad" is invalid: spec.placement.clusterAfinity: unknown field' in kubectl.err
    operation = '[{"op":"replace","path":"/spec/nosuch/replicas","value":4}]'
    kubectl("patch", "deploy", "nginx", "--type", "json", "-p", operation, rc=1)
    assert "the JSON patch can't be applied" in kubectl.err
    kubectl("get", "deploy", "nosuch", rc=1)
    assert 'Error from server (NotFound): deployments.apps "nosuch" not found' in kubectl.err
    kubectl("create", "-f", NGINX, rc=1)
    assert 'deployments.apps "nginx" already exists' in kubectl.err
    kubectl("get", "nosuch", rc=1)
    assert "the server doesn't have a resource type" in kubectl.err


def test_edit_by_a_script(kubectl: Kubectl) -> None:
    editor = kubectl.folder / "editor.sh"
    editor.write_text('#!/bin/sh\nsed -i "s/  replicas: 2/  replicas: 5/" "$1"\n')
    editor.chmod(0o755)
    assert kubectl("edit", "deploy", "nginx", EDITOR=str(editor)) == "deployment.apps/nginx edited\n"
    assert kubectl("get", "deploy", "nginx", "-o", "jsonpath={.spec.replicas}") == "5"


def test_scale_reaches_the_members(kubectl: Kubectl, lab: Lab) -> None:
    assert kubectl("scale", "deploy", "nginx", "--replicas=3") == "deployment.apps/nginx scaled\n"
    lab.run("10s")
    assert re.search(r"nginx\s+6/3", kubectl("get", "deploy"))
    assert re.search(r"nginx\s+3/3", kubectl("get", "deploy", "--context", "member1"))
    kubectl("scale", "deploy", "nginx", "--replicas=1", "--current-replicas=7", rc=1)


def test_patches_of_all_kinds(kubectl: Kubectl) -> None:
    kubectl("set", "image", "deploy/nginx", "nginx=nginx:1.28")  # strategic
    kubectl("patch", "deploy", "nginx", "--type", "json", "-p", '[{"op":"replace","path":"/spec/replicas","value":4}]')
    kubectl("patch", "rb", "nginx-deployment", "--type", "merge", "-p", '{"metadata":{"labels":{"x":"y"}}}')
    kubectl("label", "deploy", "nginx", "tier=front")
    kubectl("annotate", "deploy", "nginx", "note=hi")
    form = "jsonpath={.spec.template.spec.containers[0]['image','name']} {.spec.replicas} {.metadata.labels.tier}"
    assert kubectl("get", "deploy", "nginx", "-o", form) == "nginx:1.28 nginx 4 front"
    kubectl("patch", "rb", "nginx-deployment", "-p", '{"metadata":{}}', rc=1)  # strategic, of a custom resource
    assert "is not supported" in kubectl.err


def test_server_side_apply_knows_who_owns_what(kubectl: Kubectl) -> None:
    base = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: %d\n"
    rest = (
        "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
        "    spec: {containers: [{name: main, image: nginx}]}\n"
    )
    whole = kubectl.file(base % 2 + rest)
    assert "serverside-applied" in kubectl("apply", "--server-side", "-f", whole)
    other = kubectl.file(base % 3, "other.yaml")
    kubectl("apply", "--server-side", "--field-manager=scaler", "-f", other, rc=1)
    assert 'conflict with "kubectl" using apps/v1: .spec.replicas' in re.sub(r"\s+", " ", kubectl.err)
    kubectl("apply", "--server-side", "--field-manager=scaler", "--force-conflicts", "-f", other)
    assert kubectl("get", "deploy", "web", "-o", "jsonpath={.spec.replicas}") == "3"
    kubectl(
        "apply",
        "--server-side",
        "-f",
        kubectl.file("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n" + rest),
    )
    assert kubectl("get", "deploy", "web", "-o", "jsonpath={.spec.replicas}") == "3", "the scaler's now"
    owners = kubectl(
        "get", "deploy", "web", "-o", "jsonpath={.metadata.managedFields[*].manager}", "--show-managed-fields"
    )
    assert sorted(owners.split()) == ["kubectl", "scaler"]


def test_delete_waits_for_finalizers(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", kubectl.file(CONFIG % (", finalizers: [example.com/hold]", "1")))
    assert "deleted" in kubectl("delete", "cm", "cm", "--wait=false")
    assert kubectl("get", "cm", "cm", "-o", "jsonpath={.metadata.deletionTimestamp}")
    waiting = kubectl.start("delete", "cm", "cm")
    assert waiting.stdout is not None
    assert "deleted" in waiting.stdout.readline()  # it says so before it is
    kubectl("patch", "cm", "cm", "--type", "merge", "-p", '{"metadata":{"finalizers":null}}')
    waiting.communicate(timeout=20)
    assert waiting.returncode == 0
    kubectl("get", "cm", "cm", rc=1)


def test_delete_takes_the_copies_along_or_not(kubectl: Kubectl, lab: Lab) -> None:
    kubectl("delete", "deploy", "nginx")
    lab.run("5s")
    assert kubectl("get", "deploy", "-A", "--context", "member1") == ""
    assert kubectl("get", "rb", "-A") == ""
    kubectl("apply", "-f", NGINX)
    lab.run("5s")
    there = next(iter(lab.placement["default/nginx-deployment"]))
    kubectl("delete", "rs", "--all", "--context", there, "--cascade=orphan", "--wait=false")
    assert kubectl("get", "pods", "-o", "name", "--context", there)


def test_logs_tell_a_pods_life(reading: Kubectl) -> None:
    lines = reading("logs", "deploy/nginx", "--context", "member1").splitlines()
    assert lines[0].endswith("created")
    assert "placed on member1-node1" in lines[1]
    assert lines[-1].endswith("running, ready")
    assert reading("logs", "deploy/nginx", "--tail=1", "--context", "member1").count("\n") == 1
    reading("logs", "deploy/nginx", "-c", "nosuch", "--context", "member1", rc=1)


def test_logs_are_followed_until_the_pod_is_gone(kubectl: Kubectl, lab: Lab, served: Served) -> None:
    pod = kubectl("get", "pods", "-o", "jsonpath={.items[0].metadata.name}", "--context", "member1")
    last = kubectl.start("logs", "-f", pod, "--tail=1", "--context", "member1")
    recent = kubectl.start("logs", "-f", pod, "--since=1s", "--context", "member1")
    following = kubectl.start("logs", "-f", pod, "--context", "member1")
    assert last.stdout is not None
    assert "running, ready" in last.stdout.readline()
    eventually(lambda: served.watchers == 3)
    assert following.stdout is not None
    assert "created" in following.stdout.readline()
    kubectl("scale", "deploy", "nginx", "--replicas=0")
    lab.run("1m")
    rest, _ = following.communicate(timeout=20)
    assert following.returncode == 0
    for text in (rest, last.communicate(timeout=20)[0], recent.communicate(timeout=20)[0]):
        told = [line.partition(" ")[2] for line in text.splitlines()]
        assert told[-2:] == ["told to end", "ended"]
    assert "created" not in told, "what was more than a second ago"


def test_through_the_proxy_as_if_one_were_there(kubectl: Kubectl, lab: Lab) -> None:
    way = "/apis/cluster.karmada.io/v1alpha1/clusters/member1/proxy"
    server = kubectl("config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}") + way
    there = ("--server", server)
    assert "member1-node1" in kubectl("get", "nodes", *there)
    assert kubectl("apply", "-f", kubectl.file(CONFIG % ("", "1")), *there) == "configmap/cm created\n"
    assert lab.member("member1").get("ConfigMap", "cm")["data"] == {"x": "1"}
    assert "condition met" in kubectl("wait", "--for=condition=Ready", "pod", "--all", "--timeout=5s", *there)
    assert "created" in kubectl("logs", "deploy/nginx", *there)
    kubectl("delete", "cm", "cm", *there)
    kubectl("get", "--raw", f"{way.replace('member1', 'nosuch')}/version", rc=1)
    assert "NotFound" in kubectl.err


def test_events_can_be_watched(kubectl: Kubectl, lab: Lab, served: Served) -> None:
    watching = kubectl.start("get", "events", "--watch-only", "--request-timeout=60s")
    assert watching.stdout is not None
    eventually(lambda: served.watchers == 1)  # kubectl does not say when it has begun
    lab.fault("member1").power_off()
    lab.run("1m")
    seen = next(line for line in watching.stdout if "taints" in line)
    watching.kill()
    watching.communicate()
    assert "TaintClusterSucceed" in seen


@pytest.mark.parametrize("name", ["demo", "app", "edge", "mysql", "alpine", "y"])
def test_created_without_a_file(kubectl: Kubectl, name: str) -> None:
    """These send protobuf, in which many a short word can be read as a message, too."""
    assert kubectl("create", "ns", name) == f"namespace/{name} created\n"
    assert kubectl("create", "configmap", "c", "--from-literal=a=b", "-n", name) == "configmap/c created\n"
    made = f"deployment.apps/{name} created\n"
    assert kubectl("create", "deployment", name, f"--image={name}", "--replicas=2") == made
    form = "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image} {.spec.selector.matchLabels.app}"
    assert kubectl("get", "deploy", name, "-o", form) == f"2 {name} {name}"


def test_numbers_of_what_is_created_without_a_file(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "none", "--image=nginx", "--replicas=0", "--port=80")
    form = "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].ports[0].containerPort}"
    assert kubectl("get", "deploy", "none", "-o", form) == "0 80"
    kubectl("create", "deployment", "less", "--image=nginx", "--replicas=-7", rc=1)
    assert "-7" in kubectl.err


def test_what_can_not_be_created_without_a_file_is_refused_in_words(kubectl: Kubectl) -> None:
    kubectl("create", "configmap", "c", "-n", "nosuch", rc=1)
    assert 'namespaces "nosuch" not found' in kubectl.err
    kubectl("create", "job", "j", "--image=x", rc=None)  # older ones send JSON
    assert kubectl.rc == 0 or "use kubectl apply -f" in kubectl.err


def test_the_namespaces_of_every_api_server_are_there_to_stay(kubectl: Kubectl, lab: Lab) -> None:
    spaces = kubectl("get", "ns", "-o", "name").split()
    for name in ("default", "kube-system", "karmada-cluster", "karmada-system", "karmada-es-member1"):
        assert f"namespace/{name}" in spaces
    assert re.search(r"default\s+Active", kubectl("get", "ns", "--context", "member1"))
    kubectl("create", "ns", "default", rc=1)
    assert 'namespaces "default" already exists' in kubectl.err
    kubectl("delete", "ns", "default", rc=1)
    assert 'namespaces "default" is forbidden: this namespace may not be deleted' in kubectl.err
    assert "deployment.apps/nginx" in kubectl("get", "deploy", "-o", "name")
    assert not [event for event in lab.timeline if event.kind.startswith("Namespace")], "no part of the lab's story"


def test_what_containers_would_have_to_do_is_refused_in_words(reading: Kubectl) -> None:
    reading("exec", "deploy/nginx", "--context", "member1", "--", "ls", rc=1)
    assert "containers run nothing here" in reading.err


def test_small_questions(reading: Kubectl) -> None:
    assert "v1.32" in reading("version")
    assert reading("auth", "can-i", "create", "deployments") == "yes\n"
    assert "karmadalab" in reading("auth", "whoami")
    assert re.search(r"\*\.\*\s+\[\]\s+\[\]\s+\[\*\]", reading("auth", "can-i", "--list"))
    assert re.search(r"is running at \S*https://127.0.0.1", reading("cluster-info"))
    assert "resourcebinding.work.karmada.io/nginx-deployment" in reading("get", "karmada-io", "-A")
    assert "deployment.apps/nginx" in reading("get", "all")
    assert reading("get", "--raw", "/readyz") == "ok"
    proxied = "/apis/cluster.karmada.io/v1alpha1/clusters/member1/proxy/apis/apps/v1/namespaces/default/deployments"
    assert '"name":"nginx"' in reading("get", "--raw", proxied)


def test_waiting_for_a_cluster_to_fail(kubectl: Kubectl, lab: Lab) -> None:
    """`wait` and `get -w` see a failover while a notebook lets the time pass."""
    assert "condition met" in kubectl("wait", "--for=condition=Ready=true", "cluster/member2", "--timeout=5s")
    waiting = kubectl.start("wait", "--for=condition=Ready=false", "cluster/member2", "--timeout=30s")
    watching = kubectl.start("get", "clusters", "-w")
    assert watching.stdout is not None
    seen: list[str] = [watching.stdout.readline() for _ in range(6)]
    reader = threading.Thread(target=lambda: seen.extend(watching.stdout or ()))
    reader.start()
    lab.fault("member2").power_off()
    lab.run("1m")
    assert "condition met" in waiting.communicate(timeout=30)[0]
    watching.kill()
    watching.wait()
    reader.join(10)
    watching.stdout.close()
    assert any(re.search(r"member2\s+v1.32.0\s+Push\s+False", line) for line in seen)


def test_rollout_status_and_jsonpath_waits(kubectl: Kubectl, lab: Lab) -> None:
    assert "successfully rolled out" in kubectl("rollout", "status", "deploy/nginx", "--timeout=5s")
    kubectl("wait", "deploy/nginx", "--for=jsonpath={.status.readyReplicas}=4", "--timeout=5s")
    assert "restarted" in kubectl("rollout", "restart", "deploy/nginx")


def test_a_member_that_is_off_does_not_answer(kubectl: Kubectl, lab: Lab) -> None:
    lab.fault("member1").power_off()
    kubectl("get", "pods", "--context", "member1", rc=1)
    assert "(ServiceUnavailable)" in kubectl.err
    kubectl("get", "--raw", "/apis/cluster.karmada.io/v1alpha1/clusters/member1/proxy/api/v1/pods", rc=1)
    lab.heal()
    assert "nginx" in kubectl("get", "pods", "--context", "member1")


def test_custom_resources_are_served_once_defined(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", kubectl.file(CRD))
    kubectl(
        "apply", "-f", kubectl.file("apiVersion: example.io/v1\nkind: Redis\nmetadata: {name: r}\nspec: {size: 3}\n")
    )
    heading, row = kubectl("get", "redises").splitlines()
    assert heading.split() == ["NAME", "SIZE", "AGE"]
    assert row.split()[:2] == ["r", "3"]
    assert "r" in kubectl("get", "rds", "-o", "name")


CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: redises.example.io}
spec:
  group: example.io
  names: {kind: Redis, plural: redises, singular: redis, shortNames: [rds]}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
      additionalPrinterColumns:
        - {name: Size, type: integer, jsonPath: .spec.size}
        - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
"""


@pytest.mark.parametrize("manifest", [NGINX])
def test_the_projects_manifests_apply(kubectl: Kubectl, manifest: str) -> None:
    assert Path(manifest).exists()
    kubectl("apply", "-f", manifest)

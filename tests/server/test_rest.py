"""What the API promises to any client: who may ask, what errors look like, lists in pages."""

from __future__ import annotations

import json
import socket
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from karmadalab.api.errors import BadRequest
from karmadalab.lab import Lab
from karmadalab.server import Served, serve

from .conftest import CLUSTERS, CONFIGS, MERGE, Http, config

DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/nginx"


# --- who may ask


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer wrong", "Basic %s"])
@pytest.mark.parametrize("path", ["/version", "/readyz", CLUSTERS, "/members/member1/api/v1/pods"])
def test_without_the_token_there_is_no_answer(asking: Http, header: str, path: str) -> None:
    status, body = asking("GET", path, Authorization=header.replace("%s", asking.served.token))
    assert (status, body["kind"], body["reason"]) == (401, "Status", "Unauthorized")


def test_the_kubeconfig_is_the_owners_alone(served: Served) -> None:
    for file in ("kubeconfig", "server.key"):
        assert stat.S_IMODE((served.folder / file).stat().st_mode) == 0o600
    assert stat.S_IMODE(served.folder.stat().st_mode) == 0o700
    assert Path.home() / ".kube" not in served.kubeconfig.parents


def test_it_listens_on_loopback_only(served: Served) -> None:
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in others:
        with socket.socket() as sock:
            sock.settimeout(1)
            assert sock.connect_ex((str(address), served.port)) != 0


def test_it_ends_cleanly_and_leaves_nothing(lab: Lab) -> None:
    served = serve(lab)
    http_to = Http(served)
    watch = http_to.watch(f"{CLUSTERS}?watch=1")
    next(watch)
    started = time.monotonic()
    served.close()
    served.close()
    assert time.monotonic() - started < 5
    assert not served.folder.exists()
    list(watch)
    lab.run("10s")  # the lab goes on without it


def test_who_starts_again_in_a_folder_is_found_by_the_same_file(lab: Lab, tmp_path: Path) -> None:
    with serve(lab, folder=tmp_path / "k") as served:
        before = served.kubeconfig.read_bytes()
    with serve(lab, folder=tmp_path / "k") as served:
        assert served.kubeconfig.read_bytes() == before
        assert Http(served)("GET", "/version")[0] == 200
        port = served.port
    with socket.create_server(("127.0.0.1", port)), serve(lab, folder=tmp_path / "k") as served:
        assert served.port != port, "somebody else has taken it"
        assert Http(served)("GET", "/version")[0] == 200


def test_a_folder_has_one_server_at_a_time(lab: Lab, tmp_path: Path) -> None:
    with serve(lab, folder=tmp_path / "k") as served:
        before = served.kubeconfig.read_bytes()
        for port in (0, served.port):
            with pytest.raises(BadRequest, match=f"the server of this folder still runs at port {served.port}; end it"):
                serve(lab, folder=tmp_path / "k", port=port)
        assert served.kubeconfig.read_bytes() == before
        assert Http(served)("GET", "/version")[0] == 200


def test_a_relative_folder_is_told_in_full(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with serve(lab, folder="my folder") as served:
        assert served.environment["KUBECONFIG"] == str(tmp_path / "my folder" / "kubeconfig")


def test_credentials_that_others_can_read_are_not_used_again(lab: Lab, tmp_path: Path) -> None:
    with serve(lab, folder=tmp_path) as served:
        token = served.token
    served.kubeconfig.chmod(0o644)
    with serve(lab, folder=tmp_path) as served:
        assert served.token != token
        assert stat.S_IMODE(served.kubeconfig.stat().st_mode) == 0o600
    served.kubeconfig.write_text("a: [\n")
    with serve(lab, folder=tmp_path) as served:
        assert Http(served)("GET", "/version")[0] == 200


# --- bounds


def test_bodies_are_bounded(asking: Http) -> None:
    status, body = asking("POST", CONFIGS, b"x" * (4 << 20))
    assert (status, body["reason"]) == (413, "RequestEntityTooLarge")


@pytest.mark.parametrize(
    ("body", "content_type", "code"),
    [
        (b"{", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"a: &a [1,1]\nb: *a\n", "application/yaml", 400),
        (b"{}\n---\n{}\n", "application/yaml", 400),
        (b"k8s\x00nonsense", "application/vnd.kubernetes.protobuf", 415),
        (b"[]", "application/json", 400),
        (b'{"kind":"Secret","apiVersion":"v1"}', "application/json", 400),
        (b'{"metadata":{"name":"a","namespace":"other"}}', "application/json", 400),
        (b'{"metadata":{"name":"Not A Name"}}', "application/json", 422),
        (b'{"metadata":{}}', "application/json", 400),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bodies_that_make_no_sense(asking: Http, body: bytes, content_type: str, code: int) -> None:
    status, answer = asking("POST", CONFIGS, body, Content_Type=content_type)
    assert (status, answer["kind"], answer["status"]) == (code, "Status", "Failure")
    assert answer["message"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nosuch", "/apis/apps/v2/deployments", "/nosuch", "/members/nosuch/api/v1/pods", "/members/",
        "/members/../api/v1/pods", "/api/v1/namespaces/default/clusters", "/api/v1/namespaces/..%2Fdefault/pods/x",
        "/apis/apps/v1/deployments/nginx", f"{DEPLOYMENT}/nosuch", "/openapi/v3/apis/nosuch/v1", "/apis/nosuch",
        "/%00", "/api//v1/namespaces/default/configmaps/nosuch",
    ],
)  # fmt: skip
def test_paths_that_lead_nowhere(asking: Http, path: str) -> None:
    status, body = asking("GET", path)
    assert (status, body["kind"], body["reason"]) == (404, "Status", "NotFound")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (f"{CONFIGS}?limit=-1", 400),
        (f"{CONFIGS}?limit=" + "9" * 30, 400),
        (f"{CONFIGS}?labelSelector=a%20b", 400),
        (f"{CONFIGS}?labelSelector=a%3Db%21", 400),
        (f"{CONFIGS}?labelSelector=a%20in%20({'x' * 64})", 400),
        (f"{CONFIGS}?fieldSelector=data.x%3D1", 400),
        (f"{CONFIGS}?continue=nosuch", 410),
        (f"{CONFIGS}?resourceVersion=99999999", 504),
        (f"{CONFIGS}?watch=1&resourceVersion=99999999", 504),
        (f"{CONFIGS}?watch=1&includeObject=Half", 400),
        (f"{CONFIGS}?resourceVersionMatch=Exact", 400),
        (f"{CONFIGS}?resourceVersionMatch=Exact&resourceVersion=0", 400),
        (f"{CONFIGS}?resourceVersionMatch=About&resourceVersion=1", 400),
        (f"{CONFIGS}?watch=1&resourceVersionMatch=Exact&resourceVersion=1", 400),
    ],
)
def test_questions_that_make_no_sense(asking: Http, path: str, code: int) -> None:
    assert asking("GET", path)[0] == code


def test_what_is_not_offered_is_said(asking: Http) -> None:
    assert asking("GET", CLUSTERS, Accept="application/vnd.kubernetes.protobuf")[0] == 406
    assert asking("DELETE", f"{DEPLOYMENT}/scale")[0] == 405
    assert asking("POST", DEPLOYMENT, {})[0] == 405
    status, body = asking("PATCH", f"{CLUSTERS}/member1", {}, Content_Type="application/strategic-merge-patch+json")
    assert (status, body["reason"]) == (415, "UnsupportedMediaType")


def test_the_proxy_is_found_by_its_place_in_the_path(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text("members: [{name: proxy-east}, {name: proxy}]\n")
    with serve(Lab.fake(fleet, seed=1).run("1m")) as served:
        http_to = Http(served)
        for name in ("proxy-east", "proxy"):
            for proxy in ("proxy", "%70roxy", "proxy/"):
                way = f"{CLUSTERS}/{name}/{proxy}"
                assert http_to("GET", f"{way}/api/v1/nodes")[1]["kind"] == "NodeList"
                assert http_to("GET", way)[1]["paths"]
                document = http_to("GET", f"{way}/openapi/v3")[1]["paths"]["api/v1"]["serverRelativeURL"]
                assert http_to("GET", document)[1]["openapi"] == "3.0.0"


# --- objects


def test_errors_have_kubernetes_words(http_to: Http) -> None:
    assert http_to("POST", CONFIGS, config("a", x="1"))[0] == 201
    status, body = http_to("POST", CONFIGS, config("a"))
    assert (status, body["reason"], body["message"]) == (409, "AlreadyExists", 'configmaps "a" already exists')
    assert body["details"] == {"name": "a", "kind": "configmaps"}
    status, body = http_to("PUT", f"{CONFIGS}/a", {**config("a"), "metadata": {"name": "a", "resourceVersion": "1"}})
    assert (status, body["reason"]) == (409, "Conflict")
    assert body["message"].startswith('Operation cannot be fulfilled on configmaps "a": the object has been modified')
    assert http_to("PUT", f"{CONFIGS}/b", config("a"))[0] == 404
    assert http_to("PUT", f"{CONFIGS}/a", config("b"))[0] == 400


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (config("Not.A_Name"), "Not.A_Name"),
        ({"metadata": {}}, None),
        ({"kind": "Secret", "apiVersion": "v1"}, None),
        ([], None),
        (b"{", None),
    ],
    ids=str,
)
def test_only_a_name_is_called_the_name_of_what_is_refused(asking: Http, made: Any, name: str | None) -> None:
    _, body = asking("POST", CONFIGS, made)
    assert body.get("details", {}).get("name") == name


def test_status_and_spec_are_written_apart(http_to: Http) -> None:
    _, before = http_to("GET", DEPLOYMENT)
    both = {"spec": {"replicas": 9}, "status": {"readyReplicas": 77}}
    _, after = http_to("PATCH", f"{DEPLOYMENT}/status", both, Content_Type=MERGE)
    assert (after["spec"]["replicas"], after["status"]["readyReplicas"]) == (before["spec"]["replicas"], 77)
    assert after["metadata"]["generation"] == before["metadata"]["generation"]
    _, after = http_to("PATCH", DEPLOYMENT, both, Content_Type=MERGE)
    assert after["spec"]["replicas"] == 9
    assert after["metadata"]["generation"] == before["metadata"]["generation"] + 1


def test_scale_is_a_kind_of_its_own(http_to: Http) -> None:
    _, scale = http_to("GET", f"{DEPLOYMENT}/scale")
    assert (scale["kind"], scale["spec"]) == ("Scale", {"replicas": 2})
    assert scale["status"] == {"replicas": 4, "selector": "app=nginx"}
    status, scale = http_to("PUT", f"{DEPLOYMENT}/scale", {**scale, "spec": {"replicas": 5}})
    assert (status, scale["spec"]["replicas"]) == (200, 5)
    assert http_to("PATCH", f"{DEPLOYMENT}/scale", {"spec": {"replicas": -1}}, Content_Type=MERGE)[0] == 422


def test_deleting_with_conditions_and_in_bulk(http_to: Http) -> None:
    for name in ("a", "b", "c"):
        made = config(name)
        made["metadata"]["labels"] = {"group": "x" if name != "c" else "y"}
        http_to("POST", CONFIGS, made)
    assert http_to("DELETE", f"{CONFIGS}/a", {"preconditions": {"uid": "another"}})[0] == 409
    assert http_to("DELETE", f"{CONFIGS}?labelSelector=group%3Dx")[0] == 200
    assert [o["metadata"]["name"] for o in http_to("GET", CONFIGS)[1]["items"]] == ["c"]


def test_a_dry_run_leaves_nothing(http_to: Http, lab: Lab) -> None:
    rows = len(lab.trace)
    assert http_to("POST", f"{CONFIGS}?dryRun=All", config("a"))[0] == 201
    assert (
        http_to("PATCH", f"{DEPLOYMENT}?dryRun=All", {"spec": {"replicas": 7}}, Content_Type=MERGE)[1]["spec"][
            "replicas"
        ]
        == 7
    )
    assert http_to("DELETE", f"{DEPLOYMENT}?dryRun=All")[0] == 200
    assert http_to("POST", f"{CONFIGS}?dryRun=Some", config("a"))[0] == 400
    assert len(lab.trace) == rows
    assert http_to("GET", f"{CONFIGS}/a")[0] == 404


def test_warnings_travel_along(http_to: Http) -> None:
    policy = {
        "metadata": {"name": "p"},
        "spec": {
            "resourceSelectors": [{"apiVersion": "v1", "kind": "ConfigMap"}],
            "placement": {"clusterTolerations": [{"key": "a", "operator": "Like", "effect": "NoSchedule"}]},
        },
    }
    connection = http_to.connect()
    path = "/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies"
    connection.request("POST", path, json.dumps(policy), http_to.headers(Content_Type="application/json"))
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 201
    assert answer.headers.get_all("warning") is None or all(
        w.startswith("299 - ") for w in answer.headers.get_all("warning")
    )


# --- lists


def test_pages_show_one_moment(http_to: Http) -> None:
    for number in range(5):
        http_to("POST", CONFIGS, config(f"c{number}"))
    _, first = http_to("GET", f"{CONFIGS}?limit=2")
    assert first["metadata"]["remainingItemCount"] == 3
    http_to("DELETE", f"{CONFIGS}/c4")
    http_to("POST", CONFIGS, config("c9"))
    names, token = [o["metadata"]["name"] for o in first["items"]], first["metadata"]["continue"]
    while token:
        _, page = http_to("GET", f"{CONFIGS}?limit=2&continue={token}")
        assert page["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
        names += [o["metadata"]["name"] for o in page["items"]]
        token = page["metadata"].get("continue", "")
    assert names == ["c0", "c1", "c2", "c3", "c4"]


def test_a_page_belongs_to_its_list(asking: Http) -> None:
    spaces = "/api/v1/namespaces"
    _, first = asking("GET", f"{spaces}?limit=1")
    token = first["metadata"]["continue"]
    for other in (
        "/api/v1/secrets?",
        f"{CONFIGS}?",
        f"{spaces}?labelSelector=a&",
        f"{spaces}?fieldSelector=metadata.name%3Da&",
    ):
        status, body = asking("GET", f"{other}limit=1&continue={token}")
        assert (status, body["reason"]) == (400, "BadRequest")
    once, again = (asking("GET", f"{spaces}?limit=1&continue={token}")[1]["items"] for _ in range(2))
    assert once == again, "an answer may get lost on its way"


def test_a_list_as_it_was_at_a_version(http_to: Http, lab: Lab) -> None:
    """What an informer needs that goes on from a version: it is told what changed, and must know from what."""
    http_to("POST", CONFIGS, config("kept", x="1"))
    http_to("POST", CONFIGS, config("gone"))
    _, then = http_to("GET", CONFIGS)
    http_to("PATCH", f"{CONFIGS}/kept", {"data": {"x": "2"}}, Content_Type=MERGE)
    http_to("DELETE", f"{CONFIGS}/gone")
    http_to("POST", CONFIGS, config("born"))
    exact = f"{CONFIGS}?resourceVersionMatch=Exact&resourceVersion={then['metadata']['resourceVersion']}"
    assert http_to("GET", exact)[1] == then
    first = http_to("GET", f"{exact}&limit=1")[1]
    assert [o["metadata"]["name"] for o in first["items"]] == ["gone"]
    newer = http_to("GET", exact.replace("Exact", "NotOlderThan"))[1]
    assert [o["metadata"]["name"] for o in newer["items"]] == ["born", "kept"]
    lab.store.oldest_version = lab.store.version
    status, body = http_to("GET", exact)
    assert (status, body["reason"]) == (410, "Expired")


def test_metadata_alone(asking: Http) -> None:
    accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    _, body = asking("GET", CLUSTERS, Accept=accept)
    assert body["kind"] == "PartialObjectMetadataList"
    assert set(body["items"][0]) == {"kind", "apiVersion", "metadata"}


# --- how strictly a manifest is read


POLICIES = "/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies"


def misspelt(name: str) -> dict[str, Any]:
    selectors = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "nginx", "nmae": "x"}]
    meta = {"name": name, "namespace": "default"}
    spec = {"foo": 1, "resourceSelectors": selectors}
    return {"apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy", "metadata": meta, "spec": spec}


@pytest.mark.parametrize("asked", ["", "?fieldValidation=Strict"])
def test_a_field_that_a_kind_does_not_have_is_refused_unless_the_caller_ignores_it(http_to: Http, asked: str) -> None:
    status, body = http_to("POST", POLICIES + asked, misspelt("a"))
    assert (status, body["reason"]) == (422, "Invalid")
    assert "unknown field" in body["message"]
    status, body = http_to("POST", f"{POLICIES}?fieldValidation=Ignore", misspelt("a"))
    assert status == 201
    assert "foo" not in body["spec"]
    assert "nmae" not in body["spec"]["resourceSelectors"][0]


def test_a_server_side_apply_says_that_a_field_is_in_no_schema(http_to: Http) -> None:
    path = f"{POLICIES}/a?fieldManager=me"
    status, body = http_to("PATCH", path, misspelt("a"), Content_Type="application/apply-patch+yaml")
    assert (status, body["reason"]) == (400, "")
    assert body["message"] == (
        "failed to create typed patch object (default/a; policy.karmada.io/v1alpha1, Kind=PropagationPolicy): "
        ".spec.foo: field not declared in schema"
    )

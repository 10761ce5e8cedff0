"""Requests whose parts have the wrong type: refused with the path, neither obeyed in part nor a defect of ours."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import CONFIGS, MERGE, Http, config

DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/nginx"
APPLY, STRATEGIC = "application/apply-patch+yaml", "application/strategic-merge-patch+json"


def template(**spec: Any) -> dict[str, Any]:
    return {"spec": {"template": {"spec": spec}}}


def container(**fields: Any) -> dict[str, Any]:
    return template(containers=[{"name": "nginx", **fields}])


@pytest.mark.parametrize(
    ("content_type", "patch"),
    [
        (STRATEGIC, template(containers=[1])),
        (STRATEGIC, template(containers=[{"name": {}}])),
        (STRATEGIC, container(env=[{"name": []}])),
        (STRATEGIC, {"metadata": {"finalizers": [1]}}),
        (STRATEGIC, {"metadata": {"$deleteFromPrimitiveList/finalizers": 5}}),
        (STRATEGIC, {"metadata": {"$deleteFromPrimitiveList/finalizers": [{}]}}),
        (APPLY, template(containers=[1])),
        (APPLY, template(containers=[{"name": {}}])),
        (APPLY, container(ports=[{"containerPort": 80}, "x"])),
        (APPLY, {"metadata": {"finalizers": [{}]}}),
    ],
    ids=str,
)
def test_an_item_of_the_wrong_type_is_refused(asking: Http, content_type: str, patch: Any) -> None:
    status, body = asking("PATCH", f"{DEPLOYMENT}?fieldManager=f&force=true", patch, Content_Type=content_type)
    assert status in (400, 422), body


def test_an_order_that_names_nothing_orders_nothing(http_to: Http) -> None:
    patch = template(**{"$setElementOrder/containers": [{"name": {}}, 1], "containers": [{"name": "nginx"}]})
    assert http_to("PATCH", DEPLOYMENT, patch, Content_Type=STRATEGIC)[0] == 200


@pytest.mark.parametrize(
    ("conditions", "path"),
    [
        ([5], "status.conditions[0]"),
        ("x", "status.conditions"),
        ([{"type": "A", "status": True}], "status.conditions[0].status"),
    ],
)
@pytest.mark.parametrize("content_type", [MERGE, STRATEGIC, APPLY])
def test_conditions_that_nobody_could_read_are_refused(
    asking: Http, conditions: Any, path: str, content_type: str
) -> None:
    address = f"{DEPLOYMENT}/status?fieldManager=f&force=true"
    status, body = asking("PATCH", address, {"status": {"conditions": conditions}}, Content_Type=content_type)
    assert (status, path in body["message"]) == (422, True), body


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ("", []),
        ("", [1]),
        ("", {"preconditions": 5}),
        ("", {"preconditions": {"uid": 5}}),
        ("", {"preconditions": {"uuid": "a"}}),
        ("", {"gracePeriodSeconds": "x"}),
        ("", {"gracePeriodSeconds": -1}),
        ("", {"propagationPolicy": "Nonsense"}),
        ("", {"orphanDependents": "no"}),
        ("", {"dryRun": ["Some"]}),
        ("", {"kind": "ConfigMap", "apiVersion": "v1"}),
        ("?propagationPolicy=Nonsense", None),
        ("?gracePeriodSeconds=x", None),
    ],
    ids=str,
)
def test_nothing_is_deleted_by_options_that_make_no_sense(http_to: Http, asked: str, options: Any) -> None:
    http_to("POST", CONFIGS, config("kept"))
    for path in (f"{CONFIGS}/kept", CONFIGS):
        assert http_to("DELETE", path + asked, options)[0] in (400, 422)
    assert http_to("GET", f"{CONFIGS}/kept")[0] == 200


@pytest.mark.parametrize(
    ("method", "content_type", "scale", "code"),
    [
        ("PUT", "application/json", {"spec": 5}, 422),
        ("PUT", "application/json", {"spec": {"replicas": "3"}}, 422),
        ("PUT", "application/json", {"spec": {"replicas": 1 << 31}}, 422),
        ("PUT", "application/json", {}, 422),
        ("PUT", "application/json", {"kind": "Deployment", "spec": {"replicas": 1}}, 422),
        ("PUT", "application/json", {"metadata": 5, "spec": {"replicas": 1}}, 422),
        ("PATCH", MERGE, {"spec": {"replicas": True}}, 422),
        ("PATCH", MERGE, 5, 422),
        ("PATCH", "text/nonsense", {"spec": {"replicas": 1}}, 415),
    ],
    ids=str,
)
def test_nothing_is_scaled_by_what_is_no_scale(
    http_to: Http, method: str, content_type: str, scale: Any, code: int
) -> None:
    assert http_to(method, f"{DEPLOYMENT}/scale", scale, Content_Type=content_type)[0] == code
    assert http_to("GET", DEPLOYMENT)[1]["spec"]["replicas"] == 2

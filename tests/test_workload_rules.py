"""What a real API server refuses of a workload: no selector, one that misses its own pods, fields that don't exist."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

from karmadalab import Lab
from karmadalab.api.errors import Invalid
from karmadalab.environments import manifests
from karmadalab.environments.manifests import three_way
from karmadalab.server.status import failure
from tests.worlds import deployment, lab_with_web, policy

MISMATCH = "spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`"
APP = MISMATCH.replace("{}", '{"app":"web"}')
NO_CONTAINERS = "spec.template.spec.containers: Required value"
SELECTOR = "spec.selector: Required value"


def web(without: tuple[str, ...] = (), kind: str = "Deployment", **spec: Any) -> dict[str, Any]:
    """`web` with fields of its spec left out or replaced."""
    found = deployment()
    fields = {key: value for key, value in found["spec"].items() if key not in without}
    return {**found, "kind": kind, "spec": {**fields, **spec}}


def other(kind: str, api_version: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "web", "namespace": "default"}, "spec": spec}


def pods(**labels: str) -> dict[str, Any]:
    """A template of pods with these labels."""
    return {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "a"}]}}


def in_list(key: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}


REFUSED = [
    ("no selector", web(("selector",)), f"Deployment default/web: [{SELECTOR}, {APP}]"),
    ("a StatefulSet without selector", web(("selector",), "StatefulSet"),
     f"StatefulSet default/web: [{SELECTOR}, {APP}]"),
    ("no template", web(("template",)), f"Deployment default/web: [{MISMATCH}, {NO_CONTAINERS}]"),
    ("no spec", {key: value for key, value in deployment().items() if key != "spec"},
     f"Deployment default/web: [{SELECTOR}, {MISMATCH}, {NO_CONTAINERS}]"),
    ("an empty selector", web(selector={}),
     "Deployment default/web: spec.selector: Invalid value: {}: empty selector is invalid for deployment"),
    ("a selector of other pods", web(selector={"matchLabels": {"app": "api"}}), f"Deployment default/web: {APP}"),
    ("an expression that excludes its pods", web(selector=in_list("app", "api")), f"Deployment default/web: {APP}"),
    ("pods without labels", web(template=pods()),
     f"Deployment default/web: {MISMATCH}"),
    ("pods without containers", web(template={"metadata": {"labels": {"app": "web"}}, "spec": {"containers": []}}),
     f"Deployment default/web: {NO_CONTAINERS}"),
    ("a daemon set of other pods", web(("replicas",), "DaemonSet", selector={"matchLabels": {"app": "x"}}),
     f"DaemonSet default/web: {APP}"),
    ("a misspelt field", web(replica=3), "Deployment default/web: spec.replica: unknown field; did you mean replicas?"),
    ("a field of another kind", web(kind="DaemonSet"), "DaemonSet default/web: spec.replicas: unknown field; known"),
    ("a misspelt field of a job", other("Job", "batch/v1", backofLimit=3),
     "Job default/web: spec.backofLimit: unknown field; did you mean backoffLimit?"),
    ("a misspelt field of a service", other("Service", "v1", selectr={"app": "web"}),
     "Service default/web: spec.selectr: unknown field; did you mean selector?"),
]  # fmt: skip


@pytest.mark.parametrize(("manifest", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_a_real_api_server_refuses_is_refused(manifest: dict[str, Any], message: str) -> None:
    lab = Lab.fake(members=1)
    with pytest.raises(Invalid) as refused:
        lab.apply(manifest)
    assert str(refused.value).startswith(message)
    assert lab.find(manifest["kind"], "web") is None


ACCEPTED = [
    ("an expression that includes its pods", web(selector=in_list("app", "web", "api"))),
    ("a selector of some of the labels", web(template=pods(app="web", tier="front"))),
    ("every field that there is", web(paused=False, minReadySeconds=1, progressDeadlineSeconds=60, strategy={})),
    ("a custom kind with whatever it has", other("Redis", "example.io/v1", shards=3)),
    ("a namespace that is not there", deployment(namespace="nowhere")),
]  # fmt: skip


@pytest.mark.parametrize("manifest", [case[1] for case in ACCEPTED], ids=[case[0] for case in ACCEPTED])
def test_what_a_real_api_server_takes_is_taken(manifest: dict[str, Any]) -> None:
    assert Lab.fake(members=1).apply(manifest)


def test_an_update_is_checked_too_and_nothing_of_it_stays() -> None:
    lab = lab_with_web()
    with pytest.raises(Invalid, match="does not match template"):
        lab.apply(web(selector={"matchLabels": {"app": "api"}}))
    assert lab.get("Deployment", "web").spec["selector"] == {"matchLabels": {"app": "web"}}


def test_the_findings_are_causes_of_the_status_that_kubectl_prints() -> None:
    with pytest.raises(Invalid) as refused:
        Lab.fake(members=1).apply(web(("selector",)))
    causes = failure(refused.value, "deployments.apps", "web", "Deployment")["details"]["causes"]
    assert [(cause["reason"], cause["field"]) for cause in causes] == [
        ("FieldValueRequired", "spec.selector"),
        ("FieldValueInvalid", "spec.template.metadata.labels"),
    ]
    assert causes[0]["message"] == "Required value"


def test_an_override_that_spoils_a_copy_is_refused_by_the_member() -> None:
    lab = Lab.fake(members=1)
    spoil = {"path": "/spec/selector/matchLabels/app", "operator": "replace", "value": "api"}
    override = {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "OverridePolicy",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"overrideRules": [{"overriders": {"plaintext": [spoil]}}]},
    }
    lab.apply([override, deployment(), policy()])
    [work] = lab.run("10s").list("Work")
    [applied] = [condition for condition in work.status.conditions if condition.type == "Applied"]
    assert (applied.status, "does not match template" in applied.message) == ("False", True)


# --- applying again: what the manifest never said is others' --------------------------------------------------------

UNCOUNTED = web(without=("replicas",))


@pytest.mark.parametrize(
    ("first", "again", "expected"),
    [
        pytest.param(
            web(without=("replicas",)), web(without=("replicas",)), 4, id="never said: whoever scaled it decides"
        ),
        pytest.param(deployment(), deployment(), 2, id="said each time"),
        pytest.param(web(without=("replicas",)), deployment(), 2, id="said the second time"),
        pytest.param(deployment(), web(without=("replicas",)), 1, id="said once and taken back: the default"),
    ],
)
def test_a_field_that_is_applied_by_nobody_is_left_alone(first: Any, again: Any, expected: int) -> None:
    lab = Lab.fake(members=1)
    lab.apply(first)
    lab.scale("web", 4)
    lab.apply(again)
    assert lab.get("Deployment", "web").spec["replicas"] == expected


def test_applying_in_another_order_starts_no_rollout() -> None:
    lab = lab_with_web(members=1)
    manifest = deployment(replicas=3)
    template = manifest["spec"]["template"]
    container = dict(reversed(template["spec"]["containers"][0].items()))
    manifest["spec"]["template"] = {"spec": {"containers": [container]}, "metadata": template["metadata"]}
    lab.apply(manifest)
    lab.run("1m")
    assert len(lab.world.member("member1").store.list("ReplicaSet.apps")) == 1


def test_an_applied_list_replaces_the_one_that_is_there() -> None:
    assert three_way({"a": [1, 2]}, {}, {"a": [3]}) == {"a": [3]}
    assert three_way({"a": {"b": 1, "c": 2, "d": 3}}, {"a": {"b": 1}}, {"a": {"c": 4}}) == {"a": {"c": 4, "d": 3}}
    assert three_way({"a": {"b": 1}}, {"a": "text"}, {"a": {}}) == {"a": {"b": 1}}
    assert doctest.testmod(manifests).failed == 0

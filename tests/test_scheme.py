"""Manifests to objects and back: nothing is lost, nothing unknown gets in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karmadalab.api.codec import decode, to_dict, to_json
from karmadalab.api.errors import BadRequest
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.scheme import RESOURCE_TYPES, is_namespaced, resource_type
from karmadalab.api.unstructured import Unstructured, group_kind

NAMES = ("Deployment", "deployment", "deployments", "deploy", "Deployment.apps", "DEPLOYMENT")


@pytest.mark.parametrize("name", NAMES)
def test_a_kind_is_found_by_any_of_its_names(name: str) -> None:
    assert resource_type(name).group_kind == "Deployment.apps"


@pytest.mark.parametrize("rt", RESOURCE_TYPES, ids=lambda rt: rt.group_kind)
def test_every_kind_is_found_by_all_its_names(rt: Any) -> None:
    for name in (rt.group_kind, rt.kind, rt.plural, *rt.short_names, *([rt.cls] if rt.cls else [])):
        assert resource_type(name) is rt
    assert is_namespaced(rt.group_kind) == rt.namespaced


def test_a_custom_kind_is_named_with_its_group() -> None:
    rt = resource_type("Redis.example.io")
    assert (rt.group_kind, rt.plural, rt.namespaced) == ("Redis.example.io", "rediss", True)


SELECTORS = {"resourceSelectors": [{"apiVersion": "v1", "kind": "Service"}]}
SPECS: dict[str, dict[str, Any]] = {
    "PropagationPolicy": SELECTORS,
    "ClusterPropagationPolicy": SELECTORS,
    "OverridePolicy": SELECTORS,
    "ClusterOverridePolicy": SELECTORS,
    "ClusterTaintPolicy": {"taints": [{"key": "a", "effect": "NoSchedule"}]},
}


@pytest.mark.parametrize("rt", [rt for rt in RESOURCE_TYPES if rt.cls], ids=lambda rt: rt.kind)
def test_the_least_object_of_every_kind_survives_a_round_trip(rt: Any) -> None:
    meta = {"name": "a", **({"namespace": "b"} if rt.namespaced else {})}
    spec = {"spec": SPECS[rt.kind]} if rt.kind in SPECS else {}
    obj = decode({"apiVersion": rt.api_version, "kind": rt.kind, "metadata": meta, **spec})
    assert decode(to_dict(obj)) == obj
    assert to_dict(obj)["kind"] == rt.kind


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text().filter(lambda key: key not in ("apiVersion", "kind", "metadata")), PLAIN, max_size=5))
def test_nothing_in_a_template_is_lost(body: dict[str, Any]) -> None:
    manifest = {"apiVersion": "example.io/v1", "kind": "Thing", "metadata": {"name": "a"}, **body}
    assert to_dict(decode(manifest)) == manifest


@given(st.dictionaries(st.text(), st.text(), max_size=4))
def test_labels_and_annotations_come_back(texts: dict[str, str]) -> None:
    obj = Unstructured("v1", "ConfigMap", ObjectMeta(name="a", labels=texts, annotations=texts))
    assert decode(to_dict(obj)) == obj


def test_null_and_missing_mean_the_same() -> None:
    selectors = [{"apiVersion": "v1", "kind": "Service"}]
    head = {"apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy"}
    with_nulls = {
        **head,
        "metadata": {"name": "a", "labels": None},
        "spec": {"resourceSelectors": selectors, "placement": {"clusterAffinity": None}},
    }
    without = {**head, "metadata": {"name": "a"}, "spec": {"resourceSelectors": selectors, "placement": {}}}
    assert decode(with_nulls) == decode(without)


def test_a_manifest_in_a_work_keeps_its_nulls() -> None:
    inner = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": None}
    work = {
        "apiVersion": "work.karmada.io/v1alpha1",
        "kind": "Work",
        "metadata": {"name": "a", "namespace": "b"},
        "spec": {"workload": {"manifests": [inner]}},
    }
    assert to_dict(decode(work))["spec"]["workload"]["manifests"] == (inner,)


def test_json_has_the_order_of_the_api_types() -> None:
    assert to_json(decode({"kind": "Cluster", "metadata": {"name": "a"}, "apiVersion": "cluster.karmada.io/v1alpha1"}))
    assert group_kind("apps/v1", "Deployment") == "Deployment.apps"


@pytest.mark.parametrize(
    ("name", "offer"),
    [
        ("Deploymnt", "did you mean Deployment"),
        ("propagationpolicie", "did you mean"),
        ("xyzzy", "there is no kind 'xyzzy'"),
    ],
)
def test_a_misspelt_kind_gets_an_offer(name: str, offer: str) -> None:
    with pytest.raises(BadRequest, match=offer):
        resource_type(name)

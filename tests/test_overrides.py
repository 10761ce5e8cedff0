"""Override policies: the recorded objects, the order of application, and what a wrong override is told."""

from __future__ import annotations

import copy
import doctest
from typing import Any

import pytest

from karmadalab.api import go_yaml, selection
from karmadalab.api.codec import convert, decode
from karmadalab.api.meta import replace
from karmadalab.api.override import Overriders
from karmadalab.interpreter import OverrideError, apply_overrides
from karmadalab.interpreter.overrides import image, patch
from karmadalab.interpreter.overrides.image import Image
from tests.conformance import override as recorded
from tests.conformance.__main__ import read_cases
from tests.conformance.agreement import DATA, disagreements


@pytest.mark.parametrize("profile", ["v1.13", "v1.18"])
def test_every_recorded_object_agrees(profile: str) -> None:
    assert disagreements(recorded, "karmada-v1.13/override.jsonl.gz", profile) == []


def test_no_override_changes_what_it_was_given() -> None:
    for case in read_cases(DATA / "karmada-v1.13/override.jsonl.gz"):
        before = copy.deepcopy(case["input"])
        recorded.emit(case)
        assert case["input"] == before, case["id"]


@pytest.mark.parametrize("module", [image, patch, selection, go_yaml], ids=lambda module: module.__name__)
def test_docstrings_tell_the_truth(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


# --- order ----------------------------------------------------------------------------------------------------------

CLUSTER = {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": {"name": "member1"}}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
    "spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:1.27"}]}}},
}


def policy(title: str, overriders: dict[str, Any], namespace: str = "default", **selector: Any) -> Any:
    """An override policy for Deployments; without a namespace, the cluster-scoped kind."""
    kind = "OverridePolicy" if namespace else "ClusterOverridePolicy"
    spec = {
        "resourceSelectors": [{"apiVersion": "apps/v1", "kind": "Deployment", **selector}],
        "overrideRules": [{"overriders": overriders}],
    }
    head = {"apiVersion": "policy.karmada.io/v1alpha1", "kind": kind}
    return decode({**head, "metadata": {"name": title, "namespace": namespace}, "spec": spec})


def team(name: str) -> dict[str, Any]:
    return {"labelsOverrider": [{"operator": "add", "value": {"team": name}}]}


def overridden(*policies: Any) -> Any:
    cluster_wide = [p for p in policies if not p.metadata.namespace]
    own = [p for p in policies if p.metadata.namespace]
    return apply_overrides(decode(DEPLOYMENT), decode(CLUSTER), cluster_wide, own)  # type: ignore[arg-type]


def test_a_policy_that_names_the_object_has_the_last_word_over_one_that_matches_its_label() -> None:
    by_label = policy("z-label", team("label"), labelSelector={"matchLabels": {"app": "web"}})
    by_name = policy("a-name", team("name"), name="web")
    done = overridden(by_name, by_label, policy("all", team("all")))
    assert [override.policy for override in done.overrides] == ["all", "z-label", "a-name"]
    assert done.manifest["metadata"]["labels"]["team"] == "name"


def test_a_policy_without_selectors_means_all_objects_and_is_ordered_by_name_among_them() -> None:
    whoever = policy("b-whoever", team("whoever"))
    whoever = replace(whoever, spec=replace(whoever.spec, resourceSelectors=()))
    done = overridden(whoever, policy("a-kind", team("kind")), policy("c-kind", {}))
    assert [override.policy for override in done.overrides] == ["a-kind", "b-whoever", "c-kind"]


def test_the_namespace_has_the_last_word_over_the_whole_fleet() -> None:
    fleet = policy("fleet", team("fleet"), namespace="", name="web")
    assert overridden(policy("own", team("own")), fleet).manifest["metadata"]["labels"]["team"] == "own"


def test_policies_of_other_namespaces_do_not_matter() -> None:
    assert overridden(policy("theirs", team("theirs"), namespace="other")).overrides == ()


# --- images ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "registry", "repository"),
    [
        ("nginx", "", "nginx"),
        ("library/nginx:1.27", "", "library/nginx"),
        ("localhost/app", "localhost", "app"),
        ("reg.example.com:5000/team/app:v1", "reg.example.com:5000", "team/app"),
    ],
)
def test_a_registry_is_what_looks_like_a_host(text: str, registry: str, repository: str) -> None:
    parsed = Image.parse(text)
    assert (parsed.registry, parsed.repository, str(parsed)) == (registry, repository, text)


# --- wrong overrides ------------------------------------------------------------------------------------------------

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a plaintext path that is not there": (
        {"plaintext": [{"operator": "replace", "path": "/spec/paused", "value": True}]},
        r"JSON patch \(replace /spec/paused",
    ),
    "a predicate that points to no image": (
        {
            "imageOverrider": [
                {"component": "Tag", "operator": "replace", "value": "v2", "predicate": {"path": "/spec/x"}}
            ]
        },
        r"predicate path\(/spec/x\): nothing at x",
    ),
    "an image name that no registry takes": (
        {"imageOverrider": [{"component": "Repository", "operator": "replace", "value": "Bad/Name"}]},
        r"failed to parse image value",
    ),
    "a field overrider on a number": (
        {
            "fieldOverrider": [
                {"fieldPath": "/spec/replicas", "json": [{"subPath": "/a", "operator": "add", "value": 1}]}
            ]
        },
        r"field overrider /spec/replicas",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_override_names_the_policy_the_object_and_the_cluster(case: str) -> None:
    overriders, message = WRONG[case]
    twice = {name: items * 2 for name, items in overriders.items()}  # a bad image is noticed when it is read again
    with pytest.raises(OverrideError, match=message) as refused:
        overridden(policy("wrong", twice))
    assert "override wrong on <Deployment default/web" in str(refused.value)
    assert "for member1" in str(refused.value)


# --- one rule spoils what the next one needs --------------------------------------------------------------------------


API_VERSIONS = {"Pod": "v1", "Job": "batch/v1"}


def after(kind: str, *rules: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """An object of a kind after these rules."""
    place = "spec" if kind == "Pod" else "template"
    pods = DEPLOYMENT["spec"]["template"]["spec"]  # type: ignore[index]
    body = pods if place == "spec" else {"template": {"spec": pods}, **spec}
    obj = decode({**DEPLOYMENT, "apiVersion": API_VERSIONS.get(kind, "apps/v1"), "kind": kind, "spec": body})
    found = policy("p", {})
    rule = found.spec.overrideRules[0]
    overriders = [replace(rule, overriders=convert(given, Overriders, "overriders")) for given in rules]
    spec_of = replace(found.spec, resourceSelectors=(), overrideRules=tuple(overriders))
    return apply_overrides(obj, decode(CLUSTER), [], [replace(found, spec=spec_of)]).manifest  # type: ignore[arg-type]


def plaintext(path: str, value: Any, operator: str = "add") -> dict[str, Any]:
    return {"plaintext": [{"operator": operator, "path": path, "value": value}]}


TAG = {"imageOverrider": [{"component": "Tag", "operator": "replace", "value": "2"}]}


@pytest.mark.parametrize(
    ("kind", "path", "value", "refused"),
    [
        ("Job", "/spec/parallelism", "s", True),
        ("Job", "/spec/completions", 1.5, True),
        ("Job", "/spec/replicas", ["x"], False),
        ("Pod", "/spec/replicas", ["x"], False),
        ("Deployment", "/spec/replicas", ["x"], True),
        ("Deployment", "/spec/paused", "no", True),
        ("StatefulSet", "/spec/paused", "no", False),
        ("Deployment", "/metadata/labels/env", 5, True),
        ("Deployment", "/metadata/annotations", {"x": {"a": 1}}, True),
        ("Deployment", "/metadata/labels/env", None, False),
    ],
)
def test_an_image_can_only_be_overridden_in_what_is_still_of_its_kind(
    kind: str, path: str, value: Any, refused: bool
) -> None:
    rules = (plaintext(path, value), TAG)
    if refused:
        with pytest.raises(OverrideError, match=f"failed to convert {kind} from unstructured object"):
            after(kind, *rules)
    else:
        spec = after(kind, *rules)["spec"]
        assert spec.get("template", {"spec": spec})["spec"]["containers"][0]["image"] == "nginx:2"


@pytest.mark.parametrize("value", [5, None])
def test_labels_that_karmada_can_not_read_give_way_to_what_is_added(value: Any) -> None:
    added = {"labelsOverrider": [{"operator": "add", "value": {"extra": "1"}}]}
    assert after("Deployment", plaintext("/metadata/labels/env", value), added)["metadata"]["labels"] == {"extra": "1"}


@pytest.mark.parametrize(
    ("overrider", "text"),
    [
        ({"yaml": [{"subPath": "/new", "operator": "add", "value": 1}]}, '"n": 1\nnew: 1\n'),
        ({"json": [{"subPath": "/new", "operator": "add", "value": 1}]}, '{"n":1.0,"new":1}'),
        ({}, ""),
    ],
)
def test_a_text_is_patched_as_go_writes_it(overrider: dict[str, Any], text: str) -> None:
    rule = {"fieldOverrider": [{"fieldPath": "/metadata/annotations/config", **overrider}]}
    done = after("Deployment", plaintext("/metadata/annotations", {"config": '{"n":1.0}'}), rule)
    assert done["metadata"]["annotations"]["config"] == text


def test_yaml_is_read_and_written_as_by_go() -> None:
    text = "1: one\nv: yes\nmode: 0777\nid: '123'\nk10: [a, 1:30]\nk2: two\\nlines\nlines: |\n  a\n  b\n"
    rule = {"yaml": [{"subPath": "/new", "operator": "add", "value": "no"}]}
    given = plaintext("/metadata/annotations", {"config": text})
    done = after("Deployment", given, {"fieldOverrider": [{"fieldPath": "/metadata/annotations/config", **rule}]})
    assert done["metadata"]["annotations"]["config"] == (
        '"1": one\nid: "123"\nk2: two\\nlines\nk10:\n- a\n- "1:30"\nlines: |\n  a\n  b\nmode: 511\nnew: "no"\nv: true\n'
    )


def test_what_has_lost_its_kind_is_no_object() -> None:
    with pytest.raises(OverrideError, match="Object 'Kind' is missing"):
        after("Deployment", plaintext("/kind", None, "remove"))

"""Override policies: the recorded objects, the order of application, and what a wrong override is told."""

from __future__ import annotations

import copy
import doctest
from typing import Any

import pytest

from karmadalab.api import selection
from karmadalab.api.codec import decode
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


@pytest.mark.parametrize("module", [image, patch, selection], ids=lambda module: module.__name__)
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

"""A CustomResourceDefinition that makes no sense: refused, and no reason for kubectl to know no kind at all."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from karmadalab.api.errors import KarmadalabError
from karmadalab.lab import Lab

from .conftest import MERGE, Http, Kubectl

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
BROKEN: list[tuple[str, Any, str]] = [  # where, what is written there, the path in the refusal
    ("names", {"kind": 5, "plural": "foos"}, "spec.names.kind"),
    ("names", {"kind": "Foo", "plural": 5}, "spec.names.plural"),
    ("names", {"kind": "Foo"}, "spec.names.plural"),
    ("names", {"kind": "Foo", "plural": "foos", "shortNames": 5}, "spec.names.shortNames"),
    ("names", 5, "spec.names"),
    ("group", 5, "spec.group"),
    ("group", "", "spec.group"),
    ("scope", "Everywhere", "spec.scope"),
    ("versions", {"name": "v1"}, "spec.versions"),
    ("versions", [{"name": 1}], "spec.versions"),
    ("versions", [{"name": "v1", "additionalPrinterColumns": 5}], "additionalPrinterColumns"),
    ("versions", [{"name": "v1", "additionalPrinterColumns": [5]}], "additionalPrinterColumns"),
    ("versions", [{"name": "v1", "subresources": 7}], "subresources"),
    ("versions", [{"name": "v1", "subresources": {"scale": "x"}}], "subresources.scale"),
]


def crd(**spec: Any) -> dict[str, Any]:
    names = {"kind": "Foo", "plural": "foos"}
    whole = {"group": "example.io", "scope": "Namespaced", "names": names, "versions": [{"name": "v1", "served": True}]}
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return {**head, "metadata": {"name": "foos.example.io"}, "spec": {**whole, **spec}}


@pytest.mark.parametrize(("field", "value", "path"), BROKEN)
def test_a_broken_definition_is_refused_with_its_path(http_to: Http, field: str, value: Any, path: str) -> None:
    status, body = http_to("POST", DEFINITIONS, crd(**{field: value}))
    assert (status, body["reason"]) == (422, "Invalid")
    assert path in body["message"]
    assert http_to("POST", DEFINITIONS, crd())[0] == 201
    patch = {"spec": {field: value}}
    changed = http_to("PATCH", f"{DEFINITIONS}/foos.example.io", patch, Content_Type=MERGE)
    assert changed[0] == (200 if value == {"kind": "Foo"} else 422), "a merge keeps the plural that it had"
    assert http_to("GET", "/apis", Accept=AGGREGATED)[0] == 200


def test_a_broken_definition_of_the_labs_own_serves_nothing_and_can_be_deleted(kubectl: Kubectl, lab: Lab) -> None:
    for number, (field, value, _) in enumerate(BROKEN):
        definition = crd(**{field: value})
        definition["metadata"]["name"] = f"foos{number}.example.io"
        with suppress(KarmadalabError):  # some of them the lab itself refuses
            lab.apply(definition)
    assert "foos" not in kubectl("api-resources")
    left = kubectl("get", "crd", "-o", "name").split()
    assert left
    kubectl("delete", "crd", "--all")
    assert not kubectl("get", "crd", "-o", "name")

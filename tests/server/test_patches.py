"""Patches and field owners, as tables: what Kubernetes' own documentation shows of them."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab.api.errors import BadRequest
from karmadalab.server.apply import after_update, apply
from karmadalab.server.fields import as_fields, as_paths, leaves
from karmadalab.server.patches import json_patch, merge_patch, strategic_merge
from karmadalab.server.status import HttpError


def pod(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "spec": {"containers": list(containers), **spec}}


A, B = {"name": "a", "image": "x"}, {"name": "b", "image": "y"}


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"spec": {"containers": [{"name": "a", "image": "z"}]}}, pod({"name": "a", "image": "z"}, B)),
        ({"spec": {"containers": [{"name": "c"}]}}, pod(A, B, {"name": "c"})),
        ({"spec": {"containers": [{"name": "a", "$patch": "delete"}]}}, pod(B)),
        ({"spec": {"containers": [{"$patch": "replace"}, {"name": "c"}]}}, pod({"name": "c"})),
        ({"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}}, pod(A, B)),
        (
            {"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}], "containers": [{"name": "a"}]}},
            pod(B, A),
        ),
        ({"spec": {"containers": [{"name": "a", "image": None}]}}, pod({"name": "a"}, B)),
        ({"spec": {"tolerations": [{"key": "x"}]}}, pod(A, B, tolerations=[{"key": "x"}])),
        ({"spec": {"$retainKeys": ["containers"], "nodeName": None}}, pod(A, B)),
    ],
    ids=[
        "change one",
        "add one",
        "delete one",
        "replace all",
        "order alone",
        "order",
        "remove a field",
        "atomic",
        "retain",
    ],
)
def test_strategic_merge(patch: dict[str, Any], expected: dict[str, Any]) -> None:
    before = pod(A, B)
    assert strategic_merge(before, patch) == expected
    assert before == pod(A, B)


def test_strategic_merge_of_sets_and_ports() -> None:
    meta = {"metadata": {"finalizers": ["a", "b"]}}
    assert strategic_merge(meta, {"metadata": {"finalizers": ["c"]}})["metadata"]["finalizers"] == ["a", "b", "c"]
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}}
    assert strategic_merge(meta, patch)["metadata"]["finalizers"] == ["b"]
    service = {"ports": [{"port": 80, "targetPort": 1}, {"port": 81}]}
    merged = strategic_merge(service, {"ports": [{"port": 80, "targetPort": 2}]})
    assert merged["ports"] == [{"port": 80, "targetPort": 2}, {"port": 81}]


@pytest.mark.parametrize(
    ("data", "patch", "expected"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_patch_as_rfc_7386_has_it(data: Any, patch: Any, expected: Any) -> None:
    assert merge_patch(data, patch) == expected


def test_json_patch_says_what_it_can_not_do() -> None:
    assert json_patch({"a": 1}, [{"op": "replace", "path": "/a", "value": 2}]) == {"a": 2}
    for patch in ([{"op": "remove", "path": "/nosuch"}], [{"op": "test", "path": "/a", "value": 2}], [{"op": "x"}]):
        with pytest.raises(HttpError, match="can't be applied"):
            json_patch({"a": 1}, patch)
    with pytest.raises(BadRequest, match="list of operations"):
        json_patch({}, {"a": 1})


# --- who owns what


def mine(manager: str, operation: str = "Apply") -> dict[str, Any]:
    return {"manager": manager, "operation": operation, "apiVersion": "apps/v1"}


def owned(entries: list[dict[str, Any]], manager: str) -> set[tuple[str, ...]]:
    return set().union(*(as_paths(entry["fieldsV1"]) for entry in entries if entry["manager"] == manager))


def test_fields_survive_being_written_down() -> None:
    data = pod({"name": "a", "ports": [{"containerPort": 80}], "args": ["x"]}, replicas=2)
    data["metadata"]["labels"] = {"app": "a"}
    data["metadata"]["finalizers"] = ["f"]
    paths = set(leaves(data, True))
    assert as_paths(as_fields(paths)) == paths
    assert as_fields(paths)["f:metadata"] == {"f:finalizers": {'v:"f"': {}}, "f:labels": {"f:app": {}}}


def test_what_is_no_longer_applied_goes_unless_somebody_else_wants_it() -> None:
    first, entries = apply(None, {"data": {"a": "1", "b": "2"}}, [], mine("one"), False, True, 0.0)
    second, entries = apply(first, {"data": {"b": "2"}}, entries, mine("two"), False, True, 0.0)
    third, entries = apply(second, {"data": {}}, entries, mine("one"), False, True, 0.0)
    assert third == {"data": {"b": "2"}}
    assert owned(entries, "two") == {("f:data", "f:b")}


def test_a_conflict_names_the_field_and_its_owner_and_can_be_forced() -> None:
    live, entries = apply(None, {"spec": {"replicas": 2}}, [], mine("one"), False, True, 0.0)
    with pytest.raises(HttpError, match=r'conflict with "one" using apps/v1: \.spec\.replicas') as caught:
        apply(live, {"spec": {"replicas": 3}}, entries, mine("two"), False, True, 0.0)
    assert caught.value.status_code == 409
    live, entries = apply(live, {"spec": {"replicas": 3}}, entries, mine("two"), True, True, 0.0)
    assert live == {"spec": {"replicas": 3}}
    assert owned(entries, "one") == set()


def test_agreeing_is_no_conflict_but_shared_ownership() -> None:
    live, entries = apply(None, {"spec": {"replicas": 2}}, [], mine("one"), False, True, 0.0)
    _, entries = apply(live, {"spec": {"replicas": 2}}, entries, mine("two"), False, True, 0.0)
    assert owned(entries, "one") == owned(entries, "two") == {("f:spec", "f:replicas")}


def test_applying_the_same_again_changes_nothing_not_even_the_time() -> None:
    live, entries = apply(None, {"spec": {"replicas": 2}}, [], mine("one"), False, True, 0.0)
    assert apply(live, {"spec": {"replicas": 2}}, entries, mine("one"), False, True, 99.0) == (live, entries)


def test_items_of_lists_have_owners_of_their_own() -> None:
    live, entries = apply(None, pod(A), [], mine("one"), False, True, 0.0)
    live, entries = apply(live, pod(B), entries, mine("two"), False, True, 0.0)
    assert [c["name"] for c in live["spec"]["containers"]] == ["a", "b"]
    live, entries = apply(live, {"spec": {"containers": []}}, entries, mine("one"), False, True, 0.0)
    assert [c["name"] for c in live["spec"]["containers"]] == ["b"]


def test_lists_of_custom_kinds_are_one_value() -> None:
    live, entries = apply(None, {"spec": {"conditions": [{"type": "a"}]}}, [], mine("one"), False, False, 0.0)
    with pytest.raises(HttpError):
        apply(live, {"spec": {"conditions": [{"type": "b"}]}}, entries, mine("two"), False, False, 0.0)


def test_a_plain_write_takes_what_it_changes() -> None:
    live, entries = apply(None, {"spec": {"replicas": 2, "paused": True}}, [], mine("one"), False, True, 0.0)
    changed = {"spec": {"replicas": 5, "paused": True}}
    entries = after_update(live, changed, entries, mine("kubectl-edit", "Update"), True, 1.0)
    assert owned(entries, "kubectl-edit") == {("f:spec", "f:replicas")}
    assert owned(entries, "one") == {("f:spec", "f:paused")}
    entries = after_update(changed, {"spec": {}}, entries, mine("kubectl-edit", "Update"), True, 2.0)
    assert owned(entries, "one") == set()

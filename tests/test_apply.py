"""What `lab.apply` does to what is there: all of a batch or nothing, and nothing that others wrote."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab.api.codec import decode
from karmadalab.api.errors import Conflict
from karmadalab.api.meta import replace
from karmadalab.lab import Lab

from .worlds import deployment, policy


def test_a_batch_is_stored_before_a_controller_sees_any_of_it() -> None:
    """Else what a controller makes of the policy is newer than the Deployment at hand, and half a batch is stored."""
    lab = Lab.fake(members=2)
    lab.apply(deployment())
    lab.run("1m")
    scaled = lab.get("Deployment", "web").with_spec(replicas=7)
    lab.apply([policy(), scaled])
    assert lab.get("Deployment", "web").spec["replicas"] == 7
    assert lab.run("1m").get("ResourceBinding", "web-deployment").spec.replicas == 7


def test_of_a_batch_with_an_old_version_nothing_is_stored() -> None:
    lab = Lab.fake(members=2)
    lab.apply(deployment())
    old = lab.get("Deployment", "web").with_spec(replicas=7)
    lab.scale("web", 3)
    with pytest.raises(Conflict, match="leave resourceVersion out"):
        lab.apply([policy(), old])
    assert lab.find("PropagationPolicy", "web") is None


def config_map(**data: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": data}


def by_another(manifest: dict[str, Any]) -> Any:
    """The object as somebody else would create it."""
    return decode(manifest | {"metadata": {**manifest["metadata"], "namespace": "default"}})


def test_what_was_applied_is_forgotten_with_the_object() -> None:
    lab = Lab.fake(members=1)
    lab.apply(config_map(a="1", b="2"))
    lab.delete("ConfigMap", "settings")
    lab.store.create(by_another(config_map(a="1", b="2")))
    lab.apply(config_map(a="3"))
    assert lab.get("ConfigMap", "settings")["data"] == {"a": "3", "b": "2"}


# --- the merge: what the manifest never said is others', what it said and says no more goes


def marked(labels: dict[str, str], annotations: dict[str, str]) -> dict[str, Any]:
    return config_map() | {"metadata": {"name": "settings", "labels": labels, "annotations": annotations}}


def test_labels_and_annotations_go_when_the_manifest_drops_them() -> None:
    lab = Lab.fake(members=1)
    [stored] = lab.apply(marked({"a": "1", "b": "2"}, {"c": "3", "d": "4"}))
    meta = replace(stored.metadata, labels={**stored.metadata.labels, "other": "x"})
    lab.update(replace(stored, metadata=meta))
    lab.apply(marked({"a": "1"}, {"d": "5"}))
    meta = lab.get("ConfigMap", "settings").metadata
    assert (meta.labels, meta.annotations) == ({"a": "1", "other": "x"}, {"d": "5"})


def test_what_karmada_writes_on_a_policy_stays_when_the_manifest_drops_its_own_label() -> None:
    lab = Lab.fake(members=1)
    manifest = policy()
    [before] = lab.apply(manifest | {"metadata": {"name": "web", "labels": {"a": "1"}}})
    [after] = lab.apply(manifest)
    assert {**after.metadata.labels, "a": "1"} == before.metadata.labels
    assert len(after.metadata.labels) == 1


def test_a_cluster_keeps_what_the_manifest_never_said() -> None:
    lab = Lab.fake(members=1)
    manifest = {
        "apiVersion": "cluster.karmada.io/v1alpha1",
        "kind": "Cluster",
        "metadata": {"name": "member1", "labels": {"tier": "gold"}},
        "spec": {"syncMode": "Push", "region": "eu"},
    }
    joined = lab.get("Cluster", "member1")
    [found] = lab.apply(manifest)
    assert found.spec == replace(joined.spec, region="eu")
    assert found.metadata.labels["tier"] == "gold"
    lab.apply(manifest | {"spec": {"syncMode": "Push"}})
    assert lab.get("Cluster", "member1").spec == joined.spec


def with_priority(**priority: int) -> dict[str, Any]:
    made = policy()
    return made | {"spec": {**made["spec"], **priority}}


@pytest.mark.parametrize(
    ("first", "again", "expected"),
    [
        pytest.param(with_priority(), with_priority(), 5, id="never said: whoever updated it decides"),
        pytest.param(with_priority(), with_priority(priority=0), 0, id="said, though it is the default"),
        pytest.param(with_priority(priority=2), with_priority(), 0, id="said once and taken back: the default"),
        pytest.param(with_priority(priority=0), with_priority(), 0, id="the default said once and taken back"),
        pytest.param(with_priority(), decode(with_priority()), 5, id="an object says what is not its default"),
    ],
)
def test_a_policy_keeps_what_the_manifest_never_said(first: Any, again: Any, expected: int) -> None:
    lab = Lab.fake(members=1)
    [stored] = lab.apply(first)
    lab.update(replace(stored, spec=replace(stored.spec, priority=5)))
    lab.apply(again)
    assert lab.get("PropagationPolicy", "web").spec.priority == expected


def test_an_object_that_was_read_is_written_back_whole() -> None:
    lab = Lab.fake(members=1)
    [stored] = lab.apply(with_priority(priority=5))
    lab.apply(replace(stored, spec=replace(stored.spec, priority=0)))
    assert lab.get("PropagationPolicy", "web").spec.priority == 0
    [after] = lab.apply(with_priority())
    assert after.metadata.labels == stored.metadata.labels


# --- null is nothing


def test_null_is_left_out() -> None:
    lab = Lab.fake(members=1)
    [stored] = lab.apply(config_map(a="1", b=None))
    assert stored["data"] == {"a": "1"}
    lab.update(stored.with_body(data={"a": "1", "b": "others'"}))
    lab.apply(config_map(a=None, b=None, c="3"))
    assert lab.get("ConfigMap", "settings")["data"] == {"c": "3"}


def test_null_takes_a_label_away() -> None:
    lab = Lab.fake(members=1)
    lab.store.create(by_another(marked({"a": "1", "b": "2"}, {})))
    manifest = marked({}, {})
    manifest["metadata"]["labels"] = {"b": None}
    [stored] = lab.apply(manifest)
    assert stored.metadata.labels == {"a": "1"}


def test_null_in_a_custom_kind_is_left_out_at_any_depth() -> None:
    manifest = {"apiVersion": "example.io/v1", "kind": "Redis", "metadata": {"name": "cache"}}
    lab = Lab.fake(members=1)
    for _ in range(2):
        [stored] = lab.apply(manifest | {"spec": {"a": {"b": None}, "c": [{"d": None, "e": 1}]}})
        assert stored.spec == {"a": {}, "c": [{"e": 1}]}


def test_finalizers_and_owners_of_others_stay_and_one_s_own_go_when_the_manifest_drops_them() -> None:
    lab = Lab.fake(members=1)
    [owner] = lab.apply(config_map(a="1"))
    owned = {"apiVersion": "v1", "kind": "ConfigMap", "name": owner.metadata.name, "uid": owner.metadata.uid}
    mine = policy()
    plain = dict(mine["metadata"])
    mine["metadata"] = {**plain, "finalizers": ["example.com/mine"], "ownerReferences": [owned]}
    lab.apply(mine)
    karmadas = replace(lab.list("PropagationPolicy")[0].metadata, finalizers=("example.com/mine", "karmada.io/theirs"))
    lab.update(replace(lab.list("PropagationPolicy")[0], metadata=karmadas))
    lab.apply(mine)
    meta = lab.list("PropagationPolicy")[0].metadata
    assert "karmada.io/theirs" in meta.finalizers
    assert "example.com/mine" in meta.finalizers
    assert [reference.uid for reference in meta.ownerReferences] == [owner.metadata.uid]
    lab.apply({**mine, "metadata": plain})
    meta = lab.list("PropagationPolicy")[0].metadata
    assert "karmada.io/theirs" in meta.finalizers
    assert "example.com/mine" not in meta.finalizers
    assert meta.ownerReferences == ()

"""resourceVersion, generation, optimistic locking, names."""

from __future__ import annotations

import pytest

from karmadalab.api.errors import AlreadyExists, BadRequest, Conflict, Invalid, NotFound
from karmadalab.api.meta import LabelSelector, LabelSelectorRequirement, ObjectMeta
from karmadalab.api.unstructured import Unstructured

from .apis import ADDRESS, CONFIG, INGRESS, Api, config, ingress, other_port, with_meta


def version(obj: Unstructured) -> int:
    return int(obj.metadata.resourceVersion)


# --- create -----------------------------------------------------------------------------------------------------------


def test_what_is_created_gets_an_identity(api: Api) -> None:
    made = api.client.create(ingress())
    assert made.metadata.uid
    assert version(made) > 0
    assert made.metadata.generation == 1
    assert made.metadata.creationTimestamp is not None
    assert api.client.get(INGRESS, "web", api.here) == made


def test_the_identity_is_the_servers_to_give(api: Api) -> None:
    made = api.client.create(ingress(uid="mine", resourceVersion="", generation=9))
    assert made.metadata.uid != "mine"
    assert made.metadata.generation == 1


def test_two_objects_of_one_name_one_after_the_other_are_two(api: Api) -> None:
    first = api.client.create(config())
    api.client.delete(CONFIG, "web", api.here)
    second = api.client.create(config())
    assert first.metadata.uid != second.metadata.uid
    assert version(second) > version(first)


def test_a_name_is_taken_once(api: Api) -> None:
    api.client.create(config())
    with pytest.raises(AlreadyExists, match="web already exists"):
        api.client.create(config())


def test_a_name_is_free_in_another_namespace(api: Api) -> None:
    api.client.create(config())
    api.client.create(config(namespace=api.there))
    assert [o.metadata.namespace for o in api.client.list(CONFIG)] == [api.here, api.there]
    assert [o.metadata.namespace for o in api.client.list(CONFIG, api.there)] == [api.there]


def test_names_can_be_generated(api: Api) -> None:
    made = [api.client.create(config(name="", generateName="job-")) for _ in range(3)]
    names = {obj.metadata.name for obj in made}
    assert len(names) == 3
    assert all(name.startswith("job-") and len(name) > 4 for name in names)
    assert {obj.metadata.generateName for obj in made} == {"job-"}


@pytest.mark.parametrize(
    ("obj", "error", "says"),
    [
        pytest.param(config(name=""), BadRequest, "metadata.name: required", id="no name"),
        pytest.param(config(name="Web"), Invalid, "'Web' is not a name", id="upper case"),
        pytest.param(config(name="a" * 254), Invalid, "at most 253", id="too long"),
        pytest.param(config(name="a/b"), Invalid, "is not a name", id="a slash"),
        pytest.param(config(labels={"app": "two words"}), Invalid, "is not a label's value", id="a blank in a label"),
        pytest.param(config(labels={"": "x"}), Invalid, "is not a label's name", id="a label without a name"),
        pytest.param(config(namespace=""), BadRequest, "metadata.namespace: required", id="no namespace"),
        pytest.param(
            Unstructured("v1", "Namespace", ObjectMeta(name="shop", namespace="here")),
            BadRequest,
            "a Namespace has no namespace",
            id="a namespace in a namespace",
        ),
    ],
)
def test_a_name_must_be_one(api: Api, obj: Unstructured, error: type[Exception], says: str) -> None:
    before = api.client.list(obj.GROUP_KIND)  # a server has namespaces
    with pytest.raises(error, match=says):
        api.client.create(obj)
    assert api.client.list(obj.GROUP_KIND) == before


# --- read -------------------------------------------------------------------------------------------------------------


def test_what_is_not_there(api: Api) -> None:
    assert api.client.find(CONFIG, "web", api.here) is None
    assert api.client.list(CONFIG) == []
    with pytest.raises(NotFound, match="ConfigMap here/web not found"):
        api.client.get(CONFIG, "web", api.here)
    with pytest.raises(NotFound, match="ConfigMap here/web not found"):
        api.client.update(config(resourceVersion="1"))
    with pytest.raises(NotFound):
        api.client.delete(CONFIG, "web", api.here)


def test_lists_are_in_order_of_namespace_and_name(api: Api) -> None:
    for name, namespace in (("b", api.there), ("a", api.there), ("c", api.here)):
        api.client.create(config(name, namespace))
    assert [o.metadata.name for o in api.client.list(CONFIG)] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        pytest.param(LabelSelector(matchLabels={"app": "web"}), ["a", "b"], id="equal"),
        pytest.param(LabelSelector(matchLabels={"app": "web", "tier": "front"}), ["a"], id="two labels"),
        pytest.param(
            LabelSelector(matchExpressions=(LabelSelectorRequirement("tier", "DoesNotExist"),)), ["b", "c"], id="absent"
        ),
        pytest.param(
            LabelSelector(matchExpressions=(LabelSelectorRequirement("app", "NotIn", ("web",)),)), ["c"], id="not in"
        ),
        pytest.param(LabelSelector(), ["a", "b", "c"], id="the empty selector takes all"),
    ],
)
def test_lists_can_be_narrowed_by_labels(api: Api, selector: LabelSelector, found: list[str]) -> None:
    for name, labels in (("a", {"app": "web", "tier": "front"}), ("b", {"app": "web"}), ("c", {})):
        api.client.create(config(name, labels=labels))
    assert [o.metadata.name for o in api.client.list(CONFIG, selector=selector)] == found


# --- update -----------------------------------------------------------------------------------------------------------


def test_each_write_has_its_own_greater_version(api: Api) -> None:
    made = api.client.create(ingress())
    changed = api.client.update(other_port(made))
    reported = api.client.update_status(changed.with_status(ADDRESS))
    other = api.client.create(config())
    assert version(made) < version(changed) < version(reported) < version(other)


def test_a_write_that_changes_nothing_is_no_write(api: Api) -> None:
    made = api.client.create(ingress())
    assert api.client.update(made).metadata.resourceVersion == made.metadata.resourceVersion
    reported = api.client.update_status(made.with_status(ADDRESS))
    again = api.client.update_status(reported.with_status(ADDRESS))
    assert again.metadata.resourceVersion == reported.metadata.resourceVersion


@pytest.mark.parametrize(
    "changes", [{"labels": {"app": "web"}}, {"annotations": {"note": "x"}}, {"finalizers": ("a.b/c",)}]
)
def test_metadata_does_not_move_the_generation(api: Api, changes: dict[str, object]) -> None:
    made = api.client.create(ingress())
    changed = api.client.update(with_meta(made, **changes))
    assert changed.metadata.generation == 1
    assert version(changed) > version(made)


def test_the_generation_moves_with_the_spec(api: Api) -> None:
    made = api.client.create(ingress())
    assert api.client.update(other_port(made)).metadata.generation == 2


def test_nobody_sets_the_generation(api: Api) -> None:
    made = api.client.create(ingress())
    changed = api.client.update(with_meta(made, generation=7, labels={"a": "b"}))
    assert changed.metadata.generation == 1


def test_kinds_without_generation_have_none(api: Api) -> None:
    made = api.client.create(config())
    changed = api.client.update(made.with_body(data={"colour": "blue"}))
    assert (made.metadata.generation, changed.metadata.generation) == (0, 0)


def test_a_stale_write_is_refused_and_says_both_versions(api: Api) -> None:
    made = api.client.create(config())
    newer = api.client.update(made.with_body(data={"colour": "blue"}))
    with pytest.raises(Conflict) as refused:
        api.client.update(made.with_body(data={"colour": "green"}))
    assert str(refused.value) == (
        f"ConfigMap here/web: you wrote resourceVersion {version(made)}, the store has {version(newer)}; "
        "read it again and reapply your change"
    )
    assert api.client.get(CONFIG, "web", api.here) == newer


def test_a_stale_status_is_refused_too(api: Api) -> None:
    made = api.client.create(ingress())
    api.client.update(other_port(made))
    with pytest.raises(Conflict):
        api.client.update_status(made.with_status(ADDRESS))


def test_a_write_to_a_namesake_is_refused(api: Api) -> None:
    """It was read, deleted, and another one has its name now."""
    first = api.client.create(config())
    api.client.delete(CONFIG, "web", api.here)
    second = api.client.create(config())
    with pytest.raises(Conflict, match="uid"):
        api.client.update(with_meta(first, resourceVersion=second.metadata.resourceVersion, labels={"a": "b"}))


def test_who_was_there_first_stays(api: Api) -> None:
    """Of two who read the same version one writes, the other must read again: no update is lost."""
    made = api.client.create(config())
    mine, yours = (made.with_body(data={"by": who}) for who in ("me", "you"))
    api.client.update(mine)
    with pytest.raises(Conflict):
        api.client.update(yours)
    again = api.client.get(CONFIG, "web", api.here)
    assert api.client.update(again.with_body(data={**again["data"], "and": "you"}))["data"] == {
        "by": "me",
        "and": "you",
    }


def test_the_birth_of_an_object_does_not_change(api: Api) -> None:
    made = api.client.create(config())
    changed = api.client.update(with_meta(made, creationTimestamp=None, labels={"a": "b"}))
    assert changed.metadata.creationTimestamp == made.metadata.creationTimestamp


# --- status -----------------------------------------------------------------------------------------------------------


def test_an_object_is_born_without_status(api: Api) -> None:
    assert api.client.create(ingress().with_status(ADDRESS)).status == {}


def test_an_update_leaves_the_status_alone(api: Api) -> None:
    reported = api.client.update_status(api.client.create(ingress()).with_status(ADDRESS))
    changed = api.client.update(other_port(reported).with_status({}))
    assert changed.status == ADDRESS


def test_a_status_update_leaves_all_else_alone(api: Api) -> None:
    made = api.client.create(ingress())
    reported = api.client.update_status(with_meta(other_port(made), labels={"a": "b"}).with_status(ADDRESS))
    assert reported.status == ADDRESS
    assert reported.spec == made.spec
    assert reported.metadata.labels == {}
    assert reported.metadata.generation == 1

"""Admission stands before the store: it may change what is written, or refuse it, and then nothing has happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from karmadalab.api.errors import Forbidden, Invalid
from karmadalab.core.trace import NOTE

from .apis import ADDRESS, CONFIG, INGRESS, Api, config, ingress, other_port, owned_by, with_meta

PROTECTED = {"protected": "true"}


def admit(operation: str, obj: Any, old: Any) -> Any:
    """Marks what is created, refuses purple, protects what is labelled."""
    if operation == "DELETE":
        if obj.metadata.labels.get("protected"):
            raise Forbidden(f"{obj.metadata.name} is protected")
        return obj
    if obj.get("data", {}).get("colour") == "purple":
        raise Invalid("purple is not a colour")
    if operation == "CREATE":
        assert old is None
        return with_meta(obj, annotations={**obj.metadata.annotations, "seen": "yes"})
    assert old is not None
    return obj


@pytest.fixture
def guarded(make_client: Callable[..., Api]) -> Api:
    return make_client(admit=admit)


def test_what_it_adds_is_stored_and_answered(guarded: Api) -> None:
    made = guarded.client.create(config())
    assert made.metadata.annotations == {"seen": "yes"}
    assert guarded.client.get(CONFIG, "web", guarded.here) == made


def test_a_refused_creation_leaves_nothing(guarded: Api) -> None:
    seen = guarded.watch(CONFIG)
    with pytest.raises(Invalid, match="purple"):
        guarded.client.create(config().with_body(data={"colour": "purple"}))
    guarded.settle()
    assert guarded.client.list(CONFIG) == []
    assert seen.events == []


def test_a_refused_update_changes_nothing(guarded: Api) -> None:
    made = guarded.client.create(config())
    with pytest.raises(Invalid):
        guarded.client.update(made.with_body(data={"colour": "purple"}))
    assert guarded.client.get(CONFIG, "web", guarded.here) == made


def test_a_refused_deletion_deletes_nothing(guarded: Api) -> None:
    guarded.client.create(config(labels=PROTECTED))
    with pytest.raises(Forbidden, match="web is protected"):
        guarded.client.delete(CONFIG, "web", guarded.here)
    assert guarded.client.get(CONFIG, "web", guarded.here).metadata.deletionTimestamp is None


def test_a_status_passes_without_it(guarded: Api) -> None:
    made = guarded.client.create(ingress())
    assert guarded.client.update_status(made.with_status(ADDRESS)).status == ADDRESS


def test_it_sees_the_old_and_the_new(make_client: Callable[..., Api]) -> None:
    calls: list[tuple[str, Any, Any]] = []
    api = make_client(admit=lambda operation, obj, old: calls.append((operation, obj, old)) or obj)
    made = api.client.create(ingress())
    changed = api.client.update(other_port(made))
    api.client.delete(INGRESS, "web", api.here)
    assert [operation for operation, _, _ in calls] == ["CREATE", "UPDATE", "DELETE"]
    assert calls[1][2] == made
    assert calls[2][1] == changed


def test_the_garbage_collector_is_refused_too_and_tries_again(guarded: Api) -> None:
    owner = guarded.client.create(config("owner"))
    guarded.client.create(config("kept", labels=PROTECTED, ownerReferences=owned_by(owner)))
    guarded.client.create(config("gone", ownerReferences=owned_by(owner)))
    guarded.client.delete(CONFIG, "owner", guarded.here)
    guarded.settle()
    assert [obj.metadata.name for obj in guarded.client.list(CONFIG)] == ["kept"]
    guarded.client.update(with_meta(guarded.client.get(CONFIG, "kept", guarded.here), labels={}))
    if guarded.store is None:
        pytest.skip("this server tries again when it likes")
    guarded.store.clock.run_until(guarded.store.clock.now() + 1)
    guarded.settle()
    assert guarded.client.list(CONFIG) == []
    notes = [row.text for row in guarded.store.trace.rows if row.verb == NOTE]
    assert set(notes) == {"not collected: kept is protected"}

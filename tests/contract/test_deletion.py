"""Finalizers, deletion, and the garbage collector."""

from __future__ import annotations

import pytest

from karmadalab.api.errors import Invalid
from karmadalab.api.meta import OwnerReference

from .apis import CONFIG, INGRESS, Api, config, ingress, other_port, owned_by, with_meta


def names(api: Api, kind: str = CONFIG) -> list[str]:
    api.settle()
    return [obj.metadata.name for obj in api.client.list(kind)]


def test_without_finalizers_it_is_gone_at_once(api: Api) -> None:
    api.client.create(config())
    api.client.delete(CONFIG, "web", api.here)
    assert api.client.find(CONFIG, "web", api.here) is None


def test_a_finalizer_keeps_it_and_a_mark_says_that_it_goes(api: Api) -> None:
    made = api.client.create(ingress(finalizers=("a.example/x",)))
    api.client.delete(INGRESS, "web", api.here)
    marked = api.client.get(INGRESS, "web", api.here)
    assert marked.metadata.deletionTimestamp is not None
    assert marked.metadata.generation == made.metadata.generation + 1
    assert marked.metadata.resourceVersion != made.metadata.resourceVersion


def test_deleting_again_changes_nothing(api: Api) -> None:
    api.client.create(config(finalizers=("a.example/x",)))
    api.client.delete(CONFIG, "web", api.here)
    marked = api.client.get(CONFIG, "web", api.here)
    api.client.delete(CONFIG, "web", api.here)
    assert api.client.get(CONFIG, "web", api.here) == marked


def test_it_goes_with_the_last_finalizer(api: Api) -> None:
    api.client.create(config(finalizers=("a.example/x", "a.example/y")))
    api.client.delete(CONFIG, "web", api.here)
    marked = api.client.get(CONFIG, "web", api.here)
    half = api.client.update(with_meta(marked, finalizers=("a.example/y",)))
    assert names(api) == ["web"]
    api.client.update(with_meta(half, finalizers=()))
    assert names(api) == []


def test_without_deletion_the_last_finalizer_takes_nothing_along(api: Api) -> None:
    made = api.client.create(config(finalizers=("a.example/x",)))
    api.client.update(with_meta(made, finalizers=()))
    assert names(api) == ["web"]


def test_nobody_takes_the_mark_away(api: Api) -> None:
    api.client.create(ingress(finalizers=("a.example/x",)))
    api.client.delete(INGRESS, "web", api.here)
    marked = api.client.get(INGRESS, "web", api.here)
    changed = api.client.update(other_port(with_meta(marked, deletionTimestamp=None)))
    assert changed.metadata.deletionTimestamp == marked.metadata.deletionTimestamp


def test_nobody_is_born_marked(api: Api) -> None:
    made = api.client.create(config(deletionTimestamp=api.client.create(config("old")).metadata.creationTimestamp))
    assert made.metadata.deletionTimestamp is None


def test_no_finalizer_is_added_at_the_end(api: Api) -> None:
    api.client.create(config(finalizers=("a.example/x",)))
    api.client.delete(CONFIG, "web", api.here)
    marked = api.client.get(CONFIG, "web", api.here)
    with pytest.raises(Invalid, match=r"a\.example/late can't be added: the object is being deleted"):
        api.client.update(with_meta(marked, finalizers=("a.example/x", "a.example/late")))


def test_a_name_is_not_free_before_its_owner_is_gone(api: Api) -> None:
    api.client.create(config(finalizers=("a.example/x",)))
    api.client.delete(CONFIG, "web", api.here)
    with pytest.raises(Exception, match="already exists"):
        api.client.create(config())


# --- owners -----------------------------------------------------------------------------------------------------------


def test_what_an_object_owns_goes_with_it(api: Api) -> None:
    owner = api.client.create(config("owner"))
    for name in ("a", "b"):
        api.client.create(config(name, ownerReferences=owned_by(owner)))
    api.client.create(config("stranger"))
    api.client.delete(CONFIG, "owner", api.here)
    assert names(api) == ["stranger"]


def test_and_what_that_owns(api: Api) -> None:
    top = api.client.create(config("top"))
    middle = api.client.create(config("middle", ownerReferences=owned_by(top)))
    api.client.create(ingress("leaf", ownerReferences=owned_by(middle)))
    api.client.delete(CONFIG, "top", api.here)
    assert names(api) == []
    assert names(api, INGRESS) == []


def test_an_owner_that_waits_for_a_finalizer_takes_nothing_along_yet(api: Api) -> None:
    owner = api.client.create(config("owner", finalizers=("a.example/x",)))
    api.client.create(config("a", ownerReferences=owned_by(owner)))
    api.client.delete(CONFIG, "owner", api.here)
    assert names(api) == ["a", "owner"]
    api.client.update(with_meta(api.client.get(CONFIG, "owner", api.here), finalizers=()))
    assert names(api) == []


def test_a_dependent_with_a_finalizer_is_only_marked(api: Api) -> None:
    owner = api.client.create(config("owner"))
    api.client.create(config("a", ownerReferences=owned_by(owner), finalizers=("a.example/x",)))
    api.client.delete(CONFIG, "owner", api.here)
    assert names(api) == ["a"]
    assert api.client.get(CONFIG, "a", api.here).metadata.deletionTimestamp is not None


def test_of_two_owners_one_is_enough_and_the_dead_one_is_forgotten(api: Api) -> None:
    first, second = api.client.create(config("first")), api.client.create(config("second"))
    api.client.create(config("a", ownerReferences=owned_by(first, second)))
    api.client.delete(CONFIG, "first", api.here)
    assert names(api) == ["a", "second"]
    assert api.client.get(CONFIG, "a", api.here).metadata.ownerReferences == owned_by(second)
    api.client.delete(CONFIG, "second", api.here)
    assert names(api) == []


def test_a_namesake_of_the_owner_is_not_the_owner(api: Api) -> None:
    owner = api.client.create(config("owner"))
    api.client.create(config("a", ownerReferences=owned_by(owner)))
    api.client.delete(CONFIG, "owner", api.here)
    api.client.create(config("owner"))
    assert names(api) == ["owner"]


def test_who_comes_after_its_owner_has_gone_is_collected(api: Api) -> None:
    api.client.create(config("orphan", ownerReferences=(OwnerReference("v1", CONFIG, "never", "no-such-uid"),)))
    assert names(api) == []


def test_who_is_given_a_dead_owner_is_collected(api: Api) -> None:
    owner = api.client.create(config("owner"))
    api.client.delete(CONFIG, "owner", api.here)
    made = api.client.create(config("a"))
    api.client.update(with_meta(made, ownerReferences=owned_by(owner)))
    assert names(api) == []


def test_who_lost_its_owner_in_time_stays(api: Api) -> None:
    owner = api.client.create(config("owner"))
    made = api.client.create(config("a", ownerReferences=owned_by(owner)))
    api.client.update(with_meta(made, ownerReferences=()))
    api.client.delete(CONFIG, "owner", api.here)
    assert names(api) == ["a"]

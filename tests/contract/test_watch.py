"""Watches: everything, in order, and from where one left off."""

from __future__ import annotations

import pytest

from karmadalab.api.errors import Gone

from .apis import ADDRESS, CONFIG, INGRESS, Api, config, ingress, other_port, owned_by, with_meta


def test_what_is_there_comes_first_in_order(api: Api) -> None:
    for name in ("b", "a"):
        api.client.create(config(name))
    seen = api.watch(CONFIG)
    api.settle()
    assert seen.words() == ["ADDED a", "ADDED b"]
    assert [old for _, old, _ in seen.events] == [None, None]


def test_then_every_change_in_the_order_of_versions(api: Api) -> None:
    seen = api.watch(INGRESS)
    made = api.client.create(ingress("a"))
    api.client.create(ingress("b"))
    changed = api.client.update(other_port(made))
    api.client.update_status(changed.with_status(ADDRESS))
    api.client.delete(INGRESS, "a", api.here)
    api.settle()
    assert seen.words() == ["ADDED a", "ADDED b", "MODIFIED a", "MODIFIED a", "DELETED a"]
    versions = [int(new.metadata.resourceVersion) for event, _, new in seen.events if event != "DELETED"]
    assert versions == sorted(versions)


def test_an_event_says_what_was_and_what_is(api: Api) -> None:
    made = api.client.create(ingress())
    seen = api.watch(INGRESS)
    changed = api.client.update(other_port(made))
    api.settle()
    assert seen.events == [("ADDED", None, made), ("MODIFIED", made, changed)]


def test_a_deletion_shows_the_last_state(api: Api) -> None:
    made = api.client.create(config())
    seen = api.watch(CONFIG)
    api.client.delete(CONFIG, "web", api.here)
    api.settle()
    event, _, last = seen.events[-1]
    assert (event, last.metadata.uid, last["data"]) == ("DELETED", made.metadata.uid, {"colour": "red"})


def test_a_finalizer_makes_it_two_events(api: Api) -> None:
    api.client.create(config(finalizers=("a.example/x",)))
    seen = api.watch(CONFIG)
    api.client.delete(CONFIG, "web", api.here)
    api.client.update(with_meta(api.client.get(CONFIG, "web", api.here), finalizers=()))
    api.settle()
    assert seen.words() == ["ADDED web", "MODIFIED web", "DELETED web"]


def test_no_write_no_event(api: Api) -> None:
    made = api.client.create(config())
    seen = api.watch(CONFIG)
    api.client.update(made)
    api.settle()
    assert seen.words() == ["ADDED web"]


def test_only_its_own_kind(api: Api) -> None:
    seen = api.watch(INGRESS)
    api.client.create(config())
    api.settle()
    assert seen.events == []


def test_a_stopped_watch_is_silent_and_stopping_twice_is_no_error(api: Api) -> None:
    seen, other = api.watch(CONFIG), api.watch(CONFIG)
    seen.stop()
    seen.stop()
    api.client.create(config())
    api.settle()
    assert (seen.words(), other.words()) == ([], ["ADDED web"])


def test_all_watchers_see_the_same(api: Api) -> None:
    first, second = api.watch(CONFIG), api.watch(CONFIG)
    made = api.client.create(config())
    api.client.update(made.with_body(data={}))
    api.settle()
    assert first.events == second.events


def test_what_is_collected_is_seen_too(api: Api) -> None:
    owner = api.client.create(config("owner"))
    api.client.create(config("a", ownerReferences=owned_by(owner)))
    seen = api.watch(CONFIG)
    api.client.delete(CONFIG, "owner", api.here)
    api.settle()
    assert seen.words()[-2:] == ["DELETED owner", "DELETED a"]


# --- resuming ---------------------------------------------------------------------------------------------------------


def test_a_watch_resumes_where_it_left_off(api: Api) -> None:
    made = api.client.create(config("a"))
    api.client.create(config("b"))
    changed = api.client.update(made.with_body(data={}))
    api.client.delete(CONFIG, "b", api.here)
    seen = api.watch(CONFIG, since=int(made.metadata.resourceVersion))
    api.settle()
    assert seen.words() == ["ADDED b", "MODIFIED a", "DELETED b"]
    assert seen.events[1] == ("MODIFIED", made, changed)


def test_a_resumed_watch_goes_on(api: Api) -> None:
    made = api.client.create(config("a"))
    seen = api.watch(CONFIG, since=int(made.metadata.resourceVersion))
    assert seen.events == []
    api.client.create(config("b"))
    api.settle()
    assert seen.words() == ["ADDED b"]


def test_other_kinds_move_the_version_but_are_not_delivered(api: Api) -> None:
    made = api.client.create(config("a"))
    api.client.create(ingress())
    seen = api.watch(CONFIG, since=int(made.metadata.resourceVersion))
    api.settle()
    assert seen.events == []


def test_what_came_and_went_meanwhile_is_told_from_birth_to_end(api: Api) -> None:
    made = api.client.create(config("a"))
    api.client.create(config("b"))
    api.client.delete(CONFIG, "b", api.here)
    seen = api.watch(CONFIG, since=int(made.metadata.resourceVersion))
    api.settle()
    assert seen.words() == ["ADDED b", "DELETED b"]


def test_too_old_a_version_means_list_again(api: Api) -> None:
    if api.store is None:
        pytest.skip("this server forgets when it likes")
    since = int(api.client.create(config("a")).metadata.resourceVersion)
    oldest = int(api.client.create(config("b")).metadata.resourceVersion)
    api.store.oldest_version = oldest
    says = f"resourceVersion {since} is too old: the oldest kept is {oldest}; list again"
    with pytest.raises(Gone, match=says) as refused:
        api.watch(CONFIG, since=since)
    assert (refused.value.code, refused.value.reason) == (410, "Expired")

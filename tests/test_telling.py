"""A store tells its watchers in the order of versions, whoever writes meanwhile, and whatever goes wrong."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab.api.errors import BadRequest
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace

CONFIG = "ConfigMap"


class Seen:
    """What one watcher hears."""

    def __init__(self, store: Store, since: int | None = None) -> None:
        self.events: list[tuple[str, Any, Any]] = []
        self.stop = store.watch(CONFIG, lambda *event: self.events.append(event), since)

    @property
    def words(self) -> list[str]:
        return [f"{event} {new.metadata.name}" for event, _, new in self.events]

    @property
    def versions(self) -> list[int]:
        return [int(new.metadata.resourceVersion) for _, _, new in self.events]


@pytest.fixture
def store() -> Store:
    clock = VirtualClock()
    return Store(clock, Trace(clock.now))


def config(name: str, colour: str = "red", **meta: Any) -> Unstructured:
    return Unstructured("v1", CONFIG, ObjectMeta(name=name, namespace="here", **meta), {"data": {"colour": colour}})


@pytest.mark.parametrize("finalizers", [(), ("a.example/x",)])
def test_a_deletion_has_a_version_of_its_own_live_and_resumed(store: Store, finalizers: tuple[str, ...]) -> None:
    made = store.create(config("a", finalizers=finalizers))
    live = Seen(store)
    store.delete(CONFIG, "a", "here")
    if finalizers:
        found = store.get(CONFIG, "a", "here")
        store.update(replace(found, metadata=replace(found.metadata, finalizers=())))
    assert live.words[-1] == "DELETED a"
    assert live.versions == sorted(set(live.versions))
    assert Seen(store, since=int(made.metadata.resourceVersion)).events == live.events[1:]


def test_a_version_to_come_is_refused(store: Store) -> None:
    store.create(config("a"))
    with pytest.raises(BadRequest, match="resourceVersion 2 is too large: the newest is 1; list again"):
        Seen(store, since=2)


def test_later_watchers_hear_in_order_of_what_an_earlier_one_writes(store: Store) -> None:
    def paints(event: str, old: Any, new: Any) -> None:
        if new["data"]["colour"] == "red":
            store.update(new.with_body(data={"colour": "blue"}))
            store.create(config(f"{new.metadata.name}-copy", "blue"))

    store.create(config("before"))
    store.watch(CONFIG, paints)
    assert store.get(CONFIG, "before", "here")["data"] == {"colour": "blue"}
    seen = Seen(store)
    store.create(config("a"))
    assert seen.words[2:] == ["ADDED a", "MODIFIED a", "ADDED a-copy"]
    assert seen.versions[2:] == sorted(set(seen.versions[2:]))


def test_what_a_handler_writes_names_the_change_it_was_called_for_as_its_cause(store: Store) -> None:
    def follows(event: str, old: Any, new: Any) -> None:
        name = new.metadata.name
        if len(name) < 3:
            store.create(config(f"{name}x"))

    store.watch(CONFIG, follows)
    store.create(config("a"))
    assert [(row.name, row.cause) for row in store.trace.rows] == [("a", None), ("ax", 0), ("axx", 1)]


def test_who_begins_to_watch_in_a_handler_hears_nothing_twice(store: Store) -> None:
    late: list[Seen] = []

    def begins(event: str, old: Any, new: Any) -> None:
        if not late:
            store.create(config("b"))
            late.append(Seen(store))

    store.watch(CONFIG, begins)
    store.create(config("a"))
    store.create(config("c"))
    assert late[0].words == ["ADDED a", "ADDED b", "ADDED c"]


def test_who_stops_to_watch_hears_nothing_of_what_still_waits(store: Store) -> None:
    def stops(event: str, old: Any, new: Any) -> None:
        if new.metadata.name == "a":
            store.create(config("b"))
            seen.stop()

    store.watch(CONFIG, stops)
    seen = Seen(store)
    store.create(config("a"))
    assert seen.words == ["ADDED a"]


def test_a_handler_that_fails_leaves_order_and_cause_as_they_were(store: Store) -> None:
    def fails(event: str, old: Any, new: Any) -> None:
        if new.metadata.name == "a":
            store.create(config("b"))
            raise ValueError("on purpose")

    store.watch(CONFIG, fails)
    seen = Seen(store)
    with pytest.raises(ValueError, match="on purpose"):
        store.create(config("a"))
    assert store.trace.cause is None
    store.create(config("c"))
    assert seen.words == ["ADDED b", "ADDED c"]

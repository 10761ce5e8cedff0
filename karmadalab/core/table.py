"""The objects of one kind in a store, and what they can be found by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from karmadalab.api.scheme import AnyObject
from karmadalab.core.client import Handler

Key = tuple[str, str]  # namespace and name


class Table:
    """The objects of one kind, with the indexes asked for."""

    __slots__ = ("indexes", "namespaced", "objects", "order", "watchers")

    def __init__(self, namespaced: bool) -> None:
        self.objects: dict[Key, AnyObject] = {}
        self.namespaced = namespaced
        self.watchers: tuple[Handler, ...] = ()
        self.order: list[Key] | None = None  # the sorted keys; None when a create or delete spoiled them
        self.indexes: dict[str, tuple[Callable[[Any], Iterable[Hashable]], dict[Hashable, set[Key]]]] = {}

    def sorted_keys(self) -> list[Key]:
        """The keys by namespace and name, sorted anew only after a create or a delete."""
        if self.order is None:
            self.order = sorted(self.objects)
        return self.order

    def watch(self, handler: Handler) -> Callable[[], None]:
        """Tell a handler of changes; returns what ends that, and may be called again. One may watch twice."""
        self.watchers = (*self.watchers, handler)
        watching = [handler]

        def stop() -> None:
            if watching:
                left = list(self.watchers)
                left.remove(watching.pop())
                self.watchers = tuple(left)

        return stop

    def index(self, key: Key, old: AnyObject | None, new: AnyObject | None) -> None:
        """Keep the indexes up to date with a write; None means not there."""
        for values, entries in self.indexes.values():
            before = set(values(old)) if old is not None else set()
            after = set(values(new)) if new is not None else set()
            for value in before - after:
                entries[value].discard(key)
            for value in after - before:
                entries[value].add(key)

    def check(self, kind: str) -> None:
        """Verify that indexes and order say what the objects say. Raises `AssertionError`."""
        fresh = Table(self.namespaced)
        fresh.indexes = {name: (values, defaultdict(set)) for name, (values, _) in self.indexes.items()}
        for key, obj in self.objects.items():
            fresh.index(key, None, obj)
        for name, (_, entries) in self.indexes.items():
            must_agree(f"index {name} of {kind}", entries, fresh.indexes[name][1])
        if self.order is not None and self.order != sorted(self.objects):
            raise AssertionError(f"the order of {kind} is its sorted keys: {self.order}")


def must_agree(what: str, kept: Mapping[Any, set[Any]], fresh: Mapping[Any, set[Any]]) -> None:
    """Raise unless an index that was kept up to date is the one that is built anew; empty entries don't count."""
    for value in sorted({*kept, *fresh}, key=str):
        if kept.get(value, set()) != fresh.get(value, set()):
            raise AssertionError(
                f"{what} agrees with the objects: at {value!r} {kept.get(value)} != {fresh.get(value)}"
            )

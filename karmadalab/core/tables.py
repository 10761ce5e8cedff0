"""Reading from the objects of an API server: by name, by kind, by label, by index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from karmadalab.api.errors import NotFound
from karmadalab.api.meta import LabelSelector, selector_matches
from karmadalab.api.scheme import is_namespaced
from karmadalab.core.table import Table

# Named here because inside the class `list` is a method.
Objects = list[Any]
Names = list[str]


class Tables:
    """The objects of one API server, a table for each kind.

    Args:
        world: "" for the control plane, else the member's name.
    """

    def __init__(self, world: str) -> None:
        self.world = world
        self._tables: dict[str, Table] = {}
        self._found: dict[Any, Table] = {}  # the same by whatever they were asked for, name or class

    def get(self, kind: Any, name: str, namespace: str = "") -> Any:
        """The object of that name.

        Args:
            kind: a class (`Cluster`) or a store name (`"Deployment.apps"`).

        Raises:
            NotFound: it is not there.
        """
        found = self.find(kind, name, namespace)
        if found is None:
            where = f"{namespace}/{name}" if namespace else name
            at = f" in {self.world}" if self.world else ""
            raise NotFound(f"{_kind_name(kind)} {where} not found{at}")
        return found

    def find(self, kind: Any, name: str, namespace: str = "") -> Any:
        """The object of that name, or None."""
        table = self._found.get(kind) or self._there(kind)
        return None if table is None else table.objects.get((namespace, name))

    def list(self, kind: Any, namespace: str | None = None, selector: LabelSelector | None = None) -> Objects:
        """The objects of a kind, by namespace and name; `namespace=None` means all."""
        table = self._there(kind)
        if table is None:
            return []
        objects = table.objects
        found = [objects[key] for key in table.sorted_keys() if namespace is None or key[0] == namespace]
        if selector is not None:
            found = [obj for obj in found if selector_matches(selector, obj.metadata.labels)]
        return found

    def indexed(self, kind: Any, index: str, value: Hashable) -> Objects:
        """The objects that an index has under a value, by namespace and name."""
        table = self._table(kind if isinstance(kind, str) else kind.GROUP_KIND)
        return [table.objects[key] for key in sorted(table.indexes[index][1].get(value, ()))]

    def add_index(self, kind: Any, index: str, values: Callable[[Any], Iterable[Hashable]]) -> None:
        """Keep the objects of a kind findable by what `values` says of each."""
        table = self._table(kind if isinstance(kind, str) else kind.GROUP_KIND)
        if index not in table.indexes:
            table.indexes[index] = (values, defaultdict(set))
            for key, obj in table.objects.items():
                table.index(key, None, obj)

    def kinds(self) -> Names:
        """The kinds of which there is at least one object."""
        return sorted(kind for kind, table in self._tables.items() if table.objects)

    def _there(self, kind: Any) -> Table | None:
        """The table of a kind; None as long as there never was an object in it."""
        table = self._found.get(kind)
        if table is None:
            table = self._tables.get(kind if isinstance(kind, str) else kind.GROUP_KIND)
            if table is not None:
                self._found[kind] = table
        return table

    def _table(self, kind: str) -> Table:
        table = self._tables.get(kind)
        if table is None:
            table = self._tables[kind] = Table(is_namespaced(kind))
        return table


def _kind_name(kind: Any) -> str:
    name: str = kind if isinstance(kind, str) else kind.GROUP_KIND
    return name.partition(".")[0]

"""The objects of a store as they were at one moment: what a cut-off informer still knows, and what `lab.at` shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from karmadalab.api.errors import NotFound
from karmadalab.api.meta import LabelSelector, selector_matches
from karmadalab.api.scheme import AnyObject
from karmadalab.core.trace import CREATE, DELETE, STATUS, UPDATE, Row

# Named here because inside the class `list` is a method.
Objects = list[Any]
Names = list[str]
Contents = dict[str, dict[tuple[str, str], AnyObject]]


class Snapshot:
    """Reads like a store.

    Args:
        tables: kind -> (namespace, name) -> object.
        version: the resourceVersion it shows.
    """

    def __init__(self, tables: Contents, version: int) -> None:
        self.tables = tables
        self.version = version

    @classmethod
    def from_rows(cls, rows: Iterable[Row], world: str, until: float) -> Snapshot:
        """What a store held at a moment, rebuilt from the trace.

        Args:
            rows: the trace, oldest first.
            world: whose store.
            until: Unix seconds; writes at that very moment are included.
        """
        tables: Contents = {}
        version = 0
        for row in rows:
            if row.at > until:
                break
            if row.world != world or row.verb not in (CREATE, UPDATE, STATUS, DELETE):
                continue
            table = tables.setdefault(row.kind, {})
            if row.new is None:
                table.pop((row.namespace, row.name), None)
            else:
                table[row.namespace, row.name] = row.new
            version = row.version
        return cls(tables, version)

    def find(self, kind: Any, name: str, namespace: str = "") -> Any:
        """The object of that name, or None."""
        return self.tables.get(_name(kind), {}).get((namespace, name))

    def get(self, kind: Any, name: str, namespace: str = "") -> Any:
        """The object of that name. Raises `NotFound`."""
        found = self.find(kind, name, namespace)
        if found is None:
            raise NotFound(f"{_name(kind).partition('.')[0]} {f'{namespace}/' if namespace else ''}{name} not found")
        return found

    def list(self, kind: Any, namespace: str | None = None, selector: LabelSelector | None = None) -> Objects:
        """The objects of a kind, by namespace and name."""
        table = self.tables.get(_name(kind), {})
        found = [table[key] for key in sorted(table) if namespace is None or key[0] == namespace]
        return found if selector is None else [o for o in found if selector_matches(selector, o.metadata.labels)]

    def kinds(self) -> Names:
        """The kinds of which there is at least one object."""
        return sorted(kind for kind, table in self.tables.items() if table)

    def __repr__(self) -> str:
        return f"<Snapshot {sum(map(len, self.tables.values()))} objects, version {self.version}>"


def _name(kind: Any) -> str:
    return kind if isinstance(kind, str) else kind.GROUP_KIND

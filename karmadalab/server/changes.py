"""What has changed in a store: since a version, as somebody with a selector sees it, and undone.

Mirrors the history that etcd keeps for an API server. The trace is that history here; it begins anew when a control
plane comes back from its file, and what is older is gone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from karmadalab.api.errors import Gone
from karmadalab.api.meta import replace
from karmadalab.api.scheme import AnyObject
from karmadalab.core.client import ADDED, DELETED, MODIFIED
from karmadalab.core.store import Store
from karmadalab.core.trace import CREATE, DELETE, Row
from karmadalab.server.events import are_derived, told_by
from karmadalab.server.selectors import Selection


class Change(NamedTuple):
    """One change of one object.

    Args:
        event: ADDED, MODIFIED or DELETED.
        old, new: the object before and after; a deleted one has the resourceVersion of its deletion.
        version: the store's resourceVersion after it.
        at: the lab's time, Unix seconds.
    """

    event: str
    old: AnyObject | None
    new: AnyObject
    version: int
    at: float


def as_seen(change: Change, selection: Selection) -> str | None:
    """What a change is for someone who looks through a selector: leaving the selection looks like a deletion."""
    now = selection.matches(change.new)
    if change.event == ADDED:
        return ADDED if now else None
    before = change.old is not None and selection.matches(change.old)
    if change.event == DELETED:
        return DELETED if before or now else None
    if now:
        return MODIFIED if before else ADDED
    return DELETED if before else None


def missed(store: Store, kind: str, since: int) -> list[Change]:
    """What has changed after a resourceVersion.

    Raises:
        Gone: that is no longer known.
    """
    derived = are_derived(store, kind)
    found: list[Change] = []
    for row in _rows_after(store, since):
        if row.kind == kind:
            found.append(_change(row))
        elif derived:
            found += derived_changes(row)
    return found


def derived_changes(row: Row) -> list[Change]:
    """What a row of the trace changes among the objects that are read off it."""
    return [Change(ADDED, None, event, row.version, row.at) for event in told_by(row)]


def _rows_after(store: Store, since: int) -> list[Row]:
    """The writes of a store after a resourceVersion. Raises `Gone`."""
    if since < store.oldest_version:
        raise Gone(f"too old resource version: {since} ({store.oldest_version})")
    found = []
    for row in reversed(store.trace.rows):
        if row.world != store.world or not row.version:
            continue
        if row.version <= since:
            break
        found.append(row)
    return found[::-1]


def _change(row: Row) -> Change:
    event = {CREATE: ADDED, DELETE: DELETED}.get(row.verb, MODIFIED)
    new = row.new if row.new is not None else stamped(row.old, row.version)
    return Change(event, row.old, new, row.version, row.at)


def stamped(obj: Any, version: int) -> Any:
    """An object with another resourceVersion."""
    return replace(obj, metadata=replace(obj.metadata, resourceVersion=str(version)))


def as_of(store: Store, kind: str, version: int) -> list[AnyObject]:
    """The objects of a kind at a resourceVersion, by namespace and name: today's, with what has changed since undone.

    Raises:
        Gone: that is no longer known.
    """
    objects = {_key(obj): obj for obj in store.list(kind)}
    for change in reversed([_change(row) for row in _rows_after(store, version) if row.kind == kind]):
        if change.old is None:
            del objects[_key(change.new)]
        else:
            objects[_key(change.old)] = change.old
    return [objects[key] for key in sorted(objects)]


def _key(obj: AnyObject) -> tuple[str, str]:
    return obj.metadata.namespace, obj.metadata.name

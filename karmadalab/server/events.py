"""Kubernetes Events, read off the record.

Karmada's controllers leave an Event for what they did; `kubectl describe` shows them. The lab's trace knows more than
that already, so Events are not written a second time: they are what some of its rows say in Karmada's words, the same
rows in sequence counted as one. Like real ones they are forgotten after an hour.

Not modelled: Events of members, and those of Karmada's that tell of no write.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karmadalab.api.meta import ObjectMeta
from karmadalab.api.naming import fnv32a
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.store import Store
from karmadalab.core.trace import Row, Trace
from karmadalab.server.event_words import TELLERS, Said
from karmadalab.server.kinds import EVENT

LIFETIME_S = 3600.0


def events_of(trace: Trace, now: float) -> list[Unstructured]:
    """The Events that are remembered, by namespace and name.

    Args:
        trace: the lab's record.
        now: Unix seconds in the lab.
    """
    found: dict[tuple[str, ...], Unstructured] = {}
    for row in _recent(trace, now - LIFETIME_S):
        for said in _said(row):
            key = (row.kind, row.namespace, row.name, *said)
            found[key] = _event(row, said, found.get(key))
    return sorted(found.values(), key=lambda event: (event.metadata.namespace, event.metadata.name))


def _recent(trace: Trace, since: float) -> list[Row]:
    rows = []
    for row in reversed(trace.rows):
        if row.at < since:
            break
        if not row.world and row.kind in TELLERS and row.new is not None:
            rows.append(row)
    return rows[::-1]


def are_derived(store: Store, kind: str) -> bool:
    """Whether objects of a kind are read off the record, beside those that are stored."""
    return kind == EVENT and not store.world


def told_by(row: Row) -> list[Unstructured]:
    """The Events that a row of the trace makes, for those who watch."""
    is_teller = not row.world and row.kind in TELLERS and row.new is not None
    return [_event(row, said, None) for said in _said(row)] if is_teller else []


def _said(row: Row) -> Iterator[Said]:
    yield from TELLERS[row.kind](row.old, row.new, row.verb)


def _event(row: Row, said: Said, before: Unstructured | None) -> Unstructured:
    type_, reason, who, message = said
    obj: Any = row.new
    namespace = row.namespace or "default"
    stamp = str(Time(row.at))
    first = stamp if before is None else before["firstTimestamp"]
    name = f"{row.name}.{fnv32a('/'.join((row.kind, namespace, row.name, *said))):08x}"
    involved = {
        "apiVersion": obj.apiVersion,
        "kind": obj.kind,
        "name": row.name,
        "uid": obj.metadata.uid,
        "resourceVersion": obj.metadata.resourceVersion,
        **({"namespace": row.namespace} if row.namespace else {}),
    }
    metadata = ObjectMeta(
        name=name,
        namespace=namespace,
        uid=f"00000000-0000-4000-a000-{row.id:012x}",
        resourceVersion=str(row.version),
        creationTimestamp=Time.parse(first),
    )
    body = {
        "involvedObject": involved,
        "type": type_,
        "reason": reason,
        "message": message,
        "source": {"component": who},
        "reportingComponent": who,
        "firstTimestamp": first,
        "lastTimestamp": stamp,
        "count": 1 if before is None else before["count"] + 1,
    }
    return Unstructured("v1", "Event", metadata, body)

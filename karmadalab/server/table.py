"""Objects as a `Table`: the server decides what `kubectl get` prints, and how old things are in the lab's own time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karmadalab.api.codec import plain, to_dict
from karmadalab.api.errors import KarmadalabError
from karmadalab.api.jsonpath import evaluate
from karmadalab.api.scheme import AnyObject
from karmadalab.api.time import Time
from karmadalab.server.columns import KARMADA, NAME, PLAIN, Column, age
from karmadalab.server.columns_native import NATIVE
from karmadalab.server.definitions import PrinterColumn
from karmadalab.server.kinds import Served


def columns_of(kind: Served) -> tuple[Column, ...]:
    """The columns of a kind; a CRD brings its own."""
    name = kind.type.group_kind
    known = KARMADA.get(name) or NATIVE.get(name)
    if known is not None:
        return known
    return (NAME, *map(_from_crd, kind.columns)) if kind.columns else PLAIN


def table(kind: Served, objects: Sequence[AnyObject], now: float, meta: dict[str, Any], include: str) -> dict[str, Any]:
    """A `Table`.

    Args:
        kind: of the objects.
        objects: the rows.
        now: the lab's time, for ages.
        meta: the list's metadata.
        include: how much of each object goes with its row: `None`, `Metadata` or `Object`.
    """
    columns = columns_of(kind)
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": meta,
        "columnDefinitions": [
            {"name": c.name, "type": c.type, "format": c.format, "description": "", "priority": int(c.wide)}
            for c in columns
        ],
        "rows": [_row(columns, obj, now, include) for obj in objects],
    }


def _row(columns: tuple[Column, ...], obj: AnyObject, now: float, include: str) -> dict[str, Any]:
    data = to_dict(obj)
    row: dict[str, Any] = {"cells": [_cell(column, data, now) for column in columns]}
    if include == "Object":
        row["object"] = data
    elif include != "None":
        row["object"] = partial(obj)
    return row


def _cell(column: Column, data: dict[str, Any], now: float) -> Any:
    try:
        return column.value(data, now)
    except (TypeError, AttributeError, KeyError, ValueError, KarmadalabError):
        return "<unknown>"  # kinds whose schema is not ours are stored as they are written, whatever that is


def partial(obj: AnyObject) -> dict[str, Any]:
    """An object's metadata alone."""
    return {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": plain(obj.metadata)}


def _from_crd(column: PrinterColumn) -> Column:
    """One of a CRD's `additionalPrinterColumns`."""
    where, type_ = column.jsonPath, column.type

    def value(obj: dict[str, Any], now: float) -> Any:
        try:
            found = evaluate(f"{{{where}}}", obj)
            if type_ == "date":
                return age(now - Time.parse(found))
            return int(found) if type_ == "integer" else found
        except (KarmadalabError, ValueError):  # the field is not there, or is no date: an empty cell, as in Kubernetes
            return ""

    return Column(column.name, value, bool(column.priority), "string" if type_ == "date" else type_)

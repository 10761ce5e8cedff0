"""The three patches that say what to change: JSON patch, merge patch and strategic merge patch.

The fourth, server-side apply, says what the result should hold; it stands in `apply.py`. All work on plain manifests
and return new ones.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.server.encode import json_bytes
from karmadalab.server.limits import check_copied, check_operations
from karmadalab.server.lists import has_keys, identity, is_set, merge_keys, united
from karmadalab.server.status import HttpError

Manifest = dict[str, Any]

JSON, MERGE = "application/json-patch+json", "application/merge-patch+json"
STRATEGIC, APPLY = "application/strategic-merge-patch+json", "application/apply-patch+yaml"

_DIRECTIVE, _ORDER, _FROM, _RETAIN = "$patch", "$setElementOrder/", "$deleteFromPrimitiveList/", "$retainKeys"


def json_patch(data: Manifest, patch: Any) -> Manifest:
    """RFC 6902.

    Raises:
        HttpError: an operation can't be done.
    """
    from jsonpatch import JsonPatch, JsonPatchException
    from jsonpointer import JsonPointerException, resolve_pointer

    if not isinstance(patch, list):
        raise BadRequest("a JSON patch is a list of operations: [{op: replace, path: /spec/replicas, value: 2}]")
    check_operations(patch)
    result: Any = deepcopy(data)
    copied = 0
    try:
        for operation in JsonPatch(patch).patch:
            if operation["op"] == "copy":
                copied += len(json_bytes(resolve_pointer(result, operation["from"])))
                check_copied(copied)
            result = JsonPatch([operation]).apply(result, in_place=True)
    except (JsonPatchException, JsonPointerException, TypeError, KeyError) as error:
        raise _refused(f"the JSON patch can't be applied: {error}") from None
    if not isinstance(result, dict):
        raise _refused("the JSON patch leaves no object")
    return result


def _refused(text: str) -> HttpError:
    """With a cause: of what is invalid, kubectl prints the causes and nothing else."""
    return HttpError(422, "Invalid", text, (("FieldValueInvalid", "patch", text),))


def merge_patch(data: Any, patch: Any) -> Any:
    """RFC 7386: maps are merged, everything else is replaced, null removes.

    >>> merge_patch({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": 3}})
    {'a': {'c': 2, 'd': 3}}
    """
    if not isinstance(patch, dict):
        return patch
    merged = dict(data) if isinstance(data, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def strategic_merge(data: Any, patch: Any) -> Any:
    """Like a merge patch, but lists of named items are merged item by item.

    >>> before = {"containers": [{"name": "a", "image": "x"}, {"name": "b"}]}
    >>> strategic_merge(before, {"containers": [{"name": "a", "image": "y"}]})
    {'containers': [{'name': 'a', 'image': 'y'}, {'name': 'b'}]}
    """
    if not isinstance(patch, dict):
        return patch
    if patch.get(_DIRECTIVE) == "replace":
        return {key: value for key, value in patch.items() if key != _DIRECTIVE}
    if patch.get(_DIRECTIVE) == "delete":
        return {}
    merged = dict(data) if isinstance(data, dict) else {}
    if isinstance(kept := patch.get(_RETAIN), list):
        named = {name for name in kept if isinstance(name, str)}
        merged = {key: value for key, value in merged.items() if key in named}
    for key, value in patch.items():
        if key in (_DIRECTIVE, _RETAIN) or key.startswith(_ORDER):
            continue
        if key.startswith(_FROM):
            field = key.removeprefix(_FROM)
            merged[field] = _without(merged.get(field), value, key)
        elif value is None:
            merged.pop(key, None)
        elif isinstance(value, list):
            merged[key] = _merged_list(key, merged.get(key), value, patch.get(_ORDER + key))
        else:
            merged[key] = strategic_merge(merged.get(key), value)
    return merged


def _merged_list(field: str, old: Any, patch: list[Any], order: Any) -> list[Any]:
    before = old if isinstance(old, list) else []
    if any(isinstance(item, dict) and item == {_DIRECTIVE: "replace"} for item in patch):
        return [item for item in patch if item != {_DIRECTIVE: "replace"}]
    if is_set(field, before, patch):
        return united(before, patch)
    keys = merge_keys(field, [*before, *patch], builtin=True)[:1]
    if not keys:
        return patch
    items = {identity(item, keys): item for item in before}
    for change in patch:
        name = identity(change, keys)
        if change.get(_DIRECTIVE) == "delete":
            items.pop(name, None)
        else:
            items[name] = strategic_merge(items.get(name), change)
    return _ordered(list(items.values()), order, keys)


def _without(old: Any, values: Any, directive: str) -> list[Any]:
    plain = str | int | float
    if not isinstance(values, list) or not all(isinstance(value, plain) for value in values):
        raise BadRequest(f"{directive}: expected a list of texts or numbers")
    gone = set(values)
    return [item for item in old if not (isinstance(item, plain) and item in gone)] if isinstance(old, list) else []


def _ordered(items: list[Any], order: Any, keys: tuple[str, ...]) -> list[Any]:
    """The items in the order that the patch asks for; those it does not name stay where they were, behind."""
    if not isinstance(order, list):
        return items
    places = {identity(entry, keys): place for place, entry in enumerate(order) if has_keys(entry, keys)}
    return sorted(items, key=lambda item: places.get(identity(item, keys), len(places)))

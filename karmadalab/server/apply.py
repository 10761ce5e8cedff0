"""Server-side apply: a manager says what it wants of an object, and the server remembers who wanted what.

Fields that a manager once applied and now leaves out are removed, unless somebody else owns them too. A field that
another manager owns with another value is a conflict, which `force` decides. Writes that are no applies are owned as
well, by their `fieldManager`. What the lab's own controllers write is not tracked: they don't come over HTTP. Nor is
who owns a status.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from karmadalab.api.time import Time
from karmadalab.server.fields import Fields, Path, as_fields, as_paths, compact, key_part, leaves, shown
from karmadalab.server.lists import identity, is_set, merge_keys, united
from karmadalab.server.patches import Manifest
from karmadalab.server.status import HttpError

Entry = dict[str, Any]
_MISSING = object()


def after_update(
    old: Manifest | None, new: Manifest, entries: Iterable[Entry], mine: Entry, builtin: bool, now: float
) -> list[Entry]:
    """Who owns what after a write that was no apply: what it changed is now its writer's.

    Args:
        old, new: the manifests before and after; None for a creation.
        entries: `managedFields` so far.
        mine: manager, operation, apiVersion (and subresource) of the writer.
        builtin: whether the kind's lists have keys.
        now: the lab's time.
    """
    before, after = _of_part(old, mine, builtin), _of_part(new, mine, builtin)
    changed = {path for path, value in after.items() if before.get(path, _MISSING) != value}
    gone = set(before) - set(after)
    owned, result = set(changed), []
    for entry in entries:
        paths = as_paths(entry.get("fieldsV1"))
        if _same(entry, mine):
            owned |= paths - gone
        elif entry.get("subresource", "") == mine.get("subresource", ""):
            result.append(_entry(entry, paths - gone - changed, now))
        else:
            result.append(entry)
    kept = next((entry for entry in entries if _same(entry, mine)), mine)
    return _without_empty([*result, _entry(kept, owned, now)])


def apply(
    live: Manifest | None, config: Manifest, entries: list[Entry], mine: Entry, force: bool, builtin: bool, now: float
) -> tuple[Manifest, list[Entry]]:
    """What an object becomes when a manager applies a configuration, and who then owns what.

    Raises:
        HttpError: 409, with each field that somebody else owns with another value.
    """
    wanted = _of_part(config, mine, builtin)
    current = _of_part(live, mine, builtin)
    others = [(entry, as_paths(entry.get("fieldsV1"))) for entry in entries if not _same(entry, mine)]
    contested = {
        path: entry
        for entry, paths in others
        for path in paths & set(wanted)
        if current.get(path, _MISSING) != wanted[path]
    }
    if contested and not force:
        raise _conflict(contested)
    before = next((as_paths(entry.get("fieldsV1")) for entry in entries if _same(entry, mine)), set())
    elsewhere: set[Path] = set().union(*(paths for _, paths in others)) if others else set()
    merged = _overlay(deepcopy(live or {}), config, builtin)  # a manifest shares its parts with the stored object
    merged = _without(merged, as_fields(before - set(wanted) - elsewhere), builtin)
    kept = next((entry for entry in entries if _same(entry, mine)), mine)
    after = [_entry(entry, paths - set(contested), now) for entry, paths in others]
    return merged, _without_empty([*after, _entry(kept, set(wanted), now)])


def _of_part(data: Manifest | None, mine: Entry, builtin: bool) -> dict[Path, Any]:
    """The leaves that a write can touch: everything but the status, or only the status."""
    if data is None:
        return {}
    part = mine.get("subresource") == "status"
    return leaves({key: value for key, value in data.items() if (key == "status") is part}, builtin)


def _same(entry: Entry, mine: Entry) -> bool:
    return all(entry.get(key, "") == mine.get(key, "") for key in ("manager", "operation", "subresource"))


def _entry(entry: Entry, paths: set[Path], now: float) -> Entry:
    """An entry with these paths; its time moves only when they did."""
    fields = as_fields(paths)
    if entry.get("fieldsV1") == fields:
        return entry
    return {**entry, "time": str(Time(now)), "fieldsType": "FieldsV1", "fieldsV1": fields}


def _without_empty(entries: list[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.get("fieldsV1")]


def _conflict(contested: dict[Path, Entry]) -> HttpError:
    causes = [
        ("FieldManagerConflict", shown(path), f'conflict with "{entry.get("manager")}" using {entry.get("apiVersion")}')
        for path, entry in sorted(contested.items())
    ]
    count = f"{len(causes)} conflict" + ("s" if len(causes) > 1 else "")
    listed = ", ".join(f"{message}: {field}" for _, field, message in causes)
    return HttpError(409, "Conflict", f"Apply failed with {count}: {listed}", tuple(causes))


# --- merging


def _overlay(live: Any, config: Any, builtin: bool) -> Any:
    merged = dict(live) if isinstance(live, dict) else {}
    for key, value in config.items():
        merged[key] = _overlay_field(key, merged.get(key), value, builtin)
    return merged


def _overlay_field(key: str, old: Any, value: Any, builtin: bool) -> Any:
    if isinstance(value, dict):
        return _overlay(old, value, builtin)
    if not isinstance(value, list) or not isinstance(old, list):
        return value
    if is_set(key, old, value):
        return united(old, value)
    keys = merge_keys(key, [*value, *old], builtin)
    if not keys:
        return value
    items = {identity(item, keys): item for item in old}
    for item in value:
        name = identity(item, keys)
        items[name] = _overlay(items.get(name), item, builtin)
    return list(items.values())


def _without(data: Manifest, gone: Fields, builtin: bool) -> Manifest:
    """A manifest without these leaves, and without the maps and lists that become empty by it."""
    kept: Manifest = {}
    for key, value in data.items():
        inner = gone.get(f"f:{key}")
        if inner is None:
            kept[key] = value
        elif inner:  # something in it goes, else all of it
            rest = _rest(key, value, inner, builtin)
            if rest not in ({}, []):
                kept[key] = rest
    return kept


def _rest(key: str, value: Any, gone: Fields, builtin: bool) -> Any:
    if isinstance(value, dict):
        return _without(value, gone, builtin)
    if not isinstance(value, list):
        return value
    if is_set(key, value):
        return [item for item in value if f"v:{compact(item)}" not in gone]
    keys = merge_keys(key, value, builtin)
    items = [(item, gone.get(key_part(item, keys), {}) if keys else {}) for item in value]
    return [_without(item, inner, builtin) if inner else item for item, inner in items if "." not in inner]

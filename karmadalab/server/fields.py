"""Who owns which fields: sets of field paths as `managedFields` writes them (`FieldsV1`).

A set is a nested dict: `f:NAME` for a field, `k:{...}` for an item of a list that is a map, `v:...` for a value of a
set; an empty dict is a leaf, and `.` says that the thing itself belongs to the set and not only parts of it.
"""

from __future__ import annotations

import json
from typing import Any

from karmadalab.server.lists import identity, is_set, merge_keys

Fields = dict[str, Any]
Path = tuple[str, ...]

# What every object has, or what the server keeps: nobody owns these.
_NOT_OWNED = {
    (): ("apiVersion", "kind"),
    ("f:metadata",): (
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "managedFields",
        "selfLink",
        "generateName",
    ),
}


def leaves(data: Any, builtin: bool) -> dict[Path, Any]:
    """Every leaf of a manifest with its value; a list that is no map is one leaf.

    Args:
        data: a manifest.
        builtin: whether it is one of Kubernetes' own kinds, whose lists have keys.

    >>> leaves({"spec": {"replicas": 2, "args": [1]}}, True)
    {('f:spec', 'f:replicas'): 2, ('f:spec', 'f:args'): [1]}
    """
    found: dict[Path, Any] = {}
    _walk(data, (), builtin, found)
    return found


def _walk(data: Any, path: Path, builtin: bool, found: dict[Path, Any]) -> None:
    if not isinstance(data, dict) or not data:
        found[path] = data
        return
    skipped = _NOT_OWNED.get(path, ())
    for key, value in data.items():
        if key not in skipped:
            _walk_field(key, value, (*path, f"f:{key}"), builtin, found)


def _walk_field(key: str, value: Any, path: Path, builtin: bool, found: dict[Path, Any]) -> None:
    if not isinstance(value, list):
        _walk(value, path, builtin, found)
    elif is_set(key, value):
        for item in value:
            found[*path, f"v:{compact(item)}"] = item
    elif keys := merge_keys(key, value, builtin):
        for item in value:
            inside = (*path, key_part(item, keys))
            found[*inside, "."] = identity(item, keys)
            _walk(item, inside, builtin, found)
    else:
        found[path] = value


def key_part(item: dict[str, Any], keys: tuple[str, ...]) -> str:
    """An item of a list that is a map, in a path."""
    return f"k:{compact(dict(zip(keys, identity(item, keys), strict=True)))}"


def compact(value: Any) -> str:
    """The one way in which a key or a value is written into a path."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def as_fields(paths: set[Path]) -> Fields:
    """Paths as `FieldsV1`.

    >>> as_fields({("f:spec", "f:replicas")})
    {'f:spec': {'f:replicas': {}}}
    """
    fields: Fields = {}
    for path in sorted(paths):
        at = fields
        for part in path:
            at = at.setdefault(part, {})
    return fields


def as_paths(fields: Any) -> set[Path]:
    """`FieldsV1` as paths."""
    found: set[Path] = set()
    _collect(fields if isinstance(fields, dict) else {}, (), found)
    return found


def _collect(fields: Fields, path: Path, found: set[Path]) -> None:
    for part, inner in fields.items():
        if isinstance(inner, dict) and inner:
            _collect(inner, (*path, part), found)
        else:
            found.add((*path, part))


def shown(path: Path) -> str:
    """A path as conflicts name it.

    >>> shown(("f:spec", "f:containers", 'k:{"name":"a"}', "f:image"))
    '.spec.containers[name="a"].image'
    """
    text = ""
    for part in path:
        mark, _, rest = part.partition(":")
        if mark == "f":
            text += f".{rest}"
        elif mark == "k":
            text += "[" + ",".join(f"{key}={json.dumps(value)}" for key, value in json.loads(rest).items()) + "]"
        elif mark == "v":
            text += f"[={rest}]"
    return text

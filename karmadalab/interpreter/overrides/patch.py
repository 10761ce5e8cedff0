"""JSON patch (RFC 6902), by the `jsonpatch` library, imported only when an override asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

from karmadalab.interpreter.overrides.errors import OverrideError

D = TypeVar("D")


class Operation(NamedTuple):
    """One operation; `remove` has no value."""

    op: str
    path: str
    value: Any = None


def apply_patch(document: D, operations: Iterable[Operation]) -> D:
    """A patched copy of the document.

    Raises:
        OverrideError: a path is not there, or is no JSON pointer.

    >>> apply_patch({"a": {"b": 1}}, [Operation("replace", "/a/b", 2)])
    {'a': {'b': 2}}
    """
    try:
        import jsonpatch
        import jsonpointer
    except ImportError:
        raise OverrideError("overrides are applied by a library that is not installed: pip install jsonpatch") from None
    steps = [step._asdict() if step.op != "remove" else {"op": step.op, "path": step.path} for step in operations]
    try:
        patched: D = jsonpatch.apply_patch(document, steps) if steps else document
        return patched
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError) as error:
        wanted = ", ".join(f"{step['op']} {step['path']}" for step in steps)
        raise OverrideError(f"JSON patch ({wanted}): {error}; check that the path exists in the object") from None


def pointer_token(key: str) -> str:
    """A key as a part of a JSON pointer.

    >>> pointer_token("example.com/team")
    'example.com~1team'
    """
    return key.replace("~", "~0").replace("/", "~1")

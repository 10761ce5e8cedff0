"""Bounds on what a body may hold, so that a few bytes can't cost minutes: whoever answers has the lab's turn."""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.environments.plain import DEPTH
from karmadalab.server.status import HttpError

MAX_YAML = 1 << 16  # bytes; the reader of YAML is slow, and clients send JSON
_MAX_OPERATIONS = 10_000  # of a JSON patch, as in Kubernetes
_MAX_COPIED = 3 << 20  # bytes that a JSON patch may copy, as in Kubernetes


def check_depth(data: Any) -> None:
    """Whoever walks data later does so by recursion, which has an end.

    >>> check_depth({"spec": [{"name": "a"}]})

    Raises:
        BadRequest: lists and mappings are nested too deeply.
    """
    level = [data]
    for _ in range(DEPTH + 2):  # the list of a JSON patch and its operation are two more
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise BadRequest(f"the body: nested more than {DEPTH} deep")


def check_operations(patch: list[Any]) -> None:
    """Raises `HttpError` 413: a JSON patch does too much."""
    if len(patch) > _MAX_OPERATIONS:
        message = f"the allowed maximum operations in a JSON patch is {_MAX_OPERATIONS}, got {len(patch)}"
        raise HttpError(413, "RequestEntityTooLarge", message)


def check_copied(size: int) -> None:
    """Raises `HttpError` 413: the copies of a JSON patch, `size` bytes in all, grow beyond what could be sent."""
    if size > _MAX_COPIED:
        message = f"the copy operations of the JSON patch add up to more than {_MAX_COPIED} bytes"
        raise HttpError(413, "RequestEntityTooLarge", message)

"""Data from outside, as a copy in JSON's own types: what an API server could be sent at all.

YAML can say more than JSON: a handful of aliases that stand for a billion fields, a mapping inside itself, sets, bytes.
Python can say even more. Whoever walks such data later never comes back, so it is walked here, once, within limits.
"""

from __future__ import annotations

import datetime as _dt
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

from karmadalab.api.errors import Invalid, shortly
from karmadalab.api.time import Time

MANIFEST_BYTES = 3 << 19  # what etcd takes by default
FILE_BYTES = 16 << 20
DEPTH = 100


def plain(data: Any, where: str, limit: int = MANIFEST_BYTES) -> Any:
    """A copy of the data in dicts, lists, texts, numbers, booleans and None. Names that are numbers become texts.

    Args:
        where: how to name the data in errors.
        limit: how large it may be as JSON, about, in bytes.

    Raises:
        Invalid: it holds itself, is too large or too deep, or something in it is no JSON.
    """
    try:
        return _Walk(limit).copy(data)
    except _Refused as refused:
        raise Invalid(f"{where}: {refused}") from None


class _Refused(Exception):  # on its way up each level adds where it stands
    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path: list[Any] = []

    def __str__(self) -> str:
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in reversed(self.path))
        at = "".join(steps).removeprefix(".").encode(errors="backslashreplace").decode()
        at = at if len(at) < 100 else f"{at[:40]}..."
        return f"{at}: {self.problem}" if at else self.problem


class _TooLarge(_Refused):
    def __str__(self) -> str:
        return self.problem  # the place where it got too large says nothing


class _Walk:
    """Texts that are plainly texts take the short way, for most data is nothing else."""

    def __init__(self, limit: int) -> None:
        self._limit = self._left = limit
        self._inside: set[int] = set()  # what is being copied: whoever is met again holds itself

    def copy(self, data: Any) -> Any:
        kind = type(data)
        if kind is dict or kind is list or isinstance(data, (Mapping, list, tuple)):
            return self._copy_inside(data)
        if data is None or kind is bool or (kind is str and data.isascii()):
            return data
        return self._scalar(data)

    def _copy_inside(self, data: Any) -> Any:
        inside = self._inside
        if id(data) in inside:
            raise _Refused("holds itself, and so has no end")
        if len(inside) >= DEPTH:
            raise _Refused(f"nested more than {DEPTH} deep")
        inside.add(id(data))
        found = self._copy_mapping(data) if isinstance(data, Mapping) else self._copy_list(data)
        inside.discard(id(data))
        return found

    def _copy_mapping(self, data: Mapping[Any, Any]) -> dict[str, Any]:
        found, size = {}, 2
        for key, value in data.items():
            name = key if type(key) is str and key.isascii() else self._name(key)
            if type(value) is str and value.isascii():
                found[name] = value
                size += len(name) + len(value) + 6
            else:
                try:
                    found[name] = self.copy(value)
                except _Refused as refused:
                    refused.path.append(name)
                    raise
                size += len(name) + (len(value) if type(value) is str else 0) + 8
        self._take(size)
        return found

    def _copy_list(self, data: Sequence[Any]) -> list[Any]:
        found, size = [], 2
        for index, value in enumerate(data):
            try:
                found.append(self.copy(value))
            except _Refused as refused:
                refused.path.append(index)
                raise
            size += (len(value) if type(value) is str else 0) + 5
        self._take(size)
        return found

    def _name(self, key: Any) -> str:
        if isinstance(key, bool):
            return str(key).lower()
        if isinstance(key, (str, int, float)):
            return _whole_text(str(key))
        raise _Refused(f"{shortly(key)} can't name a field: write text")

    def _take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise _TooLarge(
                f"larger than {self._limit / (1 << 20):.1f} MiB with its aliases written out: no API server would "
                "take it"
            )

    def _scalar(self, data: Any) -> Any:
        if isinstance(data, (Time, str)):
            return _whole_text(str(data))
        if isinstance(data, numbers.Integral):
            number = int(data)
            if not -1 << 63 <= number < 1 << 64:
                raise _Refused("expected a number of at most 64 bits, got a longer one")
            return number
        if isinstance(data, numbers.Real):
            if data - data != 0:
                raise _Refused(f"expected a number, got {data}")
            return float(data)
        if isinstance(data, (_dt.datetime, _dt.date)):
            return data.isoformat()
        kind = type(data).__name__
        raise _Refused(f"expected text, a number, true, false, a list or a mapping, got a {kind}")


def _whole_text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start].encode("unicode_escape").decode()
        raise _Refused(f"holds half a character ({half})") from None
    return text

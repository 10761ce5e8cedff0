"""What crosses the border between the judge and a student's process: plain data, karmadalab's values, and handles.

Not pickle: a pickle may call whatever it names, and the judge reads what a student's process wrote. Here the reader
builds lists, numbers and karmadalab's own data classes, and nothing else. Whatever is none of these stays where it is,
and only a number crosses, by which it can be asked for later.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from importlib import import_module
from itertools import islice
from typing import Any, BinaryIO

import msgspec

MOST_BYTES = 32 << 20  # a message; a student's answer is a few hundred bytes
MOST_ITEMS = 100_000  # of an iterator, which need not have an end
_LENGTH_BYTES = 4
_BASES: tuple[Any, ...] = (bool, int, float, str, bytes, tuple)
_SERIES: dict[str, Callable[[Any], Any]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "iter": iter,
    "dict": dict,
}


class CannotCross(BaseException):
    """A value of the judge's that can't be sent into another process. No Exception, as `remote.Gone` is none."""


class Garbled(Exception):
    """A message that is none: too long, or of a form that nobody here writes."""


class Codec:
    """Values as trees of lists, and back.

    Args:
        number_of: the handle of a value that has no other form; raises CannotCross when it may not cross.
        held: the value behind a handle.
    """

    def __init__(self, number_of: Callable[[Any], int], held: Callable[[int], Any]) -> None:
        self._number_of, self._held = number_of, held

    def encode(self, value: Any) -> Any:
        """A value as msgpack can write it."""
        kind = type(value)
        if value is None or kind in (bool, float, str, bytes) or (kind is int and -(1 << 63) <= value < 1 << 63):
            return value
        if kind is int:
            return ["int", hex(value)]
        if value is msgspec.UNSET:
            return ["unset"]
        if _is_ours(kind):
            return self._encode_ours(kind, value)
        if isinstance(value, tuple) and hasattr(kind, "_fields"):
            return ["handle", self._number_of(value)]  # a student's own named tuple keeps its names at home
        for name, matches in _MATCHES.items():
            if isinstance(value, matches):
                return [name, [self.encode(item) for item in _items(value)]]
        for base in _BASES:
            if isinstance(value, base):  # numpy's float is one, too
                return self.encode(base(value))
        return ["handle", self._number_of(value)]

    def _encode_ours(self, kind: type, value: Any) -> Any:
        name = f"{kind.__module__}:{kind.__qualname__}"
        if issubclass(kind, Enum):
            return ["of", name, [self.encode(value.value)]]
        fields = _fields_of(kind)
        if fields is not None:
            return ["of", name, [self.encode(getattr(value, field)) for field in fields]]
        for base in _BASES:
            if isinstance(value, base):
                return ["of", name, [self.encode(base(value))]]
        return ["handle", self._number_of(value)]

    def decode(self, tree: Any) -> Any:
        """The value that a tree stands for.

        Raises:
            Garbled: it stands for none.
        """
        match tree:
            case ["handle", int(number)]:
                return self._held(number)
            case ["int", str(digits)]:
                return int(digits, 16)
            case ["unset"]:
                return msgspec.UNSET
            case ["of", str(name), [*values]]:
                return _build(name, [self.decode(value) for value in values])
            case [str(name), [*items]] if name in _SERIES:
                return _SERIES[name]([self.decode(item) for item in items])
            case None | bool() | int() | float() | str() | bytes():
                return tree
        raise Garbled(f"{str(tree)[:60]} stands for nothing")


_MATCHES: dict[str, type] = {
    "tuple": tuple,
    "list": list,
    "dict": Mapping,
    "frozenset": frozenset,
    "set": Set,
    "iter": Iterator,
}


def _items(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.items())
    items = list(islice(value, MOST_ITEMS + 1))
    if isinstance(value, Iterator) and len(items) > MOST_ITEMS:
        raise ValueError(f"an iterator gives more than {MOST_ITEMS} items; does it ever end?")
    return items


def _is_ours(kind: type) -> bool:
    return kind.__module__.startswith("karmadalab.") and _class_named(f"{kind.__module__}:{kind.__qualname__}") is kind


@lru_cache(maxsize=1000)
def _class_named(name: str) -> Any:
    module, _, path = name.partition(":")
    if not module.startswith("karmadalab.") or "__" in module:
        return None
    with suppress(ImportError):
        import_module(module)
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def _fields_of(kind: type) -> tuple[str, ...] | None:
    """The fields that a class of ours can be built from; None when it holds more than data."""
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    if issubclass(kind, tuple):
        return getattr(kind, "_fields", None)
    if dataclasses.is_dataclass(kind) and all(field.init for field in dataclasses.fields(kind)):
        return tuple(field.name for field in dataclasses.fields(kind))
    return None


def _build(name: str, values: list[Any]) -> Any:
    kind: Any = _class_named(name)
    if not (isinstance(kind, type) and _is_ours(kind)):
        raise Garbled(f"{name[:60]} is no class of karmadalab's")
    fields = None if issubclass(kind, Enum) else _fields_of(kind)
    if fields is not None:
        return kind(**dict(zip(fields, values, strict=True)))
    if issubclass(kind, (Enum, *_BASES)) and len(values) == 1:
        return kind(*values)
    raise Garbled(f"{name[:60]} is no data")


def send(stream: BinaryIO, message: Any) -> None:
    """Write a message."""
    text = msgspec.msgpack.encode(message)
    stream.write(len(text).to_bytes(_LENGTH_BYTES, "big") + text)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read a message.

    Raises:
        EOFError: nobody writes any more.
        Garbled: it is no message.
    """
    length = int.from_bytes(_read(stream, _LENGTH_BYTES), "big")
    if length > MOST_BYTES:
        raise Garbled(f"a message of {length >> 20} MiB; at most {MOST_BYTES >> 20} MiB are taken")
    try:
        return msgspec.msgpack.decode(_read(stream, length))
    except (msgspec.DecodeError, RecursionError) as error:
        raise Garbled(str(error)) from None


def _read(stream: BinaryIO, length: int) -> bytes:
    text = stream.read(length)
    if len(text) < length:
        raise EOFError
    return text

"""What plain data should look like, as data: which fields are texts, numbers, lists, and what they hold.

A shape knows only the fields that somebody reads; what else a mapping holds passes. A field that is null counts as
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from karmadalab.api.errors import BadRequest, shortly
from karmadalab.api.quantity import milli

INT32, INT64 = (1 << 31) - 1, (1 << 63) - 1

Misfit = tuple[str, str]  # the path inside the data, and what is wrong there


class Shape(Protocol):
    """Something that data fits or not."""

    def misfit(self, value: Any) -> Misfit | None:
        """Where the first thing is that does not fit, and what it should be; None when all fits."""
        ...


class Leaf(NamedTuple):
    """A single value.

    Attributes:
        problem: what is wrong with a value, None when nothing is.
        type: string, integer or boolean; empty where text and numbers both fit.
    """

    problem: Callable[[Any], str | None]
    type: str = ""

    def misfit(self, value: Any) -> Misfit | None:
        text = self.problem(value)
        return None if text is None else ("", text)


class Fields(NamedTuple):
    """A mapping with known fields.

    Attributes:
        fields: the shape of each field that is read.
        like: what the mapping is like, for the message.
        required: fields that can't be left out.
        closed: whether there are no others.
    """

    fields: Mapping[str, Shape]
    like: str = ""
    required: tuple[str, ...] = ()
    closed: bool = False

    def misfit(self, value: Any) -> Misfit | None:
        if not isinstance(value, dict):
            return "", f"expected a mapping{self.like}, got {shortly(value)}"
        fields = self.fields
        for name, item in value.items():
            shape = fields.get(name)
            if shape is None:
                if self.closed:
                    return f".{name}", f"unknown field; there are {', '.join(fields)}"
            elif item is not None and (found := shape.misfit(item)) is not None:
                return f".{name}{found[0]}", found[1]
        for name in self.required:
            if value.get(name) is None:
                return f".{name}", "required, but missing"
        return None


class Each(NamedTuple):
    """A list of things of one shape."""

    item: Shape

    def misfit(self, value: Any) -> Misfit | None:
        if not isinstance(value, (list, tuple)):
            return "", "expected a list, each entry with a '-'"
        for index, item in enumerate(value):
            if (found := self.item.misfit(item)) is not None:
                return f"[{index}]{found[0]}", found[1]
        return None


class Named(NamedTuple):
    """A mapping from names of any kind to things of one shape."""

    item: Shape
    like: str = ""

    def misfit(self, value: Any) -> Misfit | None:
        if not isinstance(value, dict):
            return "", f"expected a mapping{self.like}, got {shortly(value)}"
        for name, item in value.items():
            if not isinstance(name, str):
                return "", f"expected text as a name, got {shortly(name)}; put it in quotes"
            if item is not None and (found := self.item.misfit(item)) is not None:
                return f".{name}{found[0]}", found[1]
        return None


def text(like: str = "") -> Leaf:
    """Text; `like` gives an example, for the message."""

    def problem(value: Any) -> str | None:
        if isinstance(value, str):
            return None
        quotes = "; put it in quotes" if isinstance(value, (bool, int, float)) and not like else ""
        return f"expected text{like}, got {shortly(value)}{quotes}"

    return Leaf(problem, "string")


def whole(least: int, most: int) -> Leaf:
    """A whole number between bounds, both included."""
    sense = " of 0 or more" if not least else f" from {least} to {most}" if least > 0 else ""

    def problem(value: Any) -> str | None:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            return f"expected a whole number{sense}, got {shortly(value)}"
        return None if value <= most else f"expected a whole number up to {most}, got {shortly(value)}"

    return Leaf(problem, "integer")


def _truth(value: Any) -> str | None:
    return None if isinstance(value, bool) else f"expected true or false, got {shortly(value)}"


def _share(value: Any) -> str | None:
    if isinstance(value, str) and value.endswith("%") and value[:-1].isascii() and value[:-1].isdecimal():
        return None if len(value) < 10 else f"expected a percentage such as 25%, got {shortly(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= INT32:
        return None
    return f"expected a whole number or a percentage such as 25%, got {shortly(value)}"


def _port(value: Any) -> str | None:
    if isinstance(value, str) and value:
        return None
    return PORT.problem(value)


def _quantity(value: Any) -> str | None:
    try:
        if milli(value) < 0:
            return f"can't be negative, got {value}"
    except BadRequest as error:
        return str(error)
    except TypeError:  # a list can't even be looked up
        return f"{shortly(value)} is not a quantity: write a number with a suffix such as 100m, 2, 64Mi or 1G"
    return None


TEXT, TRUTH = text(), Leaf(_truth, "boolean")
COUNT, LENGTH, NUMBER = whole(0, INT32), whole(0, INT64), whole(-INT64 - 1, INT64)
PORT, PORT_OR_NAME, SHARE, QUANTITY = whole(1, 65535), Leaf(_port), Leaf(_share), Leaf(_quantity)
TEXTS, ANY = Named(TEXT), Fields({})

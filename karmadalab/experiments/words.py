"""The words of a scenario file that both actions and expectations use: objects, lengths of time, named parts."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from karmadalab.api.codec import convert
from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.api.meta import Data
from karmadalab.api.scheme import resource_type
from karmadalab.api.time import seconds

Length = str | float
D = TypeVar("D", bound=Data)


class Named(NamedTuple):
    """An object as a file names it: `deployment/nginx`, `rb/prod/nginx-deployment`, `cluster/member1`."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind.lower()}/{self.name}"


def named(text: str, where: str) -> Named:
    """Read `kind/name` or `kind/namespace/name`.

    Raises:
        Invalid: there is no such kind, or it is written otherwise.
    """
    parts = text.split("/")
    if len(parts) not in (2, 3) or not all(parts):
        raise Invalid(f"{where}: write kind/name or kind/namespace/name, for example deployment/nginx, not {text!r}")
    try:
        rt = resource_type(parts[0])
    except BadRequest as error:
        raise Invalid(f"{where}: {error}") from None
    namespace = (parts[1] if len(parts) == 3 else "default") if rt.namespaced else ""
    return Named(rt.kind, namespace, parts[-1])


def length(value: Length, where: str) -> float:
    """A length of time in seconds, not negative.

    Raises:
        Invalid: it is negative, or no length of time.
    """
    try:
        length_s = seconds(value, where)
    except BadRequest as error:
        raise Invalid(str(error)) from None
    if length_s < 0:
        raise Invalid(f"{where}: a time can't be negative, got {value}; times count from the beginning of the lab")
    return length_s


def known(name: str, names: Iterable[str], where: str, what: str) -> str:
    """The name itself, if it is one of those there are.

    Raises:
        Invalid: it is not; the message offers a close one.
    """
    there = list(names)
    if name in there:
        return name
    close = difflib.get_close_matches(name, there, n=1, cutoff=0.6)
    offer = f"did you mean {close[0]}?" if close else f"there are {', '.join(there) or 'none'}"
    raise Invalid(f"{where}: there is no {what} {name!r}; {offer}")


def one_of(data: Any, classes: Mapping[str, type[D]], where: str, what: str) -> D:
    """Read a mapping whose class is told by the one key that it must have.

    Raises:
        Invalid: it has none of the keys, or two, or fields that its class has not.
    """
    if not isinstance(data, dict):
        raise Invalid(f"{where}: {what} is a mapping such as {{{next(iter(classes))}: ...}}, not {type(data).__name__}")
    keys = [key for key in classes if key in data]
    if len(keys) != 1:
        found = f"it says {' and '.join(keys)}" if keys else f"it has {_listed(data)}"
        raise Invalid(f"{where}: {what} says exactly one of {', '.join(classes)}; {found}")
    return convert(data, classes[keys[0]], where)


def _listed(data: Collection[Any]) -> str:
    return ", ".join(map(str, data)) or "nothing"

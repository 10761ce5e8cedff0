"""The package's own code in a notebook. Code lives once: a lesson shows it and never carries a copy."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

from karmadalab.api.errors import BadRequest


class Source:
    """A piece of source code, with where it stands.

    Attributes:
        where: `karmadalab/controllers/cluster.py, line 40`.
        code: the text.
    """

    def __init__(self, where: str, code: str) -> None:
        self.where, self.code = where, code

    def _repr_markdown_(self) -> str:
        return f"`{self.where}`\n\n```python\n{self.code}```\n"

    def __repr__(self) -> str:
        return f"# {self.where}\n{self.code}"


def source(thing: Callable[..., Any] | type) -> Source:
    """The source of a function, method or class.

    Raises:
        BadRequest: it has none that can be read.
    """
    try:
        lines, number = inspect.getsourcelines(inspect.unwrap(thing))
        file = inspect.getsourcefile(inspect.unwrap(thing)) or "?"
    except (TypeError, OSError) as error:
        raise BadRequest(f"source: give a function or a class written in Python, not {thing!r} ({error})") from None
    return Source(f"{_short(Path(file))}, line {number}", dedent("".join(lines)))


def _short(path: Path) -> str:
    """The path from the package on: where one's copy of the package lies is nobody's business."""
    parts = path.parts
    if "karmadalab" in parts:
        place = len(parts) - 1 - parts[::-1].index("karmadalab")
        return "/".join(parts[place:])
    return path.name

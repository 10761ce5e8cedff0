"""Regions in a cell: `### BEGIN SOLUTION` ... `### END SOLUTION`, and the same for hidden tests.

nbgrader takes any line that contains the words for a marker, a sentence in a comment too. Here a marker stands alone on
its line, and anything that only looks like one is an error, so that nbgrader makes of our files what we make of them.
"""

from __future__ import annotations

from typing import NamedTuple

from karmadalab.api.errors import KarmadalabError


class BadNotebook(KarmadalabError):
    """A notebook that no exercise can be made of: which one, which cell, what is wrong, the way out."""


class Region(NamedTuple):
    """A kind of region, by the words of its markers."""

    word: str

    @property
    def begin(self) -> str:
        """The line that opens it."""
        return f"### BEGIN {self.word}"

    @property
    def end(self) -> str:
        """The line that closes it."""
        return f"### END {self.word}"


SOLUTION = Region("SOLUTION")
HIDDEN_TESTS = Region("HIDDEN TESTS")

CODE_STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")


def cut(source: str, region: Region, stub: tuple[str, ...], where: str) -> tuple[str, bool]:
    """Put a stub in place of each region of a cell, indented as the region was.

    Args:
        where: notebook and cell, for the error.

    Returns:
        the new source, and whether there was a region.

    Raises:
        BadNotebook: unbalanced, nested or misspelt markers.

    >>> cut("def f():\\n    ### BEGIN SOLUTION\\n    return 1\\n    ### END SOLUTION", SOLUTION, ("pass",), "")
    ('def f():\\n    pass', True)
    """
    kept: list[str] = []
    opened = 0  # the line on which the open region began
    found = False
    for number, line in enumerate(source.split("\n"), 1):
        text = line.strip()
        if text == region.begin:
            if opened:
                raise BadNotebook(_again(region, opened, number, where))
            opened, found = number, True
            indent = line[: len(line) - len(line.lstrip())]
            kept += [indent + stub_line for stub_line in stub]
        elif text == region.end:
            if not opened:
                raise BadNotebook(
                    f"{where}: line {number} closes a region that no `{region.begin}` opens; add that line above it"
                )
            opened = 0
        elif f"BEGIN {region.word}" in line or f"END {region.word}" in line:
            raise BadNotebook(
                f"{where}: line {number} is not quite a marker: {text!r}; write `{region.begin}` or `{region.end}` "
                "alone on its line, or put the sentence into other words"
            )
        elif not opened:
            kept.append(line)
    if opened:
        raise BadNotebook(f"{where}: `{region.begin}` on line {opened} is never closed; add `{region.end}` below it")
    return "\n".join(kept), found


def _again(region: Region, opened: int, number: int, where: str) -> str:
    return (
        f"{where}: `{region.begin}` on line {number} stands inside the region that line {opened} opens; "
        f"close that one first with `{region.end}`"
    )

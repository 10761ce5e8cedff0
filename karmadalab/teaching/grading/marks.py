"""What a graded cell is worth, and what it got."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import NamedTuple

from karmadalab.teaching.grading.submissions import Submission

BY_HAND = "a written answer: read it, and write its points here"
COLUMNS = ("student", "notebook", "cell", "points", "max", "message")
TOTALS = ("student", "notebook", "points", "max")


class Mark(NamedTuple):
    """The points of one cell.

    Attributes:
        cell: the cell's grade_id.
        points: what it got; None for an answer that a person must read.
        most: what it could get.
        message: what the check said, or why there was none.
    """

    cell: str
    points: float | None
    most: float
    message: str


class Graded(NamedTuple):
    """A submission with its marks, a mark a graded cell of its lab.

    Attributes:
        submission: what was graded.
        marks: in the order of the lab; empty when no lab is known for it.
        problem: why it was not graded to its end; empty when it was.
        holds: what held it in while it ran.
    """

    submission: Submission
    marks: tuple[Mark, ...] = ()
    problem: str = ""
    holds: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """The points of all its cells."""
        return sum(mark.points or 0.0 for mark in self.marks)

    @property
    def most(self) -> float:
        """What it could get."""
        return sum(mark.most for mark in self.marks)


def as_csv(graded: Iterable[Graded]) -> str:
    """A row and a line a cell; a submission without a lab has one row, with its problem.

    A spreadsheet takes a field that begins with `=` for a formula; such a field gets an apostrophe in front.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in graded:
        rows = one.marks or (Mark("", None, 0.0, one.problem),)
        for mark in rows:
            points = "" if mark.points is None else f"{mark.points:g}"
            name, notebook = one.submission.student, one.submission.notebook
            fields = [_harmless(field) for field in (name, notebook, mark.cell)]
            writer.writerow([*fields, points, f"{mark.most:g}", _harmless(" ".join(mark.message.split()))])
    return text.getvalue()


def totals(graded: Iterable[Graded]) -> str:
    """A row a notebook: its points so far, those of answers in words left out, and what it could get with them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(TOTALS)
    for one in graded:
        names = (one.submission.student, one.submission.notebook)
        writer.writerow([*map(_harmless, names), f"{one.points:g}", f"{one.most:g}"])
    return text.getvalue()


def spoken(cell: str) -> str:
    """A graded cell as students know it.

    >>> spoken("check-30-2"), spoken("essay")
    ('30.2', 'essay')
    """
    return re.sub(r"^check-(\d+)-(\d+)$", r"\1.\2", cell)


def _harmless(field: str) -> str:
    text = printable(field)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def printable(text: str) -> str:
    """Text that any file can hold: bytes of a name that are no text become escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")

"""The submissions in a folder, in either of two orders: `STUDENT/NOTEBOOK` and nbgrader's
`submitted/STUDENT/ASSIGNMENT/NOTEBOOK`.

What students hand in is strange: folders named as nobody would, links to somewhere else, notebooks renamed by a
browser. Each gets its grade or its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from karmadalab.teaching.markers import BadNotebook

MOST_MB = 20  # of a notebook file


class Submission(NamedTuple):
    """A notebook that somebody handed in.

    Attributes:
        student: the name of the student's folder.
        notebook: the file, as it is called within that folder.
        path: where it is.
        source: the solution that it belongs to; None when there is none.
        problem: why it can't be graded; empty when it can.
    """

    student: str
    notebook: str
    path: Path
    source: Path | None
    problem: str = ""


def submissions(folder: Path, solutions: Path) -> list[Submission]:
    """All submissions, by student and notebook.

    Raises:
        BadNotebook: there is no such folder, no solution, or nothing was handed in.
    """
    root = folder / "submitted" if (folder / "submitted").is_dir() else folder
    if not root.is_dir():
        raise BadNotebook(f"{folder}: there is no such folder; name the one that holds a folder for each student")
    sources = sorted(solutions.glob("*.ipynb"))
    if not sources:
        raise BadNotebook(f"{solutions}: holds no solution; name the folder with --solutions")
    found = [one for student in sorted(root.iterdir()) if _counts(student) for one in _of(student, sources)]
    if not any(one.notebook for one in found):
        raise BadNotebook(f"{folder}: nothing to grade; notebooks go into a folder for each student, STUDENT/LAB.ipynb")
    return found


def _counts(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and not path.name.startswith(".")


def _of(student: Path, sources: list[Path]) -> Iterator[Submission]:
    try:
        folders = [student, *sorted(path for path in student.iterdir() if _counts(path))]
        notebooks = [path for folder in folders for path in sorted(folder.glob("*.ipynb"))]
    except OSError as error:
        yield Submission(student.name, "", student, None, f"the folder can't be read: {error.strerror}")
        return
    if not notebooks:
        yield Submission(student.name, "", student, None, "there is no notebook in the folder")
    for path in notebooks:
        source = _source_of(path.name, sources)
        yield Submission(student.name, str(path.relative_to(student)), path, source, _problem(path, source))


def _source_of(name: str, sources: list[Path]) -> Path | None:
    """By name, else by number: a browser saves `11_thresholds (1).ipynb`, and students add their names."""
    number = re.match(r"\d\d(?=\D)", name)
    same = [source for source in sources if source.name == name]
    alike = [source for source in sources if number and source.name.startswith(f"{number[0]}_")]
    return next(iter([*same, *alike]), None)


def _problem(path: Path, source: Path | None) -> str:
    if path.is_symlink() or not path.is_file():
        return "it is a link or no file at all; hand in the notebook itself"
    if path.stat().st_size > MOST_MB << 20:
        return f"it is larger than {MOST_MB} MiB; clear its outputs and hand it in again"
    if source is None:
        return "no lab is called so; keep the name of the exercise, or at least its number"
    return ""

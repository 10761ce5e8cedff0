"""A page a student: what each check said, and the points. It stands alone, runs nothing and loads nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from html import escape

from karmadalab.teaching.grading.marks import Graded, Mark, printable, spoken

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid #999; padding: .4rem .6rem; text-align: left; vertical-align: top; }
td pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
"""


def feedback(student: str, graded: Iterable[Graded]) -> str:
    """The page of one student, as HTML."""
    name = _text(student)
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">""",
        f"<title>Feedback for {name}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Feedback for {name}</h1>",
        *map(_section, graded),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _section(one: Graded) -> str:
    head = f"<h2>{_text(one.submission.notebook)}: {one.points:g} of {one.most:g} points</h2>"
    problem = f"<p>{_text(one.problem)}</p>" if one.problem else ""
    if not one.marks:
        return f"{head}\n{problem}"
    rows = "\n".join(map(_row, one.marks))
    titles = "".join(f'<th scope="col">{title}</th>' for title in ("cell", "points", "what the check says"))
    return f"{head}\n{problem}\n<table>\n<thead><tr>{titles}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


def _row(mark: Mark) -> str:
    points = f"to be read, of {mark.most:g}" if mark.points is None else f"{mark.points:g} of {mark.most:g}"
    return f"<tr><td>{_text(spoken(mark.cell))}</td><td>{points}</td><td><pre>{_text(mark.message)}</pre></td></tr>"


def _text(text: str) -> str:
    return escape(printable(text), quote=True)


def file_name(student: str) -> str:
    """The name of a student's page: readable, and another one for each student whatever a file system makes of names.

    >>> file_name("ann"), file_name("../Ann")
    ('ann.html', 'Ann-0a4a3bbd.html')
    """
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", student).strip("-")[:60]
    if plain == student and plain == plain.lower() and plain:
        return f"{plain}.html"
    digest = sha256(student.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{plain or 'student'}-{digest[:8]}.html"

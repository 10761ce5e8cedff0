"""`karmadalab grade`: a line a submission and a slow cell, the marks as CSV, and a page a student."""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType
from typing import NoReturn

import typer

from karmadalab.teaching.grading import Graded, Interrupted, Limits, grade, write
from karmadalab.teaching.grading.marks import printable
from karmadalab.teaching.grading.submissions import Submission

_STOPS = (signal.SIGINT, signal.SIGTERM)
_STOPPED = 130  # what a shell makes of a Ctrl-C


def grade_folder(folder: Path, solutions: Path, output: Path, limits: Limits, jobs: int) -> bool:
    """Grade, say each result as it comes, and write them all.

    Returns:
        whether every submission could be graded to its end.

    Raises:
        Exit: Ctrl-C or SIGTERM; the marks so far are written.
    """
    for number in _STOPS:
        signal.signal(number, _interrupt_once)
    try:
        results = grade(folder, solutions, limits, jobs, tell=_say, slow=_say_slow)
    except Interrupted as stopped:
        _write_so_far(stopped, output)
    files = write(results, output)
    troubled = [one for one in results if one.problem]
    typer.echo(f"\n{len(results) - len(troubled)} of {len(results)} graded")
    typer.echo(f"the marks are in {files[0]}, their sums in {files[1]}")
    pages = len({one.submission.student for one in results})
    typer.echo(f"feedback for {pages} student{'' if pages == 1 else 's'} is in {output / 'feedback'}")
    held = [one.holds for one in results if one.holds]
    if held:
        common = [what for what in held[0] if all(what in holds for holds in held)]
        typer.echo(f"submissions were held in by: {'; '.join(common)}", err=True)
    return not troubled


def _interrupt_once(number: int, frame: FrameType | None) -> None:
    """Stop; who presses Ctrl-C once more shall not lose the marks that are being written."""
    for stop in _STOPS:
        signal.signal(stop, signal.SIG_IGN)
    raise KeyboardInterrupt


def _write_so_far(stopped: Interrupted, output: Path) -> NoReturn:
    """Write what is graded, unless that is nothing: an earlier run's marks would be lost for it."""
    count = len(stopped.graded)
    where = f"the marks so far are in {write(stopped.graded, output)[0]}" if count else "nothing was written"
    typer.echo(
        f"karmadalab: stopped: {count} of {count + stopped.missing} submissions graded, {stopped.missing} missing; "
        f"{where}; grade again for all",
        err=True,
    )
    raise typer.Exit(_STOPPED)


def _say(one: Graded) -> None:
    name = f"{one.submission.student}  {one.submission.notebook}".strip()
    said = f"{one.points:g} of {one.most:g}" if one.marks else ""
    by_hand = sum(mark.points is None for mark in one.marks)
    parts = [said, f"{by_hand} to be read" if by_hand else "", one.problem]
    typer.echo(_one_line(f"{name}  {', '.join(filter(None, parts))}"))


def _say_slow(one: Submission, cell: str) -> None:
    typer.echo(_one_line(f"{one.student}  {one.notebook}  {cell} takes long"), err=True)


def _one_line(text: str) -> str:
    """A student's name is anything: one line it shall be, and no escape code."""
    return "".join(c if c.isprintable() else "?" for c in printable(text))

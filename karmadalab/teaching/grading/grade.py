"""Grade a folder of submissions: a judge of its own for each, a few at a time, and no submission can stop another's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.teaching.cells import cells_of
from karmadalab.teaching.grading.feedback import feedback, file_name
from karmadalab.teaching.grading.judges import Judges
from karmadalab.teaching.grading.limits import Limits
from karmadalab.teaching.grading.marks import BY_HAND, Graded, Mark, as_csv, totals
from karmadalab.teaching.grading.submissions import Submission, submissions
from karmadalab.teaching.sources import read

START_S = 60.0  # for the judge to import what it needs, on a busy machine
_PATIENCE_S = 10.0  # for a judge that is told to end
LOOK_S = 10.0  # a cell that is still at it at a second look is slow

Slow = Callable[[Submission, str], None]


class Interrupted(KeyboardInterrupt):
    """Grading was stopped on the way; its judges are no more.

    Attributes:
        graded: what was done by then, in the order of the submissions.
        missing: how many submissions were not.
    """

    def __init__(self, graded: list[Graded], missing: int) -> None:
        super().__init__(f"{len(graded)} graded, {missing} missing")
        self.graded, self.missing = graded, missing


def grade(
    folder: Path,
    solutions: Path,
    limits: Limits | None = None,
    jobs: int = 2,
    tell: Callable[[Graded], None] = lambda _: None,
    slow: Slow = lambda *_: None,
) -> list[Graded]:
    """Grade all submissions in a folder, by student and notebook.

    Args:
        folder: holds `STUDENT/NOTEBOOK.ipynb`, or nbgrader's `submitted/STUDENT/ASSIGNMENT/NOTEBOOK.ipynb`.
        solutions: the sources of the labs.
        limits: what each submission may use.
        jobs: how many are graded at a time.
        tell: is called with each result, in the order of the list.
        slow: is called once, from any thread, with each submission and cell that takes long.

    Raises:
        BadNotebook: there is nothing to grade, or a solution is broken.
        BadRequest: the platform can't hold a submission in.
        Interrupted: Ctrl-C; it has what is graded by then.
    """
    if not hasattr(os, "fork"):
        raise BadRequest("grade: needs Linux or macOS, or WSL on Windows: this system sets no limits on processes")
    limits = limits or Limits()
    found = submissions(folder, solutions)
    empty = {source: _marks_of(source) for source in {one.source for one in found} if source is not None}
    judges, workers = Judges(), ThreadPoolExecutor(jobs)
    running: list[Future[Graded]] = []
    try:
        running += (workers.submit(_graded, one, empty, limits, judges, slow) for one in found)
        for one in running:
            tell(one.result())
    except KeyboardInterrupt:
        _stop(judges, workers)
        done = [one.result() for one in running if not one.cancelled() and one.exception() is None]
        raise Interrupted(done, len(found) - len(done)) from None
    finally:
        _stop(judges, workers)
    return [one.result() for one in running]


def _stop(judges: Judges, workers: ThreadPoolExecutor) -> None:
    """Leave no process behind, and no thread."""
    workers.shutdown(wait=False, cancel_futures=True)
    judges.end()
    workers.shutdown()


def write(results: list[Graded], output: Path) -> list[Path]:
    """Write `marks.csv`, `totals.csv`, and a feedback page a student into `feedback/`.

    Returns:
        the files.
    """
    pages = output / "feedback"
    pages.mkdir(parents=True, exist_ok=True)
    files = {output / "marks.csv": as_csv(results), output / "totals.csv": totals(results)}
    for student, of_student in groupby(results, lambda one: one.submission.student):
        files[pages / file_name(student)] = feedback(student, of_student)
    for path, text in files.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return list(files)


def _marks_of(source: Path) -> list[Mark]:
    """The graded cells of a lab, with nothing in them yet."""
    graded = [cell for cell in cells_of(read(source), source.name) if cell.has("grade")]
    return [
        Mark(cell.role["grade_id"], 0.0 if cell.is_code else None, float(cell.role["points"]), BY_HAND)
        for cell in graded
    ]


def _graded(one: Submission, empty: dict[Path, list[Mark]], limits: Limits, judges: Judges, slow: Slow) -> Graded:
    if one.source is None:
        return Graded(one, problem=one.problem)
    records, end = ([], "") if one.problem else _judged(one, limits, judges, slow)
    given = {record["cell"]: Mark(**record) for record in records if "cell" in record}
    said = [record["problem"] for record in records if "problem" in record]
    problem = one.problem or "".join(said) or end
    marks = [given.get(mark.cell, _unjudged(mark, problem)) for mark in empty[one.source]]
    holds: list[str] = next((record["holds"] for record in records if "holds" in record), [])
    return Graded(one, tuple(marks), problem, tuple(holds))


def _unjudged(mark: Mark, problem: str) -> Mark:
    return mark if mark.points is None else mark._replace(message=problem)


def _judged(one: Submission, limits: Limits, judges: Judges, slow: Slow) -> tuple[list[dict[str, Any]], str]:
    """What the judge says of a submission, and why it did not come to its end (empty when it did).

    Raises:
        CancelledError: grading was stopped meanwhile.
    """
    with tempfile.TemporaryDirectory(prefix="karmadalab-", ignore_cleanup_errors=True) as folder:
        place = Path(folder) / "lab"
        place.mkdir()
        line = [sys.executable, "-m", "karmadalab.teaching.grading.judging"]
        line += [str(one.source), str(one.path), str(place), json.dumps(asdict(limits))]
        judge = judges.start(line)
        try:
            said, errors = _heard(judge, limits.total_s + START_S, lambda cell: slow(one, cell))
            end = "" if judge.returncode == 0 else f"the judge failed: {_last_line(errors)}"
        except subprocess.TimeoutExpired:
            end = f"the notebook takes longer than {limits.total_s:g} s in all"
            said = _ended(judge)
        if judges.ended and judge.returncode != 0:
            raise CancelledError
    return list(_records(said)), end


def _heard(judge: subprocess.Popen[bytes], most_s: float, slow: Callable[[str], None]) -> tuple[bytes, bytes]:
    """All that a judge says and complains of; on the way, `slow` hears of each cell that two looks find at work.

    Raises:
        TimeoutExpired: it is not done after `most_s`.
    """
    left_s, before, told = most_s, "", ""
    while True:
        try:
            return judge.communicate(timeout=min(LOOK_S, left_s))
        except subprocess.TimeoutExpired as late:
            left_s -= LOOK_S
            if left_s <= 0:
                raise
            begun = [record["begins"] for record in _records(late.output or b"") if "begins" in record]
            now = begun[-1] if begun else ""
            if now == before != told:
                slow(now)
                told = now
            before = now


def _ended(judge: subprocess.Popen[bytes]) -> bytes:
    """End a judge; it ends its student's process. What it has said so far counts."""
    judge.terminate()
    try:
        return judge.communicate(timeout=_PATIENCE_S)[0]
    except subprocess.TimeoutExpired:
        judge.kill()
        return judge.communicate()[0]


def _records(said: bytes) -> Iterator[dict[str, Any]]:
    for line in said.splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield json.loads(line)


def _last_line(errors: bytes) -> str:
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"

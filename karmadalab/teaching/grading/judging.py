"""The judge of one submission: a process that runs the solution's notebook with the student's answers in it.

Everything but the learner's cells comes from the source here, hidden tests included, and the names that those cells
define are fetched from the student's process. A function is a `Remote`: it is called over there, and only what it
returns comes here. A cell has its points when its check passes twice: there, as in the student's own notebook, and
here, where nothing of the student's was ever run. A check that by its nature hands the answer what can't cross, such as
a function, has the tag `judged-there`: its second time, hidden tests included, is over there, and its message says so.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

from karmadalab.core.clock import stopwatch
from karmadalab.teaching.cells import Cell, cells_of
from karmadalab.teaching.grading.limits import Limits
from karmadalab.teaching.grading.marks import BY_HAND, Mark, spoken
from karmadalab.teaching.grading.remote import Gone, OutOfTime, Student
from karmadalab.teaching.grading.restoring import imports_of, names_defined, restored, student_id
from karmadalab.teaching.grading.wire import CannotCross
from karmadalab.teaching.markers import BadNotebook
from karmadalab.teaching.sources import exercise, read
from karmadalab.teaching.verdict import CheckFailed

MOST_TEXT = 2000  # characters of a message
_MOST_WAIT = 4  # times its seconds of work may a cell take by the wall clock: it may sleep, or wait for its turn
_THERE = "judged-there"
_TOO_LONG = "it takes longer than {:g} s; does a loop never end?"


class Judge:
    """The source's notebook, run as far as the last check that was asked for."""

    def __init__(self, source: list[Cell], student: Student, student_id: str | None) -> None:
        self._cells, self._student, self._student_id = source, student, student_id
        self._names: dict[str, Any] = {"__name__": "__main__", "display": lambda *_, **__: None}
        self._position = 0
        self._answers: list[str] = []

    def reach(self, grade_id: str, alarm: Callable[[], AbstractContextManager[None]]) -> None:
        """Run what stands before a graded cell, each cell with an alarm of its own.

        One that takes too long, since a wrong answer has no end, costs the others nothing.

        Raises:
            Gone: the student's process did not go along.
        """
        asked = self._place(grade_id)
        while self._position < asked:
            self._position += 1  # first: what fails or takes too long is not tried again
            with suppress(OutOfTime), alarm():
                self._pass(self._cells[self._position - 1])

    def _place(self, grade_id: str) -> int:
        return next(n for n, cell in enumerate(self._cells) if cell.role.get("grade_id") == grade_id)

    def ask(self, grade_id: str) -> str:
        """Run a graded cell that was reached.

        Returns:
            what it printed.

        Raises:
            Exception: what the cell raised: it is not passed.
            Gone, OutOfTime: the student's process did not go along.
            CannotCross: the cell hands the answer something that can't leave this process.
        """
        cell = self._cells[self._place(grade_id)]
        self._fetch()
        said = StringIO()
        with redirect_stdout(said):
            self._run(cell.node.source, cell.where)
        return said.getvalue().strip()

    def _pass(self, cell: Cell) -> None:
        """A cell on the way; it may fail for a wrong answer, and that is not what is asked."""
        if not cell.is_code or cell.has("grade"):
            return
        try:
            if cell.has("solution"):
                self._run(imports_of(cell.node.source), cell.where)
                self._answers += names_defined(cell.node.source)
                self._fetch()
            else:
                self._run(cell.node.source, cell.where)
                if "parameters" in cell.node.metadata.get("tags", ()) and self._student_id is not None:
                    self._names |= {"STUDENT": self._student_id} if "STUDENT" in self._names else {}
        except (Exception, CannotCross):  # what can't cross here need not cross for the cell that is asked for
            return

    def _fetch(self) -> None:
        for name in self._answers:
            self._names.pop(name, None)
            try:
                self._names[name] = self._student.get(name)
            except NameError:
                continue

    def _run(self, source: str, where: str) -> None:
        exec(compile(source, where, "exec"), self._names)  # noqa: S102  # the teacher's own notebook


def judge(source: Path, submission: Path, limits: Limits, folder: Path) -> Iterator[Mark | list[str] | str]:
    """What holds the submission in, then the name of each cell that is begun, and its marks, one by one.

    Args:
        source: the solution.
        submission: what a student handed in.
        limits: what it may use.
        folder: an empty one to run it in.

    Raises:
        BadNotebook: the submission can't be read.
    """
    teachers = read(source)
    cells = list(cells_of(teachers, source.name))
    handed_in = read(submission)
    steps = restored(handed_in, list(cells_of(exercise(teachers, source.name), source.name)))
    student = Student(folder, limits)
    yield student.holds
    try:
        court = Judge(cells, student, student_id(handed_in))
        there = {c.role["grade_id"]: c.node.source for c in cells if _THERE in c.node.metadata.get("tags", ())}
        for place, step in enumerate(steps, 1):
            yield spoken(step.graded) or f"code cell {place}"
            most = next((float(c.role["points"]) for c in cells if c.role.get("grade_id") == step.graded), 0.0)
            passed, message = _verdict(step.source, step.graded, court, student, limits, there.get(step.graded))
            if step.graded:
                yield Mark(step.graded, most if passed else 0.0, most, message[:MOST_TEXT])
    finally:
        student.close("the judge is done")
    for cell in cells:
        if cell.has("grade") and not cell.is_code:
            yield Mark(cell.role["grade_id"], None, float(cell.role["points"]), BY_HAND)


def _verdict(
    visible: str, graded: str, court: Judge, student: Student, limits: Limits, whole: str | None
) -> tuple[bool, str]:
    """Run a cell in the student's process; a graded one that passes there comes before the judge.

    Args:
        whole: the cell with its hidden tests, if they may be run in the student's process, too.
    """
    try:
        with _alarm(limits.cell_s, student):
            told = _told_there(student, visible)
        if told or not graded:
            return False, told
        court.reach(graded, lambda: _alarm(limits.cell_s, student))
        try:
            with _alarm(limits.cell_s, student):
                return True, court.ask(graded)
        except CannotCross as why:
            if whole is None:
                return False, f"it passes in the notebook, and can't be judged: {why}"
            return _judged_there(student, whole, str(why), limits)
    except OutOfTime:
        return False, _TOO_LONG.format(limits.cell_s)
    except Gone as why:
        return False, f"nothing more of it could be run: {why}"
    except CheckFailed as error:
        return False, f"it passes in the notebook, and not before the judge: {error}"
    except Exception as error:
        return False, f"the check passes, a hidden test does not: {type(error).__name__}: {error}"


def _told_there(student: Student, source: str) -> str:
    """What went wrong with a cell in the student's process; empty when nothing did."""
    match student.run(source):
        case ["error", str(name), str(text), bool(by_check)]:
            return text if by_check else f"{name}: {text}".removesuffix(": ")
        case ["value", _]:
            return ""
    student.close("the process disturbed its talk with the judge")
    return "the process disturbed its talk with the judge"


def _judged_there(student: Student, whole: str, why: str, limits: Limits) -> tuple[bool, str]:
    """The way out for an answer that needs what can't cross: hidden tests run in the student's process."""
    with _alarm(limits.cell_s, student):
        told = _told_there(student, whole)
    aside = f"(judged in the student's own process: {why})"
    return (False, f"the check passes, a hidden test does not: {told} {aside}") if told else (True, f"passed {aside}")


@contextmanager
def _alarm(after_s: float, student: Student) -> Iterator[None]:
    """OutOfTime after so many seconds of work. On a machine with much else to do they take longer by the wall clock."""
    begin_s, begin_busy_s = stopwatch(), _busy_s(student)

    def ring(*_: Any) -> None:
        waited_s, worked_s = stopwatch() - begin_s, _busy_s(student) - begin_busy_s
        if worked_s < after_s <= waited_s < _MOST_WAIT * after_s:
            signal.setitimer(signal.ITIMER_REAL, max(0.1, after_s - worked_s))
        else:
            raise OutOfTime

    old = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, after_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def _busy_s(student: Student) -> float:
    """Seconds of work of both processes; where it can't be told, those of the wall clock."""
    theirs = student.busy_s()
    return stopwatch() if theirs is None else theirs + sum(os.times()[:2])


def main() -> None:
    """`judging SOURCE SUBMISSION FOLDER LIMITS`: a JSON line a cell and a mark, or what is wrong with it."""
    source, submission, folder = map(Path, sys.argv[1:4])
    say = _speaker()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the student's process is closed on the way out
    try:
        for record in judge(source, submission, Limits(**json.loads(sys.argv[4])), folder):
            say(_as_record(record))
    except BadNotebook as problem:
        say({"problem": str(problem)})
    except (RecursionError, MemoryError) as problem:
        say({"problem": f"it can't be read: {type(problem).__name__}"})


def _as_record(said: Mark | list[str] | str) -> dict[str, Any]:
    if isinstance(said, Mark):
        return said._asdict()
    return {"begins": said} if isinstance(said, str) else {"holds": said}


def _speaker() -> Callable[[Any], None]:
    """A way to the caller that nothing printed by a notebook can get into."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(record: Any) -> None:
        stream.write(json.dumps(record) + "\n")
        stream.flush()

    return say


if __name__ == "__main__":
    main()

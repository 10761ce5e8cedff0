"""Exercises are made out of solutions: one source, in nbgrader's format, and nobody edits what is generated.

`build` writes `exercises/`, `verify` proves that it is what it should be. Both name the notebook, the cell and the way
out. The same sources go through nbgrader's `generate_assignment` and give the same cells, checksums included.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from karmadalab.teaching.cells import cells_of
from karmadalab.teaching.markers import BadNotebook
from karmadalab.teaching.running import TIMEOUT_S, run, run_to_check
from karmadalab.teaching.sources import exercise_text, read
from karmadalab.teaching.verdict import CheckFailed, Unsolved


def build(solutions: Path, exercises: Path) -> list[Path]:
    """Write an exercise for each solution. Files that are right already are left alone.

    Args:
        solutions: the folder of the sources.
        exercises: where the exercises go; it is made when it is not there.

    Returns:
        the exercises, by name.

    Raises:
        BadNotebook: what is wrong with a source; then nothing is written.
    """
    texts = {exercises / source.name: exercise_text(source) for source in _sources(solutions)}
    exercises.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        if _text(path) != text:
            path.write_text(text, encoding="utf-8", newline="\n")
    return list(texts)


def verify(solutions: Path, exercises: Path, run_them: bool = True) -> list[str]:
    """What is not as it should be with the exercises; empty when all is well.

    Building again changes nothing, no exercise is without a source, every solution passes, and every unsolved exercise
    fails at its first check because it is unsolved, and not for another reason.

    Args:
        solutions: the folder of the sources.
        exercises: the folder of the exercises.
        run_them: whether to run the notebooks too; some seconds each.

    Raises:
        BadNotebook: what is wrong with a source.
    """
    problems = list(_stale(solutions, exercises))
    if run_them and not problems:
        for source in _sources(solutions):
            problems += _solved(source)
            problems += _unsolved(exercises / source.name)
    return problems


class CheckRun(NamedTuple):
    """What a check says of a notebook.

    Attributes:
        passed: whether it passes.
        text: its message; when it could not be asked, why.
    """

    passed: bool
    text: str


def check_notebook(path: Path, check_id: str, timeout_s: float = TIMEOUT_S) -> CheckRun:
    """Run one check of a learner's notebook outside Jupyter: all cells up to the one that calls it.

    A cell that fails on the way, another check say, stops nobody; it is named only when the check itself could not run.

    Raises:
        BadNotebook: the notebook can't be read, or has no such check.
    """
    known = [name for cell in cells_of(read(path), path.name) for name in cell.checks]
    if check_id not in known:
        raise BadNotebook(f"{path.name}: has no check {check_id!r}; its checks are {', '.join(known) or 'none'}")
    failures, printed = run_to_check(path, check_id, timeout_s)
    last = failures[-1] if failures else None
    if last is None or not (last.is_final or check_id in last.cell.checks):
        return CheckRun(True, printed.strip())
    if last.error in _VERDICTS:
        return CheckRun(False, last.message)
    return CheckRun(False, "\n".join(dict.fromkeys((str(failures[0]), str(last)))))


def notebook_of(check_id: str, folder: Path) -> Path:
    """The notebook in a folder that a check belongs to: `11.1` is in `11_thresholds_and_flapping.ipynb`.

    Raises:
        BadNotebook: there is none, or more than one.
    """
    number = check_id.partition(".")[0]
    found = sorted(folder.glob(f"{number}_*.ipynb")) if number.isdigit() else []
    if len(found) == 1:
        return found[0]
    if found:
        raise BadNotebook(f"{folder}: {', '.join(path.name for path in found)} all begin with {number}_; name the file")
    there = ", ".join(path.name for path in sorted(folder.glob("*.ipynb"))) or "no notebook"
    raise BadNotebook(f"{folder}: no notebook begins with {number}_, where {check_id} would be; there is {there}")


def _sources(solutions: Path) -> list[Path]:
    if not solutions.is_dir():
        raise BadNotebook(f"{solutions}: there is no such folder; name the one with the solutions")
    found = sorted(solutions.glob("*.ipynb"))
    if not found:
        raise BadNotebook(f"{solutions}: holds no notebook; name the folder with the solutions")
    return found


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _stale(solutions: Path, exercises: Path) -> Iterator[str]:
    sources = _sources(solutions)
    for source in sources:
        if _text(exercises / source.name) != exercise_text(source):
            yield f"{source.name}: the exercise is not what its solution makes; run `karmadalab exercises build`"
    known = {source.name for source in sources}
    for path in sorted(exercises.glob("*.ipynb")):
        if path.name not in known:
            yield f"{path.name}: an exercise without a solution; remove it, or add its source to {solutions.name}/"


def _solved(source: Path) -> Iterator[str]:
    failure = run(source)
    if failure is not None:
        yield f"the solution does not pass: {failure}"


def _unsolved(path: Path) -> Iterator[str]:
    """The exercise must stop at its first check, and say that it is unsolved."""
    first = next(cell for cell in cells_of(read(path), path.name) if cell.checks)
    failure = run(path)
    if failure is None:
        yield f"{path.name}: the exercise passes unsolved; its checks look at nothing that is left out"
    elif failure.cell.where != first.where:
        yield f"the exercise stops before its first check, {first.where}: {failure}; put the solution into a function"
    elif failure.error != Unsolved.__name__:
        told = "is wrong" if failure.error in _VERDICTS else "is broken"
        yield f"the exercise is unsolved and its first check says that it {told}: {failure}"


_VERDICTS = {kind.__name__ for kind in CheckFailed.__subclasses__()}

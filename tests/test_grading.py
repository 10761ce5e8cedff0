"""Grading a class: honest work, unfinished work, and all the harm that a submission can try.

One small lab is graded for a class of a dozen, once; each test looks at one student. Cells run in real processes.
"""

from __future__ import annotations

import csv
import io
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from karmadalab.teaching.cells import cells_of
from karmadalab.teaching.grading import Graded, Limits, grade, write
from karmadalab.teaching.grading.feedback import feedback, file_name
from karmadalab.teaching.grading.marks import Mark, as_csv, totals
from karmadalab.teaching.grading.restoring import restored
from karmadalab.teaching.grading.submissions import Submission, submissions
from karmadalab.teaching.markers import BadNotebook
from karmadalab.teaching.sources import exercise
from tests.class_of_students import WRONG, handed_in, solution, students
from tests.small_labs import EXERCISES, SOLUTIONS, saved

LIMITS = Limits(cell_s=3, total_s=120, memory_mb=1500, output_mb=1, processes=12)


def graded_class(folder: Path) -> dict[str, Graded]:
    saved(folder / "solutions", solution(), "23_small.ipynb")
    (folder / "class").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        for name, notebook in students(folder, server.getsockname()[1]).items():
            saved(folder / "class" / name, notebook, "23_small.ipynb")
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a shell's background; the processes inherit it
        results = grade(folder / "class", folder / "solutions", LIMITS, jobs=2)
        signal.signal(signal.SIGINT, before)
        if "no network" in results[0].holds:
            with pytest.raises(BlockingIOError):
                server.accept()
    return {one.submission.student: one for one in results}


def points(one: Graded) -> list[float | None]:
    return [mark.points for mark in one.marks]


RESULTS: dict[str, tuple[list[float | None], list[str]]] = {
    "solved": ([4, 2.5, None], ["23.1 passed: 47 divisions as in Karmada", "23.3 passed:"]),
    "untouched": ([0, 0, None], ["23.1 is not written yet", "23.3 is not written yet"]),
    "half right": ([0, 2.5, None], ["23.1 is not right yet.\nWhat: ", "23.3 passed:"]),
    "clumsy": ([4, 2.5, None], ["23.1 passed:", "23.3 passed:"]),
    "deaf": ([4, 0, None], ["23.1 passed:", "it did not listen to the interrupt of an endless cell"]),
    "endless": ([0, 2.5, None], ["it takes longer than 3 s", "23.3 passed:"]),
    "leaves": ([4, 0, None], ["23.1 passed:", "the process ended: a cell left Python"]),
    "fork bomb": ([4, 0, None], ["23.1 passed:", "it started more than 12 processes"]),
    "garbles": ([4, 0, None], ["23.1 passed:", "the process disturbed its talk with the judge"]),
    "forger": (
        [0, 2.5, None],
        ["it passes in the notebook, and not before the judge: 23.1 is", "23.3 passed"],
    ),
    "late forger": (
        [4, 0, None],
        ["23.1 passed:", "it passes in the notebook, and not before the judge: 23.3 is"],
    ),
    "agreeable": ([0, 2.5, None], ["the check passes, a hidden test does not: AssertionError", "23.3 passed"]),
    "meddler": ([0, 2.5, None], ["23.1 is not right yet.", "23.3 passed"]),
    "no syntax": ([4, 0, None], ["23.1 passed:", "NameError: name 'second' is not defined"]),
}


@pytest.mark.slow
def test_each_of_a_class_gets_what_the_answers_are_worth_and_nobody_comes_to_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One test, so that the class is graded once however many processes share the tests."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    graded = graded_class(tmp_path)
    assert list(graded) == sorted(students(tmp_path, 0))
    assert {name: points(graded[name]) for name in RESULTS} == {name: due for name, (due, _) in RESULTS.items()}
    assert [one.problem for one in graded.values() if one.problem] == []
    for name, (_, says) in RESULTS.items():
        messages = [mark.message for mark in graded[name].marks]
        assert [text for text, message in zip(says, messages, strict=False) if text not in message] == [], messages
        assert messages[2].startswith("a written answer: read it")
    finds_closed_doors(graded["trespasser"], tmp_path)
    assert len(list((tmp_path / "class").glob("*/*.ipynb"))) == len(graded)
    nothing_is_left(temporary)


@pytest.mark.slow
def test_a_cell_that_takes_long_is_named_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("karmadalab.teaching.grading.grade"), "LOOK_S", 1.0)
    saved(tmp_path / "solutions", solution(), "23_small.ipynb")
    (tmp_path / "class").mkdir()
    saved(tmp_path / "class" / "ann", handed_in(between="while True:\n    pass"), "23_small.ipynb")
    said: list[tuple[str, str]] = []
    limits = replace(LIMITS, cell_s=6)
    grade(tmp_path / "class", tmp_path / "solutions", limits, slow=lambda one, cell: said.append((one.student, cell)))
    assert said.count(("ann", "code cell 6")) == 1, said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tags", "says"),
    [
        (["judged-there"], "passed (judged in the student's own process: "),
        ([], "it passes in the notebook, and can't be judged: "),
    ],
)
def test_what_can_not_leave_the_judge_is_judged_elsewhere_only_where_the_teacher_says_so(
    tags: list[str], says: str, tmp_path: Path
) -> None:
    handing_over = solution()
    [check] = [cell for cell in handing_over.cells if cell.id == "c6"]
    check.source = check.source.replace("mine()", "mine(lambda: MINE)")
    check.metadata["tags"] = tags
    saved(tmp_path / "solutions", handing_over, "23_small.ipynb")
    (tmp_path / "class").mkdir()
    saved(tmp_path / "class" / "ann", handed_in(), "23_small.ipynb")
    [ann] = grade(tmp_path / "class", tmp_path / "solutions", LIMITS)
    assert (points(ann), ann.marks[1].message[: len(says)]) == ([4, 2.5 if tags else 0, None], says)


def finds_closed_doors(trespasser: Graded, folder: Path) -> None:
    assert points(trespasser)[1] == 2.5
    said = re.search(r"raises ValueError: ([\w ]+?)(?: \(line \d+ of its cell\))?\.\n", trespasser.marks[0].message)
    tried = said[1].split() if said else []
    assert len(tried) == 7, trespasser.marks[0].message
    if "files: Python and karmadalab to read, its own folder to write" in trespasser.holds:
        assert tried[:5] == ["PermissionError"] * 5
        assert not (folder / "outside.txt").exists()
    if "no network" in trespasser.holds:
        assert tried[5] in ("OSError", "ConnectionRefusedError", "PermissionError")
        assert tried[6] == "ProcessLookupError"


def nothing_is_left(temporary: Path) -> None:
    """Neither files nor processes: each of a submission's processes has its folder as HOME."""
    assert list(temporary.iterdir()) == []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            assert str(temporary).encode() not in entry.read_bytes(), entry


# --- what is in a folder ----------------------------------------------------------------------------------------------


def test_both_orders_of_folders_are_read(tmp_path: Path) -> None:
    for order in ("flat/ann", "flat/bob", "course/submitted/ann/lab23", "course/submitted/bob/lab23"):
        (tmp_path / order).mkdir(parents=True)
        (tmp_path / order / "23_dividing_replicas.ipynb").touch()
    (tmp_path / "course" / "source" / "lab23").mkdir(parents=True)
    flat, course = (submissions(tmp_path / name, SOLUTIONS) for name in ("flat", "course"))
    assert [(one.student, one.notebook) for one in flat] == [
        ("ann", "23_dividing_replicas.ipynb"),
        ("bob", "23_dividing_replicas.ipynb"),
    ]
    assert [(one.student, one.notebook) for one in course] == [
        ("ann", "lab23/23_dividing_replicas.ipynb"),
        ("bob", "lab23/23_dividing_replicas.ipynb"),
    ]
    assert {one.source for one in flat + course} == {SOLUTIONS / "23_dividing_replicas.ipynb"}


NOTEBOOKS = {
    "11_thresholds_and_flapping.ipynb": ("11_thresholds_and_flapping.ipynb", ""),
    "11_thresholds_and_flapping (1).ipynb": ("11_thresholds_and_flapping.ipynb", ""),
    "12-Ann.ipynb": ("12_leases.ipynb", ""),
    "essay.ipynb": (None, "no lab is called so; keep the name of the exercise, or at least its number"),
    "112_leases.ipynb": (None, "no lab is called so; keep the name of the exercise, or at least its number"),
}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_finds_its_lab(name: str, tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / name).touch()
    [one] = submissions(tmp_path, SOLUTIONS)
    assert (one.source and one.source.name, one.problem) == NOTEBOOKS[name]


def test_links_giants_and_empty_folders_get_a_sentence(tmp_path: Path) -> None:
    for name in ("ann", "bob", "eve", "zoe"):
        (tmp_path / name).mkdir()
    (tmp_path / "ann" / "11_a.ipynb").touch()
    (tmp_path / "bob" / "11_b.ipynb").symlink_to(tmp_path / "ann" / "11_a.ipynb")
    with (tmp_path / "eve" / "11_c.ipynb").open("wb") as file:
        file.truncate(21 << 20)
    (tmp_path / "mallory").symlink_to(SOLUTIONS)
    problems = {one.student: one.problem for one in submissions(tmp_path, SOLUTIONS)}
    assert problems == {
        "ann": "",
        "bob": "it is a link or no file at all; hand in the notebook itself",
        "eve": "it is larger than 20 MiB; clear its outputs and hand it in again",
        "zoe": "there is no notebook in the folder",
    }


def test_what_makes_no_sense(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder, solutions, says in (
        (tmp_path / "nowhere", SOLUTIONS, "there is no such folder; name the one that holds a folder for each student"),
        (tmp_path / "empty", SOLUTIONS, "nothing to grade; notebooks go into a folder for each student"),
        (EXERCISES, tmp_path, "holds no solution; name the folder with --solutions"),
    ):
        with pytest.raises(BadNotebook, match=re.escape(says)):
            submissions(folder, solutions)


# --- what is run ------------------------------------------------------------------------------------------------------


CHECKS = {"c3": "check-1", "c6": "check-2"}


def test_locked_cells_come_back() -> None:
    teachers = exercise(solution(), "23_small.ipynb")
    locked = list(cells_of(teachers, "23_small.ipynb"))
    whole = [step.source for step in restored(teachers, locked)]
    assert len(whole) == 7
    for lost in ({"c3"}, {"c6"}, {"c3", "c6"}):
        made = exercise(solution(), "23_small.ipynb")
        made.cells = [cell for cell in made.cells if cell.id not in lost]
        steps = restored(made, locked)
        assert sorted(step.source for step in steps) == sorted(whole)
        assert sorted(step.graded for step in steps if step.graded) == ["check-1", "check-2"]
        assert [step.graded for step in steps][-len(lost) :] == [n for c, n in CHECKS.items() if c in lost]


def test_a_copy_of_a_check_is_not_run() -> None:
    made = handed_in()
    made.cells.insert(0, made.cells[4].copy())
    steps = restored(made, list(cells_of(exercise(solution(), "23_small.ipynb"), "23_small.ipynb")))
    assert [step.graded for step in steps if step.graded] == ["check-1", "check-2"]
    assert steps[0].graded == "check-1"


# --- what comes out ---------------------------------------------------------------------------------------------------

HOSTILE = [
    "=1+1",
    "<script>alert(1)</script>",
    "../../etc",
    "a\nb",
    "-",
    "\udcff\udcfe",
    "Ann",
    "ann",
    "ANN",
    "ä" * 200,
]


def hostile() -> list[Graded]:
    text = "</pre><script>alert(2)</script>"
    submission = [Submission(name, "11_x.ipynb", Path("11_x.ipynb"), None) for name in HOSTILE]
    return [Graded(one, (Mark("check-1", 1.0, 2.0, text), Mark("essay", None, 3.0, "@sum"))) for one in submission]


def test_marks_are_a_table_that_no_spreadsheet_takes_for_formulas() -> None:
    rows = list(csv.reader(io.StringIO(as_csv(hostile()))))
    assert rows[0] == ["student", "notebook", "cell", "points", "max", "message"]
    assert rows[1] == ["'=1+1", "11_x.ipynb", "check-1", "1", "2", "</pre><script>alert(2)</script>"]
    assert rows[2] == ["'=1+1", "11_x.ipynb", "essay", "", "3", "'@sum"]
    assert len(rows) == 1 + 2 * len(HOSTILE)
    assert not [field for row in rows for field in row if field[:1] in "=+-@" and field]


def test_marks_keep_to_a_line_each_and_totals_to_a_notebook_each() -> None:
    wordy = Mark("check-30-2", 1.0, 2.0, "30.2 is not right yet.\nWhat: one\n\n  two")
    of_ann = Submission("=ann", "30_x.ipynb", Path("30_x.ipynb"), None)
    results = [Graded(of_ann, (wordy, Mark("essay", None, 3.0, "")))]
    assert as_csv(results).count("\n") == 3
    assert "30.2 is not right yet. What: one two" in as_csv(results)
    assert totals(results) == "student,notebook,points,max\n'=ann,30_x.ipynb,1,5\n"
    assert "<td>30.2</td>" in feedback("ann", results)


def test_feedback_runs_nothing_and_each_student_has_a_page(tmp_path: Path) -> None:
    results = hostile()
    files = write(results, tmp_path)
    assert len({path.name.lower() for path in files}) == len(HOSTILE) + 2
    assert all(path.parent in (tmp_path, tmp_path / "feedback") for path in files)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+\.(html|csv)", path.name) for path in files)
    for one in results:
        page = feedback(one.submission.student, [one])
        assert "<script" not in page
        assert "default-src 'none'" in page
        assert "&lt;script&gt;alert(2)" in page
    assert file_name("s123") == "s123.html"


@pytest.mark.slow
def test_the_command_writes_marks_and_pages(tmp_path: Path) -> None:
    saved(tmp_path / "solutions", solution(), "23_small.ipynb")
    place = tmp_path / "submitted" / "ann" / "lab23"
    place.mkdir(parents=True)
    saved(place, handed_in(first=WRONG), "23_small.ipynb")
    (tmp_path / "submitted" / "bob" / "lab23").mkdir(parents=True)
    (tmp_path / "submitted" / "bob" / "lab23" / "23_small.ipynb").write_text("[" * 100_000)
    line = [sys.executable, "-m", "karmadalab", "grade", str(tmp_path), "-o", str(tmp_path / "out")]
    done = subprocess.run(
        [*line, "--solutions", str(tmp_path / "solutions")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[0] == "ann  lab23/23_small.ipynb  2.5 of 7.5, 1 to be read"
    assert done.stdout.splitlines()[1].startswith("bob  lab23/23_small.ipynb  0 of 7.5, 1 to be read, ")
    assert "submissions were held in by: limits on memory, time and output" in done.stderr
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "marks.csv").read_text())))
    assert [(row["student"], row["cell"], row["points"], row["max"]) for row in rows] == [
        (name, cell, points, most)
        for name, scored in (("ann", "2.5"), ("bob", "0"))
        for cell, points, most in (("check-1", "0", "4"), ("check-2", scored, "2.5"), ("essay", "", "1"))
    ]
    page = (tmp_path / "out" / "feedback" / "ann.html").read_text()
    assert "23.1 is not right yet." in page


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_who_stops_the_command_keeps_the_marks_so_far_and_leaves_no_process(number: int, tmp_path: Path) -> None:
    saved(tmp_path / "solutions", solution(), "23_small.ipynb")
    (tmp_path / "class").mkdir()
    (tmp_path / "temporary").mkdir()
    for name in ("ann", "eve", "zoe"):
        made = handed_in(between="" if name == "ann" else "while True: pass")
        saved(tmp_path / "class" / name, made, "23_small.ipynb")
    line = [sys.executable, "-m", "karmadalab", "grade", str(tmp_path / "class"), "-o", str(tmp_path / "out")]
    line += ["--solutions", str(tmp_path / "solutions"), "--cell-s", "600", "--total-s", "600"]
    place = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=place) as running:
        try:
            assert running.stdout
            assert "ann" in running.stdout.readline()
            begin_s = time.monotonic()
            running.send_signal(number)
            _, said = running.communicate(timeout=60)
        finally:
            running.kill()
    assert time.monotonic() - begin_s < 10  # it takes one or two on a machine with nothing else to do
    assert running.returncode == 130, said
    assert said.startswith("karmadalab: stopped: 1 of 3 submissions graded, 2 missing;"), said
    rows = csv.DictReader(io.StringIO((tmp_path / "out" / "marks.csv").read_text()))
    assert [(row["student"], row["points"]) for row in rows] == [("ann", "4"), ("ann", "2.5"), ("ann", "")]
    nothing_is_left(tmp_path / "temporary")


def test_the_command_refuses_what_makes_no_sense(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "karmadalab", "grade", str(tmp_path / "nowhere")]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("karmadalab: ")
    assert "there is no such folder" in done.stderr


# --- what crosses the border ------------------------------------------------------------------------------------------


def test_values_cross_whole_and_nothing_else_does() -> None:
    from karmadalab.api.meta import Condition, Taint
    from karmadalab.api.time import Time
    from karmadalab.scheduler import ClusterWeight
    from karmadalab.teaching.grading.wire import CannotCross, Codec

    def stays(value: Any) -> int:
        raise CannotCross

    codec = Codec(stays, lambda _: None)
    condition = Condition("Ready", "True", "r", "m")
    taint = Taint(key="k", effect="NoExecute", timeAdded=Time(3.5))
    for value in (
        None, True, 3, -(1 << 80), 1.5, float("inf"), "text", b"bytes", (1, [2, {"a": {3}}]), {(1, 2): frozenset({3})},
        condition, (condition, taint), ClusterWeight("a", 1), {"a": taint},
    ):  # fmt: skip
        returned = codec.decode(codec.encode(value))
        assert (returned, type(returned)) == (value, type(value))
    assert type(codec.decode(codec.encode(taint)).timeAdded) is Time
    assert list(codec.decode(codec.encode(iter([1, 2])))) == [1, 2]
    for value in (print, object(), lambda: 1, open):
        with pytest.raises(CannotCross):
            codec.encode(value)


def test_no_message_calls_what_it_names() -> None:
    from karmadalab.teaching.grading.wire import Codec, Garbled

    codec = Codec(lambda _: 0, lambda _: None)
    trees: list[Any] = [
        ["of", "os:system", ["true"]],
        ["of", "builtins:eval", ["1"]],
        ["of", "karmadalab.lab:Lab", [1]],
        ["of", "karmadalab.lab:Lab.fake", []],
        ["of", "karmadalab.cli.main:main", []],
        ["of", "karmadalab.__main__:main", []],
        ["of", "karmadalab.teaching.grading.remote:os.system", ["true"]],
        ["of", "karmadalab.teaching.grading.remote:Student", ["a", "b"]],
        ["nonsense", []],
        ["list"],
        {"a": 1},
    ]
    for tree in trees:
        with pytest.raises(Garbled):
            codec.decode(tree)

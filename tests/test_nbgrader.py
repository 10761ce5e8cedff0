"""The same sources through the real nbgrader: handed out, autograded and answered for a class of five.

nbgrader runs in a process of its own, as a teacher's would: it configures logging, warnings and a database.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from karmadalab.teaching.grading import grade
from karmadalab.teaching.sources import exercise, exercise_text
from tests.class_of_students import WRONG, handed_in, meddled, solution
from tests.small_labs import saved

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("nbgrader") is None, reason="needs the extra `teaching`"),
]

NAME = "23_small.ipynb"
CELL_S = 5
TEACHER = """
import json, sys
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

config = Config()
config.CourseDirectory.root = sys.argv[1]
config.Execute.timeout = int(sys.argv[2])
config.Execute.interrupt_on_timeout = True
config.Execute.iopub_timeout = 60
api = NbGraderAPI(config=config)
done = {"generate": api.generate_assignment("lab23")}
hand_in = json.load(sys.stdin)
for student in hand_in:
    done["autograde " + student] = api.autograde("lab23", student)
    done["feedback " + student] = api.generate_feedback("lab23", student)
points = {}
with api.gradebook as gradebook:
    for student in hand_in:
        notebook = gradebook.find_submission_notebook("23_small", "lab23", student)
        points[student] = {grade.name: grade.score for grade in notebook.grades}
print(json.dumps({"failed": {k: v for k, v in done.items() if not v["success"]}, "points": points}))
"""


def endless() -> Any:
    return handed_in(first="    while True:\n        pass")


def malicious() -> Any:
    """A check that says yes to all and is worth a thousand points, another one gone, and a script for the page."""
    made = meddled()
    made.cells.append(nbformat.v4.new_markdown_cell("<script>alert(1)</script>", id="script"))
    return made


CLASS: dict[str, tuple[Callable[[], Any], list[float]]] = {
    "solved": (handed_in, [4, 2.5]),
    "untouched": (lambda: exercise(solution(), NAME), [0, 0]),
    "wrong": (lambda: handed_in(first=WRONG), [0, 2.5]),
    "endless": (endless, [0, 2.5]),
    "malicious": (malicious, [0, 0]),  # nbgrader does not bring a deleted check back
}


def run_course(folder: Path) -> dict[str, Any]:
    """All three steps for all five; what failed, and the points by student and cell."""
    (folder / "source").mkdir()
    saved(folder / "source" / "lab23", solution(), NAME)
    for student, (make, _) in CLASS.items():
        place = folder / "submitted" / student / "lab23"
        place.mkdir(parents=True)
        saved(place, make(), NAME)
    line = [sys.executable, "-c", TEACHER, str(folder), str(CELL_S)]
    done = subprocess.run(line, input=json.dumps(list(CLASS)), capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


def test_nbgrader_takes_every_step_and_gives_each_what_the_answers_are_worth(tmp_path: Path) -> None:
    """One test, so that the course is run once however many processes share the tests."""
    result = run_course(tmp_path)
    assert result["failed"] == {}
    handed_out = (tmp_path / "release" / "lab23" / NAME).read_text()
    assert handed_out.strip() == exercise_text(tmp_path / "source" / "lab23" / NAME).strip()
    given = {student: [points["check-1"], points["check-2"]] for student, points in result["points"].items()}
    assert given == {student: due for student, (_, due) in CLASS.items()}
    for student in CLASS:
        page = (tmp_path / "feedback" / student / "lab23" / NAME).with_suffix(".html").read_text()
        assert "check-1" in page
    is_graded_alike(tmp_path, result["points"]["wrong"])


def is_graded_alike(folder: Path, points_of_wrong: dict[str, float]) -> None:
    """`karmadalab grade` on nbgrader's folder; only a check that was deleted comes back here, and not there."""
    for student in ("solved", "untouched", "endless"):
        shutil.rmtree(folder / "submitted" / student)  # tests/test_grading.py has them
    malicious, wrong = grade(folder, folder / "source" / "lab23")
    assert {mark.cell: mark.points or 0.0 for mark in wrong.marks} == points_of_wrong
    assert [mark.points for mark in malicious.marks] == [0, 2.5, None]

"""Sources of labs: what comes of a good one, and bad ones get a clear answer."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from karmadalab.teaching.exercises import build, check_notebook
from karmadalab.teaching.markers import BadNotebook
from karmadalab.teaching.sources import exercise, read
from tests.small_labs import CHECK_CELL, GRADED, SOLUTION_CELL, SOLUTIONS, lab_of, role, saved


@pytest.fixture(scope="module")
def notebook() -> Any:
    return read(SOLUTIONS / "11_thresholds_and_flapping.ipynb")


def broken(text: str, **change: Any) -> tuple[tuple[str, dict[str, Any] | None], ...]:
    return ((text, {**SOLUTION_CELL[1], **change}), CHECK_CELL)


def without(key: str) -> tuple[tuple[str, dict[str, Any] | None], ...]:
    return ((SOLUTION_CELL[0], {k: v for k, v in SOLUTION_CELL[1].items() if k != key}), CHECK_CELL)


GOOD = SOLUTION_CELL[0]
HIDDEN = "### BEGIN HIDDEN TESTS\nassert f()\n### END HIDDEN TESTS"
FIRST = "11_bad.ipynb, cell 1 (c0): "
META = FIRST + "nbgrader metadata: "
BAD_SOURCES: dict[str, tuple[Any, str]] = {
    "never closed": (
        broken("def f():\n    ### BEGIN SOLUTION\n    return 1"),
        FIRST + "`### BEGIN SOLUTION` on line 2 is never closed; add `### END SOLUTION` below it",
    ),
    "never opened": (
        broken("def f():\n    return 1\n    ### END SOLUTION"),
        FIRST + "line 3 closes a region that no `### BEGIN SOLUTION` opens; add that line above it",
    ),
    "nested": (
        broken("### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION"),
        FIRST + "`### BEGIN SOLUTION` on line 2 stands inside the region that line 1 opens; close that one first with "
        "`### END SOLUTION`",
    ),
    "hidden tests never closed": (
        (SOLUTION_CELL, ('check("11.1", f)\n### BEGIN HIDDEN TESTS', GRADED)),
        "11_bad.ipynb, cell 2 (c1): `### BEGIN HIDDEN TESTS` on line 2 is never closed; add `### END HIDDEN TESTS` "
        "below it",
    ),
    "not quite a marker": (
        broken("def f():\n    # BEGIN SOLUTION\n    return 1\n    # END SOLUTION"),
        FIRST + "line 2 is not quite a marker: '# BEGIN SOLUTION'; write `### BEGIN SOLUTION` or `### END SOLUTION` "
        "alone on its line, or put the sentence into other words",
    ),
    "a solution in an unmarked cell": (
        ((GOOD, None), CHECK_CELL),
        FIRST + 'holds a solution, but its metadata does not say so; mark it as a solution cell (`"nbgrader": '
        '{"solution": true, ...}`)',
    ),
    "hidden tests in an ungraded cell": (
        (SOLUTION_CELL, CHECK_CELL, (HIDDEN, None)),
        "11_bad.ipynb, cell 3 (c2): holds hidden tests, but is not graded; move them into a graded cell",
    ),
    "a solution without markers": (
        broken("def f():\n    return 1"),
        FIRST + "is a solution cell without `### BEGIN SOLUTION`, so all of it would go, the name it defines too; put "
        "the markers around the body",
    ),
    "old schema": (broken(GOOD, schema_version=2), META + 'schema_version is 2; write "schema_version": 3'),
    "no schema": (without("schema_version"), META + 'schema_version is None; write "schema_version": 3'),
    "no grade flag": (without("grade"), META + "'grade' is missing; add \"grade\": true or false"),
    "a flag that is no truth value": (broken(GOOD, locked="yes"), META + "locked is 'yes'; write true or false"),
    "no grade_id": (
        without("grade_id"),
        META + "grade_id is None; give the cell a name of letters, digits, - and _",
    ),
    "a grade_id with blanks": (
        broken(GOOD, grade_id="my filter"),
        META + "grade_id is 'my filter'; give the cell a name of letters, digits, - and _",
    ),
    "an unknown key": (broken(GOOD, marks=3), META + "'marks' is no key of schema version 3; remove it"),
    "the same grade_id twice": (
        (SOLUTION_CELL, (CHECK_CELL[0], {**GRADED, "grade_id": "f"})),
        "11_bad.ipynb, cell 2 (c1): grade_id 'f' is taken by cell 1; give it another one",
    ),
    "no points": (
        (SOLUTION_CELL, (CHECK_CELL[0], role("check", grade=True, locked=True))),
        '11_bad.ipynb, cell 2 (c1): nbgrader metadata: a graded cell has points, here None; add "points": 1',
    ),
    "another cell type": (
        broken(GOOD, cell_type="markdown"),
        META + "it says markdown, the cell is code; make them agree",
    ),
    "nothing to solve": (
        (CHECK_CELL,),
        "11_bad.ipynb: has no solution cell, so there is nothing to solve; is it a lesson?",
    ),
    "nothing graded": (
        (SOLUTION_CELL,),
        '11_bad.ipynb: has no graded code cell; add one that calls `check("11.1", ...)`',
    ),
    "graded without a check": (
        (SOLUTION_CELL, ("assert f() == 1", GRADED)),
        '11_bad.ipynb, cell 2 (c1): is graded and calls no check; call `check("11.1", ...)`, outside hidden tests',
    ),
    "half a character": (
        (SOLUTION_CELL, CHECK_CELL, ('print("\ud800")', None)),
        "11_bad.ipynb, cell 3 (c2): holds half a character ('\\ud800'), which is no text; delete it, or write it anew",
    ),
    "another lab's check": (
        (SOLUTION_CELL, ('check("12.1", f)', GRADED)),
        "11_bad.ipynb, cell 2 (c1): calls 12.1, which belongs to another lab; this is 11",
    ),
}


@pytest.mark.parametrize("name", BAD_SOURCES)
def test_bad_sources(name: str, tmp_path: Path) -> None:
    cells, says = BAD_SOURCES[name]
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "11_bad.ipynb").write_text(json.dumps(lab_of(*cells)))
    with pytest.raises(BadNotebook) as caught:
        build(tmp_path / "solutions", tmp_path / "exercises")
    assert str(caught.value) == says
    assert not (tmp_path / "exercises").exists(), "nothing is written when a source is bad"


FILES: dict[str, tuple[str, str]] = {
    "no JSON": ("{", "11_bad.ipynb: is no valid notebook"),
    "no notebook": ('{"a": 1}', "11_bad.ipynb: is no valid notebook"),
    "old format": (
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}',
        "11_bad.ipynb: format 4.2 has no cell ids; open it in JupyterLab and save it",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_files(name: str, tmp_path: Path) -> None:
    text, says = FILES[name]
    (tmp_path / "11_bad.ipynb").write_text(text)
    with pytest.raises(BadNotebook) as caught:
        build(tmp_path, tmp_path / "exercises")
    assert str(caught.value).startswith(says)


def test_bad_folders(tmp_path: Path) -> None:
    with pytest.raises(BadNotebook, match="there is no such folder; name the one with the solutions"):
        build(tmp_path / "none", tmp_path / "exercises")
    with pytest.raises(BadNotebook, match="holds no notebook"):
        build(tmp_path, tmp_path / "exercises")


def test_outputs_and_traces_of_the_teachers_editor_do_not_reach_the_exercise(notebook: Any) -> None:
    worked = copy.deepcopy(notebook)
    worked.metadata["celltoolbar"] = "Create Assignment"
    worked.metadata["language_info"]["version"] = "3.99"
    code = next(cell for cell in worked.cells if cell.cell_type == "code")
    code.execution_count = 7
    code.outputs = [nbformat.v4.new_output("stream", text="hello")]
    assert exercise(worked, "11_x.ipynb") == exercise(notebook, "11_x.ipynb")


def test_a_written_answer_becomes_a_place_to_write() -> None:
    made = lab_of(SOLUTION_CELL, CHECK_CELL)
    essay = nbformat.v4.new_markdown_cell("Because.", id="essay")
    essay.metadata["nbgrader"] = nbformat.from_dict(role("essay", grade=True, solution=True, points=2))
    made.cells.append(essay)
    assert exercise(made, "11_x.ipynb").cells[-1].source == "YOUR ANSWER HERE"


def test_half_a_character_keeps_no_check_from_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "11_odd.ipynb"
    path.write_text(json.dumps(lab_of(('print("\ud800")', None), SOLUTION_CELL, CHECK_CELL)))
    with pytest.raises(BadNotebook, match=r"11_odd.ipynb, cell 1 \(c0\): holds half a character"):
        check_notebook(path, "11.1")


def test_a_notebook_that_windows_has_marked_as_utf_8_is_read(tmp_path: Path) -> None:
    plain = saved(tmp_path, lab_of(SOLUTION_CELL, CHECK_CELL))
    marked = tmp_path / "11_marked.ipynb"
    marked.write_text(plain.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert read(marked) == read(plain)

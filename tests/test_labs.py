"""The labs as files: exercises are what their solutions make, and bad sources get a clear answer.

A solution must pass; its exercise must fail at the first check, because it is unsolved and for no other reason.
"""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from karmadalab.teaching.cells import cells_of
from karmadalab.teaching.exercises import build, check_notebook, notebook_of, verify
from karmadalab.teaching.markers import BadNotebook
from karmadalab.teaching.running import run
from karmadalab.teaching.sources import exercise, exercise_text, read

ROOT = Path(__file__).resolve().parent.parent
SOLUTIONS, EXERCISES = ROOT / "solutions", ROOT / "exercises"
SOURCES = sorted(SOLUTIONS.glob("*.ipynb"))

each_lab = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)


# --- what is committed ------------------------------------------------------------------------------------------------


def test_there_are_labs() -> None:
    assert "11_thresholds_and_flapping.ipynb" in [path.name for path in SOURCES]


def test_building_again_changes_nothing(tmp_path: Path) -> None:
    assert verify(SOLUTIONS, EXERCISES, run_them=False) == []
    for path in build(SOLUTIONS, tmp_path):
        assert path.read_bytes() == (EXERCISES / path.name).read_bytes()


@each_lab
def test_an_exercise_holds_neither_hidden_tests_nor_solutions(source: Path) -> None:
    text = (EXERCISES / source.name).read_text()
    for word in ("HIDDEN TESTS", "BEGIN SOLUTION", "END SOLUTION"):
        assert word not in text
    regions = [r for cell in read(source).cells for r in _inside(cell.source)]
    assert len(regions) >= 2
    left_out = {line.strip() for region in regions for line in region.splitlines() if len(line.strip()) > 25}
    assert not [line for line in left_out if json.dumps(line)[1:-1] in text]


def _inside(text: str) -> list[str]:
    return re.findall(r"(?s)### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END", text)


@each_lab
@pytest.mark.parametrize("folder", [SOLUTIONS, EXERCISES], ids=lambda path: path.name)
def test_notebooks_are_committed_clean(source: Path, folder: Path) -> None:
    notebook = read(folder / source.name)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert notebook.metadata.kernelspec.name == "python3"
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    assert all(re.fullmatch(r"[a-z0-9-]+", cell.id) for cell in notebook.cells), "ids are names, not random"


@each_lab
def test_a_lab_has_the_shape_of_the_course(source: Path) -> None:
    notebook = read(source)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert re.findall(r"(?m)^# .*", prose) == [notebook.cells[0].source.splitlines()[0]]
    assert [cell.id for cell in code if "parameters" in cell.metadata.get("tags", [])] == [code[0].id]
    assert [cell.id for cell in code if "check" in cell.metadata.get("tags", [])] == [code[-1].id]
    assert len(notebook.cells) <= 40
    assert sum(len(cell.source.splitlines()) for cell in code) <= 150
    assert max(len(cell.source.splitlines()) for cell in code) <= 20
    assert 900 <= len(prose.split()) + sum(len(cell.source.split()) for cell in code) <= 1800


@each_lab
def test_links_lead_somewhere(source: Path) -> None:
    for cell in read(source).cells:
        for target in re.findall(r"\]\(([^)#]+\.ipynb)\)", cell.source):
            # A lesson, or the lab beside it, which is beside the exercise too.
            assert target.startswith("../notebooks/") or (SOLUTIONS / target) in SOURCES, target
            assert (source.parent / target).resolve().is_file(), target


# --- run --------------------------------------------------------------------------------------------------------------


@each_lab
def test_a_solution_passes_and_its_exercise_fails_as_it_should(source: Path, tmp_path: Path) -> None:
    solutions = tmp_path / "solutions"
    solutions.mkdir()
    (solutions / source.name).write_bytes(source.read_bytes())
    build(solutions, tmp_path / "exercises")
    assert verify(solutions, tmp_path / "exercises") == []


@pytest.fixture(scope="module")
def notebook() -> Any:
    return read(SOLUTIONS / "11_thresholds_and_flapping.ipynb")


def lab_of(*cells: tuple[str, dict[str, Any] | None]) -> Any:
    """A small lab: sources with their nbgrader metadata."""
    made = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    for number, (text, role) in enumerate(cells):
        cell = nbformat.v4.new_code_cell(text, id=f"c{number}")
        if role is not None:
            cell.metadata["nbgrader"] = nbformat.from_dict(role)
        made.cells.append(cell)
    return made


def role(grade_id: str, **flags: Any) -> dict[str, Any]:
    plain = {"schema_version": 3, "grade": False, "locked": False, "solution": False, "task": False}
    return {**plain, "grade_id": grade_id, **flags}


SOLUTION_CELL = ("def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION", role("f", solution=True))
GRADED = role("check", grade=True, locked=True, points=1)
CHECK_CELL = ('from karmadalab.teaching import check\ncheck("11.1", f)', GRADED)


def saved(folder: Path, made: Any, name: str = "11_small.ipynb") -> Path:
    folder.mkdir(exist_ok=True)
    nbformat.write(made, folder / name)
    return folder / name


PROBLEMS: dict[str, tuple[tuple[tuple[str, dict[str, Any] | None], ...], str]] = {
    "the solution is wrong": (
        (SOLUTION_CELL, CHECK_CELL),
        "the solution does not pass: 11_small.ipynb, cell 2 (c1) fails with Mistake: 11.1 is not right yet.",
    ),
    "an import fails": (
        (("import no_such_module", None), SOLUTION_CELL, CHECK_CELL),
        "the exercise stops before its first check, 11_small.ipynb, cell 3 (c2): 11_small.ipynb, cell 1 (c0) fails "
        "with ModuleNotFoundError",
    ),
    "the stub stands outside a function": (
        (("### BEGIN SOLUTION\nf = 1\n### END SOLUTION", role("f", solution=True)), CHECK_CELL),
        "fails with NotImplementedError: ; put the solution into a function",
    ),
    "the check never looks": (
        (SOLUTION_CELL, ('# check("11.1")\n1 + 1', GRADED)),
        "the exercise passes unsolved; its checks look at nothing that is left out",
    ),
    "the check breaks": (
        (SOLUTION_CELL, ('check("11.1", f)', GRADED)),
        "the exercise is unsolved and its first check says that it is broken: 11_small.ipynb, cell 2 (c1) fails with "
        "NameError",
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_verify_says_what_is_wrong_with_a_run(name: str, tmp_path: Path) -> None:
    cells, says = PROBLEMS[name]
    saved(tmp_path / "solutions", lab_of(*cells))
    build(tmp_path / "solutions", tmp_path / "exercises")
    problems = verify(tmp_path / "solutions", tmp_path / "exercises")
    assert [text for text in problems if says in text], problems


def test_verify_sees_stale_edited_and_orphaned_exercises(tmp_path: Path) -> None:
    solutions, exercises = tmp_path / "solutions", tmp_path / "exercises"
    saved(solutions, lab_of(SOLUTION_CELL, CHECK_CELL))
    stale = "11_small.ipynb: the exercise is not what its solution makes; run `karmadalab exercises build`"
    assert verify(solutions, exercises) == [stale]
    [path] = build(solutions, exercises)
    path.write_text(path.read_text().replace("YOUR CODE", "MY CODE"))
    saved(exercises, lab_of(SOLUTION_CELL, CHECK_CELL), "12_orphan.ipynb")
    orphan = "12_orphan.ipynb: an exercise without a solution; remove it, or add its source to solutions/"
    assert verify(solutions, exercises) == [stale, orphan]


def test_build_leaves_right_files_alone(tmp_path: Path) -> None:
    [path] = build(SOLUTIONS, tmp_path)[:1]
    before = path.stat().st_mtime_ns
    build(SOLUTIONS, tmp_path)
    assert path.stat().st_mtime_ns == before


ON_THE_WAY: dict[str, tuple[str, str, bool, str]] = {
    "unsolved": ("", "11.1", False, "11.1 is not written yet"),
    "solved": ("    return saved, observed", "11.1", False, "11.1 is not right yet."),
    "another check is unsolved": ("", "11.3", False, "11.3 is not written yet"),
    "the names are gone": ("del my_filter", "11.1", False, "(check-11-1) fails with NameError"),
    "the kernel ends": ("import os; os._exit(0)", "11.1", False, "(my-filter) fails with DeadKernel: the kernel died"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_THE_WAY)
def test_one_check_runs_outside_a_notebook(name: str, tmp_path: Path) -> None:
    text, check_id, passed, says = ON_THE_WAY[name]
    result = check_notebook(answered(tmp_path, text), check_id)
    assert (result.passed, says in result.text) == (passed, True), result.text


def test_a_check_behind_a_loop_that_never_ends(tmp_path: Path) -> None:
    path = saved(tmp_path, lab_of(SOLUTION_CELL, ("while True:\n    pass", None), CHECK_CELL))
    result = check_notebook(path, "11.1", timeout_s=1)
    assert not result.passed
    assert "cell 2 (c1) fails with Timeout: it takes longer than 1 s; does a loop never end?" in result.text


def answered(folder: Path, text: str) -> Path:
    """The exercise 11 with a line more behind the learner's first cell, or, indented, in place of its stub."""
    made = read(EXERCISES / "11_thresholds_and_flapping.ipynb")
    [cell] = [cell for cell in made.cells if cell.id == "my-filter"]
    stub = "    # YOUR CODE HERE\n    raise NotImplementedError()"
    cell.source = cell.source.replace(stub, text) if text.startswith(" ") else f"{cell.source}\n{text}"
    return saved(folder, made, "11_mine.ipynb")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "karmadalab", "check", *arguments]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_command_says_what_the_check_says() -> None:
    good = command("23.1", "--folder", "solutions")
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout == "23.1 passed: 47 divisions as in Karmada v1.13, ties and replicas held among them.\n"
    bad = command("23.1", "--file", str(EXERCISES / "23_dividing_replicas.ipynb"))
    assert (bad.returncode, bad.stderr) == (1, "")
    assert bad.stdout.startswith("23.1 is not written yet: further up, put your code")


NO_SENSE = {
    ("11.9",): "11_thresholds_and_flapping.ipynb: has no check '11.9'; its checks are 11.1, 11.2, 11.3",
    ("98.1",): "exercises: no notebook begins with 98_, where 98.1 would be; there is 10_is_it_alive",
    ("hello",): "exercises: no notebook begins with hello_",
    ("11.1", "--folder", "nowhere"): "nowhere: no notebook begins with 11_, where 11.1 would be; there is no notebook",
    ("11.1", "--file", "README.md"): "README.md: is no valid notebook",
}


@pytest.mark.parametrize("arguments", NO_SENSE, ids=" ".join)
def test_a_question_that_makes_no_sense(arguments: tuple[str, ...]) -> None:
    answer = command(*arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"karmadalab: {NO_SENSE[arguments]}")
    assert "Traceback" not in answer.stderr


def test_a_check_finds_its_notebook(tmp_path: Path) -> None:
    assert notebook_of("11.1", EXERCISES).name == "11_thresholds_and_flapping.ipynb"
    with pytest.raises(BadNotebook, match=r"no notebook begins with 98_, where 98\.1 would be; there is .*11_thresh"):
        notebook_of("98.1", EXERCISES)
    saved(tmp_path, lab_of(SOLUTION_CELL), "11_mine.ipynb")
    saved(tmp_path, lab_of(SOLUTION_CELL), "11_yours.ipynb")
    with pytest.raises(BadNotebook, match=r"11_mine\.ipynb, 11_yours\.ipynb all begin with 11_; name the file"):
        notebook_of("11.1", tmp_path)


def test_a_loop_that_never_ends_is_stopped(tmp_path: Path) -> None:
    path = saved(tmp_path, lab_of(("while True:\n    pass", None)))
    failure = run(path, timeout_s=1)
    assert failure is not None
    assert failure.error == "Timeout"


# --- sources that no exercise can be made of --------------------------------------------------------------------------


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
    "another lab's check": (
        (SOLUTION_CELL, ('check("12.1", f)', GRADED)),
        "11_bad.ipynb, cell 2 (c1): calls 12.1, which belongs to another lab; this is 11",
    ),
}


@pytest.mark.parametrize("name", BAD_SOURCES)
def test_bad_sources(name: str, tmp_path: Path) -> None:
    cells, says = BAD_SOURCES[name]
    saved(tmp_path / "solutions", lab_of(*cells), "11_bad.ipynb")
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


# --- nbgrader ---------------------------------------------------------------------------------------------------------


def test_graded_cells_are_locked_and_the_learners_can_be_edited() -> None:
    for cell in cells_of(read(EXERCISES / "11_thresholds_and_flapping.ipynb"), "11"):
        if cell.role:
            assert cell.node.metadata["deletable"] is False
            assert cell.node.metadata.get("editable", True) is cell.has("solution")
            assert re.fullmatch(r"[0-9a-f]{32}", cell.role["checksum"])


@each_lab
def test_nbgrader_makes_the_same_exercise(source: Path) -> None:
    """Its own steps, in the order of its generate_assignment; the database is left out."""
    preprocessors = pytest.importorskip("nbgrader.preprocessors")
    steps = ("LockCells", "ClearSolutions", "ClearOutput", "CheckCellMetadata", "ClearHiddenTests", "ComputeChecksums")
    theirs = read(source)
    for step in steps:
        theirs, _ = getattr(preprocessors, step)().preprocess(theirs, {})
    assert theirs == nbformat.reads(exercise_text(source), as_version=4)

"""The labs as files: exercises are what their solutions make.

A solution must pass; its exercise must fail at the first check, because it is unsolved and for no other reason.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from karmadalab.teaching.cells import cells_of
from karmadalab.teaching.exercises import build, check_notebook, notebook_of, verify
from karmadalab.teaching.grading import grade
from karmadalab.teaching.grading.restoring import names_defined
from karmadalab.teaching.markers import HIDDEN_TESTS, BadNotebook, cut
from karmadalab.teaching.running import run
from karmadalab.teaching.sources import exercise_text, read
from tests.small_labs import CHECK_CELL, EXERCISES, GRADED, ROOT, SOLUTION_CELL, SOLUTIONS, lab_of, role, saved

SOURCES = sorted(SOLUTIONS.glob("*.ipynb"))
SHORTEST = "32_graceful_eviction.ipynb"  # it runs in a few seconds

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
def test_a_hidden_test_needs_no_other_hidden_test(source: Path) -> None:
    """Whoever fails a check never comes to its hidden test: what only that one binds is missing further down."""
    code = [(cell.id, cell.source) for cell in read(source).cells if cell.cell_type == "code"]
    regions = re.compile(r"(?s)### BEGIN HIDDEN TESTS\n(.*?)### END")
    hidden = {name: "".join(regions.findall(text)) for name, text in code}
    shown = set().union(*(_bound(cut(text, HIDDEN_TESTS, (), source.name)[0]) for _, text in code))
    secret = set().union(*map(_bound, hidden.values())) - shown
    borrowed = {name: sorted(_used(text) & secret - _bound(text)) for name, text in hidden.items()}
    assert {name: names for name, names in borrowed.items() if names} == {}


@each_lab
def test_a_hidden_test_names_no_answer_but_those_that_its_check_is_given(source: Path) -> None:
    """What somebody got wrong in one task costs nothing in the next."""
    cells = [cell for cell in cells_of(read(source), source.name) if cell.is_code]
    answers = {name for cell in cells if cell.has("solution") for name in names_defined(cell.node.source)}
    foreign = {}
    for cell in cells:
        if cell.has("grade"):
            hidden = "".join(re.findall(r"(?s)### BEGIN HIDDEN TESTS\n(.*?)### END", cell.node.source))
            given = _used(cut(cell.node.source, HIDDEN_TESTS, (), source.name)[0])
            foreign[cell.role["grade_id"]] = sorted((_used(hidden) & answers) - given)
    assert foreign
    assert {name: others for name, others in foreign.items() if others} == {}


def _bound(text: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name)
            case ast.arg(arg=name):
                found.add(name)
    return found


def _used(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


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


def test_the_plan_of_a_course_names_every_lab() -> None:
    rows = [line.split("|") for line in (ROOT / "docs/teaching.md").read_text().splitlines() if line.startswith("|")]
    plan = [row for row in rows if len(row) == 7 and row[1].strip().isdigit()]
    assert sorted(re.findall(r"\d\d", " ".join(row[3] + row[4] for row in plan))) == [path.name[:2] for path in SOURCES]


# --- run --------------------------------------------------------------------------------------------------------------


@each_lab
def test_an_exercise_fails_at_its_first_check_because_it_is_unsolved(source: Path) -> None:
    path = EXERCISES / source.name
    first = next(cell for cell in cells_of(read(path), path.name) if cell.checks)
    failure = run(path)
    assert failure is not None
    assert (failure.cell.where, failure.error) == (first.where, "Unsolved"), failure


@each_lab
def test_a_solution_passes_in_the_notebook_and_before_the_judge(source: Path, tmp_path: Path) -> None:
    """Graded, it runs twice; its answers, and what the checks hand them, have to cross to the judge and back."""
    (tmp_path / "teacher").mkdir()
    (tmp_path / "teacher" / source.name).write_bytes(source.read_bytes())
    [graded] = grade(tmp_path, SOLUTIONS)
    assert graded.marks
    assert [mark for mark in graded.marks if mark.points != mark.most] == []
    there = {mark.cell for mark in graded.marks if "(judged in the student's own process" in mark.message}
    assert there == {name for name in judged_there() if name.startswith(f"check-{source.name[:2]}-")}


def judged_there() -> set[str]:
    """The checks that the teacher's guide names as those whose verdict can be forged."""
    [told] = re.findall(r"(?s)Four checks must hand.*?: ([\d., and]+)\. Their", (ROOT / "docs/teaching.md").read_text())
    return {f"check-{number.replace('.', '-')}" for number in re.findall(r"\d\d\.\d", told)}


def test_the_teachers_guide_names_the_four_checks_that_can_be_forged() -> None:
    assert len(judged_there()) == 4


def test_verify_has_nothing_to_say_of_a_lab_that_is_in_order(tmp_path: Path) -> None:
    shutil.copytree(SOLUTIONS, tmp_path / "solutions", ignore=lambda _, names: set(names) - {SHORTEST})
    build(tmp_path / "solutions", tmp_path / "exercises")
    assert verify(tmp_path / "solutions", tmp_path / "exercises") == []


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

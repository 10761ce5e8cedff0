"""Read a notebook, and make the exercise out of a solution."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from karmadalab.teaching.cells import Cell, cells_of, check_text, checksum
from karmadalab.teaching.markers import CODE_STUB, HIDDEN_TESTS, SOLUTION, BadNotebook, cut

_TEXT_STUB = ("YOUR ANSWER HERE",)


def read(path: Path) -> Any:
    """A notebook, valid by nbformat's schema.

    Raises:
        BadNotebook: it can't be read, or is none.
        ImportError: nbformat is missing.
    """
    nbformat = _nbformat()
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors on Windows begin a file with a mark
    except (OSError, UnicodeDecodeError) as error:
        raise BadNotebook(f"{path.name}: can't be read: {error}{_way_out(error)}") from None
    try:
        data = json.loads(text)
        major, minor = data["nbformat"], data["nbformat_minor"]
        if (major, minor) < (4, 5):
            raise BadNotebook(
                f"{path.name}: format {major}.{minor} has no cell ids; open it in JupyterLab and save it, or run "
                "nbformat's `convert`"
            )
        notebook = nbformat.reads(text, as_version=4)
        nbformat.validate(notebook)
    except (ValueError, TypeError, KeyError, nbformat.ValidationError) as error:
        why = str(error).splitlines()[0]
        raise BadNotebook(f"{path.name}: is no valid notebook: {why}; open it in JupyterLab and save it anew") from None
    return notebook


def _way_out(error: Exception) -> str:
    return "; save it as UTF-8" if isinstance(error, UnicodeDecodeError) else ""


def _nbformat() -> Any:
    try:
        import nbformat
    except ImportError:
        raise ImportError("exercises need nbformat: pip install 'karmadalab[notebooks]'") from None
    return nbformat


def exercise_text(path: Path) -> str:
    """The exercise that belongs to a solution, as the text of a notebook file.

    Raises:
        BadNotebook: what keeps an exercise from being made of it: notebook, cell, and the way out.
    """
    notebook = exercise(read(path), path.name)
    return str(_nbformat().writes(notebook)) + "\n"


def exercise(solution: Any, name: str) -> Any:
    """A notebook with stubs for the solutions, without hidden tests and outputs, its graded cells locked."""
    notebook = copy.deepcopy(solution)
    cells = list(cells_of(notebook, name))
    check_text(cells)
    for cell in cells:
        _strip(cell)
    _check_whole(cells, name)
    notebook.metadata = {key: _plain_metadata(solution, key) for key in ("kernelspec", "language_info")}
    return notebook


def _plain_metadata(solution: Any, key: str) -> Any:
    """What a notebook needs to say about its kernel; the version of Python that saved it is none of that."""
    if key == "language_info":
        return {"name": "python"}
    return solution.metadata.get(key) or {"display_name": "Python 3", "language": "python", "name": "python3"}


def _strip(cell: Cell) -> None:
    """Make the learner's cell out of the teacher's, in place."""
    node = cell.node
    stub = CODE_STUB if cell.is_code else _TEXT_STUB
    node.source, solved = cut(node.source, SOLUTION, stub, cell.where)
    node.source, hidden = cut(node.source, HIDDEN_TESTS, (), cell.where)
    if solved and not cell.has("solution"):
        raise BadNotebook(
            f"{cell.where}: holds a solution, but its metadata does not say so; mark it as a solution cell "
            '(`"nbgrader": {"solution": true, ...}`)'
        )
    if hidden and not cell.has("grade"):
        raise BadNotebook(f"{cell.where}: holds hidden tests, but is not graded; move them into a graded cell")
    if cell.has("solution") and not solved:
        if cell.is_code:
            raise BadNotebook(
                f"{cell.where}: is a solution cell without `{SOLUTION.begin}`, so all of it would go, the name it "
                "defines too; put the markers around the body"
            )
        node.source = "\n".join(_TEXT_STUB)
    if cell.is_code:
        node.outputs, node.execution_count = [], None
    _lock(cell)


def _lock(cell: Cell) -> None:
    """What nbgrader does to keep a cell from being deleted or edited, and to notice when it was."""
    if not any(cell.has(flag) for flag in ("grade", "solution", "locked")):
        return
    metadata = cell.node.metadata
    metadata["deletable"] = False
    if not cell.has("solution"):
        metadata["editable"] = False
    metadata["nbgrader"] |= {"cell_type": cell.node.cell_type, "checksum": checksum(cell)}


def _check_whole(cells: list[Cell], name: str) -> None:
    if not any(cell.has("solution") for cell in cells):
        raise BadNotebook(f"{name}: has no solution cell, so there is nothing to solve; is it a lesson?")
    graded = [cell for cell in cells if cell.is_code and cell.has("grade")]
    if not graded:
        raise BadNotebook(f'{name}: has no graded code cell; add one that calls `check("{name[:2]}.1", ...)`')
    for cell in graded:
        if not cell.checks:
            raise BadNotebook(
                f'{cell.where}: is graded and calls no check; call `check("{name[:2]}.1", ...)`, outside hidden tests'
            )
        strangers = [check_id for check_id in cell.checks if not name.startswith(check_id.partition(".")[0])]
        if strangers:
            raise BadNotebook(f"{cell.where}: calls {strangers[0]}, which belongs to another lab; this is {name[:2]}")

"""Labs of a few cells, and where the real ones are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parent.parent
SOLUTIONS, EXERCISES = ROOT / "solutions", ROOT / "exercises"


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

"""A submission as it is run: the student's cells, with every graded and locked cell as the teacher wrote it.

Cells are known by their grade_id. Whoever edits a check, or deletes one, gets the teacher's back. Hidden tests are not
put in here: they stay with the judge.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from karmadalab.teaching.cells import Cell


class Step(NamedTuple):
    """A cell to run.

    Attributes:
        source: its code.
        graded: the grade_id of the check that it is; empty for any other cell.
    """

    source: str
    graded: str = ""


def restored(submission: Any, exercise: list[Cell]) -> list[Step]:
    """The code cells of a submission in the student's order, the locked ones as in the exercise.

    A locked cell that is gone comes back at the end, when all answers are there. Of two copies the first counts, the
    other is not run.
    """
    locked = {cell.role["grade_id"]: cell for cell in exercise if cell.is_code and is_locked(cell)}
    there = [_grade_id(node) for node in submission.cells]
    ours: list[tuple[str, str]] = []  # (the locked cell's grade_id, or none; source)
    for position, (node, name) in enumerate(zip(submission.cells, there, strict=True)):
        if name in locked:
            if there.index(name) == position:
                ours.append((name, locked[name].node.source))
        elif node.cell_type == "code":
            ours.append(("", node.source))
    ours += [(name, cell.node.source) for name, cell in locked.items() if name not in there]
    return [Step(source, name if name and locked[name].has("grade") else "") for name, source in ours]


def is_locked(cell: Cell) -> bool:
    """Whether a cell is the teacher's alone."""
    return bool(cell.role) and not cell.has("solution") and (cell.has("grade") or cell.has("locked"))


def _grade_id(node: Any) -> str:
    role = node.metadata.get("nbgrader")
    name = role.get("grade_id") if isinstance(role, dict) else None
    return name if isinstance(name, str) else ""


def names_defined(source: str) -> list[str]:
    """The names that a cell defines at its top level, imports aside.

    >>> names_defined("import math\\nlimit = 3\\ndef f(x):\\n    y = x")
    ['limit', 'f']
    """
    return list(_names(ast.parse(source)))


def _names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def imports_of(source: str) -> str:
    """The imports at the top level of a cell, as code."""
    return "\n".join(ast.unparse(n) for n in ast.parse(source).body if isinstance(n, ast.Import | ast.ImportFrom))


def student_id(submission: Any) -> str | None:
    """The id that a student wrote into `STUDENT = "..."`; None when there is no such line that can be read."""
    for node in submission.cells:
        if node.cell_type != "code" or "STUDENT" not in node.source:
            continue
        try:
            tree = ast.parse(node.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for line in tree.body:
            match line:
                case ast.Assign(targets=[ast.Name(id="STUDENT")], value=ast.Constant(value=str(text))):
                    return text
    return None

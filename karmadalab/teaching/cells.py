"""What a cell is for, as its nbgrader metadata (schema version 3) says: to be filled in, to check, or to be left alone.

An independent reading of nbgrader's schema, so that exercises are made without nbgrader and still graded by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import md5
from typing import Any, NamedTuple

from karmadalab.teaching.markers import BadNotebook

SCHEMA_VERSION = 3
_FLAGS = ("grade", "locked", "solution", "task")
_KNOWN = {*_FLAGS, "schema_version", "grade_id", "points", "cell_type", "checksum"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_CHECK_CALL = re.compile(r"\bcheck\(\s*[\"'](\d\d\.\w+)[\"']")


class Cell(NamedTuple):
    """A cell with its place and its purpose.

    Attributes:
        where: notebook and cell, for errors.
        node: the cell as nbformat has it.
        role: its nbgrader metadata; empty for a cell that nbgrader leaves alone.
    """

    where: str
    node: Any
    role: Mapping[str, Any]

    @property
    def is_code(self) -> bool:
        """Whether it is a code cell."""
        return bool(self.node.cell_type == "code")

    def has(self, flag: str) -> bool:
        """Whether the metadata sets a flag."""
        return bool(self.role.get(flag))

    @property
    def checks(self) -> list[str]:
        """The checks that a graded code cell calls, `11.1`."""
        return _CHECK_CALL.findall(self.node.source) if self.is_code and self.has("grade") else []


def cells_of(notebook: Any, name: str) -> Iterator[Cell]:
    """The cells of a notebook, their metadata checked.

    Raises:
        BadNotebook: metadata that nbgrader would refuse, or would read otherwise than it was meant.
    """
    seen: dict[str, str] = {}
    for number, node in enumerate(notebook.cells, 1):
        where = f"{name}, cell {number} ({node.get('id', 'no id')})"
        role = node.metadata.get("nbgrader")
        if role is None:
            yield Cell(where, node, {})
            continue
        _check_role(role, node.cell_type, where)
        grade_id = role["grade_id"]
        if grade_id in seen:
            raise BadNotebook(f"{where}: grade_id {grade_id!r} is taken by {seen[grade_id]}; give it another one")
        seen[grade_id] = f"cell {number}"
        yield Cell(where, node, role)


def check_text(cells: Iterable[Cell]) -> None:
    """See that what stands in the cells is text: JSON can spell a lone surrogate, and no kernel and no file takes one.

    Raises:
        BadNotebook: where it is not.
    """
    for cell in cells:
        if half := _SURROGATE.search(cell.node.source):
            raise BadNotebook(
                f"{cell.where}: holds half a character ({half[0]!r}), which is no text; delete it, or write it anew"
            )


def _check_role(role: Any, cell_type: str, where: str) -> None:
    for problem in _problems(role, cell_type):
        raise BadNotebook(f"{where}: nbgrader metadata: {problem}")


def _problems(role: Any, cell_type: str) -> Iterator[str]:
    if not isinstance(role, Mapping):
        yield f"expected a mapping, got {role!r}"
        return
    if role.get("schema_version") != SCHEMA_VERSION:
        yield f'schema_version is {role.get("schema_version")!r}; write "schema_version": {SCHEMA_VERSION}'
    for flag in _FLAGS:
        if flag not in role:
            yield f'{flag!r} is missing; add "{flag}": true or false'
        elif not isinstance(role[flag], bool):
            yield f"{flag} is {role[flag]!r}; write true or false"
    for key in role:
        if key not in _KNOWN:
            yield f"{key!r} is no key of schema version {SCHEMA_VERSION}; remove it"
    if not re.fullmatch(r"[a-zA-Z0-9_\-]+", str(role.get("grade_id", ""))):
        yield f"grade_id is {role.get('grade_id')!r}; give the cell a name of letters, digits, - and _"
    yield from _contradictions(role, cell_type)


def _contradictions(role: Mapping[str, Any], cell_type: str) -> Iterator[str]:
    points = role.get("points")
    if role.get("cell_type", cell_type) != cell_type:
        yield f"it says {role['cell_type']}, the cell is {cell_type}; make them agree"
    if role["grade"] and (isinstance(points, bool) or not isinstance(points, int | float) or points < 0):
        yield f'a graded cell has points, here {points!r}; add "points": 1'
    if role["task"] and cell_type != "markdown":
        yield "a task is a markdown cell"
    if cell_type == "markdown" and not role["task"] and role["grade"] != role["solution"]:
        yield "a markdown cell is graded by hand: set both grade and solution, or neither"


def checksum(cell: Cell) -> str:
    """nbgrader's checksum of a cell: by it nbgrader notices that a locked cell was changed."""
    parts = [
        cell.node.source,
        cell.node.cell_type,
        str(cell.has("grade")),
        str(cell.has("solution")),
        str(not cell.has("solution") and (cell.has("grade") or cell.has("locked"))),
        cell.role["grade_id"],
    ]
    if cell.has("grade"):
        parts.append(str(float(cell.role["points"])))
    return md5("".join(parts).encode(), usedforsecurity=False).hexdigest()

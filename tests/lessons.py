"""What the tests know of lesson notebooks: where they are, what a cell is, and how one is run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))


class UnknownParameter(ValueError):
    """A parameter that the notebook does not have."""


def read(path: Path) -> Any:
    import nbformat

    return nbformat.read(path, as_version=4)


def tagged(notebook: Any, tag: str) -> list[Any]:
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", ())]


def parameters_of(notebook: Any) -> dict[str, str]:
    """Name -> literal, as written in the cell that is tagged `parameters`."""
    [cell] = tagged(notebook, "parameters")
    return dict(re.findall(r"^(\w+) = (.+?)(?:  #.*)?$", cell.source, re.MULTILINE))


def run(path: Path, output: Path, parameters: Mapping[str, Any] | None = None) -> Any:
    """Execute a notebook in its own folder and return it. papermill takes unknown parameters without a word; we don't.

    Raises:
        UnknownParameter: the notebook does not have it.
        PapermillExecutionError: a cell failed.
    """
    known = parameters_of(read(path))
    if unknown := sorted(set(parameters or {}) - set(known)):
        raise UnknownParameter(f"{path.name}: there is no parameter {', '.join(unknown)}; there are {', '.join(known)}")
    import papermill

    papermill.execute_notebook(
        path,
        output,
        parameters=dict(parameters or {}),
        cwd=path.parent,
        progress_bar=False,
        store_widget_state=False,  # 5 MB a figure
    )
    return read(output)

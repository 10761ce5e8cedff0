"""Run a notebook in a kernel of its own, cell by cell, up to the first failure."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from karmadalab.teaching.cells import Cell, cells_of, check_text
from karmadalab.teaching.sources import read

TIMEOUT_S = 30.0  # nbgrader's own limit for a cell
TIMEOUT, DEAD = "Timeout", "DeadKernel"


class Failure(NamedTuple):
    """Where a run stopped.

    Attributes:
        cell: the cell that failed.
        error: the exception's class, by name.
        message: its text.
    """

    cell: Cell
    error: str
    message: str

    @property
    def is_final(self) -> bool:
        """Whether the kernel can run no further cell."""
        return self.error in (TIMEOUT, DEAD)

    def __str__(self) -> str:
        return f"{self.cell.where} fails with {self.error}: {self.message}"


def run(path: Path, until: str = "", timeout_s: float = TIMEOUT_S) -> Failure | None:
    """Run a notebook; nothing is written.

    Args:
        until: stop after the cell that calls this check; empty: run all of it.
        timeout_s: how long a cell may take.

    Returns:
        the first failure, None when there is none.
    """
    with closing(_failures(read(path), path, until, timeout_s)) as failures:
        return next(failures, None)


def run_to_check(path: Path, check_id: str, timeout_s: float = TIMEOUT_S) -> tuple[list[Failure], str]:
    """Run a notebook up to a check as a learner would who goes there at once: what fails on the way stops nobody.

    Returns:
        the failures in order, and what the check's cell printed.
    """
    notebook = read(path)
    failures = list(_failures(notebook, path, check_id, timeout_s))
    [asked] = [cell for cell in cells_of(notebook, path.name) if check_id in cell.checks]
    return failures, "".join(output.get("text", "") for output in asked.node.outputs)


def _failures(notebook: Any, path: Path, until: str, timeout_s: float) -> Generator[Failure]:
    """Each failure as it comes; whoever has heard enough stops asking."""
    cells = list(_up_to(cells_of(notebook, path.name), until))
    check_text(cells)
    with _client(notebook, path, timeout_s) as client:
        for index, cell in enumerate(cells):
            if cell.is_code and (failure := _run_cell(client, cell, index)) is not None:
                yield failure
                if failure.is_final:
                    return


def _up_to(cells: Iterable[Cell], check_id: str) -> Iterator[Cell]:
    for cell in cells:
        yield cell
        if check_id in cell.checks:
            return


@contextmanager
def _client(notebook: Any, path: Path, timeout_s: float) -> Iterator[Any]:
    try:
        from nbclient import NotebookClient
    except ImportError:
        raise ImportError("running a notebook needs nbclient: pip install 'karmadalab[notebooks]'") from None
    client = NotebookClient(
        notebook,
        timeout=timeout_s,
        kernel_name="python3",
        store_widget_state=False,
        extra_arguments=["--log-level=ERROR"],  # ipykernel 7 warns of plain TCP, which stays on loopback
        resources={"metadata": {"path": str(path.parent)}},
    )
    with client.setup_kernel():
        yield client


def _run_cell(client: Any, cell: Cell, index: int) -> Failure | None:
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    try:
        client.execute_cell(cell.node, index)
    except CellExecutionError as error:
        return Failure(cell, error.ename, error.evalue)
    except CellTimeoutError:
        return Failure(cell, TIMEOUT, f"it takes longer than {client.timeout:g} s; does a loop never end?")
    except DeadKernelError:
        return Failure(cell, DEAD, "the kernel died; did the cell end it, or use up the memory?")
    return None

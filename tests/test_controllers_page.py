"""`docs/controllers.md` says what the controllers do now, and has a row for each with nothing left out."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "controllers.md"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("controllers_page", ROOT / "docs" / "controllers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows() -> dict[str, list[str]]:
    lines = [line.strip("| \n").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| [")]
    return {line[0].partition("]")[0].strip("["): line for line in lines}


def test_the_page_is_up_to_date(script: ModuleType) -> None:
    assert script.page() == PAGE.read_text(), "write it again: .venv/bin/python docs/controllers.py"


def test_every_module_of_a_controller_has_a_row() -> None:
    modules = {path.name for path in (ROOT / "karmadalab" / "controllers").glob("[a-z]*.py")}
    named = set(re.findall(r"\(\.\./karmadalab/controllers/(\w+\.py)\)", PAGE.read_text()))
    assert modules == named


def test_every_row_says_what_wakes_it_what_it_reads_and_writes_and_where_karmada_has_it() -> None:
    for name, row in rows().items():
        controller, purpose, woken_by, reads, writes, _, runs_in, karmada = row[:8]
        assert all((controller, purpose, woken_by, reads, writes, runs_in)), name
        assert "pkg/" in karmada or "client-go" in karmada, name


def test_the_tour_makes_every_controller_write_but_the_one_that_only_fills_a_queue() -> None:
    assert [name for name, row in rows().items() if row[4].startswith("nothing")] == ["taint-manager"]


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", PAGE.read_text()):
        assert (PAGE.parent / target).exists(), target

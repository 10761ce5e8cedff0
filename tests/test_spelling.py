"""No common misspelling in what people read: lessons, labs, documents, and the docstrings that lessons show.

codespell knows some 60,000 misspellings, and no grammar: what it finds is nearly always wrong, and it overlooks much.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.test_house import ROOT, tracked_files

# Words that are right here.
ALLOWED = {
    "simpy": "the library that the engine is measured against",
    "notin": "an operator of label selectors",
    "fro": "to and fro",
    "tread": "where two rules tread on each other's toes",
    "timout": "a parameter misspelt on purpose: papermill takes it in silence",
}
FOLDERS = ("notebooks", "solutions", "exercises", "docs", "environments", "karmadalab", ".github")
ENDINGS = (".ipynb", ".md", ".py", ".yaml", ".yml", ".toml", ".Dockerfile")


def read_by_people(path: Path) -> bool:
    """Tests are left out: they misspell words to see what is said then."""
    parts = path.relative_to(ROOT).parts
    return path.name == "Makefile" or (path.suffix in ENDINGS and (len(parts) == 1 or parts[0] in FOLDERS))


def text_of(path: Path) -> str:
    """What a file says; of a notebook its cells, one after the other."""
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    return "\n".join(cell["source"] for cell in nbformat.read(path, as_version=4)["cells"])


def misspelt(texts: dict[str, str], folder: Path, allowed: tuple[str, ...] = ()) -> list[str]:
    """What codespell finds, `FILE:LINE: wrong ==> right`."""
    for name, text in texts.items():
        (folder / name.replace("/", "__")).write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "codespell_lib", "--ignore-words-list", ",".join(allowed), *sorted(folder.glob("*"))]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder, env={"PYTHONUTF8": "1"})
    assert not done.stderr, done.stderr
    return [line.removeprefix(f"{folder}/").replace("__", "/") for line in done.stdout.splitlines()]


def test_nothing_that_people_read_is_misspelt(tmp_path: Path) -> None:
    texts = {str(path.relative_to(ROOT)): text_of(path) for path in tracked_files() if read_by_people(path)}
    assert len([name for name in texts if name.endswith(".ipynb")]) > 20
    assert misspelt(texts, tmp_path, tuple(ALLOWED)) == []
    everything = "\n".join(texts.values()).lower()
    assert [word for word in ALLOWED if word not in everything] == [], "allowed, and nowhere written"


@pytest.mark.parametrize(
    ("text", "found"),
    [("Teh cluster recieves a pod.", 2), ("The cluster receives a pod.", 0), ("The fleet's colour; NotIn.", 0)],
)
def test_a_misspelling_is_found(text: str, found: int, tmp_path: Path) -> None:
    assert len(misspelt({"docs/page.md": text}, tmp_path, ("notin",))) == found

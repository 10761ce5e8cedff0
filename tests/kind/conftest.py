"""A PATH of our own: what is put there exists, everything else does not."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
TRANSCRIPTS = HERE.parent / "data" / "kind" / "transcripts"


def install(script: str, folder: Path, *names: str) -> None:
    """Put a script of this folder on the PATH under other names."""
    folder.mkdir(exist_ok=True)
    for name in names:
        program = folder / name
        # -S -E: no site-packages, no PYTHON* variables: starts in 15 ms.
        program.write_text(f"#!{sys.executable} -SE\n" + (HERE / script).read_text(encoding="utf-8"), encoding="utf-8")
        program.chmod(0o755)


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it; the folder, to put programs there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("KIND_EXPERIMENTAL_PROVIDER", raising=False)
    monkeypatch.setenv("KARMADALAB_HOME", str(tmp_path / "home"))
    return folder


@pytest.fixture
def recorded(empty_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let `kind` answer as in a recording."""
    install("replay.py", empty_path, "kind")

    def answer(name: str) -> None:
        path = TRANSCRIPTS / f"{name}.json"
        assert path.exists(), name
        monkeypatch.setenv("FAKE_TRANSCRIPT", str(path))

    return answer


needs_posix = pytest.mark.skipif(sys.platform == "win32" or shutil.which("sh") is None, reason="kind mode is for POSIX")


class World:
    """What the fake kind and docker know; see `cluster.py`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def plan(self, **how: object) -> None:
        """How clusters are to fail, by cluster."""
        (self.folder / "plan.json").write_text(json.dumps({key.replace("_", "-"): how[key] for key in how}))

    @property
    def clusters(self) -> dict[str, str]:
        """What exists."""
        path = self.folder / "clusters.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def exists(self, *names: str) -> None:
        """Clusters that somebody else made."""
        (self.folder / "clusters.json").write_text(json.dumps(dict.fromkeys(names, "running")))

    @property
    def log(self) -> list[dict[str, Any]]:
        """Every call, oldest first."""
        path = self.folder / "log.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def calls(self, *words: str) -> list[list[str]]:
        """The calls that begin so."""
        return [entry["argv"] for entry in self.log if entry["argv"][: len(words)] == list(words)]


@pytest.fixture
def world(empty_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A machine with kind and docker, and nothing made yet."""
    install("cluster.py", empty_path, "kind", "docker")
    monkeypatch.setenv("FAKE_WORLD", str(tmp_path / "world"))
    monkeypatch.setenv("FAKE_TRANSCRIPTS", str(TRANSCRIPTS))
    return World(tmp_path / "world")

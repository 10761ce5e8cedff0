"""A PATH of our own: what is put there exists, everything else does not."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

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

"""What a served lab leaves behind: nothing, but in a folder that somebody named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from karmadalab import Lab


def test_closing_a_lab_ends_what_it_serves_and_removes_the_folder_with_token_and_key() -> None:
    with Lab.fake(members=2) as lab:
        served = lab.serve()
        assert (served.folder / "server.key").exists()
    assert "ended" in repr(served)
    assert not served.folder.exists()


def test_a_folder_that_was_named_stays(tmp_path: Path) -> None:
    with Lab.fake(members=2) as lab:
        served = lab.serve(folder=tmp_path / "mine")
    assert "ended" in repr(served)
    assert (tmp_path / "mine" / "kubeconfig").exists()


def test_what_was_closed_before_its_lab_is_closed_once() -> None:
    lab = Lab.fake(members=2)
    first, second = lab.serve(), lab.serve()
    first.close()
    lab.close()
    assert not first.folder.exists()
    assert not second.folder.exists()


def test_a_process_that_closes_nothing_leaves_no_folder() -> None:
    code = "from karmadalab import Lab; served = Lab.fake(members=2).serve(); print(served.folder)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    folder = Path(done.stdout.strip())
    assert folder.name.startswith("karmadalab-")
    assert not folder.exists()
    assert done.stderr == ""

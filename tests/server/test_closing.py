"""What a served lab leaves behind: nothing, but in a folder that somebody named."""

from __future__ import annotations

import asyncio
import gc
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from karmadalab import Lab
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace
from karmadalab.server import serve_store
from karmadalab.server.serve import Served


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


@pytest.mark.parametrize("turns", range(4))
def test_who_comes_while_a_server_ends_is_hung_up_on_like_all_others(
    turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Callers come so late that the event loop has only some turns left for them. Who is let in, and then forgotten,
    is a socket that the garbage collector closes with a warning, which fails this test."""
    callers: list[socket.socket] = []

    async def callers_come(served: Served) -> None:
        callers.extend(socket.create_connection(("127.0.0.1", served.port), timeout=5) for _ in range(3))
        for _ in range(turns):
            await asyncio.sleep(0)

    monkeypatch.setattr(Served, "_answered", callers_come)
    clock = VirtualClock()
    with serve_store(Store(clock, Trace(clock.now)), "member1"):
        pass
    gc.collect()
    assert [hung_up(caller) for caller in callers] == [True, True, True]


def hung_up(caller: socket.socket) -> bool:
    with caller, suppress(ConnectionError):
        return caller.recv(1) == b""
    return True

"""The processes below one: how many, how large, and their end."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_TICKS_S = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def usage(root: int) -> tuple[int, int]:
    """How many processes there are from one on downwards, and how many MiB they hold; (1, 0) where nobody can tell."""
    below = _below(root)
    return len(below), sum(map(_held_bytes, below)) >> 20


def busy_s(root: int) -> float | None:
    """Seconds of processor time that the processes from one on downwards have used; None where nobody can tell."""
    if not _PROC.is_dir():
        return None
    return sum(_ticks(pid) for pid in _below(root)) / _TICKS_S


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    """End a process that began a session, its group, and whoever left the group while its parent lived."""
    for pid in _below(process.pid):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _ticks(pid: int) -> int:
    with suppress(OSError, IndexError):
        fields = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        return sum(map(int, fields[11:15]))  # its own in user and system mode, and of children it has waited for
    return 0


def _below(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    found = [root]
    for pid in found:  # grows while it is walked through
        found += children.get(pid, ())
    return found


def _parents() -> Iterator[tuple[int, int]]:
    for entry in _PROC.iterdir() if _PROC.is_dir() else ():
        if entry.name.isdigit():
            with suppress(OSError, IndexError):
                # pid (name, which may hold anything) state parent ...
                yield int(entry.name), int((entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])


def _held_bytes(pid: int) -> int:
    with suppress(OSError, IndexError):
        return int((_PROC / str(pid) / "statm").read_text().split()[1]) * _PAGE_BYTES
    return 0

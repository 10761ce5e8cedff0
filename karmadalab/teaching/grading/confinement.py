"""What a student's process may not do, as far as the machine sees to it. That process calls it before its first cell.

Limits on memory, files and processor time hold everywhere but on Windows. On Linux, where the kernel lets us, there is
more: no network and a tree of processes of its own (namespaces), and of the file system only Python and karmadalab to
read and its own folder to write (Landlock, Linux 5.13). `confine` returns what came of it; nobody has to be root.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from pathlib import Path

from karmadalab.teaching.grading.limits import Limits

_NEW_IPC, _NEW_USER, _NEW_PID, _NEW_NET = 0x08000000, 0x10000000, 0x20000000, 0x40000000  # linux/sched.h
_DIE_WITH_PARENT, _NO_NEW_PRIVILEGES = 1, 38  # linux/prctl.h
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
_READ, _READ_FILE, _WRITE_FILE = 0b1101, 0b100, 0b110  # execute, read a file, list a folder; of one file
_FS_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # Landlock's version: how many rights over files it knows
_TCP, _SCOPES = 0b11, 0b11  # bind and connect (version 4); abstract sockets and signals (version 6)


def confine(folder: Path, limits: Limits) -> list[str]:
    """Shut this process in, with all it will start.

    Args:
        folder: the only one that it may write to.
        limits: what it may use.

    Returns:
        what holds, in words for the teacher.
    """
    _limit(limits)
    holds = ["limits on memory, time and output"]
    if sys.platform != "linux":
        return holds
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    if _unshare(libc):
        holds += ["no network", "a process tree of its own"]
    if _landlock(libc, folder):
        holds.append("files: Python and karmadalab to read, its own folder to write")
    return holds


def _limit(limits: Limits) -> None:
    most = {
        resource.RLIMIT_AS: limits.memory_mb << 20,
        resource.RLIMIT_FSIZE: limits.output_mb << 20,
        resource.RLIMIT_CPU: int(limits.total_s) + 1,
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_CORE: 0,
    }
    for what, value in most.items():
        with suppress(ValueError, OSError):  # a stricter one is in force, or the platform has no such limit
            resource.setrlimit(what, (value, value))


def _unshare(libc: ctypes.CDLL) -> bool:
    """Namespaces of our own, and go on as the first process of the new tree: its end is the end of all others in it."""
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_NEW_USER | _NEW_PID | _NEW_NET | _NEW_IPC) != 0:
        return False
    with suppress(OSError):
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    child = os.fork()
    if child:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is meant for the cell
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    return True


def _landlock(libc: ctypes.CDLL, folder: Path) -> bool:
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    every = (1 << _FS_RIGHTS[min(version, 5)]) - 1
    words = [every, *([_TCP] if version >= 4 else []), *([_SCOPES] if version >= 6 else [])]
    rules = libc.syscall(_CREATE_RULESET, struct.pack(f"={len(words)}Q", *words), ctypes.c_size_t(8 * len(words)), 0)
    if rules < 0:
        return False
    for path in _readable():
        _allow(libc, rules, path, _READ if path.is_dir() else _READ_FILE)
    _allow(libc, rules, Path(os.devnull), _WRITE_FILE)
    _allow(libc, rules, folder, every)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return bool(libc.syscall(_RESTRICT_SELF, rules, 0) == 0)


def _readable() -> list[Path]:
    """Python, its packages, karmadalab itself and the system's libraries; the folder above karmadalab has solutions."""
    package = Path(__file__).parents[2]
    python = [Path(place) for place in (sys.prefix, sys.base_prefix, *sys.path) if place]
    system = [Path(p) for p in ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/dev/urandom")]
    return [package, *(path for path in (*python, *system) if path.exists() and not package.is_relative_to(path))]


def _allow(libc: ctypes.CDLL, rules: int, path: Path, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    libc.syscall(_ADD_RULE, rules, 1, struct.pack("=Qi", rights, place), 0)
    os.close(place)

"""Start a program, follow what it says, and end it for sure.

A run is bounded in time, and it ends together with what it started: `kind` calls `docker`, and a `docker pull` that
outlives its `kind` would go on filling the disk. Each program therefore gets a session of its own and is ended as a
group, also when the person at the terminal presses Ctrl-C.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from karmadalab.core.clock import stopwatch
from karmadalab.environments.kind.errors import NotInstalled, TimedOut

OnLine = Callable[[str], None]

# What a killed process reports: minus the signal's number.
_ANY_CODE = range(-64, 256)


class Output(NamedTuple):
    """What a program said. `stderr` and `stdout` are whole texts, `seconds` is how long it ran."""

    argv: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str
    seconds: float


def sh_library() -> Any:
    """The `sh` library.

    Raises:
        NotInstalled: it is missing, or this is Windows, where it refuses to load; the message says what to do.
    """
    if os.name == "nt":
        raise NotInstalled(
            "kind mode starts programs with the sh library, which needs a POSIX system: run karmadalab inside WSL 2 "
            "(wsl --install, then Docker Desktop's WSL integration), or stay with Lab.fake, which runs everywhere"
        )
    try:
        import sh
    except ImportError as error:
        raise NotInstalled(f"kind mode needs the sh library ({error}): pip install 'karmadalab[kind]'") from None
    return sh


class Running:
    """A program that was started.

    Args:
        argv: the program and its arguments; the program is looked up on PATH.
        stdin: what it reads.
        timeout_s: after that many seconds it is killed, and `wait` raises `TimedOut`; None for a program that goes on.
        on_line: called with each line of stderr as it comes, from another thread.
        env: variables that differ from this process's.

    Raises:
        NotInstalled: there is no such program.
    """

    def __init__(
        self,
        argv: tuple[str, ...],
        stdin: str = "",
        timeout_s: float | None = 60.0,
        on_line: OnLine | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.argv = argv
        self._timeout_s = timeout_s or 0.0
        self._on_line = on_line
        self._stdout: list[str] = []
        self._stderr: list[str] = []
        self._late = False
        path = shutil.which(argv[0])
        if path is None:
            raise NotInstalled(f"{argv[0]} is not on the PATH", program=argv[0])
        command = sh_library().Command(path)
        self._began = stopwatch()
        self._command = command(
            *argv[1:],
            _in=stdin,
            _out=self._stdout.append,
            _err=self._hear,
            _env={**os.environ, **(env or {})},
            _bg=True,
            _bg_exc=False,
            _ok_code=_ANY_CODE,
            _tty_out=False,
            _new_session=True,
            _decode_errors="replace",
        )
        self._timer = threading.Timer(self._timeout_s, self._expire)
        self._timer.daemon = True
        if timeout_s is not None:
            self._timer.start()

    @property
    def pid(self) -> int:
        """The process, which leads a group of its own."""
        return int(self._command.pid)

    def wait(self) -> Output:
        """Wait for the end.

        Raises:
            TimedOut: it was killed because it took too long.
            KeyboardInterrupt: the person gave up; the program was ended first.
        """
        try:
            self._command.wait()
        except BaseException:
            self.end()
            raise
        finally:
            self._timer.cancel()
        seconds = stopwatch() - self._began
        output = Output(self.argv, self._command.exit_code, "".join(self._stdout), "".join(self._stderr), seconds)
        if self._late:
            raise TimedOut(output, self._timeout_s)
        return output

    def end(self, with_signal: int = signal.SIGTERM) -> None:
        """End it and whatever it started. A program that has ended already is no error."""
        with suppress(ProcessLookupError, PermissionError):  # macOS answers the latter for a group that is gone
            self._command.signal_group(with_signal)

    def _expire(self) -> None:
        self._late = True
        self.end(signal.SIGKILL)

    def _hear(self, line: str) -> None:
        self._stderr.append(line)
        if self._on_line is not None:
            self._on_line(line.rstrip("\n"))


def end_orphan(pid: int, word: str) -> bool:
    """End a program that an earlier lab started and did not live to end; returns whether there was one.

    Args:
        pid: its process, a number that may belong to somebody else by now.
        word: what its command line holds; a process without it is left alone.
    """
    ps = shutil.which("ps", path=os.environ.get("PATH", "") + os.pathsep + "/bin" + os.pathsep + "/usr/bin")
    if not pid or ps is None:
        return False
    if word not in str(
        sh_library().Command(ps)("-ww", "-o", "command=", "-p", str(pid), _ok_code=(0, 1), _tty_out=False)
    ):
        return False
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    return True


def run(*argv: str, stdin: str = "", timeout_s: float = 60.0, env: Mapping[str, str] | None = None) -> Output:
    """Run a program to its end, whatever it exits with. Raises as `Running` does."""
    return Running(argv, stdin, timeout_s, env=env).wait()

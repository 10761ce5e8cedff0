"""The judge's end of a student's process: start it, ask it, interrupt it, end it."""

from __future__ import annotations

import builtins
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from karmadalab.teaching.grading.limits import Limits
from karmadalab.teaching.grading.processes import busy_s, kill_tree, usage
from karmadalab.teaching.grading.wire import CannotCross, Codec, Garbled, receive, send

_AGAIN_S = 0.5  # from the interrupt of a cell to the second
_PATIENCE_S = 2.0  # from the interrupt of a cell to the end of its process
_LOOK_S = 0.1  # how often the watch counts processes and memory


class Gone(BaseException):
    """The student's process is no more, and why. No Exception: a check must not take it for one of the answer's."""


class OutOfTime(BaseException):
    """A cell, or the check of one, takes longer than it may."""


class AnswerRaised(Exception):
    """An error of a class that only the student's process knows."""


class Student:
    """A student's process."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._limits = limits
        self._codec = Codec(self._number_of, lambda number: Remote(self, number))
        self._count = 0
        self._end = ""
        self._process, self._questions, self._answers = _start(folder, limits)
        _, self.holds = self._reply()
        threading.Thread(target=self._watch, daemon=True).start()

    def _number_of(self, value: Any) -> int:
        if isinstance(value, Remote):
            return value._number
        raise CannotCross(f"a {type(value).__name__} can't be handed to another process")

    def ask(self, operation: str, *arguments: Any) -> list[Any]:
        """Ask, and wait for the answer: `["value", tree]`, `["argument", position]` or `["error", ...]`.

        Raises:
            Gone: the process has ended, or what it writes is no answer; then it is ended.
            OutOfTime: whoever set an alarm; the cell is interrupted.
        """
        if self._end:
            raise Gone(self._end)
        self._count += 1
        try:
            send(self._questions, [self._count, operation, *arguments])
            return self._reply_to(self._count)
        except OutOfTime:
            self._interrupt()
            raise
        except (EOFError, OSError):
            self.close(self._end or "the process ended: a cell left Python, or the system ended it")
        except (Garbled, TypeError, ValueError) as error:
            self.close(f"the process disturbed its talk with the judge: {error}")
        raise Gone(self._end)

    def _reply(self) -> list[Any]:
        reply = receive(self._answers)
        if not isinstance(reply, list) or len(reply) < 2:
            raise Garbled("an answer of another form")
        return reply

    def _reply_to(self, number: int) -> list[Any]:
        while True:
            asked, *answer = self._reply()
            if asked == number:
                return answer  # else it answers a question whose time was over

    def _interrupt(self) -> None:
        """As Jupyter does it, and once more: a lab that runs in the cell keeps the first until its step is over.

        Who does not listen is ended.
        """
        self._signal()
        end = "it did not listen to the interrupt of an endless cell"
        timers = threading.Timer(_AGAIN_S, self._signal), threading.Timer(_PATIENCE_S, self.close, [end])
        for timer in timers:
            timer.start()
        with suppress(EOFError, OSError, Garbled):
            self._reply_to(self._count)
        for timer in timers:
            timer.cancel()

    def _signal(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGINT)

    def _watch(self) -> None:
        pause = threading.Event()
        while self._process.poll() is None and not pause.wait(_LOOK_S):
            count, held_mb = usage(self._process.pid)
            if count > self._limits.processes + 1:  # its first process only waits for the others
                self.close(f"it started more than {self._limits.processes} processes")
            elif held_mb > self._limits.memory_mb:
                self.close(f"its processes hold more than {self._limits.memory_mb} MiB")

    def busy_s(self) -> float | None:
        """Seconds of processor time that it has used so far; None where nobody can tell."""
        return busy_s(self._process.pid)

    def close(self, why: str) -> None:
        """End the process and all that it started."""
        self._end = self._end or why
        kill_tree(self._process)

    # --- what the judge wants of it

    def run(self, source: str) -> list[Any]:
        """Run a cell."""
        return self.ask("run", source)

    def get(self, name: str) -> Any:
        """What a name stands for.

        Raises:
            NameError: for nothing.
        """
        return self.value(self.ask("get", name))

    def encode(self, value: Any) -> Any:
        """A value for the way there.

        Raises:
            CannotCross: it can't go.
        """
        return self._codec.encode(value)

    def value(self, answer: list[Any], given: tuple[Any, ...] = ()) -> Any:
        """What an answer stands for; an error is raised here as there.

        Raises:
            Exception: what the student's code raised, when Python knows its class.
            Gone: it is no answer.
        """
        try:
            match answer:
                case ["value", tree]:
                    return self._codec.decode(tree)
                case ["argument", int(position)]:
                    return given[position]
                case ["error", str(name), str(text), bool()]:
                    error = _error(name, text)
                case _:
                    raise Garbled("an answer of another form")
        except Exception as problem:
            self.close(f"the process disturbed its talk with the judge: {problem}")
            raise Gone(self._end) from None
        raise error


def _error(name: str, text: str) -> BaseException:
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        with suppress(Exception):
            return kind(text)
    return AnswerRaised(f"{name}: {text}")


class Remote:
    """A function, or any other object, that stays in the student's process."""

    def __init__(self, student: Student, number: int) -> None:
        self._student, self._number = student, number

    def _ask(self, operation: str, *arguments: Any) -> Any:
        return self._student.value(self._student.ask(operation, self._number, *arguments))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        encode = self._student.encode
        pairs = [[name, encode(value)] for name, value in named.items()]
        answer = self._student.ask("call", self._number, [encode(argument) for argument in arguments], pairs)
        return self._student.value(answer, arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__name__", "__doc__"):
            raise AttributeError(name)
        return self._ask("attribute", name)

    def __getitem__(self, key: Any) -> Any:
        return self._ask("item", self._student.encode(key))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._ask("iterate"))

    def __len__(self) -> int:
        return int(self._ask("length"))

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        """The same object over there. What a class of the student's calls equal is not asked: it may say yes to all."""
        return isinstance(other, Remote) and other._number == self._number

    def __hash__(self) -> int:
        return self._number

    def __repr__(self) -> str:
        return str(self._ask("describe"))


def _start(folder: Path, limits: Limits) -> tuple[subprocess.Popen[bytes], Any, Any]:
    """The process, a stream to write questions to and one to read answers from."""
    theirs_in, questions = os.pipe()
    answers, theirs_out = os.pipe()
    module = "karmadalab.teaching.grading.answering"
    line = [sys.executable, "-P", "-m", module, json.dumps(asdict(limits)), str(theirs_in), str(theirs_out)]
    with tempfile.TemporaryFile() as printed:  # a file, so that the limit on its size ends a flood
        process = subprocess.Popen(  # noqa: S603  # our own Python and our own module
            line,
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            pass_fds=(theirs_in, theirs_out),
            start_new_session=True,
        )
    os.close(theirs_in)
    os.close(theirs_out)
    return process, os.fdopen(questions, "wb"), os.fdopen(answers, "rb")


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the teacher's own but where Python and karmadalab are."""
    home = str(folder)
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": str(Path(__file__).parents[3]),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        **dict.fromkeys(("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR"), home),
    }

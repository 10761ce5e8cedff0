"""A student's process: it runs the cells of a submission, and answers the judge's questions about what they defined.

It is believed nothing but that its answers are this student's answers. It has no solution and no say in what is right;
whatever a cell does to it, to `check` or to Python itself, it does to the student's own side. Hidden tests come here
only with a check whose answer needs what can't leave the judge; see `judging`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import karmadalab.teaching  # noqa: F401  # before the walls: its folder's neighbours are out of reach behind them
from karmadalab.teaching.grading.confinement import confine
from karmadalab.teaching.grading.limits import Limits
from karmadalab.teaching.grading.wire import Codec, receive, send
from karmadalab.teaching.verdict import CheckFailed

MOST_TEXT = 4000  # characters of an error's message


class Answerer:
    """The cells' namespace, and what the judge knows of it by number."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._held: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._codec = Codec(self._number_of, lambda number: self._held[number])
        self._operations: dict[str, Callable[..., Any]] = {
            "run": self._run,
            "get": self._get,
            "call": self._call,
            "attribute": lambda number, name: getattr(self._held[number], name),
            "item": lambda number, key: self._held[number][self._codec.decode(key)],
            "iterate": lambda number: iter(self._held[number]),
            "length": lambda number: len(self._held[number]),
            "describe": lambda number: repr(self._held[number])[:MOST_TEXT],
        }

    def _number_of(self, value: Any) -> int:
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._held)
            self._held.append(value)  # held, so that its id stays its own
        return self._numbers[id(value)]

    def answer(self, operation: str, *arguments: Any) -> list[Any]:
        """What an operation gives: `["value", tree]` or `["error", class, text, whether a check said it]`."""
        try:
            value = self._operations[operation](*arguments)
            return value if operation in ("run", "call") else ["value", self._codec.encode(value)]
        except BaseException as error:  # KeyboardInterrupt too: the judge's patience is at its end
            return _told(error)

    def _run(self, source: str) -> list[Any]:
        try:
            result = self._shell.run_cell(source, store_history=True)
        finally:
            _forget_output()
        error = result.error_before_exec or result.error_in_exec
        return ["value", None] if error is None else _told(error)

    def _get(self, name: str) -> Any:
        if name not in self._shell.user_ns:
            raise NameError(f"name {name!r} is not defined")
        return self._shell.user_ns[name]

    def _call(self, number: int, arguments: list[Any], named: list[Any]) -> list[Any]:
        given = [self._codec.decode(argument) for argument in arguments]
        result = self._held[number](*given, **{name: self._codec.decode(value) for name, value in named})
        for position, argument in enumerate(given):
            if result is argument and not isinstance(result, bool | int | float | str | None):
                return ["argument", position]  # `return taints`: the same object, not one that is equal
        if isinstance(result, tuple) and not type(result).__module__.startswith("karmadalab."):
            result = tuple(result)  # a pair is a pair, whatever the student calls it
        return ["value", self._codec.encode(result)]


def _forget_output() -> None:
    """The next cell may print as much; nobody reads any of it."""
    with suppress(Exception):  # a cell may have done anything to sys.stdout
        os.ftruncate(1, 0)
        os.lseek(1, 0, os.SEEK_SET)
        sys.stdout.flush()


def _told(error: BaseException) -> list[Any]:
    try:
        text = str(error)[:MOST_TEXT]
    except BaseException:
        text = "(its message can't be read)"
    return ["error", type(error).__name__[:100], text, isinstance(error, CheckFailed)]


def _shell() -> Any:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    return InteractiveShell.instance(config=config)


def main() -> None:
    """Answer until nobody asks any more: `answering LIMITS READ_FD WRITE_FD`, in the folder to be confined to."""
    limits = Limits(**json.loads(sys.argv[1]))
    questions, answers = os.fdopen(int(sys.argv[2]), "rb"), os.fdopen(int(sys.argv[3]), "wb")
    for stream in (questions, answers):
        os.set_inheritable(stream.fileno(), False)
    holds = confine(Path.cwd(), limits)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a grader in a shell's background was told to ignore it
    answerer = Answerer(_shell())
    send(answers, ["ready", holds])
    while True:
        try:
            number, operation, *arguments = receive(questions)
            reply = [number, *answerer.answer(operation, *arguments)]
            send(answers, reply)
        except EOFError:
            return
        except KeyboardInterrupt:  # an interrupt that came when the cell was over
            continue


if __name__ == "__main__":
    main()

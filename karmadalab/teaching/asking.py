"""Call a learner's function, and tell what is wrong with the way it answers, before anything is said about the answer.

A function that raises, or forgets its `return`, is the most common mistake of all; each check needs the same few
sentences for it. What a learner has not written yet is never a mistake: `NotImplementedError` always comes through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from traceback import extract_tb
from typing import Any

from karmadalab.api.errors import shortly
from karmadalab.scheduler import PluginError
from karmadalab.teaching.verdict import CheckFailed, Finding, Mistake

EPOCH = 1_767_225_600.0  # 2026: a real moment to ask with, so that a function that takes the time for small is found
Hint = str | Mapping[type[Exception], str]  # for whatever is raised, or a sentence for each kind of exception

_LONGEST_CALL = 80
_OURS = str(Path(__file__).parents[1])


def called(function: Any, *arguments: Any, hint: Hint = "") -> Any:
    """What a learner's function returns.

    Args:
        function: the learner's.
        arguments: what it is given.
        hint: why a function of this kind usually raises, as a sentence; or why it raises exceptions of some kinds.

    Raises:
        Mistake: it is no function, or it raised.
        NotImplementedError: it is not written yet.
    """
    if not callable(function):
        what = f"the check wants your function and got {shortly(function)}."
        look = "the check's call: the name of the function, without parentheses behind it."
        raise Mistake(Finding(what, "it calls your function itself, with cases of its own.", look))
    try:
        return function(*arguments)
    except (NotImplementedError, CheckFailed):
        raise
    except Exception as error:
        lines = [frame.lineno for frame in extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
        where = f" (line {lines[0]} of its cell)" if lines else ""  # no line: it was called and refused its arguments
        what = f"{_call(function, arguments)} raises {type(error).__name__}: {error}{where}."
        why = _why(hint, error) or (
            "the check calls it with cases that your cell may not have met: nothing found, nothing there yet."
        )
        raise Mistake(Finding(what, why, "that line, or the arguments that it takes.")) from None


def ask(function: Any, *arguments: Any, fits: Callable[[Any], bool], wanted: str, hint: Hint = "") -> Any:
    """What a learner's function returns, if that has the right shape.

    Args:
        function, arguments, hint: as for `called`.
        fits: whether a result has the right shape.
        wanted: that shape, in words: "a number of seconds".

    Raises:
        Mistake: it is no function, it raised, or it returned something of another shape.
        NotImplementedError: it is not written yet.
    """
    result = called(function, *arguments, hint=hint or f"it should return {wanted}.")
    if fits(result):
        return result
    what = f"{_name(function)} returns {shortly(result) if result is not None else 'nothing'}."
    look = "each way through it: does every one end in a `return`?" if result is None else "the lines with `return`."
    raise Mistake(Finding(what, f"it should return {wanted}.", look))


def is_number(said: Any) -> bool:
    """Whether a result is a number that a float can be; True and nan are none."""
    if isinstance(said, bool) or not isinstance(said, int | float):
        return False
    try:
        return not isnan(said)
    except OverflowError:
        return False


@contextmanager
def plugin_asked() -> Iterator[None]:
    """Run a scheduler with a learner's plugin in it: one that misbehaves ends the run, and is told as a check does.

    Raises:
        Mistake: the plugin raised, or answered nonsense.
        NotImplementedError: it is not written yet.
    """
    try:
        yield
    except PluginError as error:
        if isinstance(error.__cause__, NotImplementedError):
            raise error.__cause__ from None
        why = "a plugin that raises, or answers nonsense, ends the decision."
        raise Mistake(Finding(f"{error}.", why, "the check before this one: it says more.")) from None


def _why(hint: Hint, error: Exception) -> str:
    if isinstance(hint, str):
        return hint
    return next((why for kind, why in hint.items() if isinstance(error, kind)), "")


def _name(function: Any) -> str:
    name = getattr(function, "__name__", "")
    return f"`{name}`" if name.isidentifier() else "your function"


def _call(function: Any, arguments: tuple[Any, ...]) -> str:
    """The call as in a program; the name alone when it would be long, or when nobody could type an argument."""
    name = getattr(function, "__name__", "")
    call = f"{name}({', '.join(map(repr, arguments))})"
    typed = name.isidentifier() and len(call) <= _LONGEST_CALL and "<" not in call
    return f"`{call}`" if typed else _name(function)

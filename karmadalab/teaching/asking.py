"""Call a learner's function, and tell what is wrong with the way it answers, before anything is said about the answer.

A function that raises, or forgets its `return`, is the most common mistake of all; each check needs the same few
sentences for it.
"""

from __future__ import annotations

from collections.abc import Callable
from traceback import extract_tb
from typing import Any

from karmadalab.teaching.verdict import Finding, Mistake


def ask(function: Any, *arguments: Any, fits: Callable[[Any], bool], wanted: str, hint: str = "") -> Any:
    """Call a function once and look at what it returns.

    Args:
        function: the learner's.
        arguments: what it is given.
        fits: whether a result has the right shape.
        wanted: that shape, in words: "a number of seconds".
        hint: why a function of this kind usually raises, as a sentence.

    Raises:
        Mistake: it is no function, it raised, or it returned something of another shape.
        NotImplementedError: it is not written yet.
    """
    if not callable(function):
        why = "the check calls your function itself, with its own arguments."
        raise Mistake(Finding(f"the check wants your function and got {_short(function)}.", why, "the check's call."))
    try:
        result = function(*arguments)
    except (NotImplementedError, Mistake):
        raise
    except Exception as error:
        raise Mistake(_raised(function, error, wanted, hint)) from None
    if fits(result):
        return result
    what = f"{name_of(function)} returns {_short(result) if result is not None else 'nothing'}."
    look = "each way through it: does every one end in a `return`?" if result is None else "the lines with `return`."
    raise Mistake(Finding(what, f"it should return {wanted}.", look))


def name_of(function: Any) -> str:
    """What to call a learner's function."""
    name = getattr(function, "__name__", "")
    return f"`{name}`" if name.isidentifier() else "your function"


def _raised(function: Any, error: Exception, wanted: str, hint: str) -> Finding:
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename != __file__]
    where = f" (line {lines[0]} of its cell)" if lines else ""  # no line: it was called and refused its arguments
    what = f"{name_of(function)} raises {type(error).__name__}: {error}{where}."
    return Finding(what, hint or f"it should return {wanted}.", "that line, or the arguments that it takes.")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

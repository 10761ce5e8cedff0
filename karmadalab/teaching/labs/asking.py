"""Call a learner's function: whatever it does becomes an answer or a sentence about it, never a traceback of ours."""

from __future__ import annotations

from traceback import extract_tb
from typing import Any

from karmadalab.api.errors import shortly
from karmadalab.teaching.verdict import Finding, Mistake


def asked(function: Any, *arguments: Any) -> Any:
    """What a learner's function returns.

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
    except (NotImplementedError, Mistake):
        raise
    except Exception as error:
        name = getattr(function, "__name__", "your function")
        lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename != __file__]
        where = f" (line {lines[0]} of its cell)" if lines else ""  # none: it refused its arguments
        what = f"{name} raises {type(error).__name__}: {error}{where}."
        why = "the check calls it with cases that your cell may not have met: nothing found, nothing there yet."
        raise Mistake(Finding(what, why, "that line, or the arguments that it takes.")) from None

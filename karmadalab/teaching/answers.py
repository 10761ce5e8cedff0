"""Call a learner's function: what it raises, or that it is no function, becomes a finding and not a traceback."""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import shortly
from karmadalab.teaching.verdict import CheckFailed, Finding, Mistake


def called(answer: Any, *arguments: Any) -> Any:
    """What a learner's function answers.

    Raises:
        Mistake: it is no function, or it raises.
        NotImplementedError: it is not written yet.
    """
    if not callable(answer):
        why = "the check calls your function itself; write its name, without parentheses."
        raise Mistake(Finding(f"the check wants a function and got {shortly(answer)}.", why, "the check's call."))
    try:
        return answer(*arguments)
    except (NotImplementedError, CheckFailed):
        raise
    except Exception as error:
        name = getattr(answer, "__name__", "your function")
        call = f"{name}({', '.join(shortly(argument) for argument in arguments)})"
        what = f"{call} raises {type(error).__name__}: {error}."
        raise Mistake(Finding(what, "the check can't go on without an answer.", f"{name}, called by hand.")) from None

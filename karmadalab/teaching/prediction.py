"""Write down what you expect, then look.

A surprise teaches only the one who has committed to an answer. `predict` holds the answer, `reveal` lays it beside what
happened. Nothing is graded here, and a forgotten prediction stops nobody.

>>> guess = predict("How often does Ready turn False?", 4)
>>> reveal(guess, 0, "no outage lasts as long as the threshold")
You said 4. It is 0: a surprise. No outage lasts as long as the threshold.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Prediction(NamedTuple):
    """An answer given in advance; `...` while there is none."""

    question: str
    answer: Any

    def __repr__(self) -> str:
        said = "write your answer in place of `...`" if self.answer is ... else f"You say {self.answer}."
        return f"{self.question} {said}"


class Revelation(NamedTuple):
    """A prediction beside what happened."""

    prediction: Prediction
    happened: Any
    why: str
    right: bool

    def __repr__(self) -> str:
        why = f" {self.why[0].upper()}{self.why[1:]}." if self.why else ""
        if self.prediction.answer is ...:
            return f"You made no prediction. It is {self.happened}.{why}"
        verdict = "as you said" if self.right else "a surprise"
        return f"You said {self.prediction.answer}. It is {self.happened}: {verdict}.{why}"


def predict(question: str, answer: Any = ...) -> Prediction:
    """Hold an answer until the run has given its own."""
    return Prediction(question, answer)


def reveal(prediction: Prediction, happened: Any, why: str = "", tolerance: float = 0.0) -> Revelation:
    """Compare a prediction with what happened.

    Args:
        happened: what the run gave.
        why: half a sentence that explains it, without a full stop.
        tolerance: how far from it a number may be, in its own unit.
    """
    return Revelation(prediction, happened, why, _agrees(prediction.answer, happened, tolerance))


def _agrees(answer: Any, happened: Any, tolerance: float) -> bool:
    if isinstance(answer, (int, float)) and isinstance(happened, (int, float)):
        return abs(answer - happened) <= tolerance
    if isinstance(answer, str) and isinstance(happened, str):
        return answer.strip().casefold() == happened.strip().casefold()
    return bool(answer == happened)

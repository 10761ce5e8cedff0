"""What a lab consists of, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from karmadalab.teaching.verdict import Finding


@dataclass(frozen=True)
class Check:
    """One check of a lab.

    Attributes:
        judge: takes the answer (and what else the notebook hands over); None when nothing is wrong. It may also raise
            `Mistake`, from wherever it notices, and lets `NotImplementedError` pass: that is an answer not written yet.
        passed: what a right answer has been shown to do.
        hints: three, each closer to the answer than the one before.
    """

    judge: Callable[..., Finding | None]
    passed: str
    hints: tuple[str, str, str]


@dataclass(frozen=True)
class TeachingLab:
    """A lab: its checks by name (`11.1`), and the parameters that a student works with.

    Attributes:
        usual: the parameters of whoever gives no student id.
        drawn: a student's own.
    """

    checks: Mapping[str, Check]
    usual: Any = None
    drawn: Callable[[Random], Any] = lambda _: None

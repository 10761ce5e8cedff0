"""What a check says: passed, not written yet, or wrong; and then what is wrong, why, and where to look.

A learner reads the message, not a traceback: both errors tell IPython to show their text alone. They are assertion
errors, so a plain script, pytest and nbgrader each see a failed check.
"""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """What a check found wrong.

    Attributes:
        what: what the answer does, and what Karmada does instead.
        why: the idea behind it.
        look: where to look; never the answer itself.
    """

    what: str
    why: str
    look: str

    def __str__(self) -> str:
        return f"What: {self.what}\nWhy:  {self.why}\nLook: {self.look}"


class CheckFailed(AssertionError):
    """A failed check."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback."""
        return str(self).splitlines()


class Unsolved(CheckFailed):
    """The answer is not written yet."""


class Mistake(CheckFailed):
    """The answer is wrong.

    Args:
        finding: what, why, where.
        check_id: the check that found it; empty while it is on its way there.
    """

    def __init__(self, finding: Finding, check_id: str = "") -> None:
        head = f"{check_id} is not right yet.\n" if check_id else ""
        tail = f'\nStuck? hint("{check_id}")' if check_id else ""
        super().__init__(f"{head}{finding}{tail}")
        self.finding = finding


class Passed:
    """A check that found nothing wrong.

    Args:
        check_id: the check.
        text: what the answer has been shown to do.
    """

    def __init__(self, check_id: str, text: str) -> None:
        self.check_id = check_id
        self.text = text

    def __repr__(self) -> str:
        return f"{self.check_id} passed: {self.text}"

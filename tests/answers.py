"""Wrong answers to a lab's checks, and answers that nobody has written yet."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab.teaching import Mistake, check


def mistake(check_id: str, answer: Any, *more: Any) -> str:
    """What a check says to a wrong answer; whatever is wrong with it, the message has the same head and foot."""
    with pytest.raises(Mistake) as caught:
        check(check_id, answer, *more)
    told = str(caught.value)
    assert told.startswith(f"{check_id} is not right yet.\nWhat: ")
    assert told.endswith(f'\nStuck? hint("{check_id}")')
    return told


def never_written(*_: Any) -> Any:
    """A learner's function before anything is in it."""
    raise NotImplementedError


class NeverWritten:
    """A plugin of which no method is written."""

    name = "NeverWritten"
    filter = score = never_written

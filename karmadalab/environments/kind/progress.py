"""What `kind create cluster` says while it works, as steps."""

from __future__ import annotations

import re
from typing import NamedTuple
from unicodedata import category

BEGUN, DONE, FAILED, TOLD = "begun", "done", "failed", "told"

_MARKS = {"•": BEGUN, "✓": DONE, "✗": FAILED}
_STEP = re.compile(r"^ ([•✓✗]) (.+)$")


class Step(NamedTuple):
    """One line of progress: what, and whether it is begun, done, failed, or merely told."""

    what: str
    state: str

    def __str__(self) -> str:
        return self.what + {BEGUN: " ...", FAILED: " FAILED"}.get(self.state, "")


def step(line: str) -> Step | None:
    """The step that a line tells, None when it tells none.

    >>> step(" ✗ Starting control-plane 🕹️")
    Step(what='Starting control-plane', state='failed')
    >>> step("kubectl cluster-info --context kind-member1") is None
    True
    """
    found = _STEP.match(line)
    if found:
        return Step(_plain(found[2].removesuffix("...")), _MARKS[found[1]])
    if line.startswith(("Creating cluster", "Deleting cluster", "Deleted nodes", "Set kubectl context")):
        return Step(_plain(line.removesuffix("...")), TOLD)
    return None


def _plain(text: str) -> str:
    """Without the pictures, which not every terminal shows."""
    return " ".join(word for word in text.split() if all(category(char) != "So" for char in word))

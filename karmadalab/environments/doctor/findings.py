"""What a check finds: one line, how bad it is, and the fix."""

from __future__ import annotations

from typing import NamedTuple

OK, NOTE, PROBLEM = "ok", "note", "problem"


class Finding(NamedTuple):
    """One finding.

    Attributes:
        check: what was looked at: `engine`, `memory`, ...
        level: `ok`, `note` (works, but see the text; or needed only for a part of the lab), `problem` (kind will fail).
        text: what was found.
        fix: what to do; empty when there is nothing to do.
    """

    check: str
    level: str
    text: str
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.level:<8} {self.check:<12} {self.text}{f'; {self.fix}' if self.fix else ''}"

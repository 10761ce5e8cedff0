"""Cases recorded from a real Karmada, as a lab's package has them: `recorded.json` beside its modules."""

from __future__ import annotations

from importlib.resources import files
from typing import Generic, TypeVar

import msgspec

CaseT = TypeVar("CaseT")
RecordingT = TypeVar("RecordingT")


class Recording(msgspec.Struct, Generic[CaseT], frozen=True):
    """The file.

    Attributes:
        source: where it comes from.
        cases: what was recorded.
    """

    source: str
    cases: tuple[CaseT, ...]


def recording_in(package: str, kind: type[RecordingT]) -> RecordingT:
    """What a package has recorded.

    Args:
        package: the lab's package, its `__package__`.
        kind: a `Recording` of the lab's own cases.

    Raises:
        msgspec.ValidationError: the file does not fit.
    """
    return msgspec.json.decode(files(package).joinpath("recorded.json").read_bytes(), type=kind)

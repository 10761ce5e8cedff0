"""Comparing one area with one recorded file, case by case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.conformance.__main__ import read_cases

DATA = Path(__file__).parent.parent / "data"


def disagreements(area: Any, file: str, profile: str = "v1.13", skip_tags: frozenset[str] = frozenset()) -> list[str]:
    """`case id: difference` for every recorded case that the package answers otherwise.

    Args:
        area: a module of this package with `emit` and `differences`.
        file: below `tests/data`, for example `karmada-v1.13/naming.jsonl.gz`.
        profile: the Karmada release to follow.
        skip_tags: cases with one of these tags record a defect that the profile does not have.

    Raises:
        AssertionError: the file holds no case.
    """
    found, cases = [], 0
    for case in read_cases(DATA / file):
        if skip_tags.isdisjoint(case.get("tags") or ()):
            cases += 1
            found += [f"{case['id']}: {text}" for text in area.differences(case, area.emit(case, profile))]
    assert cases, f"{file} holds no case"
    return found

"""The recorded cases of an area for one release.

For v1.18 there are cases of its own, and the inputs of v1.13 again: `<area>-v1.18-diffs` holds those whose answer
changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.conformance.__main__ import read_cases

DATA = Path(__file__).parents[1] / "data"

# What the inputs of v1.13 lack and were run with; the first says that phases which only v1.18 has were left out.
_V1_18_FLAGS = {
    "recordedForV1_13": True,
    "enableNoExecuteTaintEviction": True,
    "noExecuteTaintEvictionPurgeMode": "Gracefully",
}

# Flags of v1.13 that v1.18 has not.
_V1_13_FLAGS = ("defaultNotReadyTolerationSeconds", "defaultUnreachableTolerationSeconds")


def recorded(area: str, profile: str) -> Iterator[dict[str, Any]]:
    """All recorded cases of an area that say what a release does."""
    if profile == "v1.13":
        yield from read_cases(DATA / f"karmada-v1.13/{area}.jsonl.gz")
        return
    own = DATA / f"karmada-v1.18/{area}.jsonl.gz"
    if own.exists():
        yield from read_cases(own)
    changes = DATA / f"karmada-v1.18/{area}-v1.18-diffs.jsonl.gz"
    if changes.exists():
        yield from _again(DATA / f"karmada-v1.13/{area}.jsonl.gz", changes)


def _again(old: Path, changes: Path) -> Iterator[dict[str, Any]]:
    changed = {case["id"]: case for case in read_cases(changes)}
    for case in read_cases(old):
        change = changed.get(case["id"])
        expected = change["expected"] if change else _without_message(case["expected"])
        given = {key: value for key, value in case["input"].items() if key not in _V1_13_FLAGS}
        yield {"id": f"{case['id']} (v1.13)", "input": {**_V1_18_FLAGS, **given}, "expected": expected}


def _without_message(expected: dict[str, Any]) -> dict[str, Any]:
    """Answers of webhooks count as unchanged when only the sentence is another, so that v1.18's is not known then."""
    if "validate" not in expected:
        return expected
    return {**expected, "validate": {**expected["validate"], "message": None}}

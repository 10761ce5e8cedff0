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
        expected = change["expected"] if change else case["expected"]
        yield {"id": f"{case['id']} (v1.13)", "input": {**_V1_18_FLAGS, **case["input"]}, "expected": expected}

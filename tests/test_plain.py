"""What comes from files and from Python arrives in JSON's types, and as a copy."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from karmadalab.api.time import Time
from karmadalab.environments.files import parse_yaml
from karmadalab.environments.plain import plain
from karmadalab.lab import Lab

from .worlds import deployment


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a: 2026-01-31T12:00:00Z", {"a": "2026-01-31T12:00:00Z"}),
        ("a: 2026-01-31", {"a": "2026-01-31"}),
        ("8080: a\ntrue: b\n1.5: c", {"8080": "a", "true": "b", "1.5": "c"}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ('{"a": 1, "b": {"a": null}}', {"a": 1, "b": {"a": None}}),
    ],
)
def test_a_file_is_read_in_the_types_of_json(written: str, read: Any) -> None:
    assert parse_yaml(written) == [read]


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ((1, 2), [1, 2]),
        (Time(0), "1970-01-01T00:00:00Z"),
        (datetime(2026, 1, 31, tzinfo=UTC), "2026-01-31T00:00:00+00:00"),
        (date(2026, 1, 31), "2026-01-31"),
        ({1: None}, {"1": None}),
    ],
)
def test_python_says_more_than_json_and_is_understood(given: Any, taken: Any) -> None:
    assert plain(given, "test") == taken


def test_numbers_of_other_libraries_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    taken = plain([numpy.int64(3), numpy.float64(0.5)], "test")
    assert [(type(item), item) for item in taken] == [(int, 3), (float, 0.5)]


def test_what_was_applied_does_not_change_with_the_manifest() -> None:
    lab, manifest = Lab.fake(members=1), deployment()
    lab.apply(manifest)
    manifest["spec"]["template"]["spec"]["containers"][0]["image"] = "changed"
    assert lab.get("Deployment", "web").spec["template"]["spec"]["containers"][0]["image"] == "nginx:1.27"

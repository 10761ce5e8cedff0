"""Moments and lengths of time, as Kubernetes writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karmadalab.api.errors import BadRequest
from karmadalab.api.time import MicroTime, Time, duration, seconds


@pytest.mark.parametrize(
    ("text", "length_s"),
    [
        ("40s", 40),
        ("5m", 300),
        ("1h30m", 5400),
        ("1h1m1.5s", 3661.5),
        ("250ms", 0.25),
        ("10us", 1e-5),
        ("10µs", 1e-5),
        ("5ns", 5e-9),
        ("-20s", -20),
        ("+20s", 20),
        (".5s", 0.5),
        ("0", 0),
        ("1.5", 1.5),
        (3, 3),
        (0.25, 0.25),
    ],
)
def test_a_length_is_read(text: str | float, length_s: float) -> None:
    assert seconds(text) == pytest.approx(length_s)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "s",
        "5 m",
        "5mm",
        "m5",
        "1h-5m",
        "five minutes",
        "nan",
        "inf",
        "1d",
        None,
        True,
        [],
        float("nan"),
        float("inf"),
    ],
)
def test_what_is_no_length_is_refused(text: object) -> None:
    with pytest.raises(BadRequest) as refused:
        seconds(text, "grace")  # type: ignore[arg-type] # that is the test
    assert str(refused.value) == f"grace: {text!r} is not a duration: write 40s, 5m, 1h30m or a number of seconds"


@pytest.mark.parametrize(
    ("length_s", "text"),
    [(0, "0s"), (0.25, "250ms"), (40, "40s"), (60, "1m0s"), (90.5, "1m30.5s"), (3600, "1h0m0s"), (-90, "-1m30s")],
)
def test_a_length_is_written_as_go_writes_it(length_s: float, text: str) -> None:
    assert duration(length_s) == text


@given(st.integers(-(10**9), 10**9).map(lambda ms: ms / 1000))
def test_what_is_written_is_read_as_it_was(length_s: float) -> None:
    assert seconds(duration(length_s)) == pytest.approx(length_s, abs=1e-9)


@given(st.floats(0, 7e9))
def test_a_moment_is_read_as_it_was_written(moment: float) -> None:
    for kind in (Time, MicroTime):
        stamp = kind(moment)
        assert kind.parse(str(stamp)) == stamp
        assert type(kind.parse(str(stamp))) is kind


def test_api_times_have_whole_seconds_and_leases_microseconds() -> None:
    assert str(Time(1767225600.9)) == "2026-01-01T00:00:00Z"
    assert str(MicroTime(1767225600.9)) == "2026-01-01T00:00:00.900000Z"
    assert MicroTime(1767225600.1234567) == MicroTime(1767225600.123457)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-01T00:00:00Z", 1767225600),
        ("2026-01-01T01:00:00+01:00", 1767225600),
        ("2026-01-01 00:00:00", 1767225600),
        ("2026-01-01", 1767225600),
    ],
)
def test_moments_are_read_from_what_people_write(text: str, moment: float) -> None:
    assert Time.parse(text) == moment


@pytest.mark.parametrize("text", ["yesterday", "", "2026-13-01T00:00:00Z"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(BadRequest, match="is not a time: write it as 2026-01-31T12:00:00Z"):
        Time.parse(text)


def test_arithmetic_gives_plain_numbers() -> None:
    assert type(Time(10) + 0.5) is float
    assert Time(10) + 0.5 == 10.5

"""Points in time and lengths of time, as Kubernetes writes them.

Everywhere in the package a moment is a `float` of seconds since 1970 (UTC) and a length is a `float` of seconds.
`Time` is such a float that knows how to print itself; arithmetic on it gives plain floats, so that
`now > task.creationTimestamp + 600` reads as it should. API times have whole seconds and `MicroTime` (leases)
microseconds, as in a real API server.
"""

from __future__ import annotations

import datetime as _dt
import re

from karmadalab.api.errors import BadRequest, shortly

_UTC = _dt.UTC
_UNIT_S = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_LONGEST_S = 100 * 365.25 * 86400  # a slip rather than a wish
_BEYOND = 1 << 60
_ENDLESS = (float("inf"), float("-inf"))
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|us|µs|ns|m|s)")


class Time(float):
    """A moment with whole seconds (`metav1.Time`); prints as RFC 3339.

    >>> Time(1767225600.9)
    2026-01-01T00:00:00Z
    """

    __slots__ = ()

    def __new__(cls, seconds: float) -> Time:
        return super().__new__(cls, int(seconds // 1))

    def __str__(self) -> str:
        return _dt.datetime.fromtimestamp(int(self), _UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    __repr__ = __str__

    @classmethod
    def parse(cls, text: str) -> Time:
        """Read RFC 3339. Raises `BadRequest` when it is not."""
        try:
            moment = _dt.datetime.fromisoformat(text)
        except ValueError:
            raise BadRequest(f"{text!r} is not a time: write it as 2026-01-31T12:00:00Z") from None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=_UTC)
        return cls((moment - _dt.datetime(1970, 1, 1, tzinfo=_UTC)) / _dt.timedelta(seconds=1))


class MicroTime(Time):
    """A moment with microseconds (`metav1.MicroTime`)."""

    __slots__ = ()

    def __new__(cls, seconds: float) -> MicroTime:
        return float.__new__(cls, round(seconds * 1e6) / 1e6)

    def __str__(self) -> str:
        micros = round(float(self) * 1e6)
        moment = _dt.datetime.fromtimestamp(micros // 1_000_000, _UTC)
        return f"{moment.strftime('%Y-%m-%dT%H:%M:%S')}.{micros % 1_000_000:06d}Z"

    __repr__ = __str__


def seconds(value: str | float, what: str = "duration") -> float:
    """A length of time in seconds, from `"5m"`, `"1h30m"`, `"40s"`, `"250ms"` or a number of seconds.

    Args:
        value: Go's duration syntax, or a number.
        what: how to name it in the error.

    Raises:
        BadRequest: it is neither, or longer than a hundred years.

    >>> seconds("1m30s"), seconds(1.5), seconds("-20s")
    (90.0, 1.5, -20.0)
    """
    number = _parsed(value)
    if number is None or number != number or (number in _ENDLESS and not isinstance(value, str)):
        raise BadRequest(f"{what}: {shortly(value)} is not a duration: write 40s, 5m, 1h30m or a number of seconds")
    if abs(number) > _LONGEST_S:
        raise BadRequest(f"{what}: {shortly(value)} is longer than a hundred years")
    return number


def _parsed(value: object) -> float | None:
    """Seconds, perhaps more than a float can hold; None for what is no length of time."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    if not isinstance(value, str):
        return float(max(-_BEYOND, min(value, _BEYOND))) if isinstance(value, int) else value
    text = value.strip()
    sign, body = (-1.0 if text[:1] == "-" else 1.0), text[1:] if text[:1] in ("+", "-") else text
    parts = _PART.findall(body)
    if parts and "".join(n + u for n, u in parts) == body:
        return sign * sum(float(number) * _UNIT_S[unit] for number, unit in parts)
    try:
        return float(text) if text[-1:].isdigit() or text[-1:] == "." else None
    except ValueError:
        return None


def duration(length_s: float) -> str:
    """A length of time as Go prints it, rounded to milliseconds.

    >>> duration(600), duration(40), duration(0.25), duration(3661.5)
    ('10m0s', '40s', '250ms', '1h1m1.5s')
    """
    if length_s < 0:
        return "-" + duration(-length_s)
    if length_s < 1:
        return f"{round(length_s * 1000):d}ms" if length_s else "0s"
    minutes, rest = divmod(round(length_s, 3), 60)
    hours, minutes = divmod(int(minutes), 60)
    text = f"{rest:.3f}".rstrip("0").rstrip(".") + "s"
    if hours:
        return f"{hours}h{minutes}m{text}"
    return f"{minutes}m{text}" if minutes else text

"""Cron schedules: five fields, or `@daily` and its like, in a time zone.

`minute hour day-of-month month day-of-week`, each `*`, a number, a range `1-5`, a step `*/15` or `1-30/5`, a list of
these, and names for months and weekdays. When both days are restricted, either is enough, as in Vixie's cron.
"""

from __future__ import annotations

import datetime
from typing import NamedTuple

from karmadalab.api.errors import BadRequest

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_TAGS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@hourly": "0 * * * *",
    "@5minutes": "*/5 * * * *",
    "@10minutes": "*/10 * * * *",
    "@15minutes": "*/15 * * * *",
    "@30minutes": "0,30 * * * *",
    "@always": "* * * * *",
    "@everyminute": "* * * * *",
}
_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
# A schedule that exists runs within this time; 29 February is the rarest, and 2100 has none.
_HORIZON_DAYS = 366 * 8 + 1


class Cron(NamedTuple):
    """A parsed schedule: the numbers each field allows, and which days were restricted."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool

    @classmethod
    def parse(cls, text: str) -> Cron:
        """Read a schedule.

        Raises:
            BadRequest: it is none.

        >>> sorted(Cron.parse("*/20 8 * * mon-fri").minutes)
        [0, 20, 40]
        """
        fields = _TAGS.get(text.strip().lower(), text).split()
        if len(fields) != 5:
            raise BadRequest(f"{text!r} is not a cron schedule: write five fields, for example */5 8-18 * * mon-fri")
        sets = [_parse_field(field.lower(), index, text) for index, field in enumerate(fields)]
        weekdays = frozenset(day % 7 for day in sets[4])
        stars = [field[:1] in ("*", "?") for field in fields]
        return cls(sets[0], sets[1], sets[2], sets[3], weekdays, stars[2], stars[4])

    def next(self, after: float, time_zone: str = "UTC") -> float | None:
        """The first run strictly after a moment, both seconds since 1970; None when it never runs (30 February).

        >>> Cron.parse("0 8 * * *").next(0.0)
        28800.0
        """
        zone = zone_of(time_zone)
        now = datetime.datetime.fromtimestamp(after, zone).replace(second=0, microsecond=0)
        day = now.date()
        for _ in range(_HORIZON_DAYS):
            if self._runs_on(day):
                for hour in sorted(self.hours):
                    for minute in sorted(self.minutes):
                        moment = datetime.datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone).timestamp()
                        if moment > after:
                            return moment
            day += datetime.timedelta(days=1)
        return None

    def _runs_on(self, day: datetime.date) -> bool:
        if day.month not in self.months:
            return False
        by_date, by_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        if self.any_day or self.any_weekday:
            return by_date and by_weekday
        return by_date or by_weekday


def zone_of(name: str) -> datetime.tzinfo:
    """A time zone by its IANA name.

    Raises:
        BadRequest: there is none of that name.
    """
    if name in ("", "UTC"):
        return datetime.UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # only few schedules name a zone, and it loads slowly

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadRequest(f"unknown time zone {name}") from None


def _parse_field(field: str, index: int, text: str) -> frozenset[int]:
    low, high = _BOUNDS[index]
    allowed: set[int] = set()
    for part in field.split(","):
        span, slash, step_text = part.partition("/")
        step = int(step_text) if step_text.isdecimal() else 0 if slash else 1
        first, dash, last = span.partition("-")
        if span in ("*", "?"):
            start, end = low, high
        else:
            start = _number(first, index)
            end = _number(last, index) if dash else high if slash else start
        if step < 1 or not low <= start <= end <= high:
            raise BadRequest(f"{text!r} is not a cron schedule: {part!r} is not within {low}-{high}")
        allowed.update(range(start, end + 1, step))
    return frozenset(allowed)


def _number(text: str, index: int) -> int:
    """A number or a name; what is neither lies outside of every range."""
    names = {3: _MONTHS, 4: _DAYS}.get(index, ())
    if text in names:
        return names.index(text) + (1 if index == 3 else 0)
    return int(text) if text.isdecimal() else -1

"""A time axis in the units of Kubernetes: 0s, 5m, 10m."""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.api.time import seconds

_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400)


def ticks(end_s: float, most: int = 10) -> tuple[list[float], list[str]]:
    """Places and words of the ticks of an axis from 0.

    Args:
        end_s: where the axis ends, in seconds.
        most: how many steps at most.

    >>> ticks(1500, most=6)
    ([0, 300, 600, 900, 1200, 1500], ['0s', '5m', '10m', '15m', '20m', '25m'])
    """
    step = next((s for s in _STEPS_S if end_s / s <= most), _STEPS_S[-1] * (1 + int(end_s / _STEPS_S[-1] / most)))
    places: list[float] = [step * number for number in range(int(end_s // step) + 1)]
    return places, [short(place) for place in places]


def axis_end(until: str | float | None, end_s: float) -> float:
    """Where a time axis from 0 ends, in seconds.

    Args:
        until: what was asked for; None for the end of the run.
        end_s: that end.

    Raises:
        BadRequest: it would end where it begins, or before.
    """
    if until is None:
        return end_s or 1.0
    asked_s = seconds(until, "until")
    if asked_s <= 0:
        raise BadRequest(f"until: {until} is no length of an axis, which begins at 0s; write for example 10m")
    return asked_s


def short(length_s: float) -> str:
    """A length of time in at most two units, as one says it aloud.

    >>> short(0), short(3), short(34.206), short(305), short(3600), short(5430), short(0.04)
    ('0s', '3s', '34.2s', '5m5s', '1h', '1h30m', '40ms')
    """
    if length_s < 0:
        return "-" + short(-length_s)
    if 0 < length_s < 0.95:
        return f"{length_s * 1000:.0f}ms"
    if length_s < 59.95:
        return f"{length_s:.1f}".removesuffix(".0") + "s"
    minutes, rest = divmod(round(length_s), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h" + (f"{minutes}m" if minutes else "")
    return f"{minutes}m" + (f"{rest}s" if rest else "")


def lab_time(end_s: float) -> dict[str, Any]:
    """The x axis of a figure over the lab's time, up to `end_s` seconds; its line stands under the second y axis."""
    places, names = ticks(end_s)
    return {
        "range": [0, end_s],
        "tickvals": places,
        "ticktext": names,
        "title": {"text": "time since the lab began", "standoff": 4},
        "anchor": "y2",
        "showgrid": False,
        "zeroline": False,
        "ticks": "outside",
    }

"""Arrows between boxes, in pixels: a line with a head, and the number that it stands for."""

from __future__ import annotations

from math import atan2, degrees
from typing import Any, NamedTuple

from karmadalab.show import style

_FROM_BOX_PX = 26


class Arrow(NamedTuple):
    """An arrow between an actor and an object.

    Attributes:
        begin: its end at the actor, x and y.
        end: its end at the object.
        solid: whether it points to the object (a write); else it is dashed and points to the actor (a wake).
        times: how often.
        what: the same in words.
    """

    begin: tuple[float, float]
    end: tuple[float, float]
    solid: bool
    times: int
    what: str

    @property
    def tip(self) -> tuple[float, float]:
        """Where it points."""
        return self.end if self.solid else self.begin

    @property
    def angle(self) -> float:
        """Which way it points, in degrees clockwise from up."""
        (x0, y0), (x1, y1) = (self.begin, self.end) if self.solid else (self.end, self.begin)
        return degrees(atan2(x1 - x0, y1 - y0))


def lines(name: str, arrows: list[Arrow], dash: str) -> dict[str, Any]:
    """The lines, with a gap after each."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for arrow in arrows:
        xs += [arrow.begin[0], arrow.end[0], None]
        ys += [arrow.begin[1], arrow.end[1], None]
    look = {"color": style.INK if dash == "solid" else "#5a5a5a", "width": 1.4, "dash": dash}
    return {"type": "scatter", "mode": "lines", "name": name, "x": xs, "y": ys, "line": look, "hoverinfo": "skip"}


def heads(arrows: list[Arrow], words: list[str]) -> dict[str, Any]:
    """The heads; pointing at one tells what it stands for, in the words given for it."""
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "heads",
        "x": [arrow.tip[0] for arrow in arrows],
        "y": [arrow.tip[1] for arrow in arrows],
        "marker": {
            "symbol": "arrow",
            "size": 10,
            "color": style.INK,
            "angle": [arrow.angle for arrow in arrows],
        },
        "hovertext": words,
        "hoverinfo": "text",
        "showlegend": False,
    }


def numbers(arrows: list[Arrow]) -> list[dict[str, Any]]:
    """The counts, on the lines beside the actor, where there is most room."""
    return [
        {
            "x": _at(arrow)[0],
            "y": _at(arrow)[1],
            "text": f"<b>{arrow.times}</b>" if arrow.solid else f"{arrow.times}",
            "showarrow": False,
            "bgcolor": "#ffffff",
            "borderpad": 0,
            "font": {"size": style.SMALL_PX, "color": style.INK},
        }
        for arrow in arrows
    ]


def _at(arrow: Arrow) -> tuple[float, float]:
    (x0, y0), (x1, y1) = arrow.begin, arrow.end
    share = _FROM_BOX_PX / max(abs(x1 - x0), 1.0)
    return x0 + (x1 - x0) * share, y0 + (y1 - y0) * share

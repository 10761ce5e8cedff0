"""How a number depends on another: one line a setting, told apart by dash and mark, not by colour alone.

What there is to see is for the caller to say, who knows what the lines mean; the numbers come along as a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.show import style
from karmadalab.show.figure import Figure, Parts

Line = Sequence[tuple[float, float]]

# (colour, dash, mark): dark enough for a line on white, and no two with the same dash and mark
LOOKS: tuple[tuple[str, str, str], ...] = (
    ("#1a1a1a", "solid", "circle"),
    ("#0b5394", "dash", "square"),
    ("#a64d00", "dot", "diamond"),
    ("#38761d", "dashdot", "triangle-up"),
    ("#741b47", "longdash", "x"),
    ("#5b5b5b", "longdashdot", "cross"),
)


def curves(
    lines: Mapping[str, Line],
    *,
    title: str,
    text: str,
    x: str,
    y: str,
    banner: str = "",
    marks_only: bool = False,
    steps: bool = False,
    x_names: Sequence[str] | None = None,
) -> Figure:
    """Lines over a common axis.

    Args:
        lines: name -> (x, y) points, in the order of x; at most six lines.
        title: what it is about.
        text: what to see, in a sentence or two.
        x, y: what the axes are, with their units.
        banner: the line below the title, such as `settings.banner()`.
        marks_only: whether points are left unconnected (one point a setting, say).
        steps: whether a value holds until the next x.
        x_names: what stands at x = 0, 1, 2 and so on, where x is no number.

    Returns:
        the figure; its table has a row a point.

    Raises:
        BadRequest: there is nothing to draw, or there are more lines than can be told apart.
    """
    if not lines or not any(lines.values()):
        raise BadRequest("curves: give at least one line with at least one point")
    if len(lines) > len(LOOKS):
        raise BadRequest(f"curves: {len(lines)} lines can't be told apart; draw at most {len(LOOKS)}")
    records = [{"line": name, x: at, y: value} for name, points in lines.items() for at, value in points]
    data = [_line(place, name, points, marks_only, steps) for place, (name, points) in enumerate(lines.items())]
    shape = "Points" if marks_only else "Lines"
    alt = f"{shape} of {y} over {x}: {'; '.join(_ends(name, points) for name, points in lines.items())}. {text}"
    return Figure(title, Parts(data, _layout(title, banner, x, y, x_names)), text, alt, records, ("line", x, y))


def _ends(name: str, points: Line) -> str:
    if not points:
        return f"{name} has no points"
    (first_x, first_y), (last_x, last_y) = points[0], points[-1]
    return f"{name} from {first_y:g} at {first_x:g} to {last_y:g} at {last_x:g}"


def _line(place: int, name: str, points: Line, marks_only: bool, steps: bool) -> dict[str, Any]:
    colour, dash, mark = LOOKS[place]
    return {
        "type": "scatter",
        "mode": "markers" if marks_only else "lines+markers",
        "name": name,
        "x": [at for at, _ in points],
        "y": [value for _, value in points],
        "line": {"color": colour, "dash": dash, "width": 2, "shape": "hv" if steps else "linear"},
        "cliponaxis": False,
        "marker": {"color": colour, "symbol": mark, "size": 9, "line": {"color": "#ffffff", "width": 1}},
        "hovertemplate": f"{name}: %{{y:g}} at %{{x:g}}<extra></extra>",
    }


def _layout(title: str, banner: str, x: str, y: str, x_names: Sequence[str] | None) -> dict[str, Any]:
    names = {} if x_names is None else {"tickvals": list(range(len(x_names))), "ticktext": list(x_names)}
    axis = {"gridcolor": style.GRID, "zeroline": False, "linecolor": style.INK, "ticks": "outside"}
    return {
        **style.sheet(420, (84, 24, 70, 56), title, banner),
        "legend": {"x": 1.01, "y": 1, "xanchor": "left", "yanchor": "top", "font": {"size": 11}},
        "xaxis": {**axis, **names, "title": {"text": x, "standoff": 6}},
        "yaxis": {**axis, "title": {"text": y, "standoff": 6}, "rangemode": "tozero"},
    }

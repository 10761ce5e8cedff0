"""Redrawing a figure in place: only what differs is sent to the browser.

Giving a `FigureWidget` all of its parts anew takes 400 ms in the kernel, most of it validation; setting the forty
properties that differ takes 10. Parts with the same traces in the same order are what makes this possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from karmadalab.show import Parts, style


def redraw(widget: Any, old: Parts, new: Parts) -> int:
    """Bring a `FigureWidget` from one drawing to another, in one message.

    Args:
        widget: it shows `old`.
        old, new: parts of the same kind of figure.

    Returns:
        how many properties were set.
    """
    if [trace["name"] for trace in old.data] != [trace["name"] for trace in new.data]:
        return _replace(widget, new)  # another fleet
    count = 0
    with widget.batch_update():
        for trace, before, after in zip(widget.data, old.data, new.data, strict=True):
            for path, value in differences(before, after):
                trace[path] = value
                count += 1
        for path, value in differences(old.layout, new.layout):
            widget.layout[path] = value
            count += 1
    return count


def narrowed(layout: Mapping[str, Any]) -> dict[str, Any]:
    """A layout as wide as a notebook's page surely is.

    plotly draws a widget before it has a place on the page. One that should fit would be 700 px wide until somebody
    changes the window's size.
    """
    return {**layout, "width": style.NARROW_PX}


def _replace(widget: Any, new: Parts) -> int:
    widget.data = []
    widget.layout = narrowed(new.layout)
    widget.add_traces(new.data)
    return len(new.data)


def differences(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves that differ, as dotted path and new value; None for what is gone.

    >>> list(differences({"x": [1], "line": {"width": 2, "dash": "dot"}}, {"x": [1], "line": {"width": 3}}))
    [('line.width', 3), ('line.dash', None)]
    """
    for key, value in new.items():
        before = old.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            yield from differences(before, value, f"{prefix}{key}.")
        elif value != before:
            yield f"{prefix}{key}", value
    for key in old:
        if key not in new:
            yield f"{prefix}{key}", None

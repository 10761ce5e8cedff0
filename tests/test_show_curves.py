"""Curves: readable without colour, with a table and a text, and no more of them than can be told apart."""

from __future__ import annotations

import pytest

from karmadalab import show
from karmadalab.api.errors import BadRequest
from karmadalab.show.curves import LOOKS

WORDS = {"title": "t", "text": "The line rises.", "x": "x (s)", "y": "y"}


def test_curves_come_with_table_text_and_alternative() -> None:
    figure = show.curves({"a": [(0, 1), (2, 5)], "b": [(0, 0)]}, **WORDS)
    assert figure.records == [
        {"line": "a", "x (s)": 0, "y": 1},
        {"line": "a", "x (s)": 2, "y": 5},
        {"line": "b", "x (s)": 0, "y": 0},
    ]
    assert figure.alt == "Lines of y over x (s): a from 1 at 0 to 5 at 2; b from 0 at 0 to 0 at 0. The line rises."
    assert len(figure.figure.data) == 2


def test_lines_differ_in_dash_and_mark() -> None:
    assert len({dash for _, dash, _ in LOOKS}) == len({mark for _, _, mark in LOOKS}) == len(LOOKS)
    parts = show.curves({str(n): [(0, n)] for n in range(6)}, steps=True, marks_only=True, **WORDS).parts
    assert [trace["line"]["dash"] for trace in parts.data] == [dash for _, dash, _ in LOOKS]
    assert {trace["line"]["shape"] for trace in parts.data} == {"hv"}
    assert {trace["mode"] for trace in parts.data} == {"markers"}


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        pytest.param({}, "at least one line", id="no lines"),
        pytest.param({"a": []}, "at least one line", id="no points"),
        pytest.param({str(n): [(0.0, 0.0)] for n in range(7)}, "7 lines can't be told apart", id="seven lines"),
    ],
)
def test_what_can_not_be_drawn_is_refused(lines: dict[str, list[tuple[float, float]]], says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        show.curves(lines, **WORDS)


def test_an_axis_may_have_names() -> None:
    layout = show.curves({"a": [(0, 1), (1, 2)]}, x_names=("short", "long"), **WORDS).parts.layout
    assert (layout["xaxis"]["tickvals"], layout["xaxis"]["ticktext"]) == ([0, 1], ["short", "long"])

"""The picture of one moment with its words, which a player and a control room redraw for another moment."""

from __future__ import annotations

from html import escape

from karmadalab.show import moment_parts
from karmadalab.show.axis import short
from karmadalab.show.film import Film
from karmadalab.show.moment import tell_moment
from karmadalab.widgets.inplace import redraw
from karmadalab.widgets.plumbing import figure_widget, widget_library

TICK_S = 0.2  # between two pictures, for whoever watches
_LAST = 5  # of what happened, in words
SPEEDS = (("10 s a second", 10), ("30 s a second", 30), ("1 min a second", 60), ("2 min a second", 120))


class Screen:
    """A moment's figure, and below it what to see and what happened last.

    Attributes:
        figure: a plotly `FigureWidget`.
        text: an ipywidgets `HTML`.
    """

    def __init__(self, film: Film, t: float, title: str) -> None:
        self._title = title
        self._parts = moment_parts(film, t, title)
        self.figure = figure_widget(self._parts)
        self.text = widget_library().HTML()
        self.show(film, t)

    def show(self, film: Film, t: float) -> None:
        """Bring the picture to a moment."""
        parts = moment_parts(film, t, self._title)
        redraw(self.figure, self._parts, parts)
        self._parts = parts
        items = "".join(f"<li>{short(at)}: {escape(words)}</li>" for at, words in film.last_words(t, _LAST))
        self.text.value = f"<p>{escape(tell_moment(film, t))}</p><p>What happened last:</p><ul>{items}</ul>"

"""A finished run, played: play, pause, step, speed and rewind; the state of the fleet at each moment.

The run is over, so a picture is only a look-up; nothing in the lab moves. The browser counts (ipywidgets' Play), and
the kernel draws whatever second the browser has come to: no thread, and no timer that goes on after the cell is gone.
"""

from __future__ import annotations

from math import ceil
from typing import Any

from karmadalab.analysis.recording import Source
from karmadalab.api.errors import BadRequest
from karmadalab.api.time import seconds
from karmadalab.show import Figure, moment
from karmadalab.show.axis import short
from karmadalab.show.film import Film
from karmadalab.widgets.plumbing import show_box, widget_library
from karmadalab.widgets.screen import SPEEDS, TICK_S, Screen


class Player:
    """Plays a finished run. Shows itself at the end of a cell.

    Args:
        source: a lab, a timeline or its records.
        start: the moment that is shown first: `"1m"` or seconds.
        title: what stands above the figure, before the moment.

    Attributes:
        slider: the moment, in whole seconds since the run began.
        play: the browser's counter, which moves the slider.
        speed: seconds of the run for each second of yours.
        back, on: to the change before this moment, or the next.
        rewind: back to the start.

    Raises:
        BadRequest: the run has no such moment.
    """

    def __init__(self, source: Source, *, start: str | float = 0.0, title: str = "The fleet") -> None:
        self._source, self._title = source, title
        self.film = Film(source)
        self._end_s = self.film.recording.end_s
        last, first = ceil(self._end_s), ceil(seconds(start, "start"))
        if not 0 <= first <= last:
            raise BadRequest(f"Player: start {start} lies outside the run, which ends at {short(self._end_s)}")
        self._marks = sorted({ceil(mark) for mark in self.film.marks})
        self._shown = first
        widgets = widget_library()
        self.play = widgets.Play(
            value=first, min=0, max=last, interval=round(1000 * TICK_S), show_repeat=False, description="play"
        )
        self.slider = widgets.IntSlider(
            value=first, min=0, max=last, description="second", layout={"width": "420px"}, readout_format="d"
        )
        self.speed = widgets.Dropdown(options=SPEEDS, value=60, description="speed")
        self.back = widgets.Button(description="change before", icon="step-backward", layout={"width": "150px"})
        self.on = widgets.Button(description="next change", icon="step-forward", layout={"width": "150px"})
        self.rewind = widgets.Button(description="rewind", icon="fast-backward", layout={"width": "110px"})
        self.screen = Screen(self.film, self.t, title)
        rows = [[self.play, self.slider, self.speed], [self.rewind, self.back, self.on]]
        self.box = widgets.VBox([*(widgets.HBox(row) for row in rows), self.screen.figure, self.screen.text])
        widgets.jslink((self.play, "value"), (self.slider, "value"))  # in the browser, so that playing is smooth there
        self._connect()

    def _connect(self) -> None:
        for counter in (self.play, self.slider):
            counter.observe(self._moved, "value")
        self.speed.observe(self._paced, "value")
        self._paced()
        self.back.on_click(lambda _: self._go(max((m for m in self._marks if m < self._shown), default=0)))
        self.on.on_click(lambda _: self._go(min((m for m in self._marks if m > self._shown), default=self.slider.max)))
        self.rewind.on_click(lambda _: self._go(0))

    @property
    def t(self) -> float:
        """The moment that is shown, in seconds since the run began."""
        return min(float(self._shown), self._end_s)

    @property
    def figure(self) -> Figure:
        """The moment that is shown, as a figure that needs no kernel."""
        return moment(self._source, self.t, title=self._title)

    def _paced(self, _change: Any = None) -> None:
        self.play.step = max(1, round(self.speed.value * TICK_S))

    def _go(self, second: int) -> None:
        """Stop playing, and show a second."""
        self.play.playing = False
        self.play.value = self.slider.value = second  # both: without a browser nothing ties them together

    def _moved(self, change: Any) -> None:
        if change["new"] != self._shown:  # play and slider both tell of the same move
            self._shown = change["new"]
            self.screen.show(self.film, self.t)

    def _ipython_display_(self) -> None:
        show_box(self.box)

    def __repr__(self) -> str:
        return f"<Player at {short(self.t)} of {short(self._end_s)}: {self.film.recording.banner}>"

"""A control room: a button a cluster to break or heal it, and a clock that you let run.

The lab's clock is virtual and stands still until somebody lets time pass. Here the browser does: ipywidgets' Play
counts in the page, and at each count the kernel runs the lab for some seconds and draws what it has become. No thread
touches a widget, and when nobody plays, no time passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from html import escape
from typing import Any

from karmadalab.analysis.recording import the_lab
from karmadalab.api.errors import BadRequest, KarmadalabError
from karmadalab.core.timeline import events_of
from karmadalab.core.trace import Row
from karmadalab.core.wall_clock import WallClock
from karmadalab.lab import Lab
from karmadalab.show.axis import short
from karmadalab.show.film import Film
from karmadalab.show.timeline import MOST_LANES
from karmadalab.show.words import said
from karmadalab.widgets.plumbing import show_box, widget_library
from karmadalab.widgets.screen import SPEEDS, TICK_S, Screen

FAULTS = (
    ("power off", "power_off"),
    ("API server down", "refuse"),
    ("silence", "silence"),
    ("cut off", "cut_off"),
)
_WIDE, _ROW = {"width": "150px"}, {"flex_flow": "row wrap"}
_LONGEST_S = 900  # to look ahead for the next change


class ControlRoom:
    """Break and heal clusters of a lab, and let its time pass. Shows itself at the end of a cell.

    Args:
        lab: a lab on a virtual clock; it goes on from where it is, and is yours to question afterwards.
        title: what stands above the figure, before the moment.

    Attributes:
        buttons: cluster -> the button that breaks or heals it, also of one that joins later; for the first twelve
            of a larger fleet.
        fault: what breaking means, a method of `lab.fault(cluster)`.
        play: the browser's counter; each count lets some seconds pass.
        speed: seconds of the lab for each second of yours.
        step, on: ten seconds, or until something changes.

    Raises:
        BadRequest: it is no lab, or one in which time passes by itself.
    """

    def __init__(self, lab: Lab, *, title: str = "The fleet") -> None:
        if isinstance(the_lab(lab, "ControlRoom").clock, WallClock):
            raise BadRequest("ControlRoom: in a live lab time passes by itself; give a lab made with Lab.fake")
        self.lab = lab
        widgets = widget_library()
        self.fault = widgets.Dropdown(options=FAULTS, value="power_off", description="break by")
        self.buttons: dict[str, Any] = {}
        self._row = widgets.HBox([self.fault], layout=_ROW)
        self._add_buttons()
        self.play = widgets.Play(
            value=0, min=0, max=10**6, interval=round(1000 * TICK_S), show_repeat=False, description="let time pass"
        )
        self.speed = widgets.Dropdown(options=SPEEDS, value=30, description="speed")
        self.step = widgets.Button(description="10 s on", icon="step-forward", layout=_WIDE)
        self.on = widgets.Button(description="to the next change", icon="fast-forward", layout={"width": "180px"})
        self.message = widgets.HTML()
        self.screen = Screen(self._film(), lab.t, title)
        time = widgets.HBox([self.play, self.speed, self.step, self.on], layout=_ROW)
        self.box = widgets.VBox([self._row, time, self.message, self.screen.figure, self.screen.text])
        self._connect()
        self._draw()

    def _connect(self) -> None:
        self.play.observe(self._counted, "value")
        self.step.on_click(lambda _: self._pass(10.0))
        self.on.on_click(lambda _: self._to_the_next_change())

    def _add_buttons(self) -> None:
        """One for each member that has none yet: there may be some that joined later."""
        for name in self.lab.members[:MOST_LANES]:
            if name not in self.buttons and len(self.buttons) < MOST_LANES:
                button = self.buttons[name] = widget_library().Button(layout=_WIDE)
                button.on_click(partial(self._pressed, name))
        self._row.children = (self.fault, *self.buttons.values())

    def broken(self, cluster: str) -> bool:
        """Whether a fault acts on a cluster."""
        return any(fault.target == cluster for fault in self.lab.world.faults)

    def _pressed(self, cluster: str, _button: Any) -> None:
        try:
            if self.broken(cluster):
                self.lab.heal(cluster)
            elif cluster in self._here():
                getattr(self.lab.fault(cluster), self.fault.value)()
            self.lab.run(0)  # what it does at once is part of now
        except KarmadalabError as error:  # said where the reader looks; the lab is as it was
            self._draw(f"This can't be done: {error}")
            return
        self._draw()

    def _counted(self, change: Any) -> None:
        """The browser has counted on. It may be ahead of the kernel, which then makes up for it in one go."""
        counts = change["new"] - change["old"]
        if counts > 0:  # the stop button counts back to nothing
            self._pass(counts * self.speed.value * TICK_S)

    def _pass(self, length_s: float) -> None:
        self.lab.run(length_s)
        self._draw()

    def _to_the_next_change(self) -> None:
        end_s = self.lab.t + _LONGEST_S
        while self.lab.t < end_s:
            seen = len(self.lab.trace)
            self.lab.run(1)
            if any(told for row in self.lab.trace.rows[seen:] for told in _words(row)):
                self._draw()
                return
        self._draw(f"Nothing happens in {short(_LONGEST_S)}.")

    def _here(self) -> set[str]:
        """The clusters that are registered now."""
        return {cluster.metadata.name for cluster in self.lab.list("Cluster")}

    def _film(self) -> Film:
        return Film(self.lab, tuple(self.buttons))

    def _draw(self, message: str = "") -> None:
        self.message.value = f"<p><b>{escape(message)}</b></p>" if message else ""
        self._add_buttons()
        here = self._here()
        for name, button in self.buttons.items():
            broken = self.broken(name)
            gone = not broken and name not in here  # a fault that acts can be healed, whoever has left
            button.description = f"{name} has left" if gone else f"heal {name}" if broken else f"break {name}"
            button.icon = "sign-out" if gone else "wrench" if broken else "bolt"
            button.disabled = gone
        self.screen.show(self._film(), self.lab.t)

    def _ipython_display_(self) -> None:
        show_box(self.box)

    def __repr__(self) -> str:
        broken = ", ".join(name for name in self.buttons if self.broken(name))
        return f"<ControlRoom at {short(self.lab.t)}: {broken or 'nothing'} broken, {self.lab.settings.banner()}>"


def _words(row: Row) -> Iterator[str]:
    """What the picture would say of a row of the trace."""
    for event in events_of(row, 0.0):
        yield from said(event)

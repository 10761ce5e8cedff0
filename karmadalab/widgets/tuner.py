"""Six sliders, one outage: the lab runs again for each move, and timeline and split follow.

All work is done in the slider's own callback. A run takes some 60 ms and drawing 20, so there is nothing to hand to a
thread, and nothing that could touch a widget from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from typing import Any

from karmadalab.analysis import Recording, record
from karmadalab.api.errors import BadRequest, KarmadalabError
from karmadalab.core.settings import Settings
from karmadalab.lab import Lab
from karmadalab.show import Parts, split_parts, tell, timeline_parts
from karmadalab.widgets.inplace import redraw
from karmadalab.widgets.knobs import KNOBS, Knob
from karmadalab.widgets.plumbing import figure_widget, show_box, widget_library

_LINES = 14  # of words above the lanes: enough for most stories, so that the figure seldom changes its height
Story = Callable[[Settings], Lab]


class TimeoutTuner:
    """Sliders over one or more stories. Shows itself at the end of a cell.

    Args:
        stories: name -> a function that makes a lab with the settings it is given, and runs it.
        settings: where the sliders begin.
        until: where the time axis ends; `"30m"` or seconds.
        split_until_s: where the axis of the outage split ends, in seconds after the fault.

    Attributes:
        lab: the run that is shown.
        sliders: by label.
        stories: the choice of the story.
    """

    def __init__(
        self,
        stories: Mapping[str, Story],
        *,
        settings: Settings | None = None,
        until: str | float = "30m",
        split_until_s: float = 1260.0,
    ) -> None:
        if not stories:
            raise BadRequest("TimeoutTuner: give at least one story, a function from Settings to a Lab")
        self._stories = dict(stories)
        self._base = settings or Settings()
        self._until, self._split_until_s = until, split_until_s
        self._widgets = widget_library()
        self._before: dict[str, Recording] = {}
        name = next(iter(self._stories))
        self.lab = self._stories[name](self._base)
        self._before[name] = record(self.lab)
        self.sliders = {knob.label: self._slider(knob) for knob in KNOBS}
        self.stories = self._widgets.Dropdown(options=list(self._stories), value=name, description="story")
        self._reset = self._widgets.Button(description="back to the start", icon="undo")
        self._text = self._widgets.HTML()
        self._parts = self._drawn()
        self._figures = [figure_widget(parts) for parts in self._parts]
        self.box = self._boxed()
        self._connect()

    # --- building

    def _slider(self, knob: Knob) -> Any:
        value = int(getattr(self._base, knob.flags[0].replace("-", "_")))
        return self._widgets.IntSlider(
            value=min(max(value, knob.low), knob.high),
            min=knob.low,
            max=knob.high,
            step=knob.step,
            description=knob.label,
            readout_format="d",
            tooltip=f"{knob.label}, in seconds: {knob.why}",
            style={"description_width": "200px"},
            layout={"width": "520px"},
            continuous_update=True,
        )

    def _boxed(self) -> Any:
        widgets = self._widgets
        rows = [
            widgets.HBox([self.sliders[k.label], widgets.HTML(f"<small>s: {escape(k.why)}</small>")]) for k in KNOBS
        ]
        return widgets.VBox([widgets.HBox([self.stories, self._reset]), *rows, self._text, *self._figures])

    def _connect(self) -> None:
        self.stories.observe(self._moved, "value")
        for slider in self.sliders.values():
            slider.observe(self._moved, "value")
        self._reset.on_click(partial(self._rewind, {label: slider.value for label, slider in self.sliders.items()}))

    # --- moving

    @property
    def settings(self) -> Settings:
        """The settings that the sliders stand for."""
        return self._base.with_flags({flag: f"{self.sliders[k.label].value}" for k in KNOBS for flag in k.flags})

    def _moved(self, change: Any) -> None:
        try:
            self.lab = self._stories[self.stories.value](self.settings)
        except KarmadalabError as error:  # said where the reader looks; the figures keep the last run
            self._text.value = f"<p><b>This does not run:</b> {escape(str(error))}</p>"
            return
        parts = self._drawn()
        for figure, old, new in zip(self._figures, self._parts, parts, strict=True):
            redraw(figure, old, new)
        self._parts = parts

    def _rewind(self, values: Mapping[str, int], _button: Any) -> None:
        for label, value in values.items():
            self.sliders[label].value = value

    def _drawn(self) -> list[Parts]:
        """The parts of both figures for the run that is shown, and its text."""
        now = record(self.lab)
        before = self._at_start(self.stories.value)
        self._text.value = f"<p>{escape(tell(now))}</p>"
        runs = {"at the start": before, "now": now}
        return [
            split_parts(runs, until_s=self._split_until_s),
            timeline_parts(now, until=self._until, least_lines=_LINES),
        ]

    def _at_start(self, story: str) -> Recording:
        """The run to compare with, made once a story."""
        if story not in self._before:
            self._before[story] = record(self._stories[story](self._base))
        return self._before[story]

    def _ipython_display_(self) -> None:
        show_box(self.box)

    def __repr__(self) -> str:
        return f"<TimeoutTuner {self.stories.value}: {self.settings.banner()}>"

"""A figure that is never alone: it has a paragraph that says what to see, the table behind it, a text in its stead.

The parts of a figure are plain data until somebody looks at it, so that plotly (two seconds to import) is loaded late,
and so that a widget can redraw itself from the same parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karmadalab.analysis.tables import frame

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Parts:
    """What plotly draws, as plain data.

    Attributes:
        data: the traces; their number and order depend on the kind of figure only, never on the run.
        layout: axes, title, shapes.
    """

    data: list[dict[str, Any]]
    layout: dict[str, Any]


def fit(layout: Mapping[str, Any]) -> dict[str, Any]:
    """A layout without its width: the drawing takes the room there is, or a narrow window would cut its legend off.

    >>> fit({"width": 1000, "height": 300})
    {'height': 300, 'autosize': True}
    """
    return {**{name: value for name, value in layout.items() if name != "width"}, "autosize": True}


def plotly_objects() -> Any:
    """The module `plotly.graph_objects`. Raises `ImportError` that names the extra."""
    try:
        from plotly import graph_objects
    except ImportError:
        raise ImportError("figures need plotly: pip install 'karmadalab[notebooks]'") from None
    return graph_objects


class Figure:
    """A plotly figure with its text and its table. In a notebook, a cell that ends with it shows all three.

    Attributes:
        title: what it is about, in a few words.
        text: one paragraph that says what to see.
        alt: what is drawn, for those who can't see it.
        records: the numbers behind it, as plain data.
        parts: what is drawn, as plain data.
    """

    def __init__(
        self,
        title: str,
        parts: Parts,
        text: str,
        alt: str,
        records: Sequence[Mapping[str, Any]],
        columns: Sequence[str],
    ) -> None:
        self.title, self.parts, self.text, self.alt = title, parts, text, alt
        self.records, self.columns = list(records), tuple(columns)

    @property
    def figure(self) -> Any:
        """The plotly figure, a new one each time; as wide as a picture of it is."""
        return plotly_objects().Figure({"data": self.parts.data, "layout": self.parts.layout})

    @property
    def fitting(self) -> Any:
        """The plotly figure for a screen, where it is as wide as there is room."""
        return plotly_objects().Figure({"data": self.parts.data, "layout": fit(self.parts.layout)})

    @property
    def table(self) -> pandas.DataFrame:
        """The numbers behind it, as a data frame."""
        return frame(self.records, self.columns)

    def to_html(self, path: str | Path) -> Path:
        """Write a page that stands alone: figure, text and table; plotly.js is in it, no network is needed.

        Returns:
            the path.
        """
        from karmadalab.show.page import page

        file = Path(path)
        file.write_text(page([self], self.title), encoding="utf-8")
        return file

    def _ipython_display_(self) -> None:
        from IPython import display as ipython

        from karmadalab.show.page import caption, named

        bundle = dict(self.fitting._repr_mimebundle_())
        bundle["text/plain"] = self.alt
        if "text/html" in bundle:  # what a page made of the notebook takes; it leaves the plain text out
            bundle["text/html"] = named(bundle["text/html"], self.alt)
        show: Any = ipython.display  # IPython annotates only some of its functions
        show(bundle, raw=True)
        show({"text/html": caption(self), "text/plain": self.text}, raw=True)

    def __repr__(self) -> str:
        return f"<Figure {self.title}>\n{self.text}"

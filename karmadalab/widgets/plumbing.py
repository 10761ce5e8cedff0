"""What every widget here needs of Jupyter, imported only when one is made."""

from __future__ import annotations

from typing import Any

from karmadalab.show import Parts
from karmadalab.show.figure import plotly_objects
from karmadalab.widgets.inplace import narrowed


def widget_library() -> Any:
    """The module `ipywidgets`. Raises `ImportError` that names the extra."""
    try:
        import ipywidgets
    except ImportError:
        raise ImportError("sliders need ipywidgets: pip install 'karmadalab[notebooks]'") from None
    return ipywidgets


def figure_widget(parts: Parts) -> Any:
    """A figure that can be redrawn in place. Raises `ImportError` that names the extra."""
    graph_objects = plotly_objects()
    try:
        return graph_objects.FigureWidget({"data": parts.data, "layout": narrowed(parts.layout)})
    except ImportError:
        raise ImportError("sliders need anywidget beside plotly: pip install 'karmadalab[notebooks]'") from None


def show_box(box: Any) -> None:
    """Show a widget below the cell that runs."""
    from IPython import display as ipython

    show: Any = ipython.display  # IPython annotates only some of its functions
    show(box)

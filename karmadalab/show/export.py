"""Figures in an exported notebook: `jupyter nbconvert --to html`, or "Export as HTML" in JupyterLab.

A figure is stored in a notebook as plotly's data, which JupyterLab draws and an HTML page can't. nbconvert calls
`drawn` before it writes a page (`.jupyter/` says so), and the page gets the drawings and, once, the library that
draws them. The notebook itself stays as small as it was.
"""

from __future__ import annotations

from typing import Any

from karmadalab.show.page import div, named

PLOTLY = "application/vnd.plotly.v1+json"


def drawn(notebook: Any, resources: Any) -> tuple[Any, Any]:
    """A preprocessor of nbconvert: each stored figure becomes HTML, named by its alternative text; works offline.

    Args:
        notebook: an executed one, as nbformat reads it.
        resources: nbconvert's own; handed on.

    Returns:
        The notebook to be converted, and the resources.
    """
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    bundles = [output["data"] for output in outputs if PLOTLY in output.get("data", {})]
    for place, data in enumerate(bundles):
        stored = data.pop(PLOTLY)
        drawing = div({"data": stored["data"], "layout": stored["layout"]}, place)
        data["text/html"] = named(drawing, data.get("text/plain", ""))
    return notebook, resources

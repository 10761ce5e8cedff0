"""Figures as a web page that stands alone: it opens from a disk, without a network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from karmadalab.show.figure import plotly_objects

if TYPE_CHECKING:
    from karmadalab.show.figure import Figure

_STYLE = """
body { font: 16px/1.5 "Open Sans", Verdana, Arial, sans-serif; color: #1a1a1a;
  margin: 2rem auto; max-width: 64rem; padding: 0 1rem }
figure { margin: 0; overflow-x: auto }
p { max-width: 48rem }
table { border-collapse: collapse; font-size: 14px }
th, td { border-bottom: 1px solid #ccc; padding: 2px 10px; text-align: left; vertical-align: top }
td.number { text-align: right; font-variant-numeric: tabular-nums }
"""


def page(figures: Sequence[Figure], title: str, after: str = "") -> str:
    """A complete HTML page.

    Args:
        figures: what it shows, each with its text and its table.
        title: its heading.
        after: more HTML, put at its end.
    """
    bodies = "\n".join(_body(figure, place) for place, figure in enumerate(figures))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n{bodies}\n{after}\n</main>\n</body>\n</html>\n"
    )


def _body(figure: Figure, place: int) -> str:
    return f"{named(div(figure.fitting, place), figure.alt)}\n{caption(figure, True)}"


def div(drawing: Any, place: int) -> str:
    """A drawing as HTML: a plotly figure, or its data and layout as plain data.

    Args:
        drawing: it takes the room there is if its layout has no width.
        place: which it is on its page; the first brings the library along.
    """
    plotly_objects()  # the message about the extra, rather than one about plotly.io
    from plotly import io

    html: str = io.to_html(
        drawing,
        include_plotlyjs=place == 0,  # the whole library, once
        full_html=False,
        div_id=f"figure-{place}",  # or a random one, and the page would differ from run to run
        config={"displaylogo": False, "responsive": True},
        validate=False,  # a figure that exists was validated when it was made
    )
    return html


def named(drawing: str, alt: str) -> str:
    """A drawing with its alternative text, for those who can't see it."""
    return f'<figure role="img" aria-label="{escape(alt, quote=True)}">{drawing}</figure>'


def caption(figure: Figure, unfolded: bool = False) -> str:
    """What stands below a figure: its paragraph, and its table to unfold."""
    unfold = " open" if unfolded else ""
    return (
        f"<p>{escape(figure.text)}</p>\n"
        f"<details{unfold}><summary>The numbers behind the figure</summary>\n"
        f"{table(figure.records, figure.columns)}</details>"
    )


def table(records: Sequence[Any], columns: Sequence[str]) -> str:
    """Records as an HTML table; pandas is not needed for it."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    rows = "\n".join("<tr>" + "".join(_cell(record.get(name)) for name in columns) + "</tr>" for record in records)
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"


def _cell(value: Any) -> str:
    if value is None:
        return "<td>–</td>"
    if isinstance(value, float):
        return f'<td class="number">{value:,.3f}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value}</td>'
    return f"<td>{escape(str(value))}</td>"

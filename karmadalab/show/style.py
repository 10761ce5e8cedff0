"""Looks. Whatever a colour says, a hatching, a dash or a word says too, so that a black and white print loses nothing.

Tints are light (black text stays readable on them) and differ in lightness; hatchings are grey for the same reason.
"""

from __future__ import annotations

from typing import Any

from karmadalab.analysis.bands import NOT_READY, READY, UNKNOWN

INK = "#1a1a1a"
PAPER, GRID = "#ffffff", "#e2e2e2"
FAINT = "#8a8a8a"
HATCH = "#6f6f6f"
FONT = {"family": "Open Sans, Verdana, Arial, sans-serif", "size": 12, "color": INK}
WIDTH_PX = 1000  # of a picture; on a screen a figure takes the room there is
NARROW_PX = 860  # what JupyterLab leaves in a window of 1300 px beside its file browser: words must fit there
SMALL_PX = 10

# state -> (fill, hatching)
STATES: dict[str, tuple[str, str]] = {
    READY: ("#ffffff", ""),
    NOT_READY: ("#f4b58a", "/"),
    UNKNOWN: ("#b9b3d9", "x"),
}

# One after the other for the clusters of a fleet: neighbours differ in hatching as well as in tint.
SERIES: tuple[tuple[str, str], ...] = (
    ("#d6e6f4", ""),
    ("#fbe3b5", "/"),
    ("#cde8d5", "."),
    ("#f3d3e0", "\\"),
    ("#e4ddf3", "-"),
    ("#e9e4d8", "x"),
    ("#c9ecec", "|"),
    ("#eeeeee", "+"),
)

OTHERS = ("#ffffff", ".")

# phase -> (fill, hatching)
PHASE_LOOKS: dict[str, tuple[str, str]] = {
    "detect": ("#fbe3b5", "."),
    "wait": ("#d6e6f4", ""),
    "evict": ("#f4b58a", "/"),
    "reschedule": ("#b9b3d9", "x"),
    "start": ("#9fd3b0", "-"),
}


def title(words: str, banner: str) -> dict[str, Any]:
    """A figure's title, with the profile and the changed flags below it."""
    text = f'<b>{words}</b><br><span style="font-size:12px">{banner}</span>'
    return {
        "text": text,
        "x": 0.01,
        "xanchor": "left",
        "y": 1,
        "yanchor": "top",
        "pad": {"t": 24},
        "font": {"size": 16},
    }


def sheet(height_px: float, margin: tuple[int, int, int, int], words: str, banner: str) -> dict[str, Any]:
    """What every figure's layout begins with: white paper of the usual width, a title, the usual letters.

    Args:
        height_px: the figure's height.
        margin: left, right, top and bottom, in pixels.
        words, banner: as for `title`.
    """
    return {
        "width": WIDTH_PX,
        "height": height_px,
        "margin": dict(zip("lrtb", margin, strict=True)),
        "title": title(words, banner),
        "font": FONT,
        "plot_bgcolor": PAPER,
        "paper_bgcolor": PAPER,
    }


def hatching(shape: Any, strength: float = 0.45) -> dict[str, Any]:
    """A bar's pattern: grey lines over its tint.

    Args:
        shape: one of plotly's eight shapes, or a list of them, one a bar.
        strength: from 0 (not to be seen) to 1.
    """
    return {"shape": shape, "fillmode": "overlay", "fgcolor": HATCH, "fgopacity": strength, "size": 8, "solidity": 0.25}


def bar(tint: str, shape: str) -> dict[str, Any]:
    """What a trace of bars with a word in each begins with: tint and hatching, small letters in the middle."""
    return {
        "type": "bar",
        "textposition": "inside",
        "insidetextanchor": "middle",
        "constraintext": "inside",
        "textangle": 0,
        "textfont": {"size": SMALL_PX, "color": INK},
        "marker": {"color": tint, "line": {"color": INK, "width": 1}, "pattern": hatching(shape)},
        "hoverinfo": "text",
    }


def cluster_look(place: int) -> tuple[str, str]:
    """Tint and hatching of the cluster at a place of its fleet; the same in every figure of that fleet."""
    return SERIES[place % len(SERIES)]

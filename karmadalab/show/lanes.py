"""The traces of the timeline: their number and order never change, so that a widget can update them in place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from karmadalab.analysis import Band, Steps
from karmadalab.show import style
from karmadalab.show.axis import short
from karmadalab.show.words import Label

Trace = dict[str, Any]
_THICK = 0.34  # of a lane
_LANES: Trace = {"legendgroup": "lanes", "legendgrouptitle": {"text": "in the lanes"}}
_REPLICAS: Trace = {"legendgroup": "replicas", "legendgrouptitle": {"text": "replicas serving on"}}


def conditions(bands: list[Band], clusters: list[str]) -> list[Trace]:
    """The Ready condition: a trace a state."""
    return [_condition(state, [b for b in bands if b.what == state], clusters) for state in style.STATES]


def _condition(state: str, bands: list[Band], clusters: list[str]) -> Trace:
    fill, shape = style.STATES[state]
    return {
        "type": "bar",
        "orientation": "h",
        "name": state,
        "y": [clusters.index(band.cluster) for band in bands],
        "base": [band.begin_s for band in bands],
        "x": [band.length_s for band in bands],
        "width": _THICK,
        "text": [f"<b>{state}</b>" if band.what != "Ready" else state for band in bands],
        "textposition": "inside",
        "insidetextanchor": "start",
        "constraintext": "inside",
        "textangle": 0,
        "textfont": {"size": style.SMALL_PX, "color": style.INK},
        "marker": {"color": fill, "line": {"color": style.INK, "width": 1}, "pattern": style.hatching(shape, 0.8)},
        "hovertext": [_span(band, f"{band.cluster} {state}") for band in bands],
        "hoverinfo": "text",
        **_LANES,
    }


def _span(band: Band, words: str) -> str:
    end = short(band.end_s) if band.ended else "the end"
    return f"{words}<br>{short(band.begin_s)} to {end} ({short(band.length_s)})"


def faults(bands: list[Band], clusters: list[str]) -> Trace:
    """What was really done: a thick line above the condition, closed by a cross and an open ring."""
    trace = _lines("fault", [(band, band.what) for band in bands if band.cluster in clusters], clusters, -0.31)
    trace["mode"] = "lines+markers"
    trace["line"] = {"color": style.INK, "width": 4}
    trace["marker"] = {
        "symbol": _each("x-thin", "circle-open", bands, clusters),
        "size": 9,
        "color": style.INK,
        "line": {"width": 2, "color": style.INK},
    }
    return trace


def _each(first: str, last: str, bands: list[Band], clusters: list[str]) -> list[str]:
    shown = [band for band in bands if band.cluster in clusters]
    return [symbol for band in shown for symbol in (first, last if band.ended else "line-ew", first)]


def taints(bands: list[Band], clusters: list[str]) -> list[Trace]:
    """Taints: NoSchedule a thin dashed line below the condition, NoExecute a thick one below that."""
    shown = [band for band in bands if band.cluster in clusters]
    looks = (("NoSchedule", 0.27, "dash", 2), ("NoExecute", 0.38, "solid", 5))
    traces = []
    for effect, offset, dash, width in looks:
        chosen = [(band, band.what) for band in shown if band.what.endswith(f":{effect}")]
        trace = _lines(f"taint {effect}", chosen, clusters, offset)
        trace["mode"] = "lines"
        trace["line"] = {"color": style.INK, "width": width, "dash": dash}
        traces.append(trace)
    return traces


def tasks(bands: list[Band], clusters: list[str]) -> Trace:
    """Graceful eviction tasks: a dotted line between two triangles, as they often last only seconds."""
    chosen = [(band, f"eviction task of {band.what}") for band in bands if band.cluster in clusters]
    trace = _lines("graceful eviction", chosen, clusters, 0.0)
    trace["mode"] = "lines+markers"
    trace["line"] = {"color": style.INK, "width": 2, "dash": "dot"}
    trace["marker"] = {
        "symbol": _each("triangle-right", "triangle-left-open", bands, clusters),
        "size": 9,
        "color": style.INK,
    }
    return trace


def _lines(name: str, chosen: list[tuple[Band, str]], clusters: list[str], offset: float) -> Trace:
    """Horizontal lines in the lanes; a gap after each."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    texts: list[str] = []
    for band, words in chosen:
        y = clusters.index(band.cluster) + offset
        xs += [band.begin_s, band.end_s, None]
        ys += [y, y, None]
        texts += [_span(band, f"{band.cluster} {words}")] * 3
    shown = {"showlegend": bool(xs), "hovertext": texts, "hoverinfo": "text"}
    return {"type": "scatter", "name": name, "x": xs, "y": ys, **shown, **_LANES}


def moments(words: Sequence[Label]) -> Trace:
    """The words of each moment, above the lanes."""
    return {
        "type": "scatter",
        "mode": "text",
        "name": "moments",
        "x": [label.t for label in words],
        "y": [label.row + len(label.lines) / 2 for label in words],
        "yaxis": "y3",
        "text": [_text(label) for label in words],
        "textposition": "middle right",
        "textfont": {"size": style.SMALL_PX, "color": style.INK},
        "cliponaxis": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _text(label: Label) -> str:
    head, *rest = label.lines
    return "<br>".join(f" {line}" for line in (f"<b>{head}</b>", *rest))


Stack = list[tuple[str, Steps, tuple[str, str]]]  # cluster, how many replicas, tint and hatching


def replicas(stack: Stack, end_s: float) -> list[Trace]:
    """Replicas that serve, stacked: a trace a cluster, each block with its cluster's name where there is room."""
    return [_stacked(stack, place, end_s) for place in range(len(stack))]


def _stacked(stack: Stack, place: int, end_s: float) -> Trace:
    name, _, (tint, shape) = stack[place]
    blocks = _blocks([steps for _, steps, _ in stack[: place + 1]], end_s)
    return {
        **style.bar(tint, shape),
        "name": name,
        "x": [(block.begin_s + block.end_s) / 2 for block in blocks],
        "width": [block.end_s - block.begin_s for block in blocks],
        "base": [block.base for block in blocks],
        "y": [block.replicas for block in blocks],
        "yaxis": "y2",
        "text": [f"{name} {block.replicas}" for block in blocks],
        "hovertext": [f"{name}: {b.replicas} serving<br>{short(b.begin_s)} to {short(b.end_s)}" for b in blocks],
        **_REPLICAS,
    }


class _Block(NamedTuple):
    begin_s: float
    end_s: float
    base: int
    replicas: int


def _blocks(stacked: list[Steps], end_s: float) -> list[_Block]:
    """The blocks of the topmost; one ends where its height or what is below it changes."""
    *below, top = stacked
    marks = sorted({t for steps in stacked for t in steps.times if t < end_s} | {0.0, end_s})
    blocks: list[_Block] = []
    for begin, end in pairwise(marks):
        base, count = sum(steps.at(begin) for steps in below), top.at(begin)
        if blocks and (blocks[-1].end_s, blocks[-1].base, blocks[-1].replicas) == (begin, base, count):
            blocks[-1] = blocks[-1]._replace(end_s=end)
        elif count:
            blocks.append(_Block(begin, end, base, count))
    return blocks


def level(before: int | None, end_s: float) -> Trace:
    """As many replicas as served before the outage."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "serving before the fault",
        "x": [] if before is None else [0, end_s],
        "y": [] if before is None else [before, before],
        "showlegend": before is not None,
        "yaxis": "y2",
        "line": {"color": style.INK, "width": 2, "dash": "dashdot"},
        "hoverinfo": "skip",
        **_REPLICAS,
    }

"""The failover as a picture: what was done, what the control plane believed, and who served meanwhile.

Three panels share one time axis. On top, the words of each moment; in the middle a lane a cluster with the fault (what
is true), the Ready condition (what is believed) and the taints; below, the replicas that serve, stacked by cluster.
"""

from __future__ import annotations

from typing import Any

from karmadalab.analysis import (
    Band,
    Recording,
    Serving,
    Steps,
    check_workload,
    condition_bands,
    fault_bands,
    outages,
    phase_records,
    record,
    serving,
    taint_bands,
    task_bands,
)
from karmadalab.analysis.recording import Source
from karmadalab.show import lanes, style
from karmadalab.show.axis import axis_end, lab_time, short
from karmadalab.show.figure import Figure, Parts
from karmadalab.show.text import alt_of_timeline, tell
from karmadalab.show.words import Label, labels

_LEFT_PX, _RIGHT_PX, _TOP_PX, _BOTTOM_PX = 104, 168, 58, 46
_LANE_PX, _SERVING_PX, _LINE_PX, _GAP_PX = 58, 150, 14, 14
_COLUMNS = ("cluster", "binding", "phase", "begin_s", "end_s", "seconds")
MOST_LANES = 12


def timeline(
    source: Source, *, until: str | float | None = None, workload: str | None = None, title: str = "Failover"
) -> Figure:
    """The timeline of a run.

    Args:
        source: a lab, a timeline or its records.
        until: where the time axis ends; the end of the run by default. Words and table end there, too.
        workload: count only this workload's replicas; all by default.
        title: what stands above it, in front of the profile.

    Returns:
        the figure; its table has a row a phase of each outage.

    Raises:
        BadRequest: the run has no such workload, or the axis no length.
    """
    recording = record(source)
    parts = timeline_parts(recording, until=until, workload=workload, title=title)
    shown = recording if until is None else recording.up_to(axis_end(until, recording.end_s))
    cut = f"The first {short(shown.end_s)} of {short(recording.end_s)}. " if shown.end_s < recording.end_s else ""
    alt = alt_of_timeline(shown, lanes_of(recording))
    return Figure(title, parts, cut + tell(shown), alt, phase_records(shown), _COLUMNS)


def timeline_parts(
    source: Source,
    *,
    until: str | float | None = None,
    workload: str | None = None,
    title: str = "Failover",
    least_lines: int = 0,
) -> Parts:
    """What `timeline` draws, as plain data; see there.

    Args:
        least_lines: room for so many lines of words at least, so that a figure keeps its height while a slider moves.
    """
    recording = record(source)
    check_workload(recording, workload)
    end_s = axis_end(until, recording.end_s)
    clusters = lanes_of(recording)
    served = serving(recording, workload)
    drawn_px = style.NARROW_PX - _LEFT_PX - _RIGHT_PX
    words = labels(recording, served, end_s, drawn_px)
    bands = [band.up_to(end_s) for band in condition_bands(recording) if band.cluster in clusters]
    data = [
        *lanes.conditions(bands, clusters),
        lanes.faults(_all_cut(fault_bands(recording), end_s), clusters),
        *lanes.taints(_all_cut(taint_bands(recording), end_s), clusters),
        lanes.tasks(_all_cut(task_bands(recording), end_s), clusters),
        lanes.moments(words),
        *lanes.replicas(_stack(recording, clusters, served), end_s),
        lanes.level(_level(recording, served), end_s),
    ]
    return Parts(data, _layout(recording, clusters, words, served, end_s, title, least_lines))


def lanes_of(recording: Recording) -> list[str]:
    """The clusters that get a lane: all of a small fleet, else those to which something happened."""
    if len(recording.clusters) <= MOST_LANES:
        return list(recording.clusters)
    served = serving(recording).clusters()
    seen = {event.name for event in recording.events if event.kind in ("fault", "Cluster")}
    chosen = [name for name in recording.clusters if name in seen or name in served]
    return sorted(sorted(chosen, key=lambda n: n not in seen)[:MOST_LANES], key=recording.clusters.index)


def _stack(recording: Recording, clusters: list[str], served: Serving) -> lanes.Stack:
    """What serves, lane by lane; on a large fleet, all that has no lane comes last, as one."""
    looks = {name: style.cluster_look(place) for place, name in enumerate(recording.clusters)}
    stack = [(name, served.by_cluster[name], looks[name]) for name in clusters]
    rest = [steps for name, steps in served.by_cluster.items() if name not in clusters]
    return [*stack, ("other members", Steps.total(rest), style.OTHERS)] if rest else stack


def _all_cut(bands: list[Band], end_s: float) -> list[Band]:
    return [band.up_to(end_s) for band in bands]


def _level(recording: Recording, served: Serving) -> int | None:
    """How many replicas served before the first outage."""
    first = next(iter(outages(recording)), None)
    return None if first is None else served.total.before(first.fault_s)


def _layout(
    recording: Recording,
    clusters: list[str],
    words: list[Label],
    served: Serving,
    end_s: float,
    title: str,
    least_lines: int,
) -> dict[str, Any]:
    lines = max([least_lines, 1, *(label.row + len(label.lines) for label in words)])
    words_px, lanes_px = lines * _LINE_PX, len(clusters) * _LANE_PX
    inner_px = words_px + lanes_px + _SERVING_PX + 2 * _GAP_PX
    low, high = _SERVING_PX / inner_px, (_SERVING_PX + _GAP_PX + lanes_px) / inner_px
    most = max([1, *served.total.values])
    lane_names = [_lane_name(recording, name) for name in clusters]
    return {
        **style.sheet(
            inner_px + _TOP_PX + _BOTTOM_PX, (_LEFT_PX, _RIGHT_PX, _TOP_PX, _BOTTOM_PX), title, recording.banner
        ),
        "uniformtext": {"mode": "hide", "minsize": style.SMALL_PX},
        "barmode": "overlay",
        "bargap": 0,
        "hovermode": "closest",
        "legend": {
            "x": 1.01,
            "y": high,
            "xanchor": "left",
            "yanchor": "top",
            "font": {"size": 11},
            "groupclick": "toggleitem",
        },
        "xaxis": lab_time(end_s),
        "yaxis": {
            "domain": [low + _GAP_PX / inner_px, high],
            "range": [len(clusters) - 0.5, -0.5],
            "tickvals": list(range(len(clusters))),
            "ticktext": lane_names,
            "ticklabelstandoff": 4,
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis2": {
            "domain": [0, low],
            "range": [0, most * 1.15],
            "title": {"text": "replicas serving", "font": {"size": 11}},
            "tickformat": "d",
            "dtick": max(1, -(-most // 5)),
            "gridcolor": style.GRID,
            "zeroline": True,
            "zerolinecolor": style.INK,
            "fixedrange": True,
        },
        "yaxis3": {
            "domain": [high + _GAP_PX / inner_px, 1],
            "range": [0, lines],
            "visible": False,
            "fixedrange": True,
        },
        "shapes": [*_rules(len(clusters)), *(_drop(label, lines, high + _GAP_PX / inner_px) for label in words)],
    }


def _lane_name(recording: Recording, name: str) -> str:
    mode = recording.modes.get(name, "")
    return f"{name} <i>{mode.lower()}</i>" if mode else name


def _rules(lanes_count: int) -> list[dict[str, Any]]:
    """Lines between the lanes."""
    look = {"type": "line", "layer": "below", "line": {"color": "#d0d0d0", "width": 1}}
    return [
        {**look, "xref": "paper", "x0": 0, "x1": 1, "yref": "y", "y0": y - 0.5, "y1": y - 0.5}
        for y in range(lanes_count + 1)
    ]


def _drop(label: Label, lines: int, base: float) -> dict[str, Any]:
    """The line from a label down through lanes and replicas."""
    top = base + (1 - base) * (label.row + len(label.lines)) / lines
    look = {"type": "line", "layer": "below", "line": {"color": style.FAINT, "width": 1, "dash": "dot"}}
    return {**look, "xref": "x", "x0": label.t, "x1": label.t, "yref": "paper", "y0": 0, "y1": top}

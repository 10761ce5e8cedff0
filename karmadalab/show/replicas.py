"""Replicas by cluster over time: what the scheduler assigned, and what serves.

A lane a cluster, and one for all of them. The hatched area serves; the dashed line is what the bindings say. Where the
line runs above the area, replicas are missed; where the area stands above the line, an old copy runs that nobody wants
any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from karmadalab.analysis import Recording, Steps, assigned, check_workload, fault_bands, record, serving
from karmadalab.analysis.recording import Source
from karmadalab.show import style
from karmadalab.show.axis import axis_end, lab_time, short
from karmadalab.show.figure import Figure, Parts
from karmadalab.show.timeline import lanes_of

_COLUMNS = ("t", "cluster", "assigned", "serving")
_TOP_PX, _BOTTOM_PX, _GAP_PX, _LANE_PX = 66, 46, 30, 120  # a gap has room for the fault's line
_ALL = "all clusters"
_WORTH_S = 10.0  # pods that take some seconds to start are no news


class Lane(NamedTuple):
    """One cluster's replicas over time: those that the bindings give it, and those that serve."""

    name: str
    assigned: Steps
    serving: Steps


def replicas(
    source: Source,
    *,
    until: str | float | None = None,
    workload: str | None = None,
    title: str = "Replicas by cluster",
) -> Figure:
    """Assigned and serving replicas of each cluster over time.

    Args:
        source: a lab, a timeline or its records.
        until: where the time axis ends; the end of the run by default.
        workload: count only this workload's replicas; all by default.
        title: what stands above it, in front of the profile.

    Returns:
        the figure; its table has a row a change.

    Raises:
        BadRequest: the run has no such workload, or the axis no length.
    """
    recording = record(source)
    check_workload(recording, workload)
    end_s = axis_end(until, recording.end_s)
    lanes = _lanes(recording, workload)
    text = _tell(lanes, end_s)
    alt = f"Replicas over {short(end_s)}, a lane a cluster: {'; '.join(_states(lane, end_s) for lane in lanes)}. {text}"
    return Figure(title, _parts(recording, lanes, end_s, title), text, alt, _records(lanes, end_s), _COLUMNS)


def _lanes(recording: Recording, workload: str | None) -> list[Lane]:
    served, wanted = serving(recording, workload), assigned(recording, workload)
    shown = [name for name in lanes_of(recording) if wanted[name].times or served.by_cluster[name].times]
    lanes = [Lane(name, wanted[name], served.by_cluster[name]) for name in shown]
    return [*lanes, Lane(_ALL, Steps.total(wanted.values()), served.total)]


def _tell(lanes: list[Lane], end_s: float) -> str:
    *clusters, whole = lanes
    told = []
    for lane in clusters:
        more = lane.serving.minus(lane.assigned)
        missed, spare = more.below(0, 0, end_s), more.above(0, 0, end_s)
        if missed >= _WORTH_S:
            told.append(f"{lane.name} is assigned replicas that do not serve for {short(missed)}.")
        if spare >= _WORTH_S:
            told.append(f"{lane.name} serves replicas that nobody assigns it any more for {short(spare)}.")
    ends = ", ".join(f"{lane.name} {lane.serving.at(end_s)}" for lane in clusters if lane.serving.at(end_s))
    calm = [] if told else ["What serves is what is assigned, but for the seconds in which pods start."]
    most, least = max((0, *whole.serving.values)), whole.serving.at(end_s)
    return " ".join(
        [*told, *calm, f"At the most {most} replicas serve at once; at the end {least} ({ends or 'none'})."]
    )


def _states(lane: Lane, end_s: float) -> str:
    changes = [(t, n) for t, n in zip(lane.serving.times, lane.serving.values, strict=True) if t <= end_s]
    return f"serving, {lane.name}: {', '.join(f'{n} from {short(t)}' for t, n in changes) or 'none'}"


def _records(lanes: list[Lane], end_s: float) -> list[dict[str, Any]]:
    marks = sorted({(t, n) for n, lane in enumerate(lanes) for t in (*lane.assigned.times, *lane.serving.times)})
    return [
        {"t": t, "cluster": lane.name, "assigned": lane.assigned.at(t), "serving": lane.serving.at(t)}
        for t, lane in ((t, lanes[n]) for t, n in marks if t <= end_s)
    ]


# --- the drawing


def _parts(recording: Recording, lanes: list[Lane], end_s: float, title: str) -> Parts:
    unit_px = _LANE_PX / max(map(_most, lanes))  # one replica is as high in every lane
    floors: dict[str, float] = {}
    top = 0.0
    for lane in reversed(lanes):
        floors[lane.name] = top
        top += _most(lane) + _GAP_PX / unit_px
    looks = {name: style.cluster_look(place) for place, name in enumerate(recording.clusters)}
    roofs = {lane.name: floors[lane.name] + _most(lane) + 10 / unit_px for lane in lanes}
    data = [
        *(_area(lane, floors[lane.name], looks.get(lane.name, style.OTHERS), end_s) for lane in lanes),
        _wanted(lanes, floors, end_s),
        _faults(recording, roofs, end_s),
    ]
    marks = [(floors[lane.name] + n, n) for lane in lanes for n in (0, _most(lane))]
    layout = {
        **style.sheet(top * unit_px + _TOP_PX + _BOTTOM_PX, (118, 190, _TOP_PX, _BOTTOM_PX), title, recording.banner),
        "barmode": "overlay",
        "bargap": 0,
        "hovermode": "closest",
        "legend": {"x": 1.01, "y": 1, "xanchor": "left", "font": {"size": 11}},
        "xaxis": {**lab_time(end_s), "anchor": "y"},
        "yaxis": {
            "range": [-4 / unit_px, top],
            "tickvals": [y for y, _ in marks],
            "ticktext": [str(n) for _, n in marks],
            "tickfont": {"size": style.SMALL_PX},
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "shapes": [_floor(floor) for floor in floors.values()],
        "annotations": [_name(lane.name, floors[lane.name] + _most(lane) / 2) for lane in lanes],
    }
    return Parts(data, layout)


def _most(lane: Lane) -> int:
    return max([1, *lane.assigned.values, *lane.serving.values])


def _area(lane: Lane, floor: float, look: tuple[str, str], end_s: float) -> dict[str, Any]:
    tint, shape = look
    pieces = [piece for piece in lane.serving.pieces(0, end_s) if piece[2]]
    return {
        **style.bar(tint, shape),
        "name": f"serving, {lane.name}",
        "x": [(begin + end) / 2 for begin, end, _ in pieces],
        "width": [end - begin for begin, end, _ in pieces],
        "base": [floor for _ in pieces],
        "y": [count for _, _, count in pieces],
        "text": [f"{count}" for _, _, count in pieces],
        "hovertext": [f"{lane.name}: {n} serving<br>{short(a)} to {short(b)}" for a, b, n in pieces],
    }


def _wanted(lanes: list[Lane], floors: Mapping[str, float], end_s: float) -> dict[str, Any]:
    """What the bindings say, a dashed line in each lane."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for lane in lanes:
        for begin, end, count in lane.assigned.pieces(0, end_s):
            xs += [begin, end]
            ys += [floors[lane.name] + count] * 2
        xs.append(None)
        ys.append(None)
    look = {"color": style.INK, "width": 3, "dash": "dash"}
    return {"type": "scatter", "mode": "lines", "name": "assigned", "x": xs, "y": ys, "line": look, "hoverinfo": "skip"}


def _faults(recording: Recording, roofs: Mapping[str, float], end_s: float) -> dict[str, Any]:
    """What was done to a cluster: a thick line above its lane, from a cross to an open ring."""
    bands = [band.up_to(end_s) for band in fault_bands(recording) if band.cluster in roofs and band.begin_s < end_s]
    look = {"color": style.INK, "width": 4}
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "fault",
        "x": [x for band in bands for x in (band.begin_s, band.end_s, None)],
        "y": [y for band in bands for y in (*[roofs[band.cluster]] * 2, None)],
        "line": look,
        "marker": {
            "symbol": [s for b in bands for s in ("x-thin", "circle-open" if b.ended else "line-ew", "x-thin")],
            "size": 9,
            "color": style.INK,
            "line": {"width": 2, "color": style.INK},
        },
        "hovertext": [f"{band.cluster} {band.what}" for band in bands for _ in range(3)],
        "hoverinfo": "text",
        "showlegend": bool(bands),
    }


def _floor(y: float) -> dict[str, Any]:
    line = {"color": "#9a9a9a", "width": 1}
    return {"type": "line", "layer": "below", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}


def _name(name: str, y: float) -> dict[str, Any]:
    place = {"x": 0, "xref": "paper", "xanchor": "right", "xshift": -26, "y": y, "yanchor": "middle"}
    return {**place, "text": name, "showarrow": False, "font": {"size": 12, "color": style.INK}}

"""The fleet at one moment: what is true of each cluster, what the control plane believes, and who serves.

A row a cluster. The columns go from the truth (what was done to it) over the belief (Ready, taints) to the consequence:
replicas that the bindings give it, and replicas that serve. A player redraws this picture for one moment after another,
so it is made of plain parts whose number depends on the fleet only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karmadalab.analysis.recording import Source
from karmadalab.api.errors import BadRequest
from karmadalab.api.time import duration, seconds
from karmadalab.show import style
from karmadalab.show.axis import lab_time, short
from karmadalab.show.figure import Figure, Parts
from karmadalab.show.film import Film, Member

_COLUMNS = ("cluster", "fault", "ready", "since_s", "taints", "assigned", "serving", "leaving")
_X = {"truth": 0.13, "belief": 0.33, "taints": 0.51, "replicas": 0.7}
_HEADS = {
    "truth": "true",
    "belief": "believed",
    "taints": "taints",
    "replicas": "replicas: ■ serves, □ missing, + too many",
}
_ROW_PX, _HEAD_PX, _TOP_PX, _FOOT_PX = 46, 24, 62, 78
_MOST_SQUARES = 8


def moment(source: Source, t: str | float, *, title: str = "The fleet") -> Figure:
    """The fleet of a run at a moment.

    Args:
        source: a lab, a timeline or its records.
        t: the moment, since the run began: `"6m"` or seconds.
        title: what stands above it, before the moment.

    Returns:
        the figure; its table has a row a cluster.

    Raises:
        BadRequest: the run has no such moment.
    """
    film, t_s = Film(source), seconds(t, "moment")
    if not 0 <= t_s <= film.recording.end_s:
        raise BadRequest(f"moment: {t} lies outside the run, which goes from 0s to {duration(film.recording.end_s)}")
    members = film.at(t_s)
    text = tell_moment(film, t_s)
    alt = f"The fleet at {short(t_s)}, a row a cluster. {' '.join(map(_sentence, members))}"
    return Figure(title, moment_parts(film, t_s, title), text, alt, [m.as_record() for m in members], _COLUMNS)


def tell_moment(film: Film, t: float) -> str:
    """One paragraph about a moment."""
    members = film.at(t)
    missing = sum(max(0, m.assigned - m.serving) for m in members)
    spare = sum(max(0, m.serving - m.assigned) for m in members)
    wrong = [_sentence(m) for m in members if bool(m.faults) != (m.ready != "Ready")]
    counts = f"{sum(m.assigned for m in members)} replicas are assigned and {sum(m.serving for m in members)} serve"
    more = [f"{missing} missing"] if missing else []
    more += [f"{spare} more than assigned"] if spare else []
    belief = f"Truth and belief differ: {' '.join(wrong)}" if wrong else "Truth and belief agree."
    return f"At {short(t)} {', '.join([counts, *more])}. {belief}"


def _sentence(member: Member) -> str:
    truth = ", ".join(member.faults) or "nothing is wrong with it"
    marks = f", with {', '.join(member.taints)}" if member.taints else ""
    copies = f"replicas: {member.assigned} assigned, {member.serving} serving"
    return f"{member.name}: {truth}; it is taken for {member.ready}{marks}; {copies}."


# --- the drawing


def moment_parts(film: Film, t: float, title: str = "The fleet") -> Parts:
    """What `moment` draws, as plain data; the number of traces depends on nothing."""
    members = film.at(t)
    end_s = film.recording.end_s or 1.0
    places = {m.name: len(members) - 1 - place for place, m in enumerate(members)}
    data = [
        *(_beliefs(state, members, places, t) for state in style.STATES),
        _cells("truth", [(places[m.name], ", ".join(m.faults) or "works", bool(m.faults)) for m in members]),
        _cells("taints", [(places[m.name], "<br>".join(m.taints) or "none", bool(m.taints)) for m in members]),
        _cells("replicas", [(places[m.name], _squares(m), m.serving != m.assigned) for m in members]),
        _cells("heads", [(len(members) - 0.28, words, True) for words in _HEADS.values()], [*_X.values()]),
        _marks(film),
        _cursor(film, t, end_s),
    ]
    return Parts(data, _layout(film, places, t, title))


def _beliefs(state: str, members: Sequence[Member], places: Mapping[str, int], t: float) -> dict[str, Any]:
    """A box for each cluster that is in this state; the words stand in it."""
    fill, shape = style.STATES[state]
    shown = [m for m in members if m.ready == state]
    return {
        "type": "bar",
        "orientation": "h",
        "name": state,
        "y": [places[m.name] for m in shown],
        "base": [_X["belief"]] * len(shown),
        "x": [0.16] * len(shown),
        "width": 0.56,
        "text": [f"<b>{state}</b> for {short(t - m.since_s)}" for m in shown],
        "textposition": "inside",
        "insidetextanchor": "start",
        "textangle": 0,
        "textfont": {"size": 11, "color": style.INK},
        "marker": {"color": fill, "line": {"color": style.INK, "width": 1}, "pattern": style.hatching(shape, 0.5)},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _cells(name: str, cells: Sequence[tuple[float, str, bool]], xs: Sequence[float] | None = None) -> dict[str, Any]:
    """Words in one column, or one at each x; what needs attention is bold."""
    return {
        "type": "scatter",
        "mode": "text",
        "name": name,
        "x": [_X[name]] * len(cells) if xs is None else list(xs),
        "y": [y for y, _, _ in cells],
        "text": [f"<b>{words}</b>" if bold else words for _, words, bold in cells],
        "textposition": "middle right",
        "textfont": {"size": 11, "color": style.INK},
        "cliponaxis": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _squares(member: Member) -> str:
    """A square a replica: full ones serve, open ones are assigned and missing; a plus stands before those too many."""
    served = min(member.serving, member.assigned)
    missing, spare = member.assigned - served, member.serving - served
    count = f"{member.serving} of {member.assigned}"
    if not member.assigned and not member.serving:
        return "–"
    drawn = "■" * served + "□" * missing + ("+" + "■" * spare if spare else "")
    leaving = " (leaving)" if member.leaving else ""
    return f"{drawn}  {count}{leaving}" if served + missing + spare <= _MOST_SQUARES else f"{count}{leaving}"


def _marks(film: Film) -> dict[str, Any]:
    """The strip of the whole run below: a stroke at each moment at which something happened."""
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "moments",
        "x": film.marks,
        "y": [0.5] * len(film.marks),
        "xaxis": "x2",
        "yaxis": "y2",
        "marker": {"symbol": "line-ns", "size": 12, "line": {"width": 1.5, "color": style.FAINT}},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _cursor(film: Film, t: float, end_s: float) -> dict[str, Any]:
    """Where in the run this is, with what happened last."""
    told = film.last_words(t)
    words = f"{short(told[0][0])} {told[0][1]}" if told else "nothing has happened yet"
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": "now",
        "x": [t],
        "y": [0.5],
        "xaxis": "x2",
        "yaxis": "y2",
        "marker": {"symbol": "triangle-down", "size": 13, "color": style.INK},
        "text": [f"last: {words}"],
        "textposition": "top right" if t < end_s / 2 else "top left",
        "textfont": {"size": 11, "color": style.INK},
        "cliponaxis": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _layout(film: Film, places: Mapping[str, int], t: float, title: str) -> dict[str, Any]:
    rows_px = _ROW_PX * len(places) + _HEAD_PX
    inner_px = rows_px + _FOOT_PX
    floor = _FOOT_PX / inner_px
    hidden = {"visible": False, "fixedrange": True}
    modes = film.recording.modes
    return {
        **style.sheet(inner_px + _TOP_PX + 40, (16, 16, _TOP_PX, 40), f"{title} at {short(t)}", film.recording.banner),
        "barmode": "overlay",
        "hovermode": False,
        "xaxis": {"range": [0, 1], "anchor": "y", **hidden},
        "yaxis": {"range": [-0.5, len(places) - 0.5 + _HEAD_PX / _ROW_PX], "domain": [floor, 1], **hidden},
        "xaxis2": {**lab_time(film.recording.end_s or 1.0), "fixedrange": True},
        "yaxis2": {"range": [0, 2], "domain": [0, floor * 0.62], **hidden},
        "shapes": [_rule(y - 0.5) for y in range(len(places) + 1)],
        "annotations": [_name(name, y, modes.get(name, "")) for name, y in places.items()],
    }


def _rule(y: float) -> dict[str, Any]:
    line = {"color": "#d0d0d0", "width": 1}
    return {
        "type": "line",
        "layer": "below",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "yref": "y",
        "y0": y,
        "y1": y,
        "line": line,
    }


def _name(name: str, y: float, mode: str) -> dict[str, Any]:
    words = f"<b>{name}</b> <i>{mode.lower()}</i>" if mode else f"<b>{name}</b>"
    font = {"size": 12, "color": style.INK}
    return {
        "x": 0,
        "y": y,
        "xref": "paper",
        "yref": "y",
        "xanchor": "left",
        "text": words,
        "showarrow": False,
        "font": font,
    }

"""Where the time of an outage goes: a bar a run, a piece a phase, to lay settings beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karmadalab.analysis import PHASES, Outage, outages, record
from karmadalab.analysis.recording import Source
from karmadalab.show import style
from karmadalab.show.axis import short, ticks
from karmadalab.show.figure import Figure, Parts

_COLUMNS = ("run", "cluster", "binding", *PHASES, "total_s", "recover_s", "lost", "degraded_s", "double_s")
_BAR_PX, _FRAME_PX = 62, 150


def outage_split(runs: Mapping[str, Source] | Source, *, until_s: float | None = None) -> Figure:
    """The first outage of each run, split into detect, wait, evict, reschedule and start.

    Args:
        runs: name -> a lab, a timeline or its records; or a single one of these.
        until_s: where the axis ends, in seconds after the fault; as far as needed by default.

    Returns:
        the figure; its table has a row a run.
    """
    named = _named(runs)
    found = _firsts(named)
    title = "Where the time goes"
    text = " ".join(_sentence(name, outage) for name, outage in found.items())
    alt = f"Stacked bars, one a run, split into {', '.join(PHASES)}. {text}"
    return Figure(
        title, split_parts(named, until_s=until_s), text, alt, [_record(n, o) for n, o in found.items()], _COLUMNS
    )


def _named(runs: Any) -> dict[str, Source]:
    if isinstance(runs, Mapping):
        return {str(name): record(run) for name, run in runs.items()}
    return {"this run": record(runs)}


def _firsts(runs: Mapping[str, Source]) -> dict[str, Outage | None]:
    return {name: next(iter(outages(run)), None) for name, run in runs.items()}


def split_parts(runs: Mapping[str, Source] | Source, *, until_s: float | None = None) -> Parts:
    """What `outage_split` draws, as plain data; see there."""
    named = _named(runs)
    found = _firsts(named)
    names = list(found)
    if until_s is None:
        until_s = max([60.0, *(sum(_spans(o).values()) for o in found.values() if o)]) * 1.3
    data = [_phase(phase, found) for phase in PHASES]
    data += [_ends(found), _words(found)]
    return Parts(data, _layout(names, until_s, _banner(named)))


def _banner(named: Mapping[str, Source]) -> str:
    """The banner that all runs share; else their profile, as the bars' names tell what differs."""
    banners = list(dict.fromkeys(record(run).banner for run in named.values()))
    return banners[0] if len(banners) == 1 else banners[0].partition(",")[0] if banners else ""


def _spans(outage: Outage | None) -> dict[str, float]:
    return {} if outage is None else {phase: span for phase, span in outage.phases.items() if span is not None}


def _phase(phase: str, found: Mapping[str, Outage | None]) -> dict[str, Any]:
    fill, shape = style.PHASE_LOOKS[phase]
    spans = [_spans(outage).get(phase, 0.0) for outage in found.values()]
    return {
        **style.bar(fill, shape),
        "orientation": "h",
        "name": phase,
        "y": list(range(len(spans))),
        "x": spans,
        "width": 0.42,
        "text": [phase] * len(spans),
        "hovertext": [f"{name}: {phase} {short(span)}" for name, span in zip(found, spans, strict=True)],
    }


def _ends(found: Mapping[str, Outage | None]) -> dict[str, Any]:
    """The total behind each bar."""
    return {
        "type": "scatter",
        "mode": "text",
        "name": "total",
        "x": [sum(_spans(outage).values()) for outage in found.values()],
        "y": list(range(len(found))),
        "text": [f" {_end(outage)}" for outage in found.values()],
        "textposition": "middle right",
        "textfont": {"size": 11, "color": style.INK},
        "cliponaxis": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _words(found: Mapping[str, Outage | None]) -> dict[str, Any]:
    """The lengths below each bar, as some pieces are too short to be seen."""
    lines = [" · ".join(f"{phase} {short(span)}" for phase, span in _spans(o).items()) for o in found.values()]
    return {
        "type": "scatter",
        "mode": "text",
        "name": "lengths",
        "x": [0] * len(lines),
        "y": [place + 0.34 for place in range(len(lines))],
        "text": lines,
        "textposition": "middle right",
        "textfont": {"size": style.SMALL_PX, "color": style.INK},
        "cliponaxis": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _end(outage: Outage | None) -> str:
    if outage is None:
        return "no outage"
    if not _spans(outage):
        return "not noticed"
    if outage.total_s is not None:
        return f"<b>{short(outage.total_s)}</b>"
    if outage.evicted_s is None:
        return "nothing evicted"
    return "no cluster found" if outage.rescheduled_s is None else "never served"


def _sentence(name: str, outage: Outage | None) -> str:
    if outage is None:
        return f"{name}: no member with replicas fails."
    spans = _spans(outage)
    if not spans:
        return f"{name}: the fault is never noticed."
    parts = ", ".join(f"{phase} {short(span)}" for phase, span in spans.items())
    end = f"{short(outage.total_s)} in all" if outage.total_s is not None else _end(outage)
    return f"{name}: {parts}; {end}; {outage.lost:,.0f} replica-seconds lost."


def _record(name: str, outage: Outage | None) -> dict[str, Any]:
    if outage is None:
        return {"run": name}
    values = {"run": name, "cluster": outage.cluster, "binding": outage.binding, **outage.phases}
    return values | {key: getattr(outage, key) for key in _COLUMNS[-5:]}


def _layout(names: list[str], until_s: float, banner: str) -> dict[str, Any]:
    places, words = ticks(until_s)
    return {
        **style.sheet(_FRAME_PX + _BAR_PX * len(names), (140, 60, 92, 46), "Where the time goes", banner),
        "uniformtext": {"mode": "hide", "minsize": style.SMALL_PX},
        "barmode": "stack",
        "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "traceorder": "normal"},
        "xaxis": {
            "range": [0, until_s],
            "tickvals": places,
            "ticktext": words,
            "title": {"text": "time after the fault", "standoff": 4},
            "gridcolor": style.GRID,
            "zeroline": True,
            "zerolinecolor": style.INK,
        },
        "yaxis": {
            "range": [len(names) - 0.5, -0.5],
            "tickvals": list(range(len(names))),
            "ticktext": names,
            "ticklabelstandoff": 4,
            "showgrid": False,
            "zeroline": False,
        },
    }

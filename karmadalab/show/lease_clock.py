"""The lease clock: how old the last renewal is, against the grace period.

A healthy heartbeat is a low saw: each renewal brings the age back to nothing. When the renewals end the age goes on
rising, and some seconds after it has crossed the grace period the health monitor writes Unknown. Below it, what is true
(the fault) and what is believed (the Ready condition), as in the timeline.
"""

from __future__ import annotations

from typing import Any

from karmadalab.analysis import condition_bands, fault_bands, record
from karmadalab.analysis.heartbeat import Heartbeat, heartbeat
from karmadalab.lab import Lab
from karmadalab.show import lanes, style
from karmadalab.show.axis import axis_end, lab_time, short
from karmadalab.show.figure import Figure, Parts

_COLUMNS = ("t", "what", "age_s")
_LANE_SHARE = 0.2
_MOST_WORDS = 6  # more verdicts than that are counted instead of being told one by one


def lease_clock(lab: Lab, cluster: str, *, until: str | float | None = None, title: str = "The lease clock") -> Figure:
    """How old the lease of a pull member grew, and what was made of it.

    Args:
        lab: the run.
        cluster: a pull member.
        until: where the time axis ends; the end of the run by default. Words and table end there, too.
        title: what stands above it, in front of the profile.

    Returns:
        the figure; its table has a row a renewal, a failed renewal and a verdict.

    Raises:
        BadRequest: the cluster is no pull member.
    """
    beat = heartbeat(lab, cluster)
    end_s = axis_end(until, beat.end_s)
    bands = [band.up_to(end_s) for band in condition_bands(record(lab)) if band.cluster == cluster]
    faults = [band.up_to(end_s) for band in fault_bands(record(lab)) if band.cluster == cluster]
    data = [
        *({**trace, "yaxis": "y2"} for trace in lanes.conditions([b for b in bands if b.length_s > 0], [cluster])),
        {**lanes.faults([b for b in faults if b.length_s > 0], [cluster]), "yaxis": "y2"},
        _saw(beat, end_s),
        _marks("renewal", beat.renewals, [0.0] * len(beat.renewals), "triangle-up", end_s),
        _marks("renewal that fails", beat.missed, [beat.age(t) for t in beat.missed], "x-thin", end_s),
    ]
    shown = beat.up_to(end_s)
    text = _tell(shown)
    alt = f"The age of the last renewal of the lease of {cluster} over {short(end_s)}, against the grace period. {text}"
    parts = Parts(data, _layout(beat, end_s, title, lab.settings.banner()))
    return Figure(title, parts, text, alt, shown.records(), _COLUMNS)


def _tell(beat: Heartbeat) -> str:
    if not beat.renewals:
        return f"The lease of {beat.cluster} was never made."
    gaps = beat.gaps()
    usual = f"{beat.cluster} renews its lease every {short(min(gaps))} or more; " if gaps else ""
    oldest = max([*gaps, beat.age(beat.end_s)])
    begin = f"{usual}at its oldest a renewal is {short(oldest)} old, and the grace period is {short(beat.grace_s)}."
    said = [
        f"Ready turns {status} at {short(t)}, when the last renewal is {short(beat.age(t))} old."
        for t, status in beat.verdicts
    ]
    if len(said) > _MOST_WORDS:
        said = [said[0], f"In all, Ready changes {len(said)} times."]
    return " ".join([begin, *(said or ["Ready never changes."])])


def _saw(beat: Heartbeat, end_s: float) -> dict[str, Any]:
    """The age over time: a line that rises by a second a second and falls to 0 at each renewal."""
    marks = [t for t in beat.renewals if 0 < t <= end_s]
    xs: list[float | None] = [0.0]
    ys: list[float | None] = [beat.age(0.0)]
    for t in marks:
        before = max((r for r in beat.renewals if r < t), default=t)
        xs += [t, t]
        ys += [t - before, 0.0]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "age of the last renewal",
        "x": [*xs, end_s],
        "y": [*ys, beat.age(end_s)],
        "line": {"color": style.INK, "width": 2},
        "hovertemplate": "%{x:.1f} s: %{y:.1f} s old<extra></extra>",
    }


def _marks(name: str, times: tuple[float, ...], ages: list[float], symbol: str, end_s: float) -> dict[str, Any]:
    shown = [(t, age) for t, age in zip(times, ages, strict=True) if 0 <= t <= end_s]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [t for t, _ in shown],
        "y": [age for _, age in shown],
        "marker": {"symbol": symbol, "size": 8, "color": style.INK, "line": {"width": 2, "color": style.INK}},
        "showlegend": bool(shown),
        "hovertemplate": f"{name}: %{{x:.1f}} s<extra></extra>",
    }


def _layout(beat: Heartbeat, end_s: float, title: str, banner: str) -> dict[str, Any]:
    shown = [t for t in (*beat.renewals, end_s) if 0 <= t <= end_s]
    most = max(
        [
            beat.grace_s,
            beat.age(end_s),
            *(gap for gap, t in zip(beat.gaps(), beat.renewals[1:], strict=True) if t in shown),
        ]
    )
    line = {"color": style.INK, "width": 2, "dash": "dash"}
    verdicts = [(t, status) for t, status in beat.verdicts if t <= end_s]
    told = verdicts if len(verdicts) <= _MOST_WORDS else verdicts[:1]
    return {
        **style.sheet(430, (104, 190, 70, 46), title, banner),
        "barmode": "overlay",
        "hovermode": "closest",
        "legend": {"x": 1.01, "y": 1, "xanchor": "left", "font": {"size": 11}},
        "xaxis": lab_time(end_s),
        "yaxis": {
            "domain": [_LANE_SHARE + 0.06, 1],
            "range": [-most * 0.05, most * 1.15],
            "title": {"text": "s since the last renewal", "font": {"size": 11}},
            "gridcolor": style.GRID,
            "zeroline": True,
            "zerolinecolor": style.INK,
            "fixedrange": True,
        },
        "yaxis2": {
            "domain": [0, _LANE_SHARE],
            "range": [0.5, -0.5],
            "tickvals": [0],
            "ticktext": [f"{beat.cluster} <i>pull</i>"],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "shapes": [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "yref": "y",
                "y0": beat.grace_s,
                "y1": beat.grace_s,
                "line": line,
            },
            *(_drop(t) for t, _ in told),
        ],
        "annotations": [
            _word(f"grace period {short(beat.grace_s)}", 0, beat.grace_s, xref="paper"),
            *(_word(f"<b>{status}</b> {short(t)}", t, most * 1.13) for t, status in told),
        ],
    }


def _drop(t: float) -> dict[str, Any]:
    look = {"color": style.FAINT, "width": 1, "dash": "dot"}
    return {
        "type": "line",
        "layer": "below",
        "xref": "x",
        "x0": t,
        "x1": t,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": look,
    }


def _word(text: str, x: float, y: float, xref: str = "x") -> dict[str, Any]:
    return {
        "text": text,
        "x": x,
        "y": y,
        "xref": xref,
        "yref": "y",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 11, "color": style.INK},
    }

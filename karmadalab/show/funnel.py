"""One scheduling decision as a funnel: all clusters on the left, the ones that get replicas on the right.

A row a cluster, a column a step. A cluster goes as far to the right as it came; where it stops, the reason stands in
the room that the rest of its row leaves. The numbers are the scheduler's own, from `Decision.explain()`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from karmadalab.api.errors import BadRequest
from karmadalab.scheduler import ClusterVerdict, Decision, Explanation
from karmadalab.scheduler.integers import MAX_INT32
from karmadalab.show import style
from karmadalab.show.figure import Figure, Parts

STEPS = ("filters", "score, room", "selection", "division", "replicas")
MOST_ROWS = 24
_ROW_PX, _TOP_PX, _BOTTOM_PX, _LEFT_PX, _RIGHT_PX = 30, 96, 16, 104, 24
_LINE_CHARACTERS = 120  # over the whole width of five columns, as narrow as a page shows them

_COLUMNS = (
    *("cluster", "refused_by", "reason", "score", "available", "selection"),
    *("weight", "quota", "previous", "replicas"),
)

# state -> (fill, hatching)
LOOKS: dict[str, tuple[str, str]] = {
    "goes on": ("#d6e6f4", ""),
    "refused": ("#f4b58a", "/"),
    "not chosen": ("#fbe3b5", "."),
    "gets replicas": ("#9fd3b0", "-"),
    "gets none": ("#eeeeee", "x"),
}


class Cell(NamedTuple):
    """What one step said of one cluster."""

    step: int
    state: str
    words: str


def funnel(decision: Decision | Explanation, title: str = "Where does it run?") -> Figure:
    """How a scheduling decision came about.

    Args:
        decision: a decision, its explanation, or what `lab.explain("deployment/nginx").scheduling` has.
        title: what stands above it, in front of what was asked.

    Returns:
        the figure; its table has a row a cluster, with every verdict.

    Raises:
        BadRequest: it is nothing of that kind.
    """
    told = _explanation(decision)
    rows = [{name: row[name] for name in _COLUMNS} for row in told.rows()]
    text = sentence(told)
    alt = f"Funnel of a scheduling decision with a row a cluster and the columns {', '.join(STEPS)}. {text}"
    return Figure(title, funnel_parts(told, title), text, alt, rows, _COLUMNS)


def _explanation(decision: Any) -> Explanation:
    if isinstance(decision, Decision):
        return decision.explain()
    if isinstance(decision, Explanation):
        return decision
    raise BadRequest(
        "funnel: give a decision of the scheduler, or lab.explain('deployment/nginx').scheduling, "
        f"not {type(decision).__name__}"
    )


def funnel_parts(told: Explanation, title: str) -> Parts:
    """What `funnel` draws, as plain data; see there."""
    shown = ranked(told.verdicts)[:MOST_ROWS]
    cells = [(place, cell) for place, verdict in enumerate(shown) for cell in steps_of(verdict, told)]
    data = [_bars(state, [item for item in cells if item[1].state == state]) for state in LOOKS]
    data.append(_reasons([(place, _stop(verdict, told)) for place, verdict in enumerate(shown)]))
    return Parts(data, _layout(told, shown, title))


def ranked(verdicts: Sequence[ClusterVerdict]) -> list[ClusterVerdict]:
    """As the scheduler ranks them: by score, by room, by name; those that are refused come last."""
    return sorted(verdicts, key=lambda v: (bool(v.refusals), -(v.score or 0), -(v.available or 0), v.cluster))


def steps_of(verdict: ClusterVerdict, told: Explanation) -> list[Cell]:
    """The cells of a cluster's row, as far as it came."""
    if verdict.refusals:
        return [Cell(0, "refused", verdict.refusals[0][0])]
    cells = [Cell(0, "goes on", "pass"), Cell(1, "goes on", f"{verdict.score}, {_room(verdict.available)}")]
    if not verdict.selected:
        return [*cells, Cell(2, "not chosen", "not chosen")]
    cells += [Cell(2, "goes on", "chosen"), Cell(3, "goes on", _claim(verdict, told))]
    if told.error is not None or verdict.replicas is None:
        return [*cells, Cell(4, "gets none", "none")]
    had = f" (had {verdict.previous})" if verdict.previous is not None else ""
    return [*cells, Cell(4, "gets replicas", f"{verdict.replicas}{had}")]


def _room(room: int | None) -> str:
    return "any" if room is None or room == MAX_INT32 else f"room {room}"


def _claim(verdict: ClusterVerdict, told: Explanation) -> str:
    if verdict.weight is not None and verdict.quota is not None:
        return f"weight {verdict.weight}: {verdict.quota:.2f}"
    return "full copy" if told.binding.duplicated else "keeps"


def _stop(verdict: ClusterVerdict, told: Explanation) -> Cell | None:
    """Where and why a cluster stopped, for the free part of its row."""
    if verdict.refusals:
        return Cell(1, "", "; ".join(reason for _, reason in verdict.refusals))
    return Cell(3, "", verdict.selection) if not verdict.selected and verdict.selection else None


def _bars(state: str, cells: list[tuple[int, Cell]]) -> dict[str, Any]:
    fill, shape = LOOKS[state]
    return {
        "type": "bar",
        "orientation": "h",
        "name": state,
        "y": [place for place, _ in cells],
        "base": [cell.step + 0.03 for _, cell in cells],
        "x": [0.94] * len(cells),
        "width": 0.74,
        "text": [f"<b>{cell.words}</b>" if state == "gets replicas" else cell.words for _, cell in cells],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "constraintext": "none",
        "textangle": 0,
        "textfont": {"size": 11, "color": style.INK},
        "marker": {
            "color": fill,
            "line": {"color": style.INK, "width": 1},
            "pattern": style.hatching(shape, 0.25),
        },
        "hovertext": [f"{STEPS[cell.step]}: {cell.words}" for _, cell in cells],
        "hoverinfo": "text",
    }


def _reasons(stops: list[tuple[int, Cell | None]]) -> dict[str, Any]:
    found = [(place, cell) for place, cell in stops if cell is not None]
    return {
        "type": "scatter",
        "mode": "text",
        "name": "reasons",
        "x": [cell.step + 0.06 for _, cell in found],
        "y": [place for place, _ in found],
        "text": [_short(cell) for _, cell in found],
        "textposition": "middle right",
        "textfont": {"size": 11, "color": style.INK},
        "hovertext": [cell.words for _, cell in found],
        "hoverinfo": "text",
        "cliponaxis": False,
        "showlegend": False,
    }


def _short(cell: Cell) -> str:
    """The reason on two lines, which is what a row has room for."""
    line = round(_LINE_CHARACTERS * (len(STEPS) - cell.step) / len(STEPS))
    return "<br>".join(wrap(cell.words, line, max_lines=2, placeholder=" …"))


def counts(told: Explanation) -> tuple[int, int, int, int]:
    """How many clusters there are, pass the filters, are selected, and get replicas (or an empty copy)."""
    verdicts = told.verdicts
    used = 0 if told.error is not None else sum(verdict.replicas is not None for verdict in verdicts)
    fit, chosen = sum(not v.refusals for v in verdicts), sum(v.selected for v in verdicts)
    return len(verdicts), fit, chosen, used


def sentence(told: Explanation) -> str:
    """What to see, in a few sentences."""
    there, fit, chosen, used = counts(told)
    refused = Counter(verdict.refusals[0][0] for verdict in told.verdicts if verdict.refusals)
    why = ", ".join(f"{plugin} refuses {count}" for plugin, count in sorted(refused.items()))
    parts = [f"Of {there} clusters {fit} {'passes' if fit == 1 else 'pass'} the filters" + (f" ({why})" if why else "")]
    if told.error is not None:
        return f"{parts[0]}. Nothing is placed: {told.error.reason}, {told.error}"
    placed = ", ".join(f"{target.name} {target.replicas}" for target in told.clusters)
    parts.append(f"{chosen} {'is' if chosen == 1 else 'are'} selected")
    return f"{', '.join(parts)}, {used} get{'s' if used == 1 else ''} replicas: {placed or 'none'}."


def _asked(told: Explanation) -> str:
    binding = told.binding
    step = f", {told.step}" if told.step else ""
    outcome = f"; {told.error.reason}: {told.error}" if told.error is not None else ""
    words = f"{binding.replicas} replicas, {binding.strategy}{step}, Karmada {binding.behaviour.profile}{outcome}"
    return words if len(words) <= 140 else words[:139] + "…"


def _layout(told: Explanation, shown: list[ClusterVerdict], title: str) -> dict[str, Any]:
    there, fit, chosen, used = counts(told)
    shares = "a copy each" if told.binding.duplicated else "exact share"
    heads = (f"{there} → {fit}", "best first", f"{fit} → {chosen}", shares, f"{chosen} → {used}")
    return {
        **style.sheet(
            _TOP_PX + _BOTTOM_PX + _ROW_PX * max(1, len(shown)),
            (_LEFT_PX, _RIGHT_PX, _TOP_PX, _BOTTOM_PX),
            title,
            _asked(told),
        ),
        "barmode": "overlay",
        "bargap": 0,
        "showlegend": False,
        "xaxis": {
            "range": [0, len(STEPS)],
            "side": "top",
            "tickvals": [step + 0.5 for step in range(len(STEPS))],
            "ticktext": [f"<b>{name}</b><br>{head}" for name, head in zip(STEPS, heads, strict=True)],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "range": [max(1, len(shown)) - 0.5, -0.5],
            "tickvals": list(range(len(shown))),
            "ticktext": [verdict.cluster for verdict in shown],
            "ticklabelstandoff": 4,
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
    }

"""How an explanation reads: as a sentence about a cluster, as text in a terminal, as a table in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from karmadalab.scheduler.integers import MAX_INT32

if TYPE_CHECKING:
    from karmadalab.scheduler.explanation import ClusterVerdict, Explanation

MOST_ROWS = 40
_HEADINGS = ("cluster", "before", "now", "score", "room", "weight", "share", "verdict")


def sentence(verdict: ClusterVerdict) -> str:
    """What happened to a cluster, in words."""
    if verdict.refusals:
        return "; ".join(f"refused by {plugin}: {reason}" for plugin, reason in verdict.refusals)
    if not verdict.selected:
        why = f": {verdict.selection}" if verdict.selection else ""
        return f"possible{_merits(verdict)}, but not selected{why}"
    note = f"; {verdict.selection}" if verdict.selection else ""
    return f"selected{_merits(verdict)}{note}; {_share(verdict)}"


def _merits(verdict: ClusterVerdict) -> str:
    return "" if verdict.score is None else f" (score {verdict.score}, room for {_number(verdict.available)})"


def _share(verdict: ClusterVerdict) -> str:
    got = "gets no replicas" if verdict.replicas is None else f"gets {verdict.replicas}"
    if verdict.previous:
        got += f" (had {verdict.previous})"
    if verdict.quota is None:
        return got
    return (
        f"{got}: weight {verdict.weight} is an exact share of {verdict.quota:g}, and it was dealt {verdict.dealt or 0}"
    )


def row(verdict: ClusterVerdict, plugins: Sequence[str]) -> dict[str, Any]:
    """A verdict as one row of a table, with a column for each score plugin."""
    return {
        "cluster": verdict.cluster,
        "fits": not verdict.refusals,
        "refused_by": ", ".join(plugin for plugin, _ in verdict.refusals),
        "reason": "; ".join(reason for _, reason in verdict.refusals),
        **{f"score_{plugin}": verdict.scores.get(plugin) for plugin in plugins},
        "score": verdict.score,
        "estimate": verdict.estimate,
        "available": verdict.available,
        "selected": verdict.selected,
        "selection": verdict.selection,
        "weight": verdict.weight,
        "quota": verdict.quota,
        "dealt": verdict.dealt,
        "previous": verdict.previous,
        "replicas": verdict.replicas,
    }


def headline(explanation: Explanation) -> str:
    """What was asked and what came of it."""
    binding = explanation.binding
    resource = binding.spec.resource
    where = f"{resource.namespace}/{resource.name}" if resource.namespace else resource.name
    step = f", {explanation.step}" if explanation.step else ""
    asked = (
        f"{resource.kind} {where}, {binding.replicas} replicas, {binding.strategy}{step} ({binding.behaviour.profile})"
    )
    if explanation.error is not None:
        return f"{asked}: {explanation.error.reason}: {explanation.error}"
    placed = ", ".join(f"{target.name}:{target.replicas}" for target in explanation.clusters)
    return f"{asked}: {{{placed}}}"


def text(explanation: Explanation) -> str:
    """A headline and a table with aligned columns."""
    rows = [_HEADINGS, *(_cells(verdict) for verdict in _shown(explanation.verdicts))]
    widths = [max(len(line[column]) for line in rows) for column in range(len(_HEADINGS))]
    lines = ["  ".join(_aligned(line, widths)).rstrip() for line in rows]
    return "\n".join([headline(explanation), *lines, *_rest(explanation.verdicts)])


def html(explanation: Explanation) -> str:
    """A headline and a table."""
    from html import escape  # brings a table of two thousand entities, which only a notebook needs

    head = "".join(f"<th>{heading}</th>" for heading in _HEADINGS)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(verdict)) + "</tr>"
        for verdict in _shown(explanation.verdicts)
    )
    rest = "".join(f"<p>{escape(line)}</p>" for line in _rest(explanation.verdicts))
    caption = escape(headline(explanation))
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _shown(verdicts: Sequence[ClusterVerdict]) -> list[ClusterVerdict]:
    """Those that are used first; of a large fleet only the beginning."""
    rank = {True: 0, False: 1}
    ordered = sorted(
        verdicts,
        key=lambda v: (
            rank[v.replicas is not None],
            rank[v.selected],
            rank[not v.refusals],
            -(v.score or 0),
            v.cluster,
        ),
    )
    return ordered[:MOST_ROWS]


def _rest(verdicts: Sequence[ClusterVerdict]) -> list[str]:
    more = len(verdicts) - MOST_ROWS
    return [f"... and {more} more clusters; rows() and to_frame() have them all"] if more > 0 else []


def _cells(verdict: ClusterVerdict) -> tuple[str, ...]:
    numbers = (verdict.previous, verdict.replicas, verdict.score, verdict.available, verdict.weight, verdict.quota)
    return (verdict.cluster, *map(_number, numbers), _word(verdict))


def _number(number: float | None) -> str:
    if number is None:
        return ""
    if number == MAX_INT32:
        return "any"
    return str(number) if isinstance(number, int) else f"{number:g}"


def _word(verdict: ClusterVerdict) -> str:
    if verdict.refusals:
        return "refused: " + "; ".join(reason for _, reason in verdict.refusals)
    if not verdict.selected:
        return "not selected" + (f": {verdict.selection}" if verdict.selection else "")
    return "selected" + (f": {verdict.selection}" if verdict.selection else "")


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Words to the left, numbers to the right."""
    last = len(cells) - 1
    sides = (str.ljust if column in (0, last) else str.rjust for column in range(len(cells)))
    return [side(cell, width) for side, cell, width in zip(sides, cells, widths, strict=True)]

"""One failover as a sequence: who told whom, and when.

Each actor has a line of life, top to bottom. An arrow is a change of an object that led another actor to act; its label
names the object, for no controller talks to another. Rows follow each other in time but not to scale: two timers of
five minutes would leave no room for the rest. How long an actor takes stands beside a bar on its line instead.
"""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from karmadalab.analysis.messages import FAULT_ITSELF, Message, messages
from karmadalab.analysis.outage import Outage
from karmadalab.core.timeline import Event
from karmadalab.lab import Lab
from karmadalab.show import style
from karmadalab.show.arrows import Arrow, heads, lines
from karmadalab.show.axis import short
from karmadalab.show.figure import Figure, Parts
from karmadalab.show.words import said

_COLUMNS = ("t", "teller", "told", "what", "wait_s")
_ROW_PX, _HEAD_PX, _LEFT_PX, _RIGHT_PX = 40, 56, 62, 12
_TOP_PX, _BOTTOM_PX = 66, 14
_LOOP_PX, _CHARACTER_PX = 26, 5.4
_LEAST_WAIT_S = 1.0  # shorter ones are the machine at work, not a wait
_ALSO = {"binding-eviction": "taint-manager"}  # the name of the file, under which readers look for it


def sequence(lab: Lab, outage: Outage | None = None, *, title: str = "Who told whom, and when") -> Figure:
    """The messages of one failover between the fault, the controllers and the members.

    Args:
        lab: the run.
        outage: which of its outages (see `analysis.outages`); the first by default.
        title: what stands above it, in front of the profile.

    Returns:
        the figure; its table has a row a message.

    Raises:
        BadRequest: no member that has replicas fails in this run.
    """
    told = messages(lab, outage)
    text = _tell(told)
    alt = f"Sequence of {len(told)} steps between {', '.join(_actors(told))}. {' '.join(map(_sentence, told))}"
    return Figure(title, _parts(told, title, lab.settings.banner()), text, alt, [m.as_record() for m in told], _COLUMNS)


def _tell(told: list[Message]) -> str:
    waits = [m for m in told if m.wait_s >= _LEAST_WAIT_S]
    rest = sum(m.wait_s for m in told) - sum(m.wait_s for m in waits)
    named = ", ".join(f"{m.told} {short(m.wait_s)}" for m in waits)
    return (
        f"From {short(told[0].t)} to {short(told[-1].t)} the news passes through {len(_actors(told)) - 1} hands. "
        f"What takes time is {named}; all other steps together take {short(rest)}. "
        "Each arrow is an object that one writes and another watches: no controller talks to another."
    )


def _sentence(message: Message) -> str:
    at = f"At {short(message.t)} {message.teller}"
    words = _words(message.event)
    if not message.told:
        return f"{at} ends it: {words}."
    takes = f", which takes {short(message.wait_s)}" if message.wait_s >= _LEAST_WAIT_S else ""
    return f"{at} tells {message.told}: {words}{takes}."


def _words(event: Event) -> str:
    """What was written and how it changed, in a few words."""
    kind, _, world = event.kind.partition("@")
    if kind == "fault":
        return next(said(event), event.what)
    told = next(said(event), "")
    if kind == "Work":
        where, told = f"for {event.namespace.removeprefix('karmada-es-')}: ", event.what
    elif world:
        where, told = f"in {world}: ", event.what
    else:
        where, told = "", told or f"{event.name}: {event.what}"
    if isinstance(event.detail, dict) and event.what == "status changed":
        told = f"ready {event.detail.get('readyReplicas', 0)} of {event.detail.get('replicas', 0)}"
    return f"{kind} {where}{told}"


# --- the drawing


def _actors(told: list[Message]) -> list[str]:
    """In the order in which they come into play."""
    return list(dict.fromkeys(name for m in told for name in (m.teller, m.told) if name))


def _parts(told: list[Message], title: str, banner: str) -> Parts:
    actors = _actors(told)
    height = _HEAD_PX + _ROW_PX * (len(told) + 0.5)
    width = (style.WIDTH_PX - _LEFT_PX - _RIGHT_PX) / len(actors)
    xs = {name: _LEFT_PX + width * (place + 0.5) for place, name in enumerate(actors)}
    ys = [height - _HEAD_PX - _ROW_PX * (place + 0.8) for place in range(len(told))]
    arrows = [_arrow(m, xs, y) for m, y in zip(told, ys, strict=True) if m.told]
    data = [
        lines("a change that leads to another", arrows + _loops(told, xs, ys), "solid"),
        heads(arrows, [_sentence(m) for m in told if m.told]),
        _ends(told, xs, ys),
    ]
    layout = {
        **style.sheet(height + _TOP_PX + _BOTTOM_PX, (0, 0, _TOP_PX, _BOTTOM_PX), title, banner),
        "hovermode": "closest",
        "showlegend": False,
        "xaxis": {"range": [0, style.WIDTH_PX], "visible": False, "fixedrange": True},
        "yaxis": {"range": [0, height], "visible": False, "fixedrange": True},
        "shapes": [*(_lifeline(x, height) for x in xs.values()), *_bars(told, xs, ys)],
        "annotations": [
            *(_head(name, x, height, width) for name, x in xs.items()),
            *(label for m, y in zip(told, ys, strict=True) for label in _labels(m, xs, y)),
            *_waits(told, xs, ys),
        ],
    }
    return Parts(data, layout)


def _arrow(message: Message, xs: dict[str, float], y: float) -> Arrow:
    begin, end = xs[message.teller], xs[message.told]
    if begin == end:
        begin += _LOOP_PX
    return Arrow((begin, y), (end, y), True, 1, _words(message.event))


def _loops(told: list[Message], xs: dict[str, float], ys: list[float]) -> list[Arrow]:
    """Who acts on its own word twice: the way out and round, before the arrow back."""
    found = []
    for message, y in zip(told, ys, strict=True):
        if message.teller == message.told:
            x = xs[message.told]
            found += [
                Arrow((x, y + 12), (x + _LOOP_PX, y + 12), True, 1, ""),
                Arrow((x + _LOOP_PX, y + 12), (x + _LOOP_PX, y), True, 1, ""),
            ]
    return found


def _ends(told: list[Message], xs: dict[str, float], ys: list[float]) -> dict[str, Any]:
    """Where nothing more follows: a filled square on the line of life."""
    last = [(m, y) for m, y in zip(told, ys, strict=True) if not m.told]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "ends",
        "x": [xs[m.teller] for m, _ in last],
        "y": [y for _, y in last],
        "marker": {"symbol": "square", "size": 10, "color": style.INK},
        "hovertext": [_sentence(m) for m, _ in last],
        "hoverinfo": "text",
    }


def _lifeline(x: float, height: float) -> dict[str, Any]:
    look = {"color": style.FAINT, "width": 1, "dash": "dot"}
    return {"type": "line", "layer": "below", "x0": x, "x1": x, "y0": 0, "y1": height - _HEAD_PX, "line": look}


def _bars(told: list[Message], xs: dict[str, float], ys: list[float]) -> list[dict[str, Any]]:
    """While an actor is at it: from the arrow that comes in to the one that goes out; a wait is filled."""
    look = {"type": "rect", "layer": "below", "line": {"color": style.INK, "width": 1}}
    return [
        {
            **look,
            "x0": xs[m.told] - 5,
            "x1": xs[m.told] + 5,
            "y0": ys[_next(told, place)],
            "y1": ys[place],
            "fillcolor": style.FAINT if m.wait_s >= _LEAST_WAIT_S else style.PAPER,
        }
        for place, m in enumerate(told)
        if m.told
    ]


def _next(told: list[Message], place: int) -> int:
    """The row of what the told actor did about it."""
    at = told[place]
    since = at.t + at.wait_s
    rows = range(place + 1, len(told))
    return next((n for n in rows if told[n].teller == at.told and told[n].t >= since - 1e-3), place)


def _head(name: str, x: float, height: float, width: float) -> dict[str, Any]:
    shown = [*wrap(name.replace("-", "- "), max(9, int(width / 7))), *(f"({_ALSO[n]})" for n in (name,) if n in _ALSO)]
    words = "<br>".join(line.replace("- ", "-") for line in shown)
    bold = f"<b>{words}</b>" if name != FAULT_ITSELF else f"<i>{words}</i>"
    return {**_note(x, height - _HEAD_PX, bold, "center"), "yanchor": "bottom"}


def _labels(message: Message, xs: dict[str, float], y: float) -> list[dict[str, Any]]:
    """The time at the left edge, and the words above the arrow."""
    ends = [xs[message.teller], xs[message.told] if message.told else xs[message.teller]]
    text = _words(message.event)
    aside = _LOOP_PX + 8 if message.teller == message.told else 10
    # Where the figure is narrower than its coordinates, words take more of them.
    long = _CHARACTER_PX * len(text) * style.WIDTH_PX / style.NARROW_PX
    at_left = min(ends) + aside + long < style.WIDTH_PX
    x = min(ends) + aside if at_left else max(ends) - aside
    words = _note(x, y + (2 if message.told else -7), text, "left" if at_left else "right")
    return [
        {**_note(4, y - 8, f"<b>{short(message.t)}</b>", "left"), "yanchor": "bottom"},
        {**words, "yanchor": "bottom", "bgcolor": style.PAPER, "borderpad": 0},
    ]


def _waits(told: list[Message], xs: dict[str, float], ys: list[float]) -> list[dict[str, Any]]:
    """Beside the bar of each wait, how long it is."""
    notes = []
    for place, message in enumerate(told):
        if message.told and message.wait_s >= _LEAST_WAIT_S:
            x, y = xs[message.told], ys[place] - 13
            at_left = x < style.WIDTH_PX * 0.8
            words = _note(
                x + (9 if at_left else -9), y, f"<i>{short(message.wait_s)}</i>", "left" if at_left else "right"
            )
            notes.append({**words, "yanchor": "middle", "bgcolor": style.PAPER, "borderpad": 0})
    return notes


def _note(x: float, y: float, text: str, side: str) -> dict[str, Any]:
    font = {"size": style.SMALL_PX, "color": style.INK}
    return {"x": x, "y": y, "text": text, "xanchor": side, "align": side, "showarrow": False, "font": font}

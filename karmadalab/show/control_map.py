"""The control plane at work on one picture: who wrote what, and what woke whom.

Objects stand in the middle, controllers left and right of them, because that is how they meet: a controller writes to
an object (a solid arrow), and the change of an object wakes a controller (a dashed one). On the left are those who
carry your wish down to the members, on the right those who bring news back up. No arrow joins two controllers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from karmadalab.analysis.activity import IN_MEMBERS, MEMBERS_OWN, Activity, activity
from karmadalab.lab import Lab
from karmadalab.show import style
from karmadalab.show.arrows import Arrow, heads, lines, numbers
from karmadalab.show.figure import Figure, Parts

_COLUMNS = ("actor", "kind", "woken", "wrote", "as")

# From top to bottom; names that are not here come last, on the right.
_LEFT = (
    "user",
    "resource-detector",
    "default-scheduler",
    "graceful-eviction-controller",
    "binding-eviction",
    "binding-controller",
    "execution-controller",
)
_RIGHT = (
    "binding-status-controller",
    "work-status-controller",
    MEMBERS_OWN,
    "cluster-status-controller",
    "cluster-controller",
    "cluster-lease-controller",
)
_KINDS = ("PropagationPolicy", "Deployment", "ResourceBinding", "Work", IN_MEMBERS, "Cluster", "Lease")
_ALSO = {"binding-eviction": "taint-manager"}  # the name of the file, under which readers look for it

_ROW_PX, _TOP_PX, _BOTTOM_PX = 92, 66, 40
_BOX_PX = (196, 58)
_X_PX = {"left": 112, "middle": 500, "right": 888}


class Box(NamedTuple):
    """A box of the map: its name, its middle in pixels from the lower left corner, and its words."""

    name: str
    x: float
    y: float
    words: str


def control_plane_map(
    lab: Lab, *, since: str | float = 0.0, until: str | float | None = None, title: str = "Who wrote what"
) -> Figure:
    """Controllers and objects, with counters read from the trace.

    Args:
        lab: the run.
        since, until: the span that is counted; the whole run by default.
        title: what stands above it, in front of the profile.

    Returns:
        the figure; its table has a row an actor and kind.
    """
    counted = activity(lab, since, until)
    text = _tell(counted)
    parts = Parts(*_drawn(counted, title, lab.settings.banner()))
    alt = (
        "Map of the control plane: objects in the middle, controllers on both sides. "
        f"{' '.join(_edges(counted))} No arrow joins two controllers."
    )
    return Figure(title, parts, text, alt, counted.records(), _COLUMNS)


def _tell(counted: Activity) -> str:
    own = [name for name in counted.actors() if name not in ("user", MEMBERS_OWN)]
    if not own:
        return "No controller wrote anything in this span."
    busiest = max(own, key=lambda name: (counted.total(name), name))
    clock = [name for name in own if counted.unprompted.get(name)]
    by_clock = f" Led by no object but by their own clock: {', '.join(clock)}." if clock else ""
    return (
        f"{len(own)} controllers made {_writes(sum(map(counted.total, own)))}. Solid arrows are writes, dashed ones "
        "are changes that led a controller to write; the numbers count them. Every arrow begins or ends at an object. "
        f"The busiest is {busiest} with {_writes(counted.total(busiest))}.{by_clock}"
    )


def _edges(counted: Activity) -> list[str]:
    wrote = [
        f"{actor} wrote {_times(sum(verbs.values()))} to {kind}." for (actor, kind), verbs in counted.writes.items()
    ]
    return [*wrote, *(f"{kind} woke {actor} {_times(count)}." for (kind, actor), count in counted.wakes.items())]


def _times(count: int) -> str:
    return f"{count} time{'' if count == 1 else 's'}"


def _writes(count: int) -> str:
    return f"{count} write{'' if count == 1 else 's'}"


# --- the drawing


def _drawn(counted: Activity, title: str, banner: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    columns = _columns(counted)
    rows = max(1, *(len(names) for names in columns.values()))
    height = rows * _ROW_PX
    boxes = {
        name: Box(name, _X_PX[side], height * (1 - (place + 0.5) / len(names)), _words(counted, name, side))
        for side, names in columns.items()
        for place, name in enumerate(names)
    }
    arrows = _arrows(counted, boxes)
    data = [
        lines("writes", [a for a in arrows if a.solid], "solid"),
        lines("wakes", [a for a in arrows if not a.solid], "dash"),
        heads(arrows, [f"{arrow.what}: {arrow.times}" for arrow in arrows]),
        _captions(boxes),
    ]
    layout = {
        **style.sheet(height + _TOP_PX + _BOTTOM_PX, (0, 0, _TOP_PX, _BOTTOM_PX), title, banner),
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0.5, "xanchor": "center", "y": 0, "yanchor": "top"},
        "xaxis": {"range": [0, style.WIDTH_PX], "visible": False, "fixedrange": True},
        "yaxis": {"range": [0, height], "visible": False, "fixedrange": True},
        "shapes": [_frame(box, box.name in columns["middle"]) for box in boxes.values()],
        "annotations": numbers(arrows),
    }
    return data, layout


def _columns(counted: Activity) -> dict[str, list[str]]:
    actors, kinds = counted.actors(), counted.kinds()
    others = [name for name in actors if name not in (*_LEFT, *_RIGHT)]
    return {
        "left": [name for name in _LEFT if name in actors],
        "middle": [*(k for k in _KINDS if k in kinds), *(k for k in kinds if k not in _KINDS)],
        "right": [*(name for name in _RIGHT if name in actors), *others],
    }


def _words(counted: Activity, name: str, side: str) -> str:
    if side == "middle":
        count = sum(sum(verbs.values()) for (_, kind), verbs in counted.writes.items() if kind == name)
        return f"<b>{name}</b><br>written {_times(count)}"
    also = f"{_ALSO[name]}, " if name in _ALSO else ""
    clock = ", by its own clock" if counted.unprompted.get(name) else ""
    return f"<b>{name}</b><br>{also}{_writes(counted.total(name))}{clock}"


def _arrows(counted: Activity, boxes: dict[str, Box]) -> list[Arrow]:
    """The arrows, each at a place of its own on the edges of its two boxes, ordered so that few of them cross."""
    wanted = [(actor, kind, True, sum(verbs.values())) for (actor, kind), verbs in counted.writes.items()]
    wanted += [(actor, kind, False, count) for (kind, actor), count in counted.wakes.items()]
    wanted = [item for item in wanted if item[0] in boxes and item[1] in boxes]
    ports: dict[tuple[str, bool], list[tuple[str, str, bool, int]]] = {}
    for item in wanted:
        actor, kind = boxes[item[0]], boxes[item[1]]
        ports.setdefault((actor.name, True), []).append(item)
        ports.setdefault((kind.name, actor.x < kind.x), []).append(item)
    arrows = []
    for item in wanted:
        actor, kind, solid, count = boxes[item[0]], boxes[item[1]], item[2], item[3]
        at_left = actor.x < kind.x
        away = _BOX_PX[0] / 2 if at_left else -_BOX_PX[0] / 2
        begin = (actor.x + away, actor.y + _port(ports[actor.name, True], item, boxes, 1))
        end = (kind.x - away, kind.y + _port(ports[kind.name, at_left], item, boxes, 0))
        what = f"{actor.name} writes {kind.name}" if solid else f"{kind.name} wakes {actor.name}"
        arrows.append(Arrow(begin, end, solid, count, what))
    return arrows


def _port(items: list[Any], item: Any, boxes: dict[str, Box], far: int) -> float:
    """How far above the middle of a box an arrow docks; the arrows keep the order of their other ends."""
    ordered = sorted(items, key=lambda i: (-boxes[i[far]].y, i[far], not i[2]))
    room = _BOX_PX[1] - 8
    return room * (0.5 - (ordered.index(item) + 0.5) / len(ordered))


def _frame(box: Box, is_object: bool) -> dict[str, Any]:
    """Objects have sharp corners and a tint, controllers an open box with a thick line."""
    width, height = _BOX_PX
    look = (
        {"fillcolor": "#e8eef4", "line": {"color": style.INK, "width": 1}}
        if is_object
        else {
            "fillcolor": "#ffffff",
            "line": {"color": style.INK, "width": 2},
        }
    )
    place = {"x0": box.x - width / 2, "x1": box.x + width / 2, "y0": box.y - height / 2, "y1": box.y + height / 2}
    return {"type": "rect", "layer": "below", **place, **look}


def _captions(boxes: dict[str, Box]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "text",
        "name": "names",
        "x": [box.x for box in boxes.values()],
        "y": [box.y for box in boxes.values()],
        "text": [box.words for box in boxes.values()],
        "textfont": {"size": 11, "color": style.INK},
        "hoverinfo": "skip",
        "showlegend": False,
    }

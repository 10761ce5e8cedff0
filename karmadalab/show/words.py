"""What a figure says at its moments, and where the words go.

Events of one moment share a label. Labels stand above the lanes, each with a line down to its moment. An earlier label
stands higher than every later one that it reaches over, so no line ever crosses a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from karmadalab.analysis import Recording, Serving
from karmadalab.core.timeline import Event
from karmadalab.show.axis import short

_WIDTH = 36  # characters a line
_CHARACTER_PX = 5.9


@dataclass(frozen=True)
class Label:
    """The words of one moment.

    Attributes:
        t: the moment, in seconds since the run began.
        number: its place among the labels, from 1.
        lines: the words, wrapped; the first line has number and time.
        row: the lowest of the text lines it takes, counted from the lanes up.
    """

    t: float
    number: int
    lines: tuple[str, ...]
    row: int = 0

    @property
    def width_px(self) -> float:
        """About how wide it is."""
        return _CHARACTER_PX * max(len(line) for line in self.lines) + 8


def labels(recording: Recording, served: Serving, until_s: float, width_px: float) -> list[Label]:
    """The labels of a run, placed.

    Args:
        recording: the run.
        served: who served when.
        until_s: where the time axis ends, in seconds.
        width_px: how wide the drawing is.
    """
    told = sorted([*_of_events(recording), *_of_serving(recording, served)], key=lambda item: item[0])
    groups: list[tuple[float, list[str]]] = []
    for t, words in told:
        if t > until_s:
            break
        if groups and t - groups[-1][0] <= until_s * 0.004:
            if words not in groups[-1][1]:
                groups[-1][1].append(words)
        else:
            groups.append((t, [words]))
    made = [_label(number, t, words) for number, (t, words) in enumerate(groups, 1)]
    return placed(made, width_px / until_s if until_s else 0.0)


def _label(number: int, t: float, words: list[str]) -> Label:
    head = f"{number}  {short(t)}"
    return Label(t, number, (head, *(line for part in words for line in wrap(part, _WIDTH))))


def placed(made: list[Label], px_per_s: float) -> list[Label]:
    """The labels with their rows, the last one lowest."""
    done: list[Label] = []
    for label in reversed(made):
        right_px = label.t * px_per_s + label.width_px
        below = [other.row + len(other.lines) for other in done if other.t * px_per_s < right_px]
        done.append(Label(label.t, label.number, label.lines, max(below, default=0)))
    return done[::-1]


def _of_events(recording: Recording) -> Iterator[tuple[float, str]]:
    for event in recording.events:
        for words in said(event):
            yield event.t, words


def said(event: Event) -> Iterator[str]:
    """What a picture says of an event, if it says anything."""
    kind, name, what = event.kind, event.name, event.what
    if kind == "fault":
        text = what.partition(":")[0] if not what.startswith("healed: ") else f"{what[8:].partition(':')[0]} ends"
        yield f"{name}: {text}"
    elif kind == "Cluster" and what.startswith("condition Ready ") and "->" in what:
        yield f"{name}: Ready {what.removeprefix('condition Ready ').replace('->', '→')}"
    elif kind == "Cluster" and what.startswith("taint ") and what.endswith(":NoExecute"):
        sign = "+" if what.startswith("taint added") else "−"
        yield f"{name}: {sign} NoExecute"
    elif what == "spec.clusters changed":
        yield from _move(name.rpartition("-")[0], event.detail["from"], event.detail["to"])
    elif what == "gracefulEvictionTasks changed" and event.detail["from"] and not event.detail["to"]:
        yield "graceful eviction done"


def _move(workload: str, had: dict[str, Any], has: dict[str, Any]) -> Iterator[str]:
    gone = [name for name in had if name not in has]
    more = [f"{name} ({count})" for name, count in has.items() if count > had.get(name, 0)]
    if gone:
        yield f"{workload} leaves {', '.join(gone)}"
    if more:
        yield f"{workload} → {', '.join(more)}"


def _of_serving(recording: Recording, served: Serving) -> Iterator[tuple[float, str]]:
    """A cluster begins or ceases to serve, after the first fault. What a fault does at once is said by the fault."""
    faults = {(event.name, event.t) for event in recording.events if event.kind == "fault"}
    first_s = min((t for _, t in faults), default=recording.end_s)
    for cluster in served.clusters():
        steps = served.by_cluster[cluster]
        before = 0
        for t, count in zip(steps.times, steps.values, strict=True):
            if t >= first_s and (cluster, t) not in faults and (before == 0) != (count == 0):
                yield t, f"{cluster} serves" if count else f"{cluster}: pods gone"
            before = count

"""What an analysis reads: the events of a run and how long it lasted, wherever they come from.

A run can be a lab in memory, a timeline that was narrowed down, or the JSON that `karmadalab run --format json` printed
(which a real Karmada, observed, prints in the same words). All become one `Recording`, and everything else in this
package reads only that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from karmadalab.api.cluster import Cluster
from karmadalab.api.errors import BadRequest
from karmadalab.core.timeline import Event, Timeline
from karmadalab.lab import Lab

Source = Any  # a Lab, a Timeline, a Recording, or records as plain mappings


@dataclass(frozen=True)
class Recording:
    """The events of one run.

    Attributes:
        events: oldest first; `t` in seconds since the run began.
        clusters: the members in the order of their lanes: natural order, member2 before member10.
        end_s: when the run ended, in seconds since it began.
        banner: profile and changed flags in one line; empty where it is not known.
        modes: cluster -> `Push` or `Pull`, where it is known.
    """

    events: tuple[Event, ...]
    clusters: tuple[str, ...]
    end_s: float
    banner: str
    modes: Mapping[str, str]

    def up_to(self, end_s: float) -> Recording:
        """The same run as somebody knows it who left at that moment; its events count, what came later does not."""
        events = tuple(event for event in self.events if event.t <= end_s)
        return replace(self, events=events, end_s=min(self.end_s, end_s))

    def __repr__(self) -> str:
        return f"<Recording {len(self.events)} events, {len(self.clusters)} clusters, {self.end_s:g}s, {self.banner}>"


def record(source: Source) -> Recording:
    """The recording of a run.

    Args:
        source: a `Lab`, a `Timeline`, its `records()`, or a `Recording`, which is returned as it is.

    Raises:
        BadRequest: it is none of these, or a record lacks a field.
    """
    if isinstance(source, Recording):
        return source
    if isinstance(source, Lab):
        timeline = source.timeline
        modes = {cluster.metadata.name: cluster.spec.syncMode for cluster in source.list(Cluster)}
        return _recording(tuple(timeline), set(modes), source.t, timeline.banner, modes)
    if isinstance(source, Timeline):
        return _recording(tuple(source), set(), 0.0, source.banner, {})
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes, Mapping)):
        return _recording(tuple(_event(item, place) for place, item in enumerate(source)), set(), 0.0, "", {})
    raise BadRequest(f"analysis: give a lab, a timeline or its records, not {type(source).__name__}")


def the_lab(given: object, what: str) -> Lab:
    """The lab that was given.

    Args:
        given: what should be a lab.
        what: who asks for it.

    Raises:
        BadRequest: it is something else, such as the timeline of one: that does not know what led to what.
    """
    if not isinstance(given, Lab):
        raise BadRequest(f"{what}: give the lab itself, not {type(given).__name__}")
    return given


def _recording(
    events: tuple[Event, ...], known: set[str], end_s: float, banner: str, modes: Mapping[str, str]
) -> Recording:
    names = known | {name for event in events for name in _clusters_in(event)}
    end_s = max(end_s, events[-1].t) if events else end_s
    return Recording(events, tuple(sorted(names, key=_natural)), end_s, banner, modes)


def _clusters_in(event: Event) -> Iterable[str]:
    if event.kind == "Cluster":
        return (event.name,)
    _, _, world = event.kind.partition("@")
    if world:
        return (world,)
    if event.what == "spec.clusters changed":
        return (*event.detail["from"], *event.detail["to"])
    return ()


def _event(item: Any, place: int) -> Event:
    """An event from its record; the row is its place, for want of a trace."""
    if isinstance(item, Event):
        return item
    try:
        t, kind, namespace = float(item["t"]), item["kind"], item.get("namespace") or ""
        return Event(t, kind, namespace, item["name"], item["what"], item.get("detail"), place)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise BadRequest(
            f"records[{place}]: an event has t, kind, name and what ({type(error).__name__}: {error})"
        ) from None


def _natural(name: str) -> tuple[Any, ...]:
    """Sorts digits as numbers. Text and numbers alternate, so that places always compare alike."""
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name))

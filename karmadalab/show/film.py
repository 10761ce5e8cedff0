"""A finished run as a film: the state of each cluster at any moment, quickly at hand.

`lab.at(t)` reads the whole trace for one moment, which is right for a question and slow for a hundred pictures. Here
the bands and steps of a run are read once, and each moment looks up where it lies in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from karmadalab.analysis import Band, condition_bands, fault_bands, record, serving, taint_bands, task_bands
from karmadalab.analysis.assigned import assigned
from karmadalab.analysis.recording import Recording, Source
from karmadalab.show.timeline import MOST_LANES, lanes_of
from karmadalab.show.words import said


@dataclass(frozen=True)
class Member:
    """A cluster at a moment.

    Attributes:
        faults: what acts on it; empty while nothing does.
        ready: `Ready`, `NotReady` or `Unknown`, as the control plane has it; `since_s` says since when.
        taints: `key:effect`, the key without its group.
        assigned, serving: replicas that the bindings give it, and that serve.
        leaving: the bindings that have given it up and still keep their copy there (graceful eviction).
    """

    name: str
    mode: str
    faults: tuple[str, ...]
    ready: str
    since_s: float
    taints: tuple[str, ...]
    assigned: int
    serving: int
    leaving: tuple[str, ...]

    def as_record(self) -> dict[str, Any]:
        """Plain data; several of a kind in one text."""
        joined = {"fault": self.faults, "taints": self.taints, "leaving": self.leaving}
        plain = {"cluster": self.name, "ready": self.ready, "since_s": self.since_s}
        counts = {"assigned": self.assigned, "serving": self.serving}
        return {**plain, **counts, **{key: ", ".join(words) or None for key, words in joined.items()}}


class Film:
    """A finished run, prepared once so that each of its moments is quickly at hand.

    Args:
        source: a lab, a timeline or its records.
        clusters: whom to show; by default all of a small fleet, else those to whom something happened.

    Attributes:
        recording: the run.
        clusters: who is shown.
        marks: the moments at which a picture says something, in seconds, ascending; with 0 and the end.
    """

    def __init__(self, source: Source, clusters: Sequence[str] = ()) -> None:
        self.recording: Recording = record(source)
        self.clusters = list(clusters) or lanes_of(self.recording) or list(self.recording.clusters[:MOST_LANES])
        self._conditions = condition_bands(self.recording)
        self._faults = fault_bands(self.recording)
        self._taints = taint_bands(self.recording)
        self._tasks = task_bands(self.recording)
        self._assigned = assigned(self.recording)
        self._serving = serving(self.recording).by_cluster
        self._told = [(event.t, words) for event in self.recording.events for words in said(event)]
        steps = [t for name in self.clusters for t in self._serving[name].times]
        marks = {0.0, self.recording.end_s, *steps, *(t for t, _ in self._told)}
        self.marks = sorted(t for t in marks if 0 <= t <= self.recording.end_s)

    def at(self, t: float) -> list[Member]:
        """The fleet at a moment, changes of that very moment included."""
        return [self._member(name, t) for name in self.clusters]

    def _member(self, name: str, t: float) -> Member:
        [state] = acting(self._conditions, name, t)[-1:] or [Band(name, "Ready", 0.0, t, False)]
        return Member(
            name,
            self.recording.modes.get(name, ""),
            tuple(band.what.partition(":")[0] for band in acting(self._faults, name, t)),
            state.what,
            state.begin_s,
            tuple(band.what.rpartition("/")[2] for band in acting(self._taints, name, t)),
            self._assigned[name].at(t),
            self._serving[name].at(t),
            tuple(band.what for band in acting(self._tasks, name, t)),
        )

    def last_words(self, t: float, count: int = 1) -> list[tuple[float, str]]:
        """What happened last up to a moment, latest last."""
        return [told for told in self._told if told[0] <= t][-count:]


def acting(bands: Sequence[Band], cluster: str, t: float) -> list[Band]:
    """The bands of a cluster that hold at a moment."""
    return [b for b in bands if b.cluster == cluster and b.begin_s <= t and (t < b.end_s or not b.ended)]

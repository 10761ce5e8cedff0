"""Spans of time: how a cluster was seen, which taints it bore, what was done to it.

What is true (the power is off) and what the control plane believes (Ready=True) differ for half a minute and more; both
are read here, so that a figure can lay one below the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from karmadalab.analysis.recording import Recording
from karmadalab.core.timeline import Event

READY, NOT_READY, UNKNOWN = "Ready", "NotReady", "Unknown"
_STATES = {"True": READY, "False": NOT_READY, "Unknown": UNKNOWN}

# Faults that keep a member from serving or from being seen. Others (a bad image, no room) are troubles of new pods.
OUTAGE_FAULTS = frozenset(
    ("power_off", "refuse", "hang", "silence", "cut_off", "slow", "lossy", "stop_agent", "freeze_agent")
)


@dataclass(frozen=True)
class Band:
    """Something that held for a while.

    Attributes:
        cluster: where.
        what: `Ready`, `NotReady`, `Unknown`; a taint as `key:effect`; a fault's sentence; a binding's name.
        begin_s, end_s: from when to when, in seconds since the run began; the run's end while it still held.
        ended: whether it ended within the run.
    """

    cluster: str
    what: str
    begin_s: float
    end_s: float
    ended: bool

    @property
    def length_s(self) -> float:
        """How long it held, in seconds."""
        return self.end_s - self.begin_s

    def up_to(self, end_s: float) -> Band:
        """What of it lies before a moment, which it then lasts beyond."""
        if self.end_s <= end_s:
            return self
        return Band(self.cluster, self.what, min(self.begin_s, end_s), end_s, False)


class _Open:
    """Bands that have begun and not yet ended, by key."""

    def __init__(self, end_s: float) -> None:
        self._end_s = end_s
        self._since: dict[tuple[str, str], float] = {}
        self.closed: list[Band] = []

    def begin(self, cluster: str, what: str, t: float) -> None:
        self._since.setdefault((cluster, what), t)

    def end(self, cluster: str, what: str, t: float) -> None:
        since_s = self._since.pop((cluster, what), 0.0)
        if t > since_s:
            self.closed.append(Band(cluster, what, since_s, t, True))

    def finish(self) -> list[Band]:
        rest = [Band(cluster, what, since, self._end_s, False) for (cluster, what), since in self._since.items()]
        return sorted((*self.closed, *rest), key=lambda b: (b.begin_s, b.cluster, b.what))


def condition_bands(recording: Recording) -> list[Band]:
    """How each cluster was seen: Ready, NotReady or Unknown, without gaps."""
    bands = []
    for cluster in recording.clusters:
        changes = _ready_changes(recording, cluster)
        state, since_s = changes[0][1] if changes else READY, 0.0
        for t, _, after in changes:
            if t > since_s:
                bands.append(Band(cluster, state, since_s, t, True))
            state, since_s = after, t
        bands.append(Band(cluster, state, since_s, recording.end_s, False))
    return bands


def ready_at(recording: Recording, cluster: str, t: float) -> bool:
    """Whether the control plane took a cluster for Ready at a moment."""
    state = next(
        (b.what for b in condition_bands(recording) if b.cluster == cluster and b.begin_s <= t < b.end_s), READY
    )
    return state == READY


def _ready_changes(recording: Recording, cluster: str) -> list[tuple[float, str, str]]:
    """(t, before, after) of the Ready condition."""
    changes = []
    for event in recording.events:
        if event.kind == "Cluster" and event.name == cluster and event.what.startswith("condition Ready "):
            before, arrow, after = event.what.removeprefix("condition Ready ").partition(" -> ")
            if arrow:
                changes.append((event.t, _STATES[before], _STATES[after]))
            elif event.detail:
                state = _STATES[event.detail["status"]]
                changes.append((event.t, UNKNOWN, state))
    return changes


def taint_bands(recording: Recording) -> list[Band]:
    """The taints of each cluster, named `key:effect`."""
    spans = _Open(recording.end_s)
    for event in recording.events:
        if event.kind != "Cluster":
            continue
        if event.what.startswith("taint added "):
            spans.begin(event.name, event.what.removeprefix("taint added "), event.t)
        elif event.what.startswith("taint removed "):
            spans.end(event.name, event.what.removeprefix("taint removed "), event.t)
    return spans.finish()


def task_bands(recording: Recording) -> list[Band]:
    """While a binding waited to let go of a cluster (a graceful eviction task), named after the binding."""
    spans = _Open(recording.end_s)
    for event in recording.events:
        if event.what == "gracefulEvictionTasks changed":
            had, has = ({task["fromCluster"] for task in event.detail[side] or ()} for side in ("from", "to"))
            for cluster in sorted(has - had):
                spans.begin(cluster, event.name, event.t)
            for cluster in sorted(had - has):
                spans.end(cluster, event.name, event.t)
    return spans.finish()


def fault_events(recording: Recording, cluster: str) -> Iterator[tuple[Event, bool]]:
    """The faults that can cause an outage of a member, with whether each begins (or ends)."""
    for event in recording.events:
        if event.kind == "fault" and event.name == cluster and isinstance(event.detail, dict):
            if event.detail.get("fault") in OUTAGE_FAULTS:
                yield event, True
            elif event.detail.get("healed") in OUTAGE_FAULTS:
                yield event, False


def fault_bands(recording: Recording) -> list[Band]:
    """What was really done to each member, named by the fault's sentence."""
    spans = _Open(recording.end_s)
    for cluster in recording.clusters:
        for event, begins in fault_events(recording, cluster):
            if begins:
                spans.begin(cluster, event.what, event.t)
            else:
                spans.end(cluster, event.what.removeprefix("healed: "), event.t)
    return spans.finish()

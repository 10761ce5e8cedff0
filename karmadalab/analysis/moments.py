"""Finding the moments of one outage among the events of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from karmadalab.analysis.bands import fault_events, ready_at
from karmadalab.analysis.recording import Recording
from karmadalab.analysis.serving import Serving
from karmadalab.core.timeline import Event

_BINDINGS = ("ResourceBinding", "ClusterResourceBinding")


@dataclass(frozen=True)
class Span:
    """From a fault of a cluster to its next outage, or to the end of the run.

    Attributes:
        fault: what was done, in the trace's words.
        begin_s, end_s: in seconds since the run began.
        healed_s: when all that was done to the cluster was undone, None if it never was.
    """

    cluster: str
    fault: str
    begin_s: float
    healed_s: float | None
    end_s: float


def spans(recording: Recording, cluster: str) -> list[Span]:
    """The outages of a cluster. A fault that comes before the last one is over and forgotten belongs to the same."""
    firsts: list[Event] = []
    healed: list[float | None] = []
    acting = 0
    for event, starts in fault_events(recording, cluster):
        if starts and not acting and (not firsts or ready_at(recording, cluster, event.t)):
            firsts.append(event)
            healed.append(None)
        acting = max(0, acting + (1 if starts else -1))
        if healed:
            healed[-1] = None if acting else event.t
    ends = [*(event.t for event in firsts), recording.end_s][1:]
    return [
        Span(cluster, event.what, event.t, healed_s, end_s)
        for event, healed_s, end_s in zip(firsts, healed, ends, strict=True)
    ]


def bindings(recording: Recording) -> list[tuple[str, str]]:
    """The (namespace, name) of all bindings."""
    return sorted({(event.namespace, event.name) for event in recording.events if event.kind in _BINDINGS})


def moves(recording: Recording, namespace: str, binding: str) -> Iterator[Event]:
    """The changes of a binding's placement."""
    for event in recording.events:
        if event.what == "spec.clusters changed" and (event.namespace, event.name) == (namespace, binding):
            yield event


def placement_before(recording: Recording, namespace: str, binding: str, t: float) -> dict[str, int]:
    """Cluster -> replicas of a binding just before a moment."""
    placement: dict[str, int] = {}
    for event in moves(recording, namespace, binding):
        if event.t >= t:
            break
        placement = event.detail["to"]
    return placement


class Moments:
    """Each method finds one moment, in seconds since the run began, or None."""

    def __init__(self, recording: Recording, span: Span, namespace: str, binding: str) -> None:
        self._span = span
        self._workload = binding.rpartition("-")[0]
        events = [e for e in recording.events if span.begin_s <= e.t <= span.end_s]
        self._cluster = [e for e in events if e.kind == "Cluster" and e.name == span.cluster]
        about = [e for e in events if (e.namespace, e.name) == (namespace, binding)]
        self._moves = [e for e in about if e.what == "spec.clusters changed"]
        self._tasks = [e for e in about if e.what == "gracefulEvictionTasks changed"]
        self._works = [e for e in events if e.kind == "Work" and e.namespace == f"karmada-es-{span.cluster}"]

    def detected(self) -> float | None:
        """Ready was no longer True."""
        return _when(self._cluster, lambda e: e.what.startswith("condition Ready True -> "))

    def tainted(self) -> float | None:
        """The NoExecute taint was there."""
        return _when(self._cluster, lambda e: e.what.startswith("taint added ") and e.what.endswith(":NoExecute"))

    def recovered(self) -> float | None:
        """Ready was True again after the repair."""
        healed_s = self._span.healed_s
        if healed_s is None:
            return None
        back = (e for e in self._cluster if e.t >= healed_s)
        return _when(back, lambda e: e.what.startswith("condition Ready ") and e.what.endswith(" -> True"))

    def evicted(self) -> float | None:
        """The cluster left the binding."""
        name = self._span.cluster
        return _when(self._moves, lambda e: name in e.detail["from"] and name not in e.detail["to"])

    def rescheduled(self, evicted_s: float | None) -> tuple[float | None, dict[str, int]]:
        """When other clusters first gained replicas, and which gained how many."""
        for event in self._after(self._moves, evicted_s):
            had, has = event.detail["from"], event.detail["to"]
            more = {name: count - had.get(name, 0) for name, count in has.items() if name != self._span.cluster}
            gained = {name: count for name, count in more.items() if count > 0}
            if gained:
                return event.t, gained
        return None, {}

    def started(self, served: Serving, to: Mapping[str, int], since_s: float | None) -> float | None:
        """All the replicas that other clusters gained were serving."""
        if since_s is None:
            return None
        latest_s = since_s
        for cluster, gained in to.items():
            steps = served.by_cluster[cluster]
            moment = steps.first(steps.before(since_s) + gained, since_s)
            if moment is None or moment > self._span.end_s:
                return None
            latest_s = max(latest_s, moment)
        return latest_s

    def released(self, evicted_s: float | None) -> float | None:
        """The graceful eviction task was done."""
        return _when(self._after(self._tasks, evicted_s), self._releases)

    def _releases(self, event: Event) -> bool:
        had, has = ({task["fromCluster"] for task in event.detail[side] or ()} for side in ("from", "to"))
        return self._span.cluster in had - has

    def cleaned(self, evicted_s: float | None) -> float | None:
        """The Work of the old copy was gone."""
        works = self._after(self._works, evicted_s)
        return _when(works, lambda e: e.what == "deleted" and e.name.rpartition("-")[0] == self._workload)

    @staticmethod
    def _after(events: list[Event], since_s: float | None) -> list[Event]:
        return [] if since_s is None else [event for event in events if event.t >= since_s]


def _when(events: Iterator[Event] | list[Event], holds: Callable[[Event], bool]) -> float | None:
    return next((event.t for event in events if holds(event)), None)

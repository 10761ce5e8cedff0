"""A run: the recordings of one control plane, which share its faults, its beats and its eviction queue.

In v1.13 the bindings of a run don't meet, so each is replayed by itself. In v1.18 three workers evict one binding after
the other, whichever member it leaves, so all of a run are replayed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from karmadalab import Phases
from tests.conformance.timelines.recording import CPUS, Recording


class Pace(NamedTuple):
    """How long an event takes to reach a controller, and the scheduler."""

    latency_s: float
    scheduler_latency_s: float


# From an event to the scheduler's write: from 0.02 s to 1.5 s on the busy machine of v1.13's recordings. At no time at
# all its note that it saw the last spec comes before the bad news of survivors that get more replicas, as in R7 and R8.
V1_13, V1_13_SCHEDULER_FIRST = Pace(0.0, 1.2), Pace(0.0, 0.0)

# In v1.18's, 0.01 s to 0.47 s. There it decides which comes first when a workload's survivors get more replicas: the
# scheduler's note that it saw the last spec, which ends the task since they still read Healthy, or the news that they
# are Unhealthy for now. "Both happen", and each recording is replayed at a pace at which happens what happened there.
SCHEDULER_FIRST, SURVIVORS_FIRST = Pace(0.05, 0.05), Pace(0.02, 0.2)

# What a worker of the eviction queue needs for a binding, beside its rest: the bursts of three in D18rate05 are 2.16 s
# apart with a rest of 2.0 s, those in D18rate5 0.59 s with a rest of 0.2 s; the middle of 0.16 s and 0.39 s is taken.
EVICTION_S = 0.25


class Run:
    """Recordings with the same faults, the earliest zero first.

    Attributes:
        base: the recording whose zero is the run's; the faults are told by its clock.
        pace: how quick the processes were.
    """

    def __init__(self, recordings: Sequence[Recording], pace: Pace) -> None:
        self.pace = pace
        self.recordings = sorted(recordings, key=lambda recording: (recording.t0, recording.path.name))
        self.base = self.recordings[0]
        self.profile = self.base.profile

    @classmethod
    def of(cls, recording: Recording) -> Run:
        """The run that a recording is from, as far as its folder has it."""
        if recording.profile == "v1.13":
            first = _only_survivors(recording) and _pace(recording) is SCHEDULER_FIRST
            return cls([recording], V1_13_SCHEDULER_FIRST if first else V1_13)
        prefix = recording.path.name.partition("-")[0]
        paths = sorted(recording.path.parent.glob(f"{prefix}-*.json*"))
        return cls([_read(path) for path in paths], _pace(recording))

    def shift_s(self, recording: Recording) -> float:
        """The recording's zero in seconds after the run's."""
        return recording.t0 - self.base.t0

    def offset_s(self, recording: Recording) -> float:
        """The lab's time at the recording's zero."""
        return self.base.offset_s + self.shift_s(recording)

    @cached_property
    def end_s(self) -> float:
        """When the last recording ends, in seconds after the run's zero."""
        return max(recording.end_s + self.shift_s(recording) for recording in self.recordings)

    def phases(self) -> Phases:
        """When the loops fell, as far as the recordings know, and what else was chance."""
        known: dict[str, float] = {}  # the earliest; a later one may be of another run of the member's process
        for recording in self.recordings:
            shift_s = self.shift_s(recording)
            for member, beat in recording.beat_s().items():
                known.setdefault(member, (beat + shift_s) % 10)
        return Phases(
            monitor_s=self._monitor_s(),
            probe_s={**dict.fromkeys(CPUS, 3.3), **known},
            jitter=False,
            latency_s=self.pace.latency_s,
            scheduler_latency_s=self.pace.scheduler_latency_s,
            eviction_s=EVICTION_S,
            eviction_order=self._eviction_order(),
        )

    def _monitor_s(self) -> float:
        ticks = [(tick + self.shift_s(r), r) for r in self.recordings if (tick := r.tick_s()) is not None]
        tick = ticks[0][0] if ticks else 0.0
        # Passes drift by 1.6 ms; the recorded one is the tick at that time, not the first of the run.
        drift_s = 0.0016 * (tick + self.base.offset_s) / 5.0
        return (tick - drift_s) % 5.0

    @cached_property
    def conflicts(self) -> frozenset[str]:
        """The namespaces whose eviction met a conflict on the binding first; the next try then comes after a rest."""
        return frozenset(recording.namespace for recording in self.recordings if _met_conflict(recording))

    def _eviction_order(self) -> dict[str, list[str]]:
        """By cluster, the bindings as they left it: who was listed first was chance there, and is an input here."""
        found: dict[str, list[tuple[float, str]]] = {}
        for recording in self.recordings:
            for event in recording.data["events"]:
                if event["what"] == "gracefulEvictionTasks changed":
                    moment = event["t"] + self.shift_s(recording)
                    for cluster in _new_tasks(event["detail"]):
                        found.setdefault(cluster, []).append((moment, f"{recording.namespace}/{event['name']}"))
        return {cluster: [name for _, name in sorted(left)] for cluster, left in found.items()}


@lru_cache(maxsize=32)
def _read(path: Path) -> Recording:
    return Recording(path)


def _new_tasks(change: dict[str, Any]) -> set[str]:
    had, has = ({task["fromCluster"] for task in change[key] or ()} for key in ("from", "to"))
    return has - had


def _pace(recording: Recording) -> Pace:
    """At which pace the recorded order of two racing writes comes about."""
    since = recording.milestones.get("rescheduled")
    for event in (recording.data.get("events") or ()) if since is not None else ():
        if event["t"] < since or event["kind"] != "ResourceBinding":
            continue
        detail, what = event["detail"], event["what"]
        if what == "scheduler observed" and detail["generation"] == detail["schedulerObservedGeneration"]:
            return SCHEDULER_FIRST
        if what.startswith("aggregatedStatus[") and (detail["to"] or {}).get("health") == "Unhealthy":
            return SURVIVORS_FIRST
    return SCHEDULER_FIRST


def _only_survivors(recording: Recording) -> bool:
    """Whether the lost replicas went to clusters that had some before."""
    before, after = recording.data.get("placement_before"), recording.milestones.get("placement_after")
    return bool(before and after and set(after) < set(before))


def _met_conflict(recording: Recording) -> bool:
    added, evicted = (recording.milestones.get(key) for key in ("noexecute_added", "evicted"))
    if added is None or evicted is None or recording.profile == "v1.13":
        return False
    failed = (e["t"] for e in recording.data["events"] if e["what"] == "Warning EvictWorkloadFromClusterFailed")
    return any(added <= t <= evicted for t in failed)

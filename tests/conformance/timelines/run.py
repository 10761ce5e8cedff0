"""A run: the recordings of one control plane, which share its faults, its beats and its eviction queue.

In v1.13 the bindings of a run don't meet, so each is replayed by itself. In v1.18 three workers evict one binding after
the other, whichever member it leaves, so all of a run are replayed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from karmadalab import Phases
from karmadalab.api.naming import binding_name
from tests.conformance.timelines.recording import CPUS, Recording

# From an event to the scheduler's write: from 0.02 s to 1.5 s on the busy machine of v1.13's recordings.
SCHEDULER_LATENCY_S = {"v1.13": 1.2, "v1.18": 0.2}

# What a worker of the eviction queue needs for a binding: the bursts of 3 in D18rate05 are 2.16 s apart, of which 2.0 s
# are its rest; in D18rate5 they are 0.36 s to 0.8 s apart instead of 0.2 s.
EVICTION_S = 0.16


class Run:
    """Recordings with the same faults, the earliest zero first.

    Attributes:
        base: the recording whose zero is the run's; the faults are told by its clock.
    """

    def __init__(self, recordings: Sequence[Recording]) -> None:
        self.recordings = sorted(recordings, key=lambda recording: (recording.t0, recording.path.name))
        self.base = self.recordings[0]
        self.profile = self.base.profile

    @classmethod
    def of(cls, recording: Recording) -> Run:
        """The run that a recording is from, as far as its folder has it."""
        if recording.profile == "v1.13":
            return cls([recording])
        prefix = recording.path.name.partition("-")[0]
        return cls([Recording(path) for path in sorted(recording.path.parent.glob(f"{prefix}-*.json*"))])

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
        probes = dict.fromkeys(CPUS, 3.3)
        for recording in self.recordings:
            shift_s = self.shift_s(recording)
            probes |= {member: (beat + shift_s) % 10 for member, beat in recording.beat_s().items()}
        return Phases(
            monitor_s=self._monitor_s(),
            probe_s=probes,
            jitter=False,
            scheduler_latency_s=SCHEDULER_LATENCY_S[self.profile],
            eviction_s=EVICTION_S,
            eviction_order=self._eviction_order(),
        )

    def _monitor_s(self) -> float:
        ticks = [(tick + self.shift_s(r), r) for r in self.recordings if (tick := r.tick_s()) is not None]
        tick = ticks[0][0] if ticks else 0.0
        # Passes drift by 1.6 ms; the recorded one is the tick at that time, not the first of the run.
        drift_s = 0.0016 * (tick + self.base.offset_s) / 5.0
        return (tick - drift_s) % 5.0

    def _eviction_order(self) -> tuple[str, ...]:
        """The bindings as they were evicted: which one was listed first was chance there, and is an input here."""
        found: list[tuple[float, str]] = []
        for recording in self.recordings:
            shift_s = self.shift_s(recording)
            for item in recording.milestones.get("evictions") or ():
                found.append((item["t"] + shift_s, f"{recording.namespace}/{item['binding']}"))
            if recording.milestones.get("evicted") is not None and "evictions" not in recording.milestones:
                name = binding_name("Deployment", "nginx")
                found.append((recording.milestones["evicted"] + shift_s, f"{recording.namespace}/{name}"))
        return tuple(name for _, name in sorted(found))

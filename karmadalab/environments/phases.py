"""At which beat the loops of a lab fall, and how quick its processes are.

Two runs of the same failover differ by up to forty seconds for no other reason than where in its ten seconds a probe
happened to fall. Here that chance has a name and can be set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import msgspec

from karmadalab.api.errors import BadRequest
from karmadalab.api.time import seconds
from karmadalab.environments.fleet import Fleet


class Phases(msgspec.Struct, frozen=True):
    """The timing of a lab; all in seconds.

    Attributes:
        monitor_s: a pass of the health monitor, after the lab's beginning (modulo its period).
        probe_s: by member, a probe or, in pull mode, a heartbeat (modulo the update frequency).
        jitter: whether heartbeats come up to 4 % late, as real agents' do.
        latency_s: how long an event takes to reach a controller; a busy control plane is slower.
        scheduler_latency_s: how long it takes to reach the scheduler. On an idle machine 20 ms were measured, up to
            1.5 s on a busy one. It matters that this is longer than the others take: by the time the scheduler has
            noted that it saw the last spec, the statuses that follow from its change are in.
        eviction_s: how long a worker of v1.18's eviction queue is busy with one binding, before it rests.
        eviction_order: by cluster, which bindings ("namespace/name") are queued first when it is tainted. Karmada
            lists them in the order of a Go map, that is by chance; here those not named follow by namespace and name.
    """

    monitor_s: float = 0.0
    probe_s: Mapping[str, float] = {}
    jitter: bool = True
    latency_s: float = 0.0
    scheduler_latency_s: float = 0.02
    eviction_s: float = 0.0
    eviction_order: Mapping[str, Sequence[str]] = {}

    def __post_init__(self) -> None:
        named = ("monitor_s", "latency_s", "scheduler_latency_s", "eviction_s")
        given = {name: getattr(self, name) for name in named}
        given |= {f"probe_s[{member!r}]": beat_s for member, beat_s in self.probe_s.items()}
        for name, value in given.items():
            if isinstance(value, str):
                raise BadRequest(f"phases.{name}: expected a number of seconds, got {value!r}")
            seconds(value, f"phases.{name}")
        for name in ("latency_s", "scheduler_latency_s", "eviction_s"):
            if getattr(self, name) < 0:
                raise BadRequest(f"phases.{name}: a length of time can't be negative, got {getattr(self, name)}")

    @classmethod
    def drawn(cls, fleet: Fleet, rng: Random, monitor_period_s: float, frequency_s: float) -> Phases:
        """Phases as chance has it: anywhere within a period, on a grid of milliseconds."""
        monitor_s = round(rng.random() * monitor_period_s, 3)
        return cls(monitor_s, {member.name: round(rng.random() * frequency_s, 3) for member in fleet.members})

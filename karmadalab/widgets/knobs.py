"""The six timeouts between a fault and its end, as sliders.

Each is a wait that somebody chose, and each is the only one that acts in some story: the thresholds when a push member
fails and comes back, the grace period when a pull member falls silent, the graceful eviction timeout when no
replacement starts. The beats of the loops (`cluster-status-update-frequency`, `cluster-monitor-period`) are no waits:
they decide how exactly a wait is kept. They have no slider.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Knob:
    """A slider.

    Attributes:
        label: what stands before it.
        flags: the flags that it sets, all to the same value.
        low, high, step: in seconds.
        why: what it decides, in a few words.
    """

    label: str
    flags: tuple[str, ...]
    low: int
    high: int
    step: int
    why: str


KNOBS: tuple[Knob, ...] = (
    Knob(
        "cluster-failure-threshold",
        ("cluster-failure-threshold",),
        0,
        180,
        5,
        "how long probes must fail before Ready is False (push)",
    ),
    Knob(
        "cluster-monitor-grace-period",
        ("cluster-monitor-grace-period",),
        10,
        180,
        5,
        "how long a lease may go without a renewal before Ready is Unknown (pull)",
    ),
    Knob(
        "failover-eviction-timeout",
        ("failover-eviction-timeout",),
        0,
        600,
        10,
        "how long Ready may be lost before the NoExecute taint",
    ),
    Knob(
        "tolerationSeconds",
        ("default-not-ready-toleration-seconds", "default-unreachable-toleration-seconds"),
        0,
        600,
        10,
        "how long a workload stays on a cluster with NoExecute; the webhook writes it into the policy",
    ),
    Knob(
        "cluster-success-threshold",
        ("cluster-success-threshold",),
        0,
        180,
        5,
        "how long probes must succeed before Ready is True again; until then the eviction goes on",
    ),
    Knob(
        "graceful-eviction-timeout",
        ("graceful-eviction-timeout",),
        10,
        1200,
        10,
        "how long the old copy waits for a replacement that does not become healthy",
    ),
)

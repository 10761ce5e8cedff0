"""The heartbeat of a pull member: when its lease was renewed, how old it grew, what was made of it.

A lease says one thing: at this moment the agent was alive. All that the health monitor can know of a silent member is
how long ago that was. What is measured here is the lease in the store; the monitor counts from the pass in which it
saw a renewal, so it is always up to one period behind.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from karmadalab.analysis.recording import the_lab
from karmadalab.api.cluster import LEASE_NAMESPACE, PULL, Cluster
from karmadalab.api.errors import BadRequest
from karmadalab.api.native import Lease
from karmadalab.core.trace import CREATE, NOTE, UPDATE
from karmadalab.lab import Lab


@dataclass(frozen=True)
class Heartbeat:
    """What became of one lease; all moments in seconds since the run began.

    Attributes:
        cluster: whose lease it is.
        renewals: when it was made or renewed; the first may lie before the run.
        missed: when the agent tried and could not reach the control plane.
        verdicts: (when, status) of each change of the Ready condition.
        grace_s: `--cluster-monitor-grace-period`.
        end_s: when the run ended.
    """

    cluster: str
    renewals: tuple[float, ...]
    missed: tuple[float, ...]
    verdicts: tuple[tuple[float, str], ...]
    grace_s: float
    end_s: float

    def up_to(self, end_s: float) -> Heartbeat:
        """The same heartbeat as somebody knows it who left at that moment.

        >>> Heartbeat("member3", (0.0, 10.0, 20.5), (), ((15.0, "True"),), 40.0, 60.0).up_to(12.0).renewals
        (0.0, 10.0)
        """
        renewals, missed = (tuple(t for t in those if t <= end_s) for those in (self.renewals, self.missed))
        verdicts = tuple((t, status) for t, status in self.verdicts if t <= end_s)
        return replace(self, renewals=renewals, missed=missed, verdicts=verdicts, end_s=min(self.end_s, end_s))

    def age(self, t: float) -> float:
        """How old the last renewal is at a moment, that of the very moment included.

        >>> Heartbeat("member3", (-4.0, 6.0), (), (), 40.0, 60.0).age(50.0)
        44.0
        """
        place = bisect_right(self.renewals, t)
        return t - self.renewals[place - 1] if place else 0.0

    def gaps(self) -> list[float]:
        """The times from each renewal to the next.

        >>> Heartbeat("member3", (0.0, 10.0, 20.5), (), (), 40.0, 60.0).gaps()
        [10.0, 10.5]
        """
        return [later - earlier for earlier, later in pairwise(self.renewals)]

    def records(self) -> list[dict[str, Any]]:
        """A mapping a moment: t, what happened, and how old the last renewal before it was."""
        rows = [(t, "renewed", later_than) for t, later_than in zip(self.renewals, (None, *self.gaps()), strict=False)]
        rows += [(t, "not renewed", self.age(t)) for t in self.missed]
        rows += [(t, f"Ready {status}", self.age(t)) for t, status in self.verdicts]
        return [{"t": t, "what": what, "age_s": age} for t, what, age in sorted(rows, key=lambda row: row[:2])]


def heartbeat(lab: Lab, cluster: str) -> Heartbeat:
    """The heartbeat of a pull member.

    Raises:
        BadRequest: it is no lab, or no pull member of one.
    """
    modes = {found.metadata.name: found.spec.syncMode for found in the_lab(lab, "heartbeat").list(Cluster)}
    if modes.get(cluster) != PULL:
        pulls = ", ".join(name for name, mode in modes.items() if mode == PULL) or "none"
        raise BadRequest(f"heartbeat: {cluster!r} is no pull member and has no lease; pull members are {pulls}")
    renewals, missed = [], []
    for row in lab.trace.rows:
        t = round(row.at - lab.clock.epoch, 6)
        if row.kind == Lease.GROUP_KIND and (row.namespace, row.name) == (LEASE_NAMESPACE, cluster):
            if row.verb in (CREATE, UPDATE):
                renewals.append(t)
        elif row.verb == NOTE and row.text.startswith(f"lease of {cluster} not renewed"):
            missed.append(t)
    events = lab.timeline.where(kind="Cluster", name=cluster, what="condition Ready ")
    verdicts = tuple((event.t, event.detail["status"]) for event in events)
    grace_s = lab.settings.cluster_monitor_grace_period
    return Heartbeat(cluster, tuple(renewals), tuple(missed), verdicts, grace_s, lab.t)

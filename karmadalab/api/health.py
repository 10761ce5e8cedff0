"""When a cluster counts as silent: what the health monitor remembers of it, and what it concludes.

Nobody can ask a pull cluster how it is, so the monitor compares what it sees with what it saw. A condition that changed
or a lease that was renewed is a sign of life; when none has come for the grace period, the cluster is Unknown. Nothing
here reads the time: `now` is handed in.

Mirrors `tryUpdateClusterHealth` in pkg/controllers/cluster/cluster_controller.go. What follows is in `api.taints`.
"""

from __future__ import annotations

from collections.abc import Callable

from karmadalab.api.cluster import READY, Cluster, ready_condition
from karmadalab.api.meta import Condition, Data, replace
from karmadalab.api.time import Time

STATUS_UNKNOWN = "ClusterStatusUnknown"
STATUS_NEVER_UPDATED = "ClusterStatusNeverUpdated"


class ClusterHealth(Data):
    """What the monitor remembers of a cluster; all moments in Unix seconds.

    Attributes:
        probed_at: when it last gave a sign of life.
        ready_changed_at: when the monitor saw its Ready condition change.
        ready: the Ready condition seen last.
        lease_known: whether a lease was read since the condition last changed.
        lease_renewed_at: that lease's renewTime; None for a lease that could not be read.
    """

    probed_at: float
    ready_changed_at: float
    ready: Condition | None = None
    lease_known: bool = False
    lease_renewed_at: float | None = None


def observe_health(health: ClusterHealth | None, cluster: Cluster, now: float) -> ClusterHealth:
    """What the monitor knows after a look at the Ready condition.

    A first look starts both clocks now, or at the cluster's creation when it never reported. A condition that differs
    in any field is a sign of life; the change clock restarts only if its lastTransitionTime moved.
    """
    ready = ready_condition(cluster)
    if health is None:
        since = now if ready is not None else float(cluster.metadata.creationTimestamp or now)
        return ClusterHealth(probed_at=since, ready_changed_at=since, ready=ready)
    if ready is health.ready or ready == health.ready:
        return health
    if ready is None:  # somebody removed the condition; the clocks go on
        return replace(health, ready=None)
    moved = health.ready is None or health.ready.lastTransitionTime != ready.lastTransitionTime
    return ClusterHealth(probed_at=now, ready_changed_at=now if moved else health.ready_changed_at, ready=ready)


def observe_lease(
    health: ClusterHealth, before: ClusterHealth | None, renewed_at: float | None, now: float
) -> ClusterHealth:
    """What the monitor knows after a look at the lease of a pull cluster.

    Only lease is compared with lease, so a member whose clock is wrong does no harm. The comparison is with what was
    remembered `before` this pass: a changed condition forgets the lease only for the next one, where an old lease then
    counts as renewed once more.

    Args:
        renewed_at: the lease's renewTime, None when there is no lease.
    """
    if renewed_at is None:
        return health
    saved = before.lease_renewed_at if before is not None else None
    if before is not None and before.lease_known and (saved is None or renewed_at <= saved):
        return health
    return replace(health, probed_at=now, lease_known=True, lease_renewed_at=renewed_at)


def condition_of_silence(
    health: ClusterHealth, ready: Condition | None, grace_s: float, startup_grace_s: float, now: float
) -> Condition | None:
    """The Unknown condition to write for a pull cluster that has been quiet for too long, or None.

    The grace period must have passed in full: exactly at its end nothing happens yet.
    """
    if now <= health.probed_at + (grace_s if ready is not None else startup_grace_s):
        return None
    if ready is None:
        reason, message = STATUS_NEVER_UPDATED, "Cluster status controller never posted cluster status."
    elif ready.status != "Unknown":
        reason, message = STATUS_UNKNOWN, "Cluster status controller stopped posting cluster status."
    else:
        return None
    return Condition(type=READY, status="Unknown", reason=reason, message=message, lastTransitionTime=Time(now))


class Heard(Data):
    """What a rule of one's own remembers of a pull cluster; see `SilenceRule`.

    Attributes:
        at: when the cluster last gave a sign of life, by the monitor's clock, in Unix seconds.
        ready: the Ready condition seen last.
        renewed_at: the renewTime of the lease seen last, by the member's clock; None while none counts.
    """

    at: float
    ready: Condition | None
    renewed_at: float | None


SilenceRule = Callable[[Heard | None, Condition, float | None, float, float], tuple[Heard, bool]]

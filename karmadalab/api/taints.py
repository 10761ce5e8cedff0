"""The taints that a cluster gets by itself: NoSchedule by its condition at once, NoExecute by the time it has lasted.

Mirrors `taintClusterByCondition` and `processTaintBaseEviction` in pkg/controllers/cluster/cluster_controller.go, and
`UpdateClusterControllerTaint` in pkg/util/helper/taint.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from karmadalab.api.cluster import (
    NOT_READY_NO_EXECUTE,
    NOT_READY_NO_SCHEDULE,
    UNREACHABLE_NO_EXECUTE,
    UNREACHABLE_NO_SCHEDULE,
)
from karmadalab.api.health import ClusterHealth
from karmadalab.api.meta import Condition, Taint, replace
from karmadalab.api.time import Time

TaintRule = Callable[[Condition | None, tuple[Taint, ...], float], tuple[Taint, ...]]


def with_taints(
    taints: tuple[Taint, ...], add: Iterable[Taint], remove: Iterable[Taint], now: float
) -> tuple[Taint, ...]:
    """The taints after additions and removals, matched by key and effect.

    A taint that is there already keeps its value and time. Both lists are decided on the taints as given: what is in
    both is added when absent and removed when present. New taints go to the end, stamped `now`. Returns `taints` itself
    when nothing changes.

    >>> with_taints((), [Taint(key="a", effect="NoSchedule")], [], 0.0)
    (Taint(key='a', value='', effect='NoSchedule', timeAdded=1970-01-01T00:00:00Z),)
    """
    present = {(taint.key, taint.effect) for taint in taints}
    gone = {(taint.key, taint.effect) for taint in remove} & present
    new = [taint for taint in add if (taint.key, taint.effect) not in present]
    if not gone and not new:
        return taints
    kept = (taint for taint in taints if (taint.key, taint.effect) not in gone)
    return (*kept, *(replace(taint, timeAdded=Time(now)) for taint in new))


def taints_by_condition(ready: Condition | None, taints: tuple[Taint, ...], now: float) -> tuple[Taint, ...]:
    """The NoSchedule taints that a Ready condition asks for: no new workload for a cluster that isn't well.

    A cluster that never reported gets `not-ready`, and its `unreachable` taint, if any, is left alone.
    """
    if ready is None:
        return with_taints(taints, [NOT_READY_NO_SCHEDULE], [], now)
    if ready.status == "False":
        return with_taints(taints, [NOT_READY_NO_SCHEDULE], [UNREACHABLE_NO_SCHEDULE], now)
    if ready.status == "Unknown":
        return with_taints(taints, [UNREACHABLE_NO_SCHEDULE], [NOT_READY_NO_SCHEDULE], now)
    return with_taints(taints, [], [NOT_READY_NO_SCHEDULE, UNREACHABLE_NO_SCHEDULE], now) if taints else taints


def taints_by_time(
    observed: Condition,
    health: ClusterHealth,
    taints: tuple[Taint, ...],
    timeout_s: float,
    may_add: bool,
    now: float,
) -> tuple[Taint, ...]:
    """The NoExecute taints after a look: when a cluster has been unwell for too long, its workloads must leave.

    Not ready counts from the moment the condition changed, unknown from the last sign of life (so the grace period is
    part of it). The time must have passed in full. A ready cluster loses both taints.

    Args:
        observed: the Ready condition before this pass changed it.
        timeout_s: `--failover-eviction-timeout`.
        may_add: the `Failover` gate; removing needs no gate.
    """
    if observed.status == "True":
        return with_taints(taints, [], [NOT_READY_NO_EXECUTE, UNREACHABLE_NO_EXECUTE], now) if taints else taints
    if not may_add:
        return taints
    if observed.status == "False" and now > health.ready_changed_at + timeout_s:
        return with_taints(taints, [NOT_READY_NO_EXECUTE], [UNREACHABLE_NO_EXECUTE], now)
    if observed.status == "Unknown" and now > health.probed_at + timeout_s:
        return with_taints(taints, [UNREACHABLE_NO_EXECUTE], [NOT_READY_NO_EXECUTE], now)
    return taints

"""graceful-eviction-controller: when may the old copy of an evicted workload go?

Not before its replacement is healthy, and not later than `--graceful-eviction-timeout`. An evicted cluster stays in the
binding as a task; while it is there, the binding controller keeps the old Work. This controller decides when the task
has done its duty. Removing it is what finally deletes the old copy.

Mirrors pkg/controllers/gracefuleviction. In v1.13 it works whatever the `GracefulEviction` gate says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from karmadalab.api.meta import replace
from karmadalab.api.time import Time
from karmadalab.api.work import (
    BINDING_KINDS,
    HEALTHY,
    AggregatedStatusItem,
    AnyBinding,
    ClusterResourceBinding,
    GracefulEvictionTask,
    ResourceBinding,
    TargetCluster,
)
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "graceful-eviction-controller"


class Assessment(NamedTuple):
    """What becomes of a binding's tasks.

    Attributes:
        kept: the tasks that stay, new ones stamped.
        ended: the clusters whose tasks are done.
        requeue_after_s: when the next of the kept tasks runs out of time; 0 when none does.
    """

    kept: tuple[GracefulEvictionTask, ...]
    ended: tuple[str, ...]
    requeue_after_s: float


def assess_eviction_tasks(binding: AnyBinding, timeout_s: float, now: float, *, leak: bool = True) -> Assessment:
    """Which tasks stay.

    A task seen for the first time is stamped and stays. One with `suppressDeletion` stays for ever, or, when that is
    false, goes at once. Any other goes when its time is over (strictly), or when the scheduler has seen the latest spec
    and the workload is healthy on every cluster it is scheduled to.

    Args:
        timeout_s: `--graceful-eviction-timeout`, for tasks without `gracePeriodSeconds`.
        now: Unix seconds.
        leak: v1.13's defect: a task's own grace period stays in force for the tasks after it that have none.
    """
    settled = binding.status.schedulerObservedGeneration == binding.metadata.generation
    replaced = settled and all_healthy(binding.spec.clusters, binding.status.aggregatedStatus)
    kept, ended = [], []
    grace_s = timeout_s
    for task in binding.spec.gracefulEvictionTasks:
        if task.creationTimestamp is None:
            kept.append(task)
            continue
        if task.gracePeriodSeconds is not None:
            grace_s = task.gracePeriodSeconds
        elif not leak:
            grace_s = timeout_s
        if _stays(task, grace_s, replaced, now):
            kept.append(task)
        else:
            ended.append(task.fromCluster)
    stamped = (task if task.creationTimestamp else replace(task, creationTimestamp=Time(now)) for task in kept)
    return Assessment(tuple(stamped), tuple(ended), next_deadline_s(kept, timeout_s, now))


def _stays(task: GracefulEvictionTask, grace_s: float, replaced: bool, now: float) -> bool:
    if task.suppressDeletion is not None:
        return task.suppressDeletion
    assert task.creationTimestamp is not None  # noqa: S101 - the caller stamped it
    return now <= task.creationTimestamp + grace_s and not replaced


def all_healthy(clusters: Sequence[TargetCluster], statuses: Sequence[AggregatedStatusItem]) -> bool:
    """Whether the workload is Healthy on every cluster it is scheduled to; no cluster at all counts as healthy."""
    healthy = {item.clusterName for item in statuses if item.health == HEALTHY}
    return all(target.name in healthy for target in clusters)


def next_deadline_s(tasks: Sequence[GracefulEvictionTask], timeout_s: float, now: float) -> float:
    """Seconds until the first task runs out of time; 0 when none does.

    A task without a time begins now. One whose deletion is decided by hand (`suppressDeletion`, true or false) has no
    deadline.
    """
    timed = (task for task in tasks if task.suppressDeletion is None)
    left = [(task.creationTimestamp or now) + _grace(task, timeout_s) - now for task in timed]
    return max(min(left, default=0.0), 0.0)


def _grace(task: GracefulEvictionTask, timeout_s: float) -> float:
    return timeout_s if task.gracePeriodSeconds is None else task.gracePeriodSeconds


Assess = Callable[[AnyBinding, float, float], Assessment]


class GracefulEvictionController:
    """The reconciler, for bindings of both kinds.

    Attributes:
        assess: the decision: a binding, the timeout in seconds and now; a learner may put their own in its place.
    """

    name = NAME

    def __init__(self, manager: Manager, store: Store) -> None:
        self._store = store
        self._timeout_s = manager.settings.graceful_eviction_timeout
        self.assess: Assess = partial(assess_eviction_tasks, leak=manager.settings.profile == "v1.13")
        self._now: Callable[[], float] = manager.clock.now

    def watches(self) -> Sequence[Watch]:
        """Bindings that have tasks."""
        return [Watch(self._store, kind, self._binding_event) for kind in BINDING_KINDS]

    def _binding_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        if event == "DELETED" or not new.spec.gracefulEvictionTasks:
            return ()
        return (Request(new.metadata.namespace, new.metadata.name, new.kind),)

    def reconcile(self, request: Request) -> Result:
        """Keep, stamp or end the tasks of a binding."""
        kind = ResourceBinding if request.kind == "ResourceBinding" else ClusterResourceBinding
        binding: AnyBinding | None = self._store.find(kind, request.name, request.namespace)
        if binding is None or binding.metadata.deletionTimestamp is not None:
            return DONE
        assessment = self.assess(binding, self._timeout_s, self._now())
        if assessment.kept != binding.spec.gracefulEvictionTasks:
            spec = replace(binding.spec, gracefulEvictionTasks=assessment.kept)
            self._store.update(replace(binding, spec=spec))
        if not math.isfinite(assessment.requeue_after_s):
            return DONE
        # Strictly after the deadline: a requeue that falls exactly on it would find the task still in time.
        return Result(assessment.requeue_after_s + 0.001 if assessment.requeue_after_s else None)

"""Bindings in the middle of an eviction, made of a few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karmadalab.api.meta import ObjectMeta
from karmadalab.api.time import Time
from karmadalab.api.work import (
    HEALTHY,
    UNHEALTHY,
    AggregatedStatusItem,
    GracefulEvictionTask,
    ResourceBinding,
    ResourceBindingSpec,
    ResourceBindingStatus,
    TargetCluster,
)
from karmadalab.teaching.asking import EPOCH


def binding(
    on: Sequence[str] = ("member2",),
    health: Mapping[str, str] | None = None,
    tasks: Sequence[GracefulEvictionTask] = (),
    seen: bool = True,
) -> ResourceBinding:
    """A binding of two replicas a cluster.

    Args:
        on: the clusters it is scheduled to.
        health: cluster -> what its status says; a cluster that is left out has reported nothing yet.
        tasks: its eviction tasks.
        seen: whether the scheduler has seen the latest spec.
    """
    targets = tuple(TargetCluster(name, 2) for name in on)
    statuses = [AggregatedStatusItem(name, health=said, applied=True) for name, said in (health or {}).items()]
    return ResourceBinding(
        metadata=ObjectMeta(name="web-deployment", namespace="default", generation=7),
        spec=ResourceBindingSpec(clusters=targets, gracefulEvictionTasks=tuple(tasks)),
        status=ResourceBindingStatus(schedulerObservedGeneration=7 if seen else 6, aggregatedStatus=tuple(statuses)),
    )


def healthy(*tasks: GracefulEvictionTask) -> ResourceBinding:
    """One whose replacement is healthy."""
    return binding(health={"member1": UNHEALTHY, "member2": HEALTHY}, tasks=tasks)


def starting(*tasks: GracefulEvictionTask) -> ResourceBinding:
    """One whose replacement is not healthy yet."""
    return binding(health={"member1": HEALTHY, "member2": UNHEALTHY}, tasks=tasks)


def task(age_s: float | None, cluster: str = "member1", **more: Any) -> GracefulEvictionTask:
    """A task of that age at `EPOCH`; None: it has no stamp yet."""
    stamp = None if age_s is None else Time(EPOCH - age_s)
    return GracefulEvictionTask(cluster, replicas=2, reason="TaintUntolerated", creationTimestamp=stamp, **more)

"""Small fleets and bindings for the scheduler's tests, by hand and at random."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from karmadalab.api.cluster import APIEnablement, APIResource, Cluster, ClusterSpec, ClusterStatus, ResourceSummary
from karmadalab.api.meta import ObjectMeta, Taint
from karmadalab.api.policy import (
    AGGREGATED,
    DIVIDED,
    DUPLICATED,
    WEIGHTED,
    ClusterAffinity,
    ClusterPreferences,
    Placement,
    ReplicaSchedulingStrategy,
    SpreadConstraint,
    StaticClusterWeight,
)
from karmadalab.api.work import GracefulEvictionTask, ObjectReference, ResourceBindingSpec, TargetCluster

DEPLOYMENTS = (APIEnablement("apps/v1", (APIResource("deployments", "Deployment"),)),)
DEDICATED = Taint(key="dedicated", value="a", effect="NoSchedule")

DUPLICATE = ReplicaSchedulingStrategy(DUPLICATED)
AGGREGATE = ReplicaSchedulingStrategy(DIVIDED, AGGREGATED)
DYNAMIC = ReplicaSchedulingStrategy(DIVIDED, WEIGHTED, ClusterPreferences(dynamicWeight="AvailableReplicas"))


def static(**weights: int) -> ReplicaSchedulingStrategy:
    """Static weights by cluster name."""
    rules = tuple(
        StaticClusterWeight(ClusterAffinity(clusterNames=(name,)), weight) for name, weight in weights.items()
    )
    return ReplicaSchedulingStrategy(DIVIDED, WEIGHTED, ClusterPreferences(staticWeightList=rules))


def cluster(name: str, pods: int = 10, taints: Iterable[Taint] = (), **spec: Any) -> Cluster:
    """A cluster that serves Deployments and has room for `pods` pods."""
    return Cluster(
        metadata=ObjectMeta(name=name),
        spec=ClusterSpec(syncMode="Push", taints=tuple(taints), **spec),
        status=ClusterStatus(apiEnablements=DEPLOYMENTS, resourceSummary=ResourceSummary(allocatable={"pods": pods})),
    )


def binding(
    replicas: int = 3,
    scheduling: ReplicaSchedulingStrategy | None = None,
    on: dict[str, int] | None = None,
    evicting: Iterable[str] = (),
    **placement: Any,
) -> ResourceBindingSpec:
    """A Deployment with a placement, `on` some clusters already."""
    return ResourceBindingSpec(
        resource=ObjectReference("apps/v1", "Deployment", "default", "web"),
        replicas=replicas,
        clusters=tuple(TargetCluster(name, count) for name, count in (on or {}).items()),
        gracefulEvictionTasks=tuple(GracefulEvictionTask(name) for name in evicting),
        placement=Placement(replicaScheduling=scheduling, **placement),
    )


NAMES = tuple(f"member{i}" for i in range(1, 8))
REGIONS = ("", "ra", "rb", "rc")


@st.composite
def fleets(draw: st.DrawFn) -> list[Cluster]:
    """One to seven clusters, some tainted, some without a region."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=7, unique=True))
    return [
        cluster(
            name,
            pods=draw(st.integers(0, 30)),
            taints=draw(st.sampled_from(((), (), (DEDICATED,)))),
            region=draw(st.sampled_from(REGIONS)),
        )
        for name in names
    ]


spreads = st.sampled_from(
    (
        (),
        (SpreadConstraint("cluster", minGroups=1, maxGroups=2),),
        (SpreadConstraint("cluster", minGroups=2, maxGroups=3),),
        (SpreadConstraint("region", minGroups=1, maxGroups=2), SpreadConstraint("cluster", minGroups=1, maxGroups=4)),
        (SpreadConstraint("region", minGroups=2, maxGroups=2), SpreadConstraint("cluster", minGroups=2, maxGroups=3)),
    )
)
strategies = st.sampled_from((None, DUPLICATE, AGGREGATE, DYNAMIC, static(member1=2, member2=1, member3=1), static()))


careful = st.sampled_from((AGGREGATE, DYNAMIC))


@st.composite
def new_bindings(draw: st.DrawFn) -> ResourceBindingSpec:
    """A binding that was never scheduled, with a strategy that lets replicas stay where they are."""
    return binding(replicas=draw(st.integers(1, 40)), scheduling=draw(careful))


@st.composite
def bindings(draw: st.DrawFn) -> ResourceBindingSpec:
    """A binding, new or scheduled before, perhaps being evicted from somewhere."""
    on = draw(st.dictionaries(st.sampled_from(NAMES), st.integers(0, 12), max_size=4))
    return binding(
        replicas=draw(st.integers(0, 40)),
        scheduling=draw(strategies),
        on=on,
        evicting=draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True)),
        spreadConstraints=draw(spreads),
    )

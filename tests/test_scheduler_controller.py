"""The scheduler as a controller: what wakes it, what it writes and in which order, when it tries again."""

from __future__ import annotations

import json
from random import Random

import pytest

from karmadalab.api.cluster import Cluster
from karmadalab.api.errors import NotFound
from karmadalab.api.meta import ObjectMeta, Taint, condition, replace
from karmadalab.api.policy import (
    APPLIED_PLACEMENT_ANNOTATION,
    ClusterAffinity,
    ClusterAffinityTerm,
    Placement,
    SpreadConstraint,
    Suspension,
)
from karmadalab.api.time import Time
from karmadalab.api.work import SCHEDULED, ClusterResourceBinding, ResourceBinding, TargetCluster
from karmadalab.core.clock import VirtualClock
from karmadalab.core.manager import Manager
from karmadalab.core.settings import Settings
from karmadalab.core.store import Store
from karmadalab.core.trace import NOTE, STATUS, UPDATE, Trace
from karmadalab.scheduler import CrashError, PluginError, Scheduler
from karmadalab.scheduler.applied_placement import applied_placement, parse_applied_placement
from karmadalab.scheduler.controller import SchedulerController
from karmadalab.scheduler.reschedule import placement_changed
from tests.scheduler_worlds import AGGREGATE, DEDICATED, DYNAMIC, binding, cluster, static


class World:
    """A control plane with nothing in it but the scheduler."""

    def __init__(self, *clusters: Cluster, scheduler: Scheduler | None = None, **flags: object) -> None:
        self.clock = VirtualClock()
        self.trace = Trace(self.clock.now)
        self.store = Store(self.clock, self.trace)
        self.process = Manager(
            "karmada-scheduler",
            self.clock,
            self.trace,
            Settings(**flags),
            lambda manager: [SchedulerController(manager, self.store, scheduler)],
            strict=True,
        )
        for new in clusters:
            self.join(new)
        self.process.start()

    def join(self, new: Cluster) -> None:
        stored = self.store.create(new)
        self.store.update_status(replace(stored, status=new.status))

    def bind(self, spec, name="web") -> None:
        self.store.create(ResourceBinding(metadata=ObjectMeta(name=name, namespace="default"), spec=spec))
        self.run()

    def change(self, name="web", **changes) -> None:
        old = self.binding(name)
        self.store.update(replace(old, spec=replace(old.spec, **changes)))
        self.run()

    def taint(self, name, *taints) -> None:
        old = self.store.get(Cluster, name)
        self.store.update(replace(old, spec=replace(old.spec, taints=taints)))
        self.run()

    def run(self, seconds: float = 0.001) -> None:
        self.clock.run_until(self.clock.now() + seconds)

    def binding(self, name="web") -> ResourceBinding:
        return self.store.get(ResourceBinding, name, "default")

    def clusters(self, name="web") -> dict[str, int]:
        return {target.name: target.replicas for target in self.binding(name).spec.clusters}

    def scheduled(self, name="web"):
        return condition(self.binding(name).status.conditions, SCHEDULED)

    def writes(self, since: int = 0) -> list[str]:
        """What happened to bindings, as verbs."""
        return [row.verb for row in self.trace.rows[since:] if "ResourceBinding" in row.kind and row.actor != "user"]

    def verdicts(self) -> int:
        return sum(row.verb == NOTE for row in self.trace.rows)


FLEET = (cluster("member1"), cluster("member2"), cluster("member3", 20))


def test_the_order_of_writes():
    """One write of clusters and annotation, one of the status; then the status catches up with the generation."""
    world = World(*FLEET)
    world.bind(binding(4, DYNAMIC))
    assert world.writes() == [NOTE, UPDATE, STATUS, STATUS]
    status = [row.new.status for row in world.trace.rows if row.verb == STATUS and row.kind.startswith("Resource")]
    assert [s.schedulerObservedGeneration for s in status] == [1, 2]
    done = world.binding()
    assert done.metadata.generation == 2
    assert done.status.lastScheduledTime == Time(world.clock.epoch)
    assert json.loads(done.metadata.annotations[APPLIED_PLACEMENT_ANNOTATION]) == {
        "replicaScheduling": {
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": "Weighted",
            "weightPreference": {"dynamicWeight": "AvailableReplicas"},
        }
    }
    assert (world.scheduled().status, world.scheduled().reason) == ("True", "Success")


def test_every_write_names_the_verdict_that_caused_it():
    world = World(*FLEET)
    world.bind(binding(4, DYNAMIC))
    write = next(row for row in world.trace.rows if row.verb == UPDATE and row.kind.startswith("Resource"))
    verdict = world.trace.rows[write.cause]
    assert verdict.text == "Binding has been scheduled successfully."
    assert verdict.detail["because"] == "the placement changed"
    assert world.trace.rows[verdict.cause].verb == "create"


def test_a_lost_cluster_is_replaced():
    """The taint manager takes a cluster out of the binding; that changes the sum, and the rest is found elsewhere."""
    world = World(*FLEET)
    world.bind(binding(4, static(member1=1, member2=1)))
    assert world.clusters() == {"member1": 2, "member2": 2}
    world.change(clusters=(TargetCluster("member2", 2),))
    assert sum(world.clusters().values()) == 4


def test_a_cluster_change_wakes_only_those_it_concerns():
    world = World(*FLEET)
    world.bind(binding(1, clusterAffinity=ClusterAffinity(clusterNames=("member1",))), "here")
    world.bind(binding(1, clusterAffinity=ClusterAffinity(clusterNames=("member2",))), "there")
    before = len(world.trace.rows)
    world.taint("member1", DEDICATED)
    assert {row.name for row in world.trace.rows[before:] if row.verb == NOTE} == {"here"}


def test_a_divided_workload_stays_when_clusters_change():
    world = World(*FLEET)
    world.bind(binding(4, DYNAMIC))
    before = len(world.trace.rows)
    world.taint("member1", DEDICATED)
    world.join(cluster("member4", 1000))
    world.run()
    assert world.writes(before) == []


def test_a_fit_error_clears_the_clusters_and_is_not_tried_again():
    world = World(*FLEET)
    world.bind(binding(1, clusterAffinity=ClusterAffinity(clusterNames=("member1",))))
    nowhere = replace(world.binding().spec.placement, clusterAffinity=ClusterAffinity(clusterNames=("member9",)))
    world.change(placement=nowhere)
    failed = world.verdicts()
    world.run(3600)
    assert world.clusters() == {}
    assert world.scheduled().reason == "NoClusterFit"
    assert world.scheduled().message.startswith("0/3 clusters are available: 3 cluster(s) did not match")
    assert world.binding().status.schedulerObservedGeneration < world.binding().metadata.generation
    # Clearing the clusters was a change of the spec, so the scheduler looked once more; time alone wakes nobody.
    assert world.verdicts() == failed


def test_too_little_room_keeps_the_clusters_and_is_tried_again():
    world = World(*FLEET)
    world.bind(binding(4, DYNAMIC))
    before = world.clusters()
    world.change(replicas=100)
    assert (world.clusters(), world.scheduled().reason) == (before, "SchedulerError")
    rows = len(world.trace.rows)
    world.run(600)
    assert len(world.trace.rows) == rows  # failing in the same way is no news
    grown = replace(world.store.get(Cluster, "member3"), status=cluster("member3", 200).status)
    world.store.update_status(grown)
    world.run(700)
    assert sum(world.clusters().values()) == 100
    assert world.scheduled().status == "True"


def test_ordered_affinities_fall_back_and_are_remembered():
    terms = (
        ClusterAffinityTerm(affinityName="home", clusterNames=("member1",)),
        ClusterAffinityTerm(affinityName="away", clusterNames=("member2",)),
    )
    world = World(cluster("member1", taints=[DEDICATED]), cluster("member2"))
    world.bind(binding(2, clusterAffinities=terms))
    assert world.clusters() == {"member2": 2}
    assert world.binding().status.schedulerObservingAffinityName == "away"
    world.taint("member1")
    assert world.clusters() == {"member2": 2}  # it never goes back


def test_a_crash_ends_the_search_among_ordered_affinities():
    """The process of v1.13 is dead then: what comes after the term is never tried, and nothing is placed."""
    terms = tuple(ClusterAffinityTerm(affinityName=name, clusterNames=(name,)) for name in ("gone", "small", "large"))
    one_region = (SpreadConstraint("region", minGroups=1, maxGroups=1),)
    world = World(cluster("small", 1, region="ra"), cluster("large", 50, region="rb"))
    world.bind(binding(5, clusterAffinities=terms, spreadConstraints=one_region))
    assert (world.clusters(), world.binding().status.schedulerObservingAffinityName) == ({}, "")
    assert "region 'ra': none of its clusters can hold all 5 replicas" in world.scheduled().message
    controller = world.process.controller("default-scheduler")
    assert isinstance(controller.explain("web", "default").error, CrashError)


@pytest.mark.parametrize(
    "change",
    [
        {"schedulerName": "another-scheduler"},
        {"suspension": Suspension(scheduling=True)},
        {"placement": None},
    ],
    ids=lambda change: next(iter(change)),
)
def test_bindings_that_are_left_alone(change):
    world = World(*FLEET)
    world.bind(replace(binding(1), **change))
    assert world.writes() == []


def test_lifting_the_suspension_schedules():
    world = World(*FLEET)
    world.bind(replace(binding(1), suspension=Suspension(scheduling=True)))
    world.change(suspension=None)
    assert world.clusters() == {"member1": 1, "member2": 1, "member3": 1}


def test_cluster_scoped_bindings_too():
    world = World(*FLEET)
    world.store.create(ClusterResourceBinding(metadata=ObjectMeta(name="web"), spec=binding(1)))
    world.run()
    assert len(world.store.get(ClusterResourceBinding, "web").spec.clusters) == 3


def test_a_new_scheduler_process_decides_nothing_anew():
    world = World(*FLEET)
    world.bind(binding(4, AGGREGATE))
    before = len(world.trace.rows)
    world.process.stop()
    world.process.start()
    world.run()
    assert world.writes(before) == []


def test_the_profile_comes_from_the_settings():
    world = World(*FLEET, profile="v1.18")
    world.bind(binding(500, DYNAMIC))
    assert world.scheduled().reason == "Unschedulable"


def test_a_broken_plugin_ends_a_strict_run():
    class Broken:
        name = "Broken"

        def filter(self, binding, cluster):
            raise KeyError(cluster.name)

    world = World(*FLEET, scheduler=Scheduler(filters=[Broken()]))
    with pytest.raises(PluginError, match=r"plugin Broken: filter\(\) raised KeyError on cluster member1"):
        world.bind(binding(1))


def test_the_plan_is_kept_for_whoever_asks_why():
    world = World(*FLEET, scheduler=Scheduler(rng=Random(3)))
    world.bind(binding(4, DYNAMIC))
    controller = world.process.controller("default-scheduler")
    assert controller.explain("web", "default")["member1"].replicas == world.clusters()["member1"]
    world.bind(binding(2), "everywhere")  # decided a second time when its clusters changed its generation
    assert controller.explain("everywhere", "default")["member1"].previous is None
    with pytest.raises(NotFound, match="decided nothing about ResourceBinding default/api since it started"):
        controller.explain("api", "default")


PLACEMENTS = {
    "{}": Placement(),
    '{"clusterAffinity":{"clusterNames":["member1"]}}': Placement(ClusterAffinity(clusterNames=("member1",))),
    '{"replicaScheduling":{"replicaSchedulingType":"Divided","replicaDivisionPreference":"Weighted",'
    '"weightPreference":{"staticWeightList":[{"targetCluster":{"clusterNames":["member1"]},"weight":2}]}}}': Placement(
        replicaScheduling=static(member1=2)
    ),
}


@pytest.mark.parametrize("text", PLACEMENTS)
def test_the_annotation_is_gos_json(text):
    assert applied_placement(PLACEMENTS[text]) == text
    assert parse_applied_placement(text) == PLACEMENTS[text]


ON_MEMBER1 = Placement(ClusterAffinity(clusterNames=("member1",)))
ANNOTATIONS = {
    "no annotation": ("", True),
    "the placement itself": ('{"clusterAffinity":{"clusterNames":["member1"]}}', False),
    "the placement in other letters": ('{"ClusterAffinity":{"CLUSTERNAMES":["member1"]}}', False),
    "the placement, and what Karmada does not know": (
        '{"clusterAffinity":{"clusterNames":["member1"],"mood":1},"foo":{}}',
        False,
    ),
    "another one, and what Karmada does not know": ('{"clusterAffinity":{"clusterNames":["member2"]},"foo":1}', True),
    "another one in other letters": ('{"ClusterAffinity":{"clusterNames":["member2"]}}', True),
    "nothing": ("null", True),
    "a requirement without an operator": (
        '{"clusterAffinity":{"labelSelector":{"matchLabels":{"a":null},"matchExpressions":[{"key":"a"},null]}}}',
        True,
    ),
    "a name that is null": ('{"clusterAffinity":{"clusterNames":[null]}}', True),
    "no JSON": ("{", False),
    "no placement": ("[]", False),
    "a name that is a number": ('{"clusterAffinity":{"clusterNames":[2]}}', False),
    "a list that is text": ('{"clusterAffinity":{"clusterNames":"member2"}}', False),
}


@pytest.mark.parametrize("case", ANNOTATIONS)
def test_the_annotation_is_read_as_go_reads(case):
    """What can be read is compared; what can't counts as unchanged."""
    text, changed = ANNOTATIONS[case]
    assert placement_changed(ON_MEMBER1, text, "") is changed


def test_a_taint_that_nobody_tolerates_is_named():
    world = World(cluster("member1", taints=[Taint(key="gpu", value="a100", effect="NoExecute")]))
    world.bind(binding(1))
    assert world.scheduled().message == (
        "0/1 clusters are available: 1 cluster(s) had untolerated taint {gpu=a100:NoExecute}."
    )

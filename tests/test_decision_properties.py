"""What must hold of the controllers' decisions whatever the input: laws, not a second implementation.

The recorded vectors say what the decisions are; here is what they may never be.
"""

from __future__ import annotations

import math

from hypothesis import assume, given
from hypothesis import strategies as st

from karmadalab.api.eviction import evicted
from karmadalab.api.meta import NO_EXECUTE, Condition, ObjectMeta, Taint, Toleration, replace
from karmadalab.api.taints import taints_by_condition, with_taints
from karmadalab.api.time import Time
from karmadalab.api.work import (
    AggregatedStatusItem,
    GracefulEvictionTask,
    ResourceBinding,
    ResourceBindingSpec,
    ResourceBindingStatus,
    TargetCluster,
)
from karmadalab.controllers.cluster_status import Observation, threshold_adjusted
from karmadalab.controllers.graceful_eviction import assess_eviction_tasks
from karmadalab.controllers.taint_manager import FOREVER, eviction_deadline

NOW = 1_000_000.0

keys = st.sampled_from(["a", "b", "c"])
effects = st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"])
moments = st.none() | st.integers(int(NOW) - 1000, int(NOW)).map(Time)
taints = st.builds(Taint, key=keys, value=st.sampled_from(["", "x"]), effect=effects, timeAdded=moments)


def marks(found: tuple[Taint, ...]) -> set[tuple[str, str]]:
    return {(taint.key, taint.effect) for taint in found}


def distinct(found: list[Taint]) -> tuple[Taint, ...]:
    return tuple({(taint.key, taint.effect): taint for taint in found}.values())


taint_lists = st.lists(taints, max_size=6).map(distinct)

# --- taints -----------------------------------------------------------------------------------------------------------


@given(taint_lists, taint_lists, taint_lists)
def test_no_taint_is_ever_there_twice(
    found: tuple[Taint, ...], add: tuple[Taint, ...], gone: tuple[Taint, ...]
) -> None:
    result = with_taints(found, add, gone, NOW)
    assert len(marks(result)) == len(result)


@given(taint_lists, taint_lists, taint_lists)
def test_added_is_there_removed_is_gone_and_nothing_else_moves(
    found: tuple[Taint, ...], add: tuple[Taint, ...], gone: tuple[Taint, ...]
) -> None:
    assume(not marks(add) & marks(gone))
    result = with_taints(found, add, gone, NOW)
    assert marks(result) == (marks(found) | marks(add)) - marks(gone)
    kept = [taint for taint in result if (taint.key, taint.effect) in marks(found)]
    assert kept == [taint for taint in found if (taint.key, taint.effect) not in marks(gone)]  # same order, same times
    assert all(taint.timeAdded == NOW for taint in result[len(kept) :])


@given(taint_lists, taint_lists, taint_lists)
def test_doing_it_again_changes_nothing(
    found: tuple[Taint, ...], add: tuple[Taint, ...], gone: tuple[Taint, ...]
) -> None:
    assume(not marks(add) & marks(gone))
    once = with_taints(found, add, gone, NOW)
    assert with_taints(once, add, gone, NOW + 60) is once


@given(taint_lists, taint_lists)
def test_what_is_added_to_none_of_it_can_be_taken_back(found: tuple[Taint, ...], add: tuple[Taint, ...]) -> None:
    assume(not marks(found) & marks(add))
    assert with_taints(with_taints(found, add, (), NOW), (), add, NOW) == found


@given(taint_lists, st.sampled_from(["True", "False", "Unknown"]), st.sampled_from(["True", "False", "Unknown"]))
def test_the_condition_alone_decides_the_no_schedule_taints(found: tuple[Taint, ...], first: str, last: str) -> None:
    """Where the condition came from leaves no trace."""
    direct = taints_by_condition(Condition("Ready", last), found, NOW)
    detour = taints_by_condition(
        Condition("Ready", last), taints_by_condition(Condition("Ready", first), found, NOW), NOW
    )
    assert marks(direct) == marks(detour)
    assert taints_by_condition(Condition("Ready", last), direct, NOW + 1) is direct


# --- the threshold ----------------------------------------------------------------------------------------------------

statuses = st.sampled_from(["True", "False", "Unknown"])
conditions = st.builds(Condition, st.just("Ready"), statuses, st.sampled_from(["One", "Other"]))
observations = st.none() | st.builds(Observation, statuses, st.integers(0, 200).map(lambda s: NOW - s))
thresholds = st.integers(0, 120)


@given(observations, conditions, st.none() | conditions, thresholds, thresholds)
def test_what_is_published_was_observed_or_was_published(
    saved: Observation | None, observed: Condition, published: Condition | None, failure: int, success: int
) -> None:
    remembered, result = threshold_adjusted(saved, observed, published, NOW, failure, success)
    assert result in (observed, published)
    assert remembered.since <= NOW


@given(observations, conditions, st.none() | conditions)
def test_without_thresholds_everything_is_believed(
    saved: Observation | None, observed: Condition, published: Condition | None
) -> None:
    assert threshold_adjusted(saved, observed, published, NOW, 0, 0)[1] == observed


@given(observations, conditions, conditions, thresholds, thresholds)
def test_a_longer_threshold_never_makes_it_sooner(
    saved: Observation | None, observed: Condition, published: Condition, failure: int, success: int
) -> None:
    short = threshold_adjusted(saved, observed, published, NOW, failure, success)[1]
    long = threshold_adjusted(saved, observed, published, NOW, failure + 60, success + 60)[1]
    assert long in (short, published)


@given(st.lists(st.tuples(st.integers(1, 40), st.booleans()), max_size=30), thresholds, thresholds)
def test_ready_only_turns_after_an_unbroken_stretch_of_the_other(
    beats: list[tuple[int, bool]], failure: int, success: int
) -> None:
    """Whatever a cluster does, from the first look on, each turn was observed without a break for its threshold."""
    saved, published, now = None, None, NOW
    since, last = now, None
    for length, up in [(1, True), *beats]:
        now += length
        if up is not last:
            since, last = now, up
        observed = Condition("Ready", "True" if up else "False")
        before = published
        saved, published = threshold_adjusted(saved, observed, published, now, failure, success)
        if before is not None and before.status != published.status:
            assert now - since >= (success if up else failure)


# --- evictions --------------------------------------------------------------------------------------------------------

tolerations = st.builds(
    Toleration,
    key=st.sampled_from(["", "a", "b", "c"]),
    operator=st.sampled_from(["Exists", "Equal", ""]),
    value=st.sampled_from(["", "x"]),
    effect=st.sampled_from(["", "NoExecute", "NoSchedule"]),
    tolerationSeconds=st.none() | st.integers(-5, 600),
)
toleration_lists = st.lists(tolerations, max_size=4)


@given(taint_lists, toleration_lists)
def test_only_no_execute_drives_out(found: tuple[Taint, ...], borne: list[Toleration]) -> None:
    harmless = [taint for taint in found if taint.effect != NO_EXECUTE]
    assert eviction_deadline(harmless, borne) == FOREVER
    assert eviction_deadline(found, borne) == eviction_deadline([t for t in found if t.effect == NO_EXECUTE], borne)


@given(taint_lists, toleration_lists)
def test_the_order_of_taints_does_not_matter(found: tuple[Taint, ...], borne: list[Toleration]) -> None:
    assert eviction_deadline(found, borne) == eviction_deadline(found[::-1], borne)


@given(taint_lists, taints, toleration_lists)
def test_one_more_taint_never_gives_more_time(found: tuple[Taint, ...], more: Taint, borne: list[Toleration]) -> None:
    assert eviction_deadline([*found, more], borne) <= eviction_deadline(found, borne)


@given(taint_lists, toleration_lists)
def test_who_bears_everything_stays_for_ever(found: tuple[Taint, ...], borne: list[Toleration]) -> None:
    assert eviction_deadline(found, [Toleration(operator="Exists"), *borne]) == FOREVER


@given(taint_lists)
def test_who_bears_nothing_leaves_at_once(found: tuple[Taint, ...]) -> None:
    driven = any(taint.effect == NO_EXECUTE for taint in found)
    assert eviction_deadline(found, []) == (-math.inf if driven else FOREVER)


@given(taint_lists, toleration_lists, st.integers(1, 1000))
def test_more_patience_is_never_less_time(found: tuple[Taint, ...], borne: list[Toleration], more: int) -> None:
    patient = [
        t
        if t.tolerationSeconds is None
        else Toleration(t.key, t.operator, t.value, t.effect, t.tolerationSeconds + more)
        for t in borne
    ]
    assert eviction_deadline(found, patient) >= eviction_deadline(found, borne)


names = st.sampled_from(["m1", "m2", "m3", "m4"])
targets = st.lists(st.builds(TargetCluster, names, st.integers(0, 5)), max_size=4, unique_by=lambda t: t.name)
tasks = st.builds(
    GracefulEvictionTask,
    names,
    gracePeriodSeconds=st.none() | st.integers(0, 900),
    suppressDeletion=st.none() | st.booleans(),
    creationTimestamp=moments,
)
task_lists = st.lists(tasks, max_size=4, unique_by=lambda t: t.fromCluster).map(tuple)
specs = st.builds(ResourceBindingSpec, clusters=targets.map(tuple), gracefulEvictionTasks=task_lists)


@given(specs, names)
def test_after_an_eviction_the_cluster_has_left_and_has_one_task(spec: ResourceBindingSpec, name: str) -> None:
    task = GracefulEvictionTask(name, reason="TaintUntolerated")
    result = evicted(spec, task)
    before = {target.name: target.replicas for target in spec.clusters}
    after = {target.name: target.replicas for target in result.clusters}
    assert after == {other: replicas for other, replicas in before.items() if other != name}
    fresh = [t for t in result.gracefulEvictionTasks if t not in spec.gracefulEvictionTasks]
    assert [t.fromCluster for t in result.gracefulEvictionTasks].count(name) <= 1
    if name in before:
        assert name in {t.fromCluster for t in result.gracefulEvictionTasks}
        assert all(t.replicas == (before[name] or None) for t in fresh)  # what leaves is what the task remembers
    else:
        assert result is spec


@given(specs, names)
def test_an_eviction_happens_once(spec: ResourceBindingSpec, name: str) -> None:
    task = GracefulEvictionTask(name)
    once = evicted(spec, task)
    assert evicted(once, task) is once


@given(specs, names, names)
def test_two_evictions_in_either_order_leave_the_same_clusters(spec: ResourceBindingSpec, a: str, b: str) -> None:
    one, other = GracefulEvictionTask(a), GracefulEvictionTask(b)
    forth, back = evicted(evicted(spec, one), other), evicted(evicted(spec, other), one)
    assert forth.clusters == back.clusters
    assert set(map(str, forth.gracefulEvictionTasks)) == set(map(str, back.gracefulEvictionTasks))


healths = st.sampled_from(["Healthy", "Unhealthy", "Unknown", ""])
items = st.lists(st.builds(AggregatedStatusItem, names, health=healths), max_size=4, unique_by=lambda i: i.clusterName)


@st.composite
def bindings(draw: st.DrawFn) -> ResourceBinding:
    generation = draw(st.integers(1, 3))
    status = ResourceBindingStatus(
        schedulerObservedGeneration=draw(st.integers(1, 3)), aggregatedStatus=tuple(draw(items))
    )
    return ResourceBinding(metadata=ObjectMeta(name="b", generation=generation), spec=draw(specs), status=status)


@given(bindings(), st.booleans())
def test_every_task_is_kept_or_ended_and_none_is_invented(binding: ResourceBinding, leak: bool) -> None:
    result = assess_eviction_tasks(binding, 600, NOW, leak=leak)
    given_ = [task.fromCluster for task in binding.spec.gracefulEvictionTasks]
    assert sorted([*(task.fromCluster for task in result.kept), *result.ended]) == sorted(given_)
    assert [name for name in given_ if name not in result.ended] == [task.fromCluster for task in result.kept]


@given(bindings(), st.booleans())
def test_what_is_kept_is_stamped_and_otherwise_untouched(binding: ResourceBinding, leak: bool) -> None:
    result = assess_eviction_tasks(binding, 600, NOW, leak=leak)
    before = {task.fromCluster: task for task in binding.spec.gracefulEvictionTasks}
    for task in result.kept:
        old = before[task.fromCluster]
        assert task.creationTimestamp == (NOW if old.creationTimestamp is None else old.creationTimestamp)
        assert (task.gracePeriodSeconds, task.suppressDeletion) == (old.gracePeriodSeconds, old.suppressDeletion)


@given(bindings(), st.booleans())
def test_a_decision_by_hand_is_final(binding: ResourceBinding, leak: bool) -> None:
    ended = assess_eviction_tasks(binding, 600, NOW, leak=leak).ended
    for task in binding.spec.gracefulEvictionTasks:
        if task.creationTimestamp is None or task.suppressDeletion is True:
            assert task.fromCluster not in ended
        elif task.suppressDeletion is False:
            assert task.fromCluster in ended


@given(bindings(), st.booleans(), st.integers(0, 2000))
def test_time_only_ends_more(binding: ResourceBinding, leak: bool, later: int) -> None:
    now = assess_eviction_tasks(binding, 600, NOW, leak=leak)
    then = assess_eviction_tasks(binding, 600, NOW + later, leak=leak)
    assert set(now.ended) <= set(then.ended)


@given(bindings())
def test_the_controller_comes_back_in_time_and_not_in_vain(binding: ResourceBinding) -> None:
    """Nothing more ends before the requeue, and something does soon after, when time alone decides."""
    timed = tuple(task for task in binding.spec.gracefulEvictionTasks if task.suppressDeletion is None)
    spec = ResourceBindingSpec(clusters=(TargetCluster("away", 1),), gracefulEvictionTasks=timed)  # never replaced
    first = assess_eviction_tasks(replace(binding, spec=spec), 600, NOW, leak=False)
    kept = replace(binding, spec=replace(spec, gracefulEvictionTasks=first.kept))
    if first.requeue_after_s:
        assert assess_eviction_tasks(kept, 600, NOW + first.requeue_after_s, leak=False).ended == ()
        assert assess_eviction_tasks(kept, 600, NOW + first.requeue_after_s + 1, leak=False).ended

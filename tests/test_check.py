"""`Lab.check` finds what is broken on purpose, and names the invariant and the object.

A check that never fails proves nothing, so each invariant is broken once here: by writing past the controllers, or by
laying hands on the store itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from karmadalab.api.cluster import Cluster
from karmadalab.api.meta import ObjectMeta, Taint, replace
from karmadalab.api.native import Lease, LeaseSpec
from karmadalab.api.work import GracefulEvictionTask, ResourceBinding, TargetCluster, Work
from karmadalab.core.store import Store
from karmadalab.environments.check import check
from karmadalab.lab import Lab

from .worlds import AT_MOST_TWO, DIVIDED, deployment, lab_with_web, policy


@pytest.fixture
def lab() -> Lab:
    """`web` Duplicated on two of three members, `shop` divided over all."""
    made = lab_with_web(pull=1, spreadConstraints=AT_MOST_TWO)
    made.apply([deployment("shop", 6), policy("shop", replicaScheduling=DIVIDED)])
    made.run("1m")
    made.check()
    return made


def web(lab: Lab) -> Any:
    return lab.get("ResourceBinding", "web-deployment")


def lay(store: Store, obj: Any) -> None:
    """Replace a stored object without a trace."""
    table = store._tables[obj.GROUP_KIND]
    table.objects[obj.metadata.namespace, obj.metadata.name] = obj


def meta(obj: Any, **changes: Any) -> Any:
    return replace(obj, metadata=replace(obj.metadata, **changes))


def spec(obj: Any, **changes: Any) -> Any:
    return replace(obj, spec=replace(obj.spec, **changes))


def status(obj: Any, **changes: Any) -> Any:
    return replace(obj, status=replace(obj.status, **changes))


def on(lab: Lab) -> str:
    return str(web(lab).spec.clusters[0].name)


def member(lab: Lab, name: str = "member1") -> Store:
    return lab.world.member(name).store


# --- ways to break things ---------------------------------------------------------------------------------------------


def another_uid(lab: Lab) -> None:
    other = lab.get("ResourceBinding", "shop-deployment")
    lay(lab.store, meta(web(lab), uid=other.metadata.uid))


def another_version(lab: Lab) -> None:
    other = lab.get("ResourceBinding", "shop-deployment")
    lay(lab.store, meta(web(lab), resourceVersion=other.metadata.resourceVersion))


def a_version_from_the_future(lab: Lab) -> None:
    lay(lab.store, meta(web(lab), resourceVersion=str(lab.store.version + 1)))


def deleted_and_still_there(lab: Lab) -> None:
    found = lab.get("PropagationPolicy", "web")
    lay(lab.store, meta(found, deletionTimestamp=found.metadata.creationTimestamp, finalizers=()))


def an_index_that_is_behind(lab: Lab) -> None:
    lay(lab.store, spec(web(lab), clusters=(TargetCluster("member1", 2),)))


def an_owner_nobody_knows(lab: Lab) -> None:
    lay(lab.store, meta(web(lab), ownerReferences=()))


def no_round_trip(lab: Lab) -> None:
    lay(lab.store, spec(web(lab), replicas="2"))


def an_effect_before_its_cause(lab: Lab) -> None:
    lab.trace.cause = len(lab.trace) + 5
    lab.trace.note("fault", "member1", "odd")
    lab.trace.cause = None


def a_row_that_was_left_out(lab: Lab) -> None:
    del lab.trace.rows[-1]
    lab.trace.rows.append(replace(lab.trace.rows[-1], id=len(lab.trace.rows)))


def twice_scheduled(lab: Lab) -> None:
    lab.world.control_plane.scheduler_process.stop()
    lab.world.control_plane.controller_manager.stop()
    lab.store.update(spec(web(lab), clusters=(*web(lab).spec.clusters, web(lab).spec.clusters[0])))


def scheduled_and_evicted(lab: Lab) -> None:
    lab.world.control_plane.scheduler_process.stop()
    lab.world.control_plane.controller_manager.stop()
    lab.store.update(spec(web(lab), gracefulEvictionTasks=(GracefulEvictionTask(on(lab)),)))


def unequal_copies(lab: Lab) -> None:
    lab.world.control_plane.scheduler_process.stop()
    lab.world.control_plane.controller_manager.stop()
    first, second = web(lab).spec.clusters
    changed = lab.store.update(spec(web(lab), clusters=(first, replace(second, replicas=7))))
    lab.store.update_status(status(changed, schedulerObservedGeneration=changed.metadata.generation))


def a_wrong_sum(lab: Lab) -> None:
    lab.world.control_plane.scheduler_process.stop()
    lab.world.control_plane.controller_manager.stop()
    found = lab.get("ResourceBinding", "shop-deployment")
    changed = lab.store.update(spec(found, clusters=found.spec.clusters[1:]))
    lab.store.update_status(status(changed, schedulerObservedGeneration=changed.metadata.generation))


def a_work_nobody_wants(lab: Lab) -> None:
    namespace = f"karmada-es-{({'member1', 'member2', 'member3'} - {t.name for t in web(lab).spec.clusters}).pop()}"
    labels = lab.store.list(Work, f"karmada-es-{on(lab)}")[-1].metadata.labels
    assert any(
        web(lab).metadata.labels[key] == value for key, value in labels.items() if key in web(lab).metadata.labels
    )
    lab.store.create(Work(metadata=ObjectMeta(name="extra", namespace=namespace, labels=labels)))


def a_work_of_nobody(lab: Lab) -> None:
    labels = {"resourcebinding.karmada.io/permanent-id": "nobody"}
    lab.store.create(Work(metadata=ObjectMeta(name="extra", namespace="karmada-es-member1", labels=labels)))


def a_work_outside(lab: Lab) -> None:
    lab.store.create(Work(metadata=ObjectMeta(name="extra", namespace="default")))


def a_missing_work(lab: Lab) -> None:
    work = next(w for w in lab.store.list(Work, f"karmada-es-{on(lab)}") if w.metadata.name.startswith("web"))
    lab.store.update(meta(work, finalizers=()))
    lab.store.delete(Work, work.metadata.name, work.metadata.namespace)


def a_status_from_elsewhere(lab: Lab) -> None:
    items = web(lab).status.aggregatedStatus
    lab.store.update_status(status(web(lab), aggregatedStatus=(*items, replace(items[0], clusterName="member9"))))


def a_template_that_vanished(lab: Lab) -> None:
    del lab.store._tables["Deployment.apps"].objects["default", "web"]
    lab.store._tables["Deployment.apps"].order = None


def a_taint_without_reason(lab: Lab) -> None:
    lab.world.control_plane.controller_manager.stop()
    found = lab.get("Cluster", "member1")
    taint = Taint(key="cluster.karmada.io/not-ready", effect="NoSchedule")
    changed = lab.store.update(spec(found, taints=(taint,)))
    lab.world.control_plane.controller_manager.start()
    lay(lab.store, changed)
    lab.world.control_plane.controller_manager.controllers[0].queue.close()


def no_execution_namespace(lab: Lab) -> None:
    table = lab.store._tables["Namespace"]
    del table.objects["", "karmada-es-member1"]
    table.order = None


def a_lease_of_a_push_member(lab: Lab) -> None:
    lease = Lease(metadata=ObjectMeta(name="member1", namespace="karmada-cluster"), spec=LeaseSpec())
    lab.store.create(lease)


def too_many_pods(lab: Lab) -> None:
    store = member(lab)
    pod = store.list("Pod")[0]
    containers = [{"name": "big", "image": "x", "resources": {"requests": {"cpu": "9"}}}]
    store.update(pod.with_spec(containers=containers))


def a_node_that_is_not_there(lab: Lab) -> None:
    store = member(lab)
    store.update(store.list("Pod")[0].with_spec(nodeName="nowhere"))


def a_status_that_miscounts(lab: Lab) -> None:
    store = member(lab)
    found = store.list("Deployment.apps")[0]
    store.update_status(found.with_status({**found.status, "readyReplicas": 77}))


def a_copy_without_a_promise(lab: Lab) -> None:
    store = member(lab)
    found = store.list("Deployment.apps")[0]
    annotations = {**found.metadata.annotations, "work.karmada.io/name": "nothing"}
    lay(store, meta(found, annotations=annotations))


BROKEN: dict[Callable[[Lab], None], str] = {
    another_uid: "uids are unique",
    another_version: "resourceVersions are unique",
    a_version_from_the_future: "no object is newer than its store",
    deleted_and_still_there: "what is being deleted waits for somebody",
    an_index_that_is_behind: "index clusters of ResourceBinding",
    an_owner_nobody_knows: "owner index",
    no_round_trip: "survives a round trip",
    an_effect_before_its_cause: "a cause is an earlier row",
    a_row_that_was_left_out: "trace",
    twice_scheduled: "no cluster is named twice in spec.clusters",
    scheduled_and_evicted: "no cluster is both scheduled and being evicted",
    unequal_copies: "a Duplicated binding gives each 2 replicas",
    a_wrong_sum: "a Divided binding divides its 6 replicas",
    a_work_nobody_wants: "no Work for",
    a_work_of_nobody: "a Work belongs to a binding or an owner",
    a_work_outside: "a Work lives in an execution namespace",
    a_missing_work: "a Work for each cluster, but none for",
    a_status_from_elsewhere: "aggregatedStatus names ['member9']",
    a_template_that_vanished: "a binding's template is there",
    a_taint_without_reason: "is there exactly while Ready is False",
    no_execution_namespace: "a cluster has its execution namespace",
    a_lease_of_a_push_member: "only pull members have leases",
    too_many_pods: "the pods of a node fit its cpu",
    a_node_that_is_not_there: "a pod's node exists",
    a_status_that_miscounts: "a status counts its pods",
    a_copy_without_a_promise: "what Karmada put into member1 has a Work",
}


@pytest.mark.parametrize("break_it", BROKEN, ids=lambda break_it: break_it.__name__)
def test_what_is_broken_is_found(lab: Lab, break_it: Callable[[Lab], None]) -> None:
    break_it(lab)
    with pytest.raises(AssertionError) as found:
        check(lab.world)
    assert BROKEN[break_it] in str(found.value)


def test_kinds_are_what_the_table_takes_them_for(lab: Lab) -> None:
    assert isinstance(web(lab), ResourceBinding)
    assert isinstance(lab.get(Cluster, "member1"), Cluster)

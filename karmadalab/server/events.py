"""Kubernetes Events, read off the record.

Karmada's controllers leave an Event for what they did; `kubectl describe` shows them. The lab's trace knows more than
that already, so Events are not written a second time: they are what some of its rows say in Karmada's words, the same
rows in sequence counted as one. Like real ones they are forgotten after an hour.

Not modelled: Events of members, and those of Karmada's that tell of no write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from karmadalab.api.cluster import Cluster, execution_namespace
from karmadalab.api.meta import ObjectMeta, condition
from karmadalab.api.naming import fnv32a
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import ResourceBinding, Work
from karmadalab.core.trace import CREATE, Row, Trace

LIFETIME_S = 3600.0
_NORMAL, _WARNING = "Normal", "Warning"

Said = tuple[str, str, str, str]  # type, reason, who, message


def events_of(trace: Trace, now: float) -> list[Unstructured]:
    """The Events that are remembered, by namespace and name.

    Args:
        trace: the lab's record.
        now: Unix seconds in the lab.
    """
    found: dict[tuple[str, ...], Unstructured] = {}
    for row in _recent(trace, now - LIFETIME_S):
        for said in _said(row):
            key = (row.kind, row.namespace, row.name, *said)
            found[key] = _event(row, said, found.get(key))
    return sorted(found.values(), key=lambda event: (event.metadata.namespace, event.metadata.name))


def _recent(trace: Trace, since: float) -> list[Row]:
    rows = []
    for row in reversed(trace.rows):
        if row.at < since:
            break
        if not row.world and row.kind in TELLERS and row.new is not None:
            rows.append(row)
    return rows[::-1]


def event_changes(trace: Trace) -> list[Unstructured]:
    """The Events that the trace's last row makes, for those who watch."""
    row = trace.rows[-1]
    return [_event(row, said, None) for said in _said(row)] if row.new is not None and not row.world else []


def _said(row: Row) -> Iterator[Said]:
    yield from TELLERS[row.kind](row.old, row.new, row.verb)


def _event(row: Row, said: Said, before: Unstructured | None) -> Unstructured:
    type_, reason, who, message = said
    obj: Any = row.new
    namespace = row.namespace or "default"
    stamp = str(Time(row.at))
    first = stamp if before is None else before["firstTimestamp"]
    name = f"{row.name}.{fnv32a('/'.join((row.kind, namespace, row.name, *said))):08x}"
    involved = {
        "apiVersion": obj.apiVersion,
        "kind": obj.kind,
        "name": row.name,
        "uid": obj.metadata.uid,
        "resourceVersion": obj.metadata.resourceVersion,
        **({"namespace": row.namespace} if row.namespace else {}),
    }
    metadata = ObjectMeta(
        name=name,
        namespace=namespace,
        uid=f"00000000-0000-4000-a000-{row.id:012x}",
        resourceVersion=str(row.version),
        creationTimestamp=Time.parse(first),
    )
    body = {
        "involvedObject": involved,
        "type": type_,
        "reason": reason,
        "message": message,
        "source": {"component": who},
        "reportingComponent": who,
        "firstTimestamp": first,
        "lastTimestamp": stamp,
        "count": 1 if before is None else before["count"] + 1,
    }
    return Unstructured("v1", "Event", metadata, body)


# --- what a row says


def _cluster(old: Any, new: Any, verb: str) -> Iterator[Said]:
    name = new.metadata.name
    who = "cluster-controller"
    if verb == CREATE:
        space = execution_namespace(name)
        yield _NORMAL, "CreateExecutionSpaceSucceed", who, f"Created execution space({space}) for cluster({name})."
        return
    if old.spec.taints != new.spec.taints:
        yield _NORMAL, "TaintClusterSucceed", who, f"Taint cluster succeed: {_taints(new)}."
    before, after = (condition(obj.status.conditions, "Ready") for obj in (old, new))
    if after is not None and after.status != "True" and (before is None or before.status != after.status):
        yield _WARNING, after.reason, "cluster-status-controller", after.message


def _taints(cluster: Cluster) -> str:
    if not cluster.spec.taints:
        return "cluster now does not have taints"
    listed = " ".join(f"{{Key:{taint.key},Effect:{taint.effect}}}" for taint in cluster.spec.taints)
    return f"cluster now has taints([{listed}])"


def _binding(old: Any, new: Any, verb: str) -> Iterator[Said]:
    where = f"{new.metadata.namespace}/{new.metadata.name}"
    if old is None:
        return
    if old.spec.clusters != new.spec.clusters and new.spec.clusters:
        result = ", ".join(f"{target.name}:{target.replicas}" for target in new.spec.clusters)
        message = f"Binding has been scheduled successfully. Result: {{{result}}}"
        yield _NORMAL, "ScheduleBindingSucceed", "default-scheduler", message
    left = {task.fromCluster for task in old.spec.gracefulEvictionTasks}
    for task in new.spec.gracefulEvictionTasks:
        if task.fromCluster not in left:
            message = f"Evict from cluster {task.fromCluster} succeed."
            yield _NORMAL, "EvictWorkloadFromClusterSucceed", task.producer, message
    scheduled = condition(new.status.conditions, "Scheduled")
    if (
        scheduled is not None
        and scheduled.status == "False"
        and scheduled != condition(old.status.conditions, "Scheduled")
    ):
        yield _WARNING, "ScheduleBindingFailed", "default-scheduler", scheduled.message
    if old.status.aggregatedStatus != new.status.aggregatedStatus:
        message = f"Update ResourceBinding({where}) with AggregatedStatus successfully."
        yield _NORMAL, "AggregateStatusSucceed", "resource-binding-status-controller", message


def _work(old: Any, new: Any, verb: str) -> Iterator[Said]:
    where = f"{new.metadata.namespace}/{new.metadata.name}"
    cluster = new.metadata.namespace.removeprefix("karmada-es-")
    before = None if old is None else condition(old.status.conditions, "Applied")
    after = condition(new.status.conditions, "Applied")
    if after is None or (before is not None and before.status == after.status):
        return
    if after.status == "True":
        message = f"Sync work({where}) to cluster({cluster}) successful."
        yield _NORMAL, "SyncSucceed", "execution-controller", message
    else:
        yield _WARNING, "SyncFailed", "execution-controller", after.message


TELLERS: dict[str, Callable[[Any, Any, str], Iterator[Said]]] = {
    Cluster.GROUP_KIND: _cluster,
    ResourceBinding.GROUP_KIND: _binding,
    Work.GROUP_KIND: _work,
}

"""The trace in the words of an observer: what changed, when, and what led to it.

One write can mean several things (a cluster leaves `spec.clusters` and a task appears), so each row of the trace
becomes some events. The words are those in which failovers of a real Karmada were recorded, so that a run here and a
run there can be laid side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, overload

from karmadalab.api.cluster import Cluster
from karmadalab.api.meta import Condition, condition
from karmadalab.api.native import Lease
from karmadalab.api.policy import APPLIED_PLACEMENT_ANNOTATION, AnyPropagationPolicy
from karmadalab.api.scheme import plain
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import AnyBinding, Work
from karmadalab.core.frames import to_frame
from karmadalab.core.trace import CREATE, DELETE, ERROR, FAULT, NOTE, Row, Trace

Change = tuple[str, Any]  # what, detail

_COUNTS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas")


class Event(NamedTuple):
    """One change.

    Attributes:
        t: seconds after the lab began.
        kind: `Cluster`, `Deployment@member2`, `fault`, ...
        what: the change, `condition Ready True -> False`.
        detail: more about it, as plain data.
        row: the trace row it was read from.
    """

    t: float
    kind: str
    namespace: str
    name: str
    what: str
    detail: Any
    row: int

    @property
    def text(self) -> str:
        """The change in one line, with the part of the detail that a reader wants."""
        return self.what + _short(self.what, self.detail)

    def __str__(self) -> str:
        where = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.t:10.3f}  {self.kind} {where}: {self.text}"


def _short(what: str, detail: Any) -> str:
    """The part of the detail that a reader of one line wants."""
    if not isinstance(detail, dict):
        return ""
    if "from" in detail and "to" in detail:
        return f"  {_brief(detail['from'])} -> {_brief(detail['to'])}"
    if what.startswith("condition ") and detail.get("reason"):
        return f"  ({detail['reason']})"
    if what == "status changed":
        return f"  ready {detail.get('readyReplicas', 0)}/{detail.get('replicas', 0)}"
    return ""


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}:{item}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(i.get("fromCluster", "?") if isinstance(i, dict) else str(i) for i in value) + "]"
    return "none" if value is None else str(value)


# --- from rows to changes, kind by kind -------------------------------------------------------------------------------


def _condition_list(item: Condition | None) -> list[str] | None:
    return None if item is None else [item.status, item.reason, item.message]


def _condition_changes(old: tuple[Condition, ...], new: tuple[Condition, ...]) -> Iterator[Change]:
    for type_ in dict.fromkeys(item.type for item in (*old, *new)):
        before, after = _condition_list(condition(old, type_)), _condition_list(condition(new, type_))
        if before != after:
            word = "added" if before is None else "removed" if after is None else "changed"
            yield f"condition {type_} {word}", {"from": before, "to": after}


def _cluster(old: Cluster | None, new: Cluster) -> Iterator[Change]:
    if old is None:
        conditions = {c.type: _condition_list(c) for c in new.status.conditions}
        yield "initial", {"conditions": conditions, "taints": {str(t): plain(t.timeAdded) for t in new.spec.taints}}
        return
    for after in new.status.conditions:
        before = condition(old.status.conditions, after.type)
        if before is None or before.status != after.status:
            word = (
                f"condition {after.type} {before.status} -> {after.status}"
                if before
                else f"condition {after.type} added"
            )
            time = None if after.lastTransitionTime is None else str(after.lastTransitionTime)
            detail = {"status": after.status, "reason": after.reason, "message": after.message}
            yield word, {**detail, "lastTransitionTime": time}
    had, has = ({f"{t.key}:{t.effect}": t for t in c.spec.taints} for c in (old, new))
    for name in had:
        if name not in has:
            yield f"taint removed {name}", {"timeAdded": _time(had[name].timeAdded)}
    for name in has:
        if name not in had:
            yield f"taint added {name}", {"timeAdded": _time(has[name].timeAdded)}
    if new.metadata.deletionTimestamp and not old.metadata.deletionTimestamp:
        yield "deletionTimestamp set", {"deletionTimestamp": str(new.metadata.deletionTimestamp)}


def _time(moment: Any) -> str | None:
    return None if moment is None else str(moment)


def _lease(old: Lease | None, new: Lease) -> Iterator[Change]:
    detail = {"renewTime": _time(new.spec.renewTime), "leaseDurationSeconds": new.spec.leaseDurationSeconds}
    yield "created" if old is None else "renewed", detail


def _policy(old: AnyPropagationPolicy | None, new: AnyPropagationPolicy) -> Iterator[Change]:
    tolerations = plain(new.spec.placement.clusterTolerations)
    if old is None:
        yield "created", {"clusterTolerations": list(tolerations), "failover": plain(new.spec.failover)}
    elif old.spec != new.spec:
        yield "spec changed", None
    yield from _leaving(old, new)


def _leaving(old: Any, new: Any) -> Iterator[Change]:
    stamp = new.metadata.deletionTimestamp
    if stamp is not None and (old is None or old.metadata.deletionTimestamp is None):
        yield "deletionTimestamp set", {"deletionTimestamp": str(stamp), "finalizers": list(new.metadata.finalizers)}


def _targets(binding: AnyBinding) -> dict[str, int]:
    return {target.name: target.replicas for target in binding.spec.clusters}


def _tasks(binding: AnyBinding) -> Any:
    return [plain(task) for task in binding.spec.gracefulEvictionTasks] or None


def _binding(old: AnyBinding | None, new: AnyBinding) -> Iterator[Change]:
    if old is None:
        yield "created", {"clusters": _targets(new), "gracefulEvictionTasks": _tasks(new)}
        return
    if _targets(old) != _targets(new):
        yield "spec.clusters changed", {"from": _targets(old), "to": _targets(new)}
    if old.spec.gracefulEvictionTasks != new.spec.gracefulEvictionTasks:
        yield "gracefulEvictionTasks changed", {"from": _tasks(old), "to": _tasks(new)}
    before, after = (b.metadata.annotations.get(APPLIED_PLACEMENT_ANNOTATION) for b in (old, new))
    if before != after:
        yield "applied-placement annotation set", after
    yield from _condition_changes(old.status.conditions, new.status.conditions)
    if (old.status.schedulerObservedGeneration, old.status.lastScheduledTime) != (
        new.status.schedulerObservedGeneration,
        new.status.lastScheduledTime,
    ):
        yield (
            "scheduler observed",
            {
                "generation": new.metadata.generation,
                "schedulerObservedGeneration": new.status.schedulerObservedGeneration,
                "lastScheduledTime": _time(new.status.lastScheduledTime),
            },
        )
    yield from _aggregated(old, new)
    yield from _leaving(old, new)


def _aggregated(old: AnyBinding, new: AnyBinding) -> Iterator[Change]:
    had, has = ({item.clusterName: item for item in b.status.aggregatedStatus} for b in (old, new))
    for name in sorted({*had, *has}):
        if had.get(name) == has.get(name):
            continue
        word = "added" if name not in had else "removed" if name not in has else "changed"
        item = has.get(name)
        to = None
        if item is not None:
            to = {
                "applied": item.applied,
                "health": item.health,
                "appliedMessage": item.appliedMessage or None,
                "status": _counts(item.status or {}),
            }
        yield f"aggregatedStatus[{name}] {word}", {"to": to}


def _counts(status: dict[str, Any]) -> dict[str, Any]:
    return {key: status[key] for key in _COUNTS if status.get(key)}


def _manifest_replicas(work: Work) -> Any:
    manifests = work.spec.workload.manifests
    return (manifests[0].get("spec") or {}).get("replicas") if manifests else None


def _work(old: Work | None, new: Work) -> Iterator[Change]:
    if old is None:
        yield (
            "created",
            {
                "replicas": _manifest_replicas(new),
                "conditions": {},
                "suspendDispatching": bool(new.spec.suspendDispatching),
                "preserveResourcesOnDeletion": bool(new.spec.preserveResourcesOnDeletion),
            },
        )
        return
    if _manifest_replicas(old) != _manifest_replicas(new):
        yield "manifest replicas changed", {"from": _manifest_replicas(old), "to": _manifest_replicas(new)}
    elif old.spec != new.spec:
        yield "spec changed", None
    yield from _condition_changes(old.status.conditions, new.status.conditions)
    if old.status.manifestStatuses != new.status.manifestStatuses:
        statuses = new.status.manifestStatuses
        yield (
            "manifestStatuses changed",
            {
                "health": [item.health for item in statuses],
                "status": [_counts(item.status or {}) for item in statuses],
            },
        )
    yield from _leaving(old, new)


def _template(old: Unstructured | None, new: Unstructured) -> Iterator[Change]:
    if old is None:
        yield "created", {"replicas": new.spec.get("replicas"), "status": _counts(new.status)}
        return
    if old.spec.get("replicas") != new.spec.get("replicas"):
        yield "spec.replicas changed", {"from": old.spec.get("replicas"), "to": new.spec.get("replicas")}
    elif {**old.body, "status": 0} != {**new.body, "status": 0}:
        yield "spec changed", None
    if _counts(old.status) != _counts(new.status):
        yield "status changed", _counts(new.status)
    yield from _leaving(old, new)


def _pod(old: Unstructured | None, new: Unstructured) -> Iterator[Change]:
    if old is None:
        yield "created", {"ready": _pod_ready(new)}
        return
    if new.metadata.deletionTimestamp and not old.metadata.deletionTimestamp:
        yield "terminating", None
    if _pod_ready(old) != _pod_ready(new):
        yield "Ready" if _pod_ready(new) else "NotReady", None
    reason = _waiting_reason(new)
    if reason and reason != _waiting_reason(old):
        yield reason, None


def _pod_ready(pod: Unstructured) -> bool:
    return any(c["type"] == "Ready" and c["status"] == "True" for c in pod.status.get("conditions") or ())


def _waiting_reason(pod: Unstructured) -> str | None:
    """Why a pod does not start: no node for it, or a container that waits."""
    for item in pod.status.get("conditions") or ():
        if item["type"] == "PodScheduled" and item["status"] == "False":
            return str(item.get("reason"))
    for container in pod.status.get("containerStatuses") or ():
        return str(container["state"].get("waiting", {}).get("reason"))
    return None


def _other(old: Any, new: Any) -> Iterator[Change]:
    if old is None:
        yield "created", None
    elif getattr(old, "body", None) != getattr(new, "body", None) or getattr(old, "spec", None) != getattr(
        new, "spec", None
    ):
        yield "changed", None
    yield from _leaving(old, new)


_READERS: dict[str, Callable[[Any, Any], Iterator[Change]]] = {
    "Cluster.cluster.karmada.io": _cluster,
    "Lease.coordination.k8s.io": _lease,
    "PropagationPolicy.policy.karmada.io": _policy,
    "ClusterPropagationPolicy.policy.karmada.io": _policy,
    "ResourceBinding.work.karmada.io": _binding,
    "ClusterResourceBinding.work.karmada.io": _binding,
    "Work.work.karmada.io": _work,
    "Deployment.apps": _template,
    "StatefulSet.apps": _template,
    "Pod": _pod,
}


def changes_of(row: Row) -> Iterator[Change]:
    """What a row of the trace means, in an observer's words."""
    if row.verb in (FAULT, NOTE, ERROR):
        yield row.text, row.detail
    elif row.verb == DELETE:
        yield "deleted", None
    else:
        yield from _READERS.get(row.kind, _other)(row.old if row.verb != CREATE else None, row.new)


def events_of(row: Row, epoch: float) -> Iterator[Event]:
    """The events that a row of the trace means."""
    kind = row.kind.partition(".")[0] if row.verb not in (FAULT, NOTE, ERROR) else row.kind
    if row.world:
        kind = f"{kind}@{row.world}"
    t = round(row.at - epoch, 6)
    for what, detail in changes_of(row):
        yield Event(t, kind, row.namespace, row.name, what, detail, row.id)


# --- the timeline -----------------------------------------------------------------------------------------------------


class Timeline(Sequence[Event]):
    """The events of a run, oldest first. Reads like a list; `where` narrows it down.

    Args:
        trace: what happened.
        epoch: the Unix time at which the lab began.
        events: the events to show; None for all since the lab began.
        banner: the settings in one line, for titles.
    """

    def __init__(self, trace: Trace, epoch: float, events: Iterable[Event] | None = None, banner: str = "") -> None:
        self._trace, self._epoch, self.banner = trace, epoch, banner
        self._events = list(events) if events is not None else list(self._read())

    def _read(self) -> Iterator[Event]:
        for row in self._trace.rows:
            if row.at >= self._epoch:
                yield from events_of(row, self._epoch)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Timeline: ...
    def __getitem__(self, index: int | slice) -> Event | Timeline:
        if isinstance(index, slice):
            return self._with(self._events[index])
        return self._events[index]

    def __len__(self) -> int:
        return len(self._events)

    def _with(self, events: Iterable[Event]) -> Timeline:
        return Timeline(self._trace, self._epoch, events, self.banner)

    def where(
        self,
        kind: str | None = None,
        name: str | None = None,
        what: str | None = None,
        since_s: float | None = None,
        until_s: float | None = None,
    ) -> Timeline:
        """The events of a kind, of an object, whose words begin with `what`, in a span of time (seconds, inclusive).

        A kind without a member (`Deployment`) means the control plane's; `Pod@` means the pods of all members.
        """
        return self._with(
            event
            for event in self._events
            if (kind is None or event.kind == kind or (kind.endswith("@") and event.kind.startswith(kind)))
            and (name is None or event.name == name)
            and (what is None or event.what.startswith(what))
            and (since_s is None or event.t >= since_s)
            and (until_s is None or event.t <= until_s)
        )

    def important(self) -> Timeline:
        """The events that a story is told with: faults, conditions, taints, placements, tasks, pods; no bookkeeping."""
        return self._with(event for event in self._events if is_important(event))

    def records(self) -> list[dict[str, Any]]:
        """Plain data, one mapping an event; `cause` is the place in this list of the event that led to it, or None."""
        place: dict[int, int] = {}
        for index, event in enumerate(self._events):
            place.setdefault(event.row, index)
        return [
            {
                "t": event.t,
                "kind": event.kind,
                "namespace": event.namespace,
                "name": event.name,
                "what": event.what,
                "detail": event.detail,
                "cause": self._cause(event.row, place),
            }
            for event in self._events
        ]

    def _cause(self, row: int, place: dict[int, int]) -> int | None:
        """The nearest cause that is in this timeline."""
        for cause in self._trace.chain(row)[1:]:
            if cause.id in place:
                return place[cause.id]
        return None

    def __repr__(self) -> str:
        head = f"<Timeline {len(self._events)} events{', ' + self.banner if self.banner else ''}>"
        return "\n".join([head, *(str(event) for event in self._events[:200])])

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td style='text-align:right'>{e.t:.3f}</td><td>{escape(e.kind)}</td>"
            f"<td>{escape(f'{e.namespace}/{e.name}' if e.namespace else e.name)}</td>"
            f"<td style='text-align:left'>{escape(e.text)}</td></tr>"
            for e in self._events[:500]
        )
        return (
            f"<p>{len(self._events)} events. {escape(self.banner)}</p><table><thead><tr><th>t (s)</th><th>kind</th>"
            f"<th>object</th><th>what</th></tr></thead><tbody>{rows}</tbody></table>"
        )

    def to_frame(self) -> Any:
        """A pandas data frame with a row an event. Needs the extra `notebooks`."""
        return to_frame(self.records())


def is_important(event: Event) -> bool:
    """Whether a story would mention the event."""
    kind, what = event.kind, event.what
    if kind == "fault":
        return True
    if kind == "Cluster":
        return what.startswith(("condition Ready", "taint"))
    if kind in ("ResourceBinding", "ClusterResourceBinding"):
        return what in ("spec.clusters changed", "gracefulEvictionTasks changed") or what.startswith(
            "condition Scheduled"
        )
    if kind == "Work":
        return what in ("created", "deletionTimestamp set", "deleted", "manifest replicas changed")
    if kind.startswith("Pod@"):
        return what not in ("created",)
    return what.startswith("probe of") or (kind == "Deployment" and what != "status changed")

"""The milestones of a run, read off a timeline. All moments in seconds after the recording's zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from karmadalab.core.timeline import Event

Test = Callable[[str], bool]

_NO_EXECUTE = ("maintenance:NoExecute", "failover.example.io/cluster-down:NoExecute")


def _is(value: str) -> Test:
    return lambda found: found == value


def _begins(*values: str) -> Test:
    return lambda found: found.startswith(values)


class Reader:
    """A timeline and what to look for in it.

    Args:
        events: those of one application, with the clusters'.
        bad: the member that fails.
        before: where the application was.
    """

    def __init__(self, events: Sequence[Event], bad: str, before: dict[str, int] | None) -> None:
        self.events, self.bad, self.before = events, bad, before or {}

    def first(self, since: float, **wanted: Test) -> float | None:
        """When something first happened."""
        for event in self.events:
            if event.t >= since and all(test(getattr(event, key)) for key, test in wanted.items()):
                return event.t
        return None

    def cluster(self, since: float, *what: str) -> float | None:
        """When the bad member's cluster object first changed so."""
        return self.first(since, kind=_is("Cluster"), name=_is(self.bad), what=_begins(*what))

    def bad_work(self, what: str, since: float) -> float | None:
        """When the Work in the bad member's execution namespace changed so."""
        return self.work(self.bad, what, since)

    def work(self, member: str, what: str, since: float) -> float | None:
        """When the Work in a member's execution namespace changed so."""
        return self.first(since, kind=_is("Work"), namespace=_is(f"karmada-es-{member}"), what=_is(what))

    def bindings(self, what: str) -> list[Event]:
        """The binding's changes of that kind, from zero on."""
        return [e for e in self.events if e.kind == "ResourceBinding" and e.what == what and e.t >= 0]


def milestones(reader: Reader) -> dict[str, Any]:
    """The recording's milestones, of our run."""
    bad = reader.bad
    found: dict[str, Any] = {}
    found["ready_not_true"] = reader.cluster(0, "condition Ready True -> ")
    found["noschedule_added"] = reader.cluster(0, *_taints("added", "NoSchedule"))
    found["noexecute_added"] = reader.cluster(0, *_taints("added", "NoExecute"))
    evicted = next(
        (e for e in reader.bindings("spec.clusters changed") if bad in e.detail["from"] and bad not in e.detail["to"]),
        None,
    )
    if evicted is not None:
        found |= _after_eviction(reader, evicted)
    found |= _old_copy(reader, evicted.t if evicted is not None else 0.0)
    found |= _rebalanced(reader)
    since = found["ready_not_true"]
    if since is not None:
        found["ready_true"] = reader.cluster(since, "condition Ready False -> True", "condition Ready Unknown -> True")
        found["noschedule_removed"] = reader.cluster(since, *_taints("removed", "NoSchedule"))
    if found["noexecute_added"] is not None:
        found["noexecute_removed"] = reader.cluster(found["noexecute_added"], *_taints("removed", "NoExecute"))
    return {key: value for key, value in found.items() if value is not None}


def _taints(word: str, effect: str) -> tuple[str, ...]:
    known = [f"cluster.karmada.io/{key}:{effect}" for key in ("not-ready", "unreachable")]
    known += [taint for taint in _NO_EXECUTE if taint.endswith(effect)]
    return tuple(f"taint {word} {taint}" for taint in known)


def _after_eviction(reader: Reader, evicted: Event) -> dict[str, Any]:
    bad, t = reader.bad, evicted.t
    found: dict[str, Any] = {"evicted": t, "placement_after": evicted.detail["to"]}
    found |= _rescheduled(reader, evicted)
    for event in reader.bindings("gracefulEvictionTasks changed"):
        had, has = ({task["fromCluster"]: task for task in event.detail[key] or ()} for key in ("from", "to"))
        if event.t < t:
            continue
        if bad in has:
            found.setdefault("purge_mode", has[bad]["purgeMode"])
        if "creationTimestamp" in has.get(bad, {}):
            found.setdefault("task_timestamped", event.t)
        if bad in had and bad not in has:
            found.setdefault("task_removed", event.t)
    return found


def _old_copy(reader: Reader, since: float) -> dict[str, Any]:
    """How what was on the bad member ends; in a recording that begins after the eviction too."""
    return {
        "work_deletion_ts": reader.bad_work("deletionTimestamp set", since),
        "work_gone": reader.bad_work("deleted", since),
        "old_deployment_gone": reader.first(since, kind=_is(f"Deployment@{reader.bad}"), what=_is("deleted")),
    }


def _rescheduled(reader: Reader, evicted: Event) -> dict[str, Any]:
    """What followed when the scheduler completed the clusters."""
    for event in reader.bindings("spec.clusters changed"):
        gained = {n for n, c in event.detail["to"].items() if c > event.detail["from"].get(n, 0)}
        if event.t < evicted.t or event is evicted or not gained:
            continue
        found: dict[str, Any] = {"rescheduled": event.t, "placement_after": event.detail["to"]}
        new = sorted(set(event.detail["to"]) - set(reader.before))
        found["replacement_healthy"] = _healthy(reader, new, event.t) if new else None
        created = [at for name in new if (at := reader.work(name, "created", event.t)) is not None]
        found["new_work_created"] = min(created, default=None)
        return found
    return {}


def _healthy(reader: Reader, names: list[str], since: float) -> float | None:
    """When the application had been healthy on all of these members."""
    times = []
    for name in names:
        for event in reader.events:
            if event.t < since or event.kind != "ResourceBinding":
                continue
            if (
                event.what.startswith(f"aggregatedStatus[{name}]")
                and (event.detail["to"] or {}).get("health") == "Healthy"
            ):
                times.append(event.t)
                break
        else:
            return None
    return max(times)


def _rebalanced(reader: Reader) -> dict[str, Any]:
    asked = next(iter(reader.bindings("spec.rescheduleTriggeredAt changed")), None)
    if asked is None:
        return {}
    moves = (e.t for e in reader.bindings("spec.clusters changed") if e.t >= asked.t)
    return {"rebalance_triggered": asked.t, "rebalanced": next(moves, None)}


def evictions(reader: Reader) -> list[dict[str, Any]]:
    """Each binding that gave the bad member up, with the moment."""
    return [
        {"binding": event.name, "t": event.t}
        for event in reader.bindings("spec.clusters changed")
        if reader.bad in event.detail["from"] and reader.bad not in event.detail["to"]
    ]


def placements(reader: Reader) -> dict[str, list[dict[str, int]]]:
    """By binding, where it was put, one after the other."""
    found: dict[str, list[dict[str, int]]] = {}
    for event in reader.bindings("spec.clusters changed"):
        found.setdefault(event.name, []).append(event.detail["to"])
    return found

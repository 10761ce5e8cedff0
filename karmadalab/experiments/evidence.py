"""What a finished run shows: its events in words, and what was placed, running and reported at any moment of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from karmadalab.api.naming import binding_name
from karmadalab.api.unstructured import group_kind
from karmadalab.core.snapshot import Snapshot
from karmadalab.core.timeline import Event
from karmadalab.core.trace import FAULT
from karmadalab.environments.workloads import is_ready
from karmadalab.experiments.patterns import Pattern, words_of
from karmadalab.experiments.words import Named
from karmadalab.lab import Lab

_SAME = 1e-6  # the lab's clock is read to the microsecond


class Said(NamedTuple):
    """An event and its words."""

    t: float
    words: str
    event: Event


class Evidence:
    """A run to be judged.

    Args:
        lab: a lab that ran to the end of the scenario.
        moments: name -> the second at which that action was done; expectations add theirs.
    """

    def __init__(self, lab: Lab, moments: dict[str, float]) -> None:
        self.lab = lab
        self.moments: dict[str, float | None] = dict(moments)
        self.end_s = lab.t

    @cached_property
    def said(self) -> list[Said]:
        """Every event since the lab began, with its words."""
        return [Said(event.t, words_of(event), event) for event in self.lab.timeline]

    def hits(self, pattern: Pattern, low_s: float, high_s: float) -> list[Said]:
        """The events that match in a span of time, both ends included."""
        span = (said for said in self.said if low_s - _SAME <= said.t <= high_s + _SAME)
        return [said for said in span if pattern.matches(said.words)]

    def placed(self, what: Named, t: float) -> dict[str, int]:
        """Where the scheduler has put an object, as of a moment."""
        kind = "ResourceBinding" if what.namespace else "ClusterResourceBinding"
        binding = self.lab.at(t).find(kind, binding_name(what.kind, what.name), what.namespace)
        return {} if binding is None else {target.name: target.replicas for target in binding.spec.clusters}

    def ready(self, what: Named, t: float) -> int:
        """The ready replicas that the template's status shows."""
        template = self.lab.at(t).find(what.kind, what.name, what.namespace)
        return 0 if template is None else int(template.status.get("readyReplicas", 0))

    def running(self, what: Named, t: float) -> dict[str, int]:
        """The ready pods of a workload in each member that is powered; members without any are left out."""
        counts = {member: self._pods(member, what, t) for member in self.lab.members if self._powered(member, t)}
        return {member: count for member, count in counts.items() if count}

    def _pods(self, member: str, what: Named, t: float) -> int:
        world = Snapshot.from_rows(self.lab.trace.rows, member, self.lab.clock.epoch + t)
        pods = world.list("Pod", what.namespace)
        return sum(is_ready(pod) for pod in pods if _belongs(pod, what, world))

    def _powered(self, member: str, t: float) -> bool:
        off = 0
        for at, target, detail in self._power:
            if at <= t + _SAME and target == member:
                off += 1 if "fault" in detail else -1
        return off <= 0

    @cached_property
    def _power(self) -> list[tuple[float, str, dict[str, Any]]]:
        """The switching of machines: a pod's record says Ready although nothing runs any more."""
        rows = (row for row in self.lab.trace.rows if row.verb == FAULT and row.kind == "fault")
        epoch = self.lab.clock.epoch
        return [(row.at - epoch, row.name, row.detail) for row in rows if "power_off" in row.detail.values()]

    def changes(
        self, value: Callable[[float], Any], kinds: Collection[str], low_s: float, high_s: float
    ) -> Iterator[tuple[float, Any]]:
        """The values that something had in a span of time, each with the moment from which it had it.

        Args:
            value: the value at a moment.
            kinds: what must change for the value to change; looking at every moment of a long run takes its time.
        """
        events = (said for said in self.said if low_s < said.t <= high_s)
        moments = {said.t for said in events if said.event.kind.partition("@")[0] in kinds}
        last: Any = _NOTHING
        for t in [low_s, *sorted(moments)]:
            if (now := value(t)) != last:
                yield t, now
                last = now


_NOTHING = object()


def _belongs(obj: Any, what: Named, world: Snapshot) -> bool:
    """Whether an object is owned by a workload, also by way of another: pod, ReplicaSet, Deployment."""
    for owner in obj.metadata.ownerReferences:
        if (owner.kind, owner.name) == (what.kind, what.name):
            return True
        between = world.find(group_kind(owner.apiVersion, owner.kind), owner.name, obj.metadata.namespace)
        if between is not None and _belongs(between, what, world):
            return True
    return False

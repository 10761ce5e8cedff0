"""What the scheduler decided about one binding, and the way to everything it decided by.

A decision is a pure function of objects that never change, so it keeps those objects and not a copy of every verdict:
`explain` makes the decision once more, this time writing everything down. (A `Scheduler` with `explanations=True`
writes at once, for plugins that do not answer the same twice.)
"""

from __future__ import annotations

from collections.abc import Callable

from karmadalab.api.work import TargetCluster
from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.errors import ScheduleError
from karmadalab.scheduler.explanation import Explanation
from karmadalab.scheduler.snapshot import Snapshot


class Decision:
    """The outcome for one binding: clusters, or an error, never both.

    Attributes:
        binding: what was asked.
        snapshot: the fleet at that moment.
        clusters: the new `spec.clusters`, by name; empty when there is an error.
        error: why there are none, None on success.
    """

    __slots__ = ("_explain", "binding", "clusters", "error", "snapshot")

    def __init__(
        self,
        binding: BindingInfo,
        snapshot: Snapshot,
        outcome: tuple[TargetCluster, ...] | ScheduleError,
        explain: Callable[[], Explanation],
    ) -> None:
        self.binding = binding
        self.snapshot = snapshot
        self.clusters: tuple[TargetCluster, ...] = () if isinstance(outcome, ScheduleError) else outcome
        self.error: ScheduleError | None = outcome if isinstance(outcome, ScheduleError) else None
        self._explain = explain

    @property
    def replicas(self) -> dict[str, int]:
        """Replicas by cluster."""
        return {target.name: target.replicas for target in self.clusters}

    def raise_for_error(self) -> Decision:
        """The decision itself, if there is one. Raises its `ScheduleError` otherwise."""
        if self.error is not None:
            raise self.error
        return self

    def explain(self) -> Explanation:
        """Every verdict behind this decision: why member3 and not member4?"""
        return self._explain()

    def __repr__(self) -> str:
        if self.error is not None:
            return f"<Decision {self.error.reason}: {self.error}>"
        placed = ", ".join(f"{target.name}:{target.replicas}" for target in self.clusters)
        return f"<Decision {{{placed}}}>"

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()

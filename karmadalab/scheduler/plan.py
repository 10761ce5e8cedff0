"""From decision to what is written on the binding: ordered affinities, the Scheduled condition, retry or not.

`clusterAffinities` is a list of fallbacks: when the first term leads nowhere, the next is tried. The term that worked
is remembered in `status.schedulerObservingAffinityName`, and the search starts there the next time; it never goes back
to earlier terms. Mirrors `scheduleResourceBindingWithClusterAffinities` and its single-affinity twin.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from karmadalab.api.meta import Condition, replace
from karmadalab.api.policy import Placement
from karmadalab.api.work import SCHEDULED, ResourceBindingSpec, ResourceBindingStatus, TargetCluster
from karmadalab.scheduler.decision import Decision
from karmadalab.scheduler.errors import SUCCESS, SUCCESS_MESSAGE, CrashError, FitError, ScheduleError

Schedule = Callable[[ResourceBindingSpec, ResourceBindingStatus], Decision]


class Plan(msgspec.Struct, frozen=True, eq=False):
    """What to write on a binding.

    Attributes:
        clusters: the new `spec.clusters`; None leaves it as it is.
        affinity_name: the new `status.schedulerObservingAffinityName`.
        error: why there is no placement, None on success.
        decisions: one for each affinity term tried, in order; a single one when there are no terms.
    """

    clusters: tuple[TargetCluster, ...] | None
    affinity_name: str
    error: ScheduleError | None
    decisions: tuple[Decision, ...]

    @property
    def decision(self) -> Decision:
        """The decision that counts: the one that succeeded, crashed, or failed first."""
        return next(decision for decision in self.decisions if decision.error is self.error)

    @property
    def condition(self) -> Condition:
        """The Scheduled condition, in Karmada's words."""
        if self.error is None:
            return Condition(type=SCHEDULED, status="True", reason=SUCCESS, message=SUCCESS_MESSAGE)
        return Condition(type=SCHEDULED, status="False", reason=self.error.reason, message=str(self.error))

    @property
    def retry(self) -> bool:
        """Whether the scheduler tries again by itself, after a back-off."""
        return self.error is not None and self.error.retry


def plan(spec: ResourceBindingSpec, status: ResourceBindingStatus, schedule: Schedule) -> Plan:
    """Try the affinity terms in order, and say what is to be written.

    Args:
        spec: the binding's spec, with a placement.
        status: its status.
        schedule: decides for one term, which it finds by `status.schedulerObservingAffinityName`.

    Returns:
        the plan. If every term fails, the *first* error counts. When it is a `FitError` the binding loses its clusters;
        after any other error it keeps them. A crash of v1.13 ends the search: no process is left to go on with it.
    """
    placement = spec.placement
    names = _terms_from(placement, status.schedulerObservingAffinityName) if placement is not None else []
    decisions: list[Decision] = []
    for name in names or [status.schedulerObservingAffinityName]:
        decision = schedule(spec, replace(status, schedulerObservingAffinityName=name))
        decisions.append(decision)
        if decision.error is None:
            return Plan(decision.clusters, name, None, tuple(decisions))
        if isinstance(decision.error, CrashError):
            return Plan(None, status.schedulerObservingAffinityName, decision.error, tuple(decisions))
    error = decisions[0].error
    cleared = () if isinstance(error, FitError) else None
    return Plan(cleared, status.schedulerObservingAffinityName, error, tuple(decisions))


def _terms_from(placement: Placement, observed: str) -> list[str]:
    """The names of the terms to try; an unknown observed name starts at the first."""
    names = [term.affinityName for term in placement.clusterAffinities]
    return names[names.index(observed) :] if observed in names else names

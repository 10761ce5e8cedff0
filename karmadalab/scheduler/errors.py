"""Why a binding could not be scheduled: Karmada's words, and what Karmada does next.

`reason` is the reason of the binding's Scheduled condition, `retry` whether the scheduler tries again by itself. A
`FitError` is not retried, because nothing but a change of a cluster or of the policy can help, and such a change wakes
the scheduler anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from karmadalab.api.errors import KarmadalabError

SUCCESS, NO_CLUSTER_FIT, SCHEDULER_ERROR, UNSCHEDULABLE = "Success", "NoClusterFit", "SchedulerError", "Unschedulable"
SUCCESS_MESSAGE = "Binding has been scheduled successfully."


class ScheduleError(KarmadalabError):
    """No decision for this binding. The message is the one Karmada writes into the Scheduled condition."""

    reason: str = SCHEDULER_ERROR
    retry: bool = True

    def within(self, step: str) -> ScheduleError:
        """The same error, with the step that failed in front of its message."""
        self.args = (f"failed to {step}: {self}",)
        return self


class FitError(ScheduleError):
    """Every cluster was refused by some filter plugin.

    Args:
        clusters: how many clusters there are.
        reasons: one reason for each of them.
    """

    reason = NO_CLUSTER_FIT
    retry = False

    def __init__(self, clusters: int, reasons: Iterable[str]) -> None:
        counted = Counter(reasons)
        self.counts: dict[str, int] = dict(counted)
        # Karmada sorts the printed parts as text, so that "10 x" comes before "2 y".
        parts = sorted(f"{count} {reason}" for reason, count in counted.items())
        tail = ", ".join(parts) or "no cluster exists"
        super().__init__(f"0/{clusters} clusters are available: {tail}.")


class SelectionError(ScheduleError):
    """The spread constraints cannot be met by the clusters that passed the filters."""


class AssignError(ScheduleError):
    """The replicas cannot be divided among the selected clusters."""


class CapacityError(AssignError):
    """The selected clusters have too little room.

    Args:
        available: replicas that the clusters can take, together.
        reason: the reason of the Scheduled condition; releases differ.
    """

    def __init__(self, available: int, reason: str) -> None:
        super().__init__(f"Clusters available replicas {available} are not enough to schedule.")
        self.reason = reason


class CrashError(SelectionError):
    """A request on which the real scheduler of that release crashes. The lab reports it and goes on.

    Attributes:
        panic: the text with which Karmada's process dies.
    """

    panic = "runtime error: integer divide by zero"

    def __init__(self, field: str, group: str, replicas: int) -> None:
        super().__init__(
            f"{field} {group!r}: none of its clusters can hold all {replicas} replicas of a Duplicated workload; "
            f"Karmada v1.13 divides by zero here and its scheduler crashes. Leave the {field} out of the affinity, "
            f"ask for fewer replicas, or use profile v1.18, where such a {field} just scores 0"
        )


class PluginError(RuntimeError):
    """A plugin raised, or answered with something that is no answer. Names the plugin and the cluster.

    Not a `ScheduleError`: it says nothing about the binding, so it is raised and never becomes a condition. And not one
    of the library's own errors: it is a defect, which ends the run of a strict lab.
    """

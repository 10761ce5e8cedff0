"""Check 35.2: four control planes, three of them with a controller that forgets something; and who it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Any

from karmadalab.analysis import record, task_bands
from karmadalab.api.cluster import Cluster
from karmadalab.api.meta import replace
from karmadalab.api.work import EXECUTION_FINALIZER, AnyBinding, Work
from karmadalab.controllers import binding, execution, graceful_eviction
from karmadalab.controllers.graceful_eviction import Assessment
from karmadalab.core.controller import DONE, Result
from karmadalab.core.member import MemberCluster
from karmadalab.lab import Lab
from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.double.story import Double, asked_at, gone_at, partition
from karmadalab.teaching.verdict import Finding

CASES = ("A", "B", "C", "D")
SUSPECTS = (binding.NAME, execution.NAME, graceful_eviction.NAME, None)
OUTAGE_S = 300.0


class _NeverDeletes(binding.BindingController):
    """Forgets that a Work for a cluster that is not in the binding is one too many."""

    def _delete(self, work: Work) -> None:
        pass


class _LetsGo(execution.ExecutionController):
    """Takes its finalizer off although the member was never told."""

    def _undo(self, work: Work, cluster: Cluster, member: MemberCluster) -> Result:
        finalizers = tuple(f for f in work.metadata.finalizers if f != EXECUTION_FINALIZER)
        self._client.update(replace(work, metadata=replace(work.metadata, finalizers=finalizers)))
        return DONE


def _never_ends(one: AnyBinding, timeout_s: float, now: float) -> Assessment:
    """Takes a task that is stamped for one that stays."""
    fresh = replace(one, status=replace(one.status, schedulerObservedGeneration=-1))
    return graceful_eviction.assess_eviction_tasks(fresh, float("inf"), now)


def _become(name: str, kind: type, lab: Lab) -> None:
    """The running controller behaves as another class from now on; what it knows stays."""
    lab.world.control_plane.controller_manager.controller(name).__class__ = kind


def _assess_for_ever(lab: Lab) -> None:
    lab.world.control_plane.controller_manager.controller(graceful_eviction.NAME).assess = _never_ends


_CHANGES: Mapping[str | None, Callable[[Lab], object] | None] = {
    binding.NAME: partial(_become, binding.NAME, _NeverDeletes),
    execution.NAME: partial(_become, execution.NAME, _LetsGo),
    graceful_eviction.NAME: _assess_for_ever,
    None: None,
}


def case_of(name: str, own: Double | None = None) -> Lab:
    """The run of a case: m1 is cut off for five minutes, and you look for an hour.

    Args:
        name: A, B, C or D.
        own: the learner's numbers; they say which case is which.
    """
    return partition(OUTAGE_S, change=_CHANGES[_culprit(name, own)])


def _culprit(name: str, own: Double | None) -> str | None:
    order = Random(f"{own or Double()!r}").sample(SUSPECTS, len(SUSPECTS))
    return order[CASES.index(name)]


def judge(answer: Callable[[], Any], own: Double | None = None) -> Finding | None:
    """Whether everybody is accused of what they did; the innocent get a witness."""
    said = called(answer)
    if not isinstance(said, Mapping) or set(said) != set(CASES):
        why = "for each of A, B, C and D the name of a controller, or None."
        return Finding(f"you return {said!r:.80}.", why, "`SUSPECTS`.")
    for name in CASES:
        accused = said[name]
        if accused not in SUSPECTS:
            why = f"the suspects are {', '.join(str(s) for s in SUSPECTS)}."
            return Finding(f"case {name}: {accused!r} is no suspect.", why, "the names in `SUSPECTS`.")
        if accused != _culprit(name, own):
            what = f"case {name}: you accuse {accused or 'nobody'}."
            return Finding(what, *_witness(accused, case_of(name, own)))
    return None


def _witness(accused: str | None, lab: Lab) -> tuple[str, str]:
    """What speaks for the accused."""
    asked_s, gone_s = asked_at(lab), gone_at(lab)
    if accused is None:
        return "the old copy still serves at the end of the hour.", "the last event that should have another after it."
    if accused == graceful_eviction.NAME:
        [task] = task_bands(record(lab))
        return f"its task ended at {task.end_s:.0f} s, when m2 served.", "what should have come after that."
    if accused == binding.NAME and asked_s is not None:
        return f"it asked for the deletion of the Work of m1 at {asked_s:.0f} s.", "what became of that Work."
    if accused == binding.NAME:
        return "a Work must stay while its cluster has a task, and it has one still.", "`gracefulEvictionTasks`."
    if gone_s is not None:
        return f"it deleted the copy in m1 at {gone_s:.0f} s, at its first try after Ready.", "35.1."
    return "nobody asked it to delete anything: the Work of m1 has no deletionTimestamp.", "who should have asked."

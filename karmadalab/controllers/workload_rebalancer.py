"""workload-rebalancer-controller: place workloads as if they were new.

What was moved by a failover does not move back by itself. A WorkloadRebalancer names workloads; this controller stamps
their bindings with its own creation time, and the scheduler then places them afresh. That a workload is reported as
Successful means no more than that its binding was told.

Mirrors pkg/controllers/workloadrebalancer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from karmadalab.api.apps import ObservedWorkload, WorkloadRebalancer, WorkloadRebalancerStatus, WorkloadReference
from karmadalab.api.errors import ApiError
from karmadalab.api.meta import replace
from karmadalab.api.naming import binding_name
from karmadalab.api.time import Time
from karmadalab.api.work import AnyBinding, ClusterResourceBinding, ResourceBinding
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "workload-rebalancer-controller"
SUCCESSFUL, FAILED = "Successful", "Failed"
BINDING_NOT_FOUND = "ReferencedBindingNotFound"


# --- decisions -------------------------------------------------------------------------------------------------------


def workloads_to_observe(rebalancer: WorkloadRebalancer) -> tuple[ObservedWorkload, ...]:
    """The workloads of the spec with the results they have already, sorted.

    One that was taken out of the spec keeps its place if it had a result.
    """
    known = {item.workload: item for item in rebalancer.status.observedWorkloads if item.result}
    wanted = {workload: ObservedWorkload(workload) for workload in rebalancer.spec.workloads}
    return tuple(sorted((wanted | known).values(), key=lambda item: _order(item.workload)))


def _order(workload: WorkloadReference) -> tuple[str, ...]:
    return workload.apiVersion, workload.kind, workload.namespace, workload.name


def asks_again(rebalancer: WorkloadRebalancer, binding: AnyBinding) -> bool:
    """Whether the binding has not been rescheduled since the rebalancer was created."""
    created, last = rebalancer.metadata.creationTimestamp, binding.spec.rescheduleTriggeredAt
    return created is not None and (last is None or created > last)


def status_after(
    rebalancer: WorkloadRebalancer, items: tuple[ObservedWorkload, ...], now: float
) -> WorkloadRebalancerStatus:
    """The status after a round. It is finished when every workload has a result.

    A changed spec begins anew, and so does each round of a rebalancer without workloads.
    """
    status, generation = rebalancer.status, rebalancer.metadata.generation
    goes_on = bool(status.observedWorkloads) and status.observedGeneration == generation
    finished = status.finishTime if goes_on else None
    if finished is None and all(item.result for item in items):
        finished = Time(now)
    return WorkloadRebalancerStatus(items, generation, finished)


# --- the controller --------------------------------------------------------------------------------------------------


class WorkloadRebalancerController:
    """The reconciler."""

    name = NAME

    def __init__(self, manager: Manager, store: Store) -> None:
        self._store = store
        self._now: Callable[[], float] = manager.clock.now

    def watches(self) -> Sequence[Watch]:
        """Rebalancers whose spec changed."""
        return [Watch(self._store, WorkloadRebalancer, self._event)]

    @staticmethod
    def _event(event: str, old: Any, new: Any) -> Sequence[Request]:
        if event == "DELETED" or (old is not None and old.metadata.generation == new.metadata.generation):
            return ()
        return (Request("", new.metadata.name),)

    def reconcile(self, request: Request) -> Result:
        """Tell the bindings, write down what came of it, and go when the time to live is over."""
        rebalancer: WorkloadRebalancer | None = self._store.find(WorkloadRebalancer, request.name)
        if rebalancer is None or rebalancer.metadata.deletionTimestamp is not None:
            return DONE
        items = tuple(self._told(rebalancer, item) for item in workloads_to_observe(rebalancer))
        status = status_after(rebalancer, items, self._now())
        written = rebalancer
        if status != rebalancer.status:
            written = self._store.update_status(replace(rebalancer, status=status))
        unknown = sum(not item.result for item in items)
        if unknown:
            raise Retry(f"{len(items) - unknown} resource reschedule triggered successfully, {unknown} will be retried")
        return self._leave(rebalancer, written)

    def _told(self, rebalancer: WorkloadRebalancer, item: ObservedWorkload) -> ObservedWorkload:
        """The item with its result; without one when the write failed and is to be tried again."""
        if item.result:
            return item
        workload = item.workload
        kind: type[AnyBinding] = ResourceBinding if workload.namespace else ClusterResourceBinding
        binding: AnyBinding | None = self._store.find(
            kind, binding_name(workload.kind, workload.name), workload.namespace
        )
        if binding is None:
            return replace(item, result=FAILED, reason=BINDING_NOT_FOUND)
        if asks_again(rebalancer, binding):
            spec = replace(binding.spec, rescheduleTriggeredAt=rebalancer.metadata.creationTimestamp)
            try:
                self._store.update(replace(binding, spec=spec))
            except ApiError:
                return item
        return replace(item, result=SUCCESSFUL)

    def _leave(self, seen: WorkloadRebalancer, written: WorkloadRebalancer) -> Result:
        """Delete a finished rebalancer when its time is over.

        Raises:
            Retry: its status was written in this very round; the deletion insists on the version seen before that.
        """
        ttl_s, finished = written.spec.ttlSecondsAfterFinished, written.status.finishTime
        if ttl_s is None or finished is None:
            return DONE
        left_s = finished + ttl_s - self._now()
        if left_s > 0:
            return Result(left_s)
        name, versions = seen.metadata.name, (seen.metadata.resourceVersion, written.metadata.resourceVersion)
        if versions[0] != versions[1]:
            raise Retry(
                f'Operation cannot be fulfilled on workloadrebalancers.apps.karmada.io "{name}": the ResourceVersion '
                f"in the precondition ({versions[0]}) does not match the ResourceVersion in record ({versions[1]}). "
                "The object might have been modified"
            )
        self._store.delete(WorkloadRebalancer, name)
        return DONE

"""karmada-scheduler: looks at bindings, decides where they go, and writes it down.

It wakes when a binding's spec changes, and when a cluster changes that a binding could use. Whether it then decides at
all is in `reschedule`, what it decides in `scheduler`, what is written in `plan`; here is only the reading and writing.

Mirrors `pkg/scheduler/scheduler.go` and `event_handler.go`. As there, a cluster that is merely new wakes nobody: it is
tainted until it is Ready, and losing that taint is the change that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from karmadalab.api.affinity import cluster_matches
from karmadalab.api.cluster import Cluster
from karmadalab.api.errors import NotFound
from karmadalab.api.meta import condition, replace, set_condition
from karmadalab.api.policy import APPLIED_PLACEMENT_ANNOTATION, ClusterAffinity
from karmadalab.api.scheme import AnyObject
from karmadalab.api.time import Time
from karmadalab.api.work import (
    BINDING_KINDS,
    SCHEDULED,
    AnyBinding,
    ClusterResourceBinding,
    ResourceBinding,
    ResourceBindingStatus,
)
from karmadalab.core.client import MODIFIED, Client
from karmadalab.core.controller import DONE, Mapper, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.scheduler.applied_placement import applied_placement
from karmadalab.scheduler.explanation import Explanation
from karmadalab.scheduler.plan import Plan, plan
from karmadalab.scheduler.reschedule import trigger_of
from karmadalab.scheduler.scheduler import Scheduler
from karmadalab.scheduler.snapshot import Snapshot

NAME = DEFAULT_SCHEDULER = "default-scheduler"


class SchedulerController:
    """The reconciler of both kinds of bindings; `Request.kind` says which.

    Args:
        manager: the process; its settings fill in what `scheduler` leaves open.
        client: the control plane.
        scheduler: decides; None takes Karmada's plugins.
        rng: for the coin flips of a scheduler that brings no generator; None means stable choices.
    """

    name = NAME

    def __init__(
        self, manager: Manager, client: Client, scheduler: Scheduler | None = None, rng: Random | None = None
    ) -> None:
        settings = manager.settings
        self.scheduler = (scheduler or Scheduler()).completed(
            profile=settings.profile,
            enable_empty_workload_propagation=settings.enable_empty_workload_propagation,
            rng=rng,
        )
        self.plans: dict[Request, Plan] = {}
        self._client = client
        self._trace = manager.trace
        self._now: Callable[[], float] = manager.clock.now
        self._snapshot = Snapshot(())
        self._snapshot_is_old = True

    # --- what wakes it

    def watches(self) -> Sequence[Watch]:
        """Bindings of both kinds, and clusters."""
        bindings = [Watch(self._client, kind, _binding_changed(kind.GROUP_KIND)) for kind in BINDING_KINDS]
        return [*bindings, Watch(self._client, Cluster, self._cluster_changed)]

    def _cluster_changed(self, event: str, old: AnyObject | None, new: AnyObject) -> Sequence[Request]:
        """All bindings that could use the cluster as it is or was, if its labels or its spec changed."""
        self._snapshot_is_old = True
        if event != MODIFIED or not isinstance(old, Cluster) or not isinstance(new, Cluster):
            return ()
        if old.metadata.generation == new.metadata.generation and old.metadata.labels == new.metadata.labels:
            return ()
        return [
            _request(binding)
            for binding in self._bindings()
            if is_ours(binding) and could_use(binding, new, old, self.scheduler.behaviour.any_zone_matches)
        ]

    def _bindings(self) -> Iterator[AnyBinding]:
        yield from self._client.list(ResourceBinding)
        yield from self._client.list(ClusterResourceBinding)

    # --- what it does

    def reconcile(self, request: Request) -> Result:
        """Schedule one binding, if there is reason to.

        Raises:
            Retry: there is no way just now, and another try may find one.
        """
        kind = ClusterResourceBinding if request.kind == ClusterResourceBinding.GROUP_KIND else ResourceBinding
        binding: AnyBinding | None = self._client.find(kind, request.name, request.namespace)
        if binding is None:
            self.plans.pop(request, None)
            return DONE
        if not is_ours(binding) or binding.metadata.deletionTimestamp is not None:
            return DONE
        trigger = trigger_of(binding)
        if trigger is None:
            self._write_status(binding, schedulerObservedGeneration=binding.metadata.generation)
            return DONE
        fleet = self._fleet()
        planned = plan(binding.spec, binding.status, lambda spec, status: self.scheduler.schedule(spec, status, fleet))
        self._remember(request, binding, planned)
        verdict = self._trace.cause if _is_old_news(binding, planned) else self._note(binding, planned, trigger)
        with self._trace.acting(self.name, verdict):
            self._write(binding, planned)
        if planned.retry:
            raise Retry(planned.condition.message)
        return DONE

    def _remember(self, request: Request, binding: AnyBinding, planned: Plan) -> None:
        """Keep the plan for whoever asks why; but one that only confirms a placement explains less than its origin."""
        before = self.plans.get(request)
        confirms = planned.error is None and planned.clusters == binding.spec.clusters
        if before is None or before.error is not None or not confirms:
            self.plans[request] = planned

    def explain(self, name: str, namespace: str = "") -> Explanation:
        """Every verdict behind the decision that put a binding where it is, or that failed to.

        Args:
            name: the binding's name.
            namespace: its namespace; "" for a cluster-scoped binding.

        Raises:
            NotFound: nothing was decided about it since this process started.
        """
        kind = ResourceBinding if namespace else ClusterResourceBinding
        latest = self.plans.get(Request(namespace, name, kind.GROUP_KIND))
        if latest is None:
            where = f"{namespace}/{name}" if namespace else name
            raise NotFound(f"the scheduler has decided nothing about {kind.__name__} {where} since it started")
        return latest.decision.explain()

    def _fleet(self) -> Snapshot:
        if self._snapshot_is_old:
            self._snapshot = Snapshot(self._client.list(Cluster), self._snapshot)
            self._snapshot_is_old = False
        return self._snapshot

    def _note(self, binding: AnyBinding, planned: Plan, trigger: str) -> int:
        meta = binding.metadata
        return self._trace.note(
            binding.GROUP_KIND,
            meta.name,
            planned.condition.message,
            namespace=meta.namespace,
            detail={
                "because": str(trigger),
                "reason": planned.condition.reason,
                "affinity": planned.affinity_name,
                "clusters": {target.name: target.replicas for target in planned.clusters or ()},
            },
        )

    def _write(self, binding: AnyBinding, planned: Plan) -> None:
        """First the clusters with the placement they were chosen by, then the status.

        The generation observed is the one the decision was made for, which the first write has already left behind. So
        the binding comes back, and then, with nothing to decide, the status catches up.
        """
        seen, status, now = binding.metadata.generation, binding.status, self._now()
        if planned.clusters is not None and binding.spec.placement is not None:
            annotations = {
                **binding.metadata.annotations,
                APPLIED_PLACEMENT_ANNOTATION: applied_placement(binding.spec.placement),
            }
            changed = replace(
                binding,
                metadata=replace(binding.metadata, annotations=annotations),
                spec=replace(binding.spec, clusters=planned.clusters),
            )
            binding = self._client.update(changed)
        conditions = set_condition(status.conditions, planned.condition, now)
        if planned.error is not None:
            self._write_status(binding, conditions=conditions)
            return
        self._write_status(
            binding,
            conditions=conditions,
            schedulerObservedGeneration=seen,
            schedulerObservingAffinityName=planned.affinity_name,
            lastScheduledTime=Time(now),
        )

    def _write_status(self, binding: AnyBinding, **changes: object) -> None:
        status: ResourceBindingStatus = replace(binding.status, **changes)
        if status != binding.status:
            self._client.update_status(replace(binding, status=status))


def is_ours(binding: AnyBinding) -> bool:
    """Whether this scheduler is to decide: it is named or nobody is, there is a placement, scheduling goes on."""
    spec = binding.spec
    suspended = spec.suspension is not None and bool(spec.suspension.scheduling)
    return spec.placement is not None and not suspended and spec.schedulerName in ("", DEFAULT_SCHEDULER)


def could_use(binding: AnyBinding, cluster: Cluster, before: Cluster, any_zone: bool = False) -> bool:
    """Whether a cluster, as it is or as it was, matches the affinity of a binding.

    With ordered affinities it is the term in use that counts; a binding whose last change was not looked at yet may be
    about to use another one, so it is always taken.
    """
    placement = binding.spec.placement
    if placement is None:
        return False
    affinity: ClusterAffinity | None = placement.clusterAffinity
    if placement.clusterAffinities:
        if binding.status.schedulerObservedGeneration != binding.metadata.generation:
            return True
        observed = binding.status.schedulerObservingAffinityName
        terms = {term.affinityName: term for term in reversed(placement.clusterAffinities)}
        affinity = terms.get(observed, placement.clusterAffinities[0])
    return (
        affinity is None or cluster_matches(cluster, affinity, any_zone) or cluster_matches(before, affinity, any_zone)
    )


def _is_old_news(binding: AnyBinding, planned: Plan) -> bool:
    """Whether this is a retry that ended as before."""
    known, new = condition(binding.status.conditions, SCHEDULED), planned.condition
    return planned.retry and known is not None and (known.reason, known.message) == (new.reason, new.message)


def _request(binding: AnyBinding) -> Request:
    return Request(binding.metadata.namespace, binding.metadata.name, binding.GROUP_KIND)


def _binding_changed(kind: str) -> Mapper:
    """A new binding, or one whose generation moved; what only touches the status is our own echo."""

    def requests(event: str, old: AnyObject | None, new: AnyObject) -> Sequence[Request]:
        if old is not None and event == MODIFIED and old.metadata.generation == new.metadata.generation:
            return ()
        return (Request(new.metadata.namespace, new.metadata.name, kind),)

    return requests

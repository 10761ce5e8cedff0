"""federatedHPA-controller: one autoscaler over the pods of all clusters.

It adds up what a workload's pods use wherever they run, computes replicas as Kubernetes' own autoscaler does, and
writes them into the template; how they are divided is the policy's business. A cluster that isn't Ready is left out.
Replicas in the members may differ from those of the template (a Duplicated workload runs in each cluster), so proposals
are calibrated by the ratio of the two.

Mirrors pkg/controllers/federatedhpa/federatedhpa_controller.go. What a look comes to is decided in `api.hpa_round`.
Not modelled: custom and external metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karmadalab.api.autoscaling import FederatedHPA
from karmadalab.api.claims import claim_in
from karmadalab.api.cluster import Cluster, is_ready
from karmadalab.api.errors import KarmadalabError, NotFound
from karmadalab.api.hpa import Patience, PodMetric
from karmadalab.api.hpa_round import Memory, Round, Target
from karmadalab.api.meta import replace
from karmadalab.api.naming import binding_name
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.api.work import ResourceBinding
from karmadalab.api.workload_rules import selector_of
from karmadalab.core.controller import DONE, Result, Retry, Watch, on_spec_change
from karmadalab.core.manager import Manager
from karmadalab.core.member import Members, PodMetrics
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "federatedHPA-controller"


class FederatedHPAController:
    """The reconciler.

    Args:
        manager, store: the control plane's.
        members: all clusters, the pulling ones too: the way leads through Karmada's proxy.
        metrics: what pods use.
    """

    name = NAME

    def __init__(self, manager: Manager, store: Store, members: Members, metrics: PodMetrics) -> None:
        self._store, self._members, self._metrics = store, members, metrics
        self._settings = settings = manager.settings
        self._now: Callable[[], float] = manager.clock.now
        self._memories: dict[Request, Memory] = {}
        self._patience = Patience(
            settings.horizontal_pod_autoscaler_tolerance,
            settings.horizontal_pod_autoscaler_cpu_initialization_period,
            settings.horizontal_pod_autoscaler_initial_readiness_delay,
        )

    def watches(self) -> Sequence[Watch]:
        """Autoscalers whose spec changed."""
        return [Watch(self._store, FederatedHPA, on_spec_change)]

    def reconcile(self, request: Request) -> Result:
        """Look at the load, scale, and look again after the sync period.

        Raises:
            Retry: the target or its metrics can't be had; the conditions say so.
        """
        hpa: FederatedHPA | None = self._store.find(FederatedHPA, request.name, request.namespace)
        if hpa is None or hpa.metadata.deletionTimestamp is not None:
            self._memories.pop(request, None)
            return DONE
        memory = self._memories.setdefault(request, Memory([], [], []))
        window_s = self._settings.horizontal_pod_autoscaler_downscale_stabilization
        round_ = Round(hpa, self._now(), memory, self._patience, window_s)
        error = ""
        try:
            round_.look(self._target(hpa))
            if round_.wanted is not None:
                self._scale(hpa, round_.wanted)
                round_.rescaled()
        except KarmadalabError as problem:
            error = str(problem)
            round_.failed(error)
        self._store.update_status(replace(hpa, status=round_.status()))
        if error:
            raise Retry(error)
        return Result(self._settings.horizontal_pod_autoscaler_sync_period)

    # --- the target

    def _target(self, hpa: FederatedHPA) -> Target:
        """The template, and what becomes of it in the Ready clusters of its binding.

        Raises:
            NotFound: there is no such template, or no policy has it.
        """
        reference, namespace = hpa.spec.scaleTargetRef, hpa.metadata.namespace
        kind = group_kind(reference.apiVersion, reference.kind)
        template: Unstructured = self._store.get(kind, reference.name, namespace)
        binding = self._store.find(ResourceBinding, binding_name(reference.kind, reference.name), namespace)
        if binding is None or claim_in(template.metadata) is None:
            raise NotFound(f"no binding for {reference.kind} {namespace}/{reference.name}: no policy has claimed it")
        replicas, pods, clusters = 0, [], []
        for target in binding.spec.clusters:
            cluster = self._store.find(Cluster, target.name)
            member = self._members.reach(target.name)
            if cluster is None or member is None or not is_ready(cluster):
                continue
            copy = member.client.find(kind, reference.name, namespace)
            if copy is not None:
                replicas += copy.spec.get("replicas", 0)
                clusters.append(target.name)
                selector = selector_of(copy)
                if selector is not None:
                    mine = member.client.list("Pod", namespace, selector)
                    pods += [_renamed(pod, target.name) for pod in mine]
        return Target(template, replicas, pods, lambda: self._usage(clusters, namespace))

    def _usage(self, clusters: Sequence[str], namespace: str) -> dict[str, PodMetric]:
        found = {}
        for cluster in clusters:
            for name, metric in self._metrics.cpu(cluster, namespace).items():
                found[f"{cluster}/{name}"] = metric
        return found

    def _scale(self, hpa: FederatedHPA, replicas: int) -> None:
        reference = hpa.spec.scaleTargetRef
        kind = group_kind(reference.apiVersion, reference.kind)
        template = self._store.get(kind, reference.name, hpa.metadata.namespace)
        self._store.update(template.with_spec(replicas=replicas))


def _renamed(pod: Unstructured, cluster: str) -> Unstructured:
    return replace(pod, metadata=replace(pod.metadata, name=f"{cluster}/{pod.metadata.name}"))

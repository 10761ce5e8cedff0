"""The control plane put together: which processes there are, and which controllers run in each.

The tables below are the whole wiring. A process that is stopped and started is built anew from them, with nothing in
its memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, TypeVar

from karmadalab.api.cluster import Cluster, execution_namespace
from karmadalab.api.errors import BadRequest, shortly
from karmadalab.api.hpa import NoMetric, PodMetric
from karmadalab.api.scheme import RESOURCE_TYPES
from karmadalab.api.work import ClusterResourceBinding, ResourceBinding
from karmadalab.controllers.application_failover import ApplicationFailoverController
from karmadalab.controllers.binding import BindingController
from karmadalab.controllers.binding_status import BindingStatusController
from karmadalab.controllers.cluster import ClusterController
from karmadalab.controllers.cluster_status import ClusterStatusController, ThresholdFilter, threshold_adjusted
from karmadalab.controllers.cluster_taint_policy import ClusterTaintPolicyController
from karmadalab.controllers.cron_federated_hpa import CronFederatedHPAController
from karmadalab.controllers.dependencies_distributor import DependenciesDistributor
from karmadalab.controllers.deployment_replicas_syncer import DeploymentReplicasSyncer
from karmadalab.controllers.detector import ResourceDetector
from karmadalab.controllers.endpoint_slice import EndpointSliceController
from karmadalab.controllers.endpoint_slice_collect import EndpointSliceCollectController
from karmadalab.controllers.endpoint_slice_dispatch import EndpointSliceDispatchController
from karmadalab.controllers.execution import ExecutionController
from karmadalab.controllers.federated_hpa import FederatedHPAController
from karmadalab.controllers.graceful_eviction import GracefulEvictionController
from karmadalab.controllers.hpa_scale_target_marker import HPAScaleTargetMarker
from karmadalab.controllers.lease import LeaseController
from karmadalab.controllers.multi_cluster_service import MultiClusterServiceController
from karmadalab.controllers.namespace_sync import NamespaceSyncController
from karmadalab.controllers.policy import PolicyController
from karmadalab.controllers.remedy import RemedyController
from karmadalab.controllers.service_export import ServiceExportController
from karmadalab.controllers.service_import import ServiceImportController
from karmadalab.controllers.taint_manager import BindingEviction, TaintManager
from karmadalab.controllers.unified_auth import UnifiedAuthController
from karmadalab.controllers.work_status import WorkStatusController
from karmadalab.controllers.workload_rebalancer import WorkloadRebalancerController
from karmadalab.core.client import Client
from karmadalab.core.clock import VirtualClock
from karmadalab.core.controller import Reconciler
from karmadalab.core.indexes import add_indexes
from karmadalab.core.manager import Manager
from karmadalab.core.member import ClientFailed, MemberCluster, PodMetrics
from karmadalab.core.settings import Settings
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace
from karmadalab.core.unsettled import unsettled
from karmadalab.environments.api_server import ApiServer
from karmadalab.environments.phases import Phases
from karmadalab.interpreter import Interpreter
from karmadalab.interpreter.object_watcher import ObjectWatcher
from karmadalab.scheduler import Scheduler
from karmadalab.scheduler.controller import SchedulerController
from karmadalab.webhook import Admission

CONTROLLER_MANAGER, SCHEDULER = "karmada-controller-manager", "karmada-scheduler"

# An agent that was started anew lists everything before it posts a status (measured: it took 19 s in all, of which 17 s
# were spent waiting for the leader lease of its predecessor).
AGENT_RESTART_S = 1.5

# Kinds the cluster itself makes, or that never travel.
_NOT_TEMPLATES = frozenset(("Node", "Pod", "Event", "ReplicaSet.apps"))
TEMPLATE_KINDS = tuple(rt.group_kind for rt in RESOURCE_TYPES if rt.cls is None and rt.group_kind not in _NOT_TEMPLATES)

T = TypeVar("T")


class Reach:
    """The members that a process can reach, by name.

    Args:
        credentials: where the Secrets are that a client is made with; None for an agent, which has its own.
    """

    def __init__(self, members: Mapping[str, MemberCluster], credentials: Store | None = None) -> None:
        self._members, self._credentials = members, credentials

    def reach(self, name: str) -> MemberCluster | None:
        """The member, None when another process talks to it.

        Raises:
            ClientFailed: its Secret is gone.
        """
        member = self._members.get(name)
        if member is not None and self._credentials is not None:
            cluster = self._credentials.find(Cluster, name)
            secret = cluster.spec.secretRef if cluster is not None else None
            if secret is not None and self._credentials.find("Secret", secret.name, secret.namespace) is None:
                raise ClientFailed(f'Secret "{secret.name}" not found')
        return member


class NoMetrics:
    """Members without a metrics API."""

    def cpu(self, cluster: str, namespace: str) -> Mapping[str, PodMetric]:
        """Raises `NoMetric`."""
        raise NoMetric(f"{cluster} has no metrics API")


class ControlPlane:
    """The API server and the processes around it.

    Args:
        clock, trace, settings: the lab's.
        phases: when the loops fall and how quick the processes are.
        rng: the lab's generator: permanent ids, jitter.
        chance: where the scheduler's coin flips come from; None makes them stable choices.
        scheduler: the scheduling pipeline; students bring their own plugins.
        threshold: the filter between a probe's answer and the Ready condition; students bring their own.
        interpreter: what kinds mean.
        strict: whether an unexpected exception in a controller ends the run.
    """

    def __init__(
        self,
        clock: VirtualClock,
        trace: Trace,
        settings: Settings,
        phases: Phases,
        rng: Random,
        chance: Random | None = None,
        scheduler: Scheduler | None = None,
        threshold: ThresholdFilter | None = None,
        interpreter: Interpreter | None = None,
        strict: bool = True,
    ) -> None:
        self.clock, self.trace, self.settings, self.rng, self.strict = clock, trace, settings, rng, strict
        interpreter = Interpreter(settings.profile) if interpreter is None else interpreter
        self.interpreter = _itself("interpreter", interpreter, Interpreter, "an Interpreter with your kinds in it")
        self.chance = chance
        if scheduler is not None:
            _itself("scheduler", scheduler, Scheduler, "a Scheduler with your plugins in it")
        self.scheduler = scheduler
        if threshold is not None and not callable(threshold):
            raise BadRequest(f"threshold: expected a function like threshold_adjusted, got {shortly(threshold)}")
        self.threshold = threshold or threshold_adjusted
        self.push_members: dict[str, MemberCluster] = {}
        self.proxied_members: dict[str, MemberCluster] = {}  # all of them, by way of Karmada's proxy
        self.metrics: PodMetrics = NoMetrics()
        self.phases = _itself("phases", phases, Phases, "Phases(...)")
        clock.restless = lambda: unsettled(trace.rows, clock.now())
        self.store = ApiServer(clock, trace, admit=self._admission().admit).store
        add_indexes(self.store)
        self.controller_manager = self.process(CONTROLLER_MANAGER, self._controllers)
        self.scheduler_process = self.process(SCHEDULER, self._scheduler, phases.scheduler_latency_s)

    def _admission(self) -> Admission:
        settings = self.settings
        tolerates = settings.profile == "v1.13"
        return Admission(
            new_id=lambda: _uuid(self.rng),
            now=self.clock.now,
            default_not_ready_toleration_seconds=settings.default_not_ready_toleration_seconds if tolerates else None,
            default_unreachable_toleration_seconds=(
                settings.default_unreachable_toleration_seconds if tolerates else None
            ),
            resource_modeling=settings.gate("CustomizedClusterResourceModeling"),
            allow_no_execute_taint_policy=settings.allow_no_execute_taint_policy,
            profile=settings.profile,
        )

    def process(
        self, name: str, build: Callable[[Manager], Sequence[Reconciler]], latency_s: float | None = None
    ) -> Manager:
        """A process with the lab's clock, trace and settings; it is not started yet."""
        latency_s = self.phases.latency_s if latency_s is None else latency_s
        return Manager(name, self.clock, self.trace, self.settings, build, self.strict, latency_s)

    def _controllers(self, manager: Manager) -> Sequence[Reconciler]:
        """karmada-controller-manager."""
        store, interpreter, members = self.store, self.interpreter, Reach(self.push_members, self.store)
        objects = ObjectWatcher(interpreter)
        return [
            ClusterController(manager, store, self._until_next_tick() if manager.starts == 1 else 0.0),
            ClusterStatusController(manager, store, members, adjust=self.threshold),
            NamespaceSyncController(manager, store),
            PolicyController(manager, store),
            ResourceDetector(manager, store, interpreter, TEMPLATE_KINDS),
            BindingController(manager, store, interpreter),
            ExecutionController(manager, store, members, objects),
            WorkStatusController(manager, store, members, interpreter, objects),
            BindingStatusController(manager, store, interpreter),
            ServiceExportController(manager, store, members),
            EndpointSliceController(store),
            ServiceImportController(store),
            TaintManager(manager, store, self.phases.eviction_order),
            BindingEviction(manager, store, ResourceBinding, self.phases.eviction_s),
            BindingEviction(manager, store, ClusterResourceBinding, self.phases.eviction_s),
            GracefulEvictionController(manager, store),
            ApplicationFailoverController(manager, store, interpreter),
            DependenciesDistributor(manager, store, interpreter),
            WorkloadRebalancerController(manager, store),
            RemedyController(store),
            ClusterTaintPolicyController(manager, store),
            FederatedHPAController(manager, store, Reach(self.proxied_members), self.metrics),
            CronFederatedHPAController(manager, store),
            *self._multi_cluster_services(manager, members),
            *self._optional(store),
        ]

    def _multi_cluster_services(self, manager: Manager, members: Reach) -> Sequence[Reconciler]:
        """What the gate `MultiClusterService` adds."""
        if not self.settings.gate("MultiClusterService"):
            return []
        return [
            MultiClusterServiceController(manager, self.store),
            EndpointSliceCollectController(manager, self.store, members),
            EndpointSliceDispatchController(manager, self.store),
        ]

    def _optional(self, store: Store) -> Sequence[Reconciler]:
        """Controllers that Karmada, or the lab, leaves out unless `--controllers` names them."""
        names = {name.strip() for name in self.settings.controllers.split(",")}
        makers: dict[str, Callable[[Store], Reconciler]] = {
            "hpaScaleTargetMarker": HPAScaleTargetMarker,
            "deploymentReplicasSyncer": DeploymentReplicasSyncer,
            "unifiedAuth": UnifiedAuthController,
        }
        return [make(store) for name, make in makers.items() if name in names]

    def _until_next_tick(self) -> float:
        """The monitor ticks at `phases.monitor_s` modulo its period; after a restart, from that moment on."""
        period_s = self.settings.cluster_monitor_period
        return (self.phases.monitor_s - self.clock.elapsed()) % period_s

    def _scheduler(self, manager: Manager) -> Sequence[Reconciler]:
        """karmada-scheduler."""
        return [SchedulerController(manager, self.store, self.scheduler, self.chance)]

    def agent(self, name: str, client: Client, member: MemberCluster) -> Manager:
        """karmada-agent of a pull cluster: what it runs, with the control plane at the end of `client`."""

        def build(manager: Manager) -> Sequence[Reconciler]:
            members = Reach({name: member})
            lease = LeaseController(manager, client, self.rng if self.phases.jitter else None)
            status = ClusterStatusController(
                manager, client, members, lease.begin, self.threshold, AGENT_RESTART_S if manager.starts > 1 else 0.0
            )
            namespace = execution_namespace(name)
            objects = ObjectWatcher(self.interpreter)
            execution = ExecutionController(manager, client, members, objects, namespace)
            report = WorkStatusController(manager, client, members, self.interpreter, objects, namespace)
            export = ServiceExportController(manager, client, members, namespace)
            if not self.settings.gate("MultiClusterService"):
                return [status, lease, execution, report, export]
            collect = EndpointSliceCollectController(manager, client, members, namespace)
            return [status, lease, execution, report, export, collect]

        return self.process(f"karmada-agent@{name}", build)


def _uuid(rng: Random) -> str:
    digits = f"{rng.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def _itself(name: str, part: Any, cls: type[T], like: str) -> T:
    """A part that somebody plugs in."""
    if isinstance(part, type):
        raise BadRequest(f"{name}: is the class {part.__name__}; make an object of it: {part.__name__}()")
    if not isinstance(part, cls):
        raise BadRequest(f"{name}: expected {like}, got {shortly(part)}")
    return part

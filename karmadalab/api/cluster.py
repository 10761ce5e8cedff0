"""cluster.karmada.io: a member cluster as the control plane knows it."""

from __future__ import annotations

from typing import ClassVar

from karmadalab.api.meta import NO_EXECUTE, NO_SCHEDULE, Condition, Data, Resource, Taint, condition

PUSH, PULL = "Push", "Pull"

READY = "Ready"
COMPLETE_API_ENABLEMENTS = "CompleteAPIEnablements"

TAINT_NOT_READY = "cluster.karmada.io/not-ready"
TAINT_UNREACHABLE = "cluster.karmada.io/unreachable"
TAINT_TERMINATING = "cluster.karmada.io/terminating"

NOT_READY_NO_SCHEDULE = Taint(key=TAINT_NOT_READY, effect=NO_SCHEDULE)
UNREACHABLE_NO_SCHEDULE = Taint(key=TAINT_UNREACHABLE, effect=NO_SCHEDULE)
NOT_READY_NO_EXECUTE = Taint(key=TAINT_NOT_READY, effect=NO_EXECUTE)
UNREACHABLE_NO_EXECUTE = Taint(key=TAINT_UNREACHABLE, effect=NO_EXECUTE)
TERMINATING_NO_EXECUTE = Taint(key=TAINT_TERMINATING, effect=NO_EXECUTE)

CLUSTER_FINALIZER = "karmada.io/cluster-controller"
LEASE_NAMESPACE = "karmada-cluster"
EXECUTION_NAMESPACE_PREFIX = "karmada-es-"

Quantity = str | int | float


class LocalSecretReference(Data):
    namespace: str = ""
    name: str = ""


class ResourceModelRange(Data):
    name: str
    min: Quantity
    max: Quantity


class ResourceModel(Data, omit_defaults=False):  # the smallest grade is 0, and Karmada writes it
    grade: int = 0
    ranges: tuple[ResourceModelRange, ...] = ()


class ClusterSpec(Data, kw_only=True):
    id: str = ""
    syncMode: str = ""
    apiEndpoint: str = ""
    secretRef: LocalSecretReference | None = None
    impersonatorSecretRef: LocalSecretReference | None = None
    insecureSkipTLSVerification: bool = False
    proxyURL: str = ""
    proxyHeader: dict[str, str] = {}
    provider: str = ""
    region: str = ""
    zone: str = ""
    zones: tuple[str, ...] = ()
    taints: tuple[Taint, ...] = ()
    resourceModels: tuple[ResourceModel, ...] = ()


class APIResource(Data):
    name: str
    kind: str


class APIEnablement(Data):
    groupVersion: str
    resources: tuple[APIResource, ...] = ()


class NodeSummary(Data):
    totalNum: int = 0
    readyNum: int = 0


class AllocatableModeling(Data):
    grade: int
    count: int


class ResourceSummary(Data):
    allocatable: dict[str, Quantity] = {}
    allocating: dict[str, Quantity] = {}
    allocated: dict[str, Quantity] = {}
    allocatableModelings: tuple[AllocatableModeling, ...] = ()


class ClusterStatus(Data):
    kubernetesVersion: str = ""
    apiEnablements: tuple[APIEnablement, ...] = ()
    conditions: tuple[Condition, ...] = ()
    nodeSummary: NodeSummary | None = None
    resourceSummary: ResourceSummary | None = None
    remedyActions: tuple[str, ...] = ()


class Cluster(Resource, kw_only=True):
    """A member cluster. Its taints are in `spec`, its Ready condition in `status`."""

    GROUP_KIND: ClassVar[str] = "Cluster.cluster.karmada.io"

    apiVersion: str = "cluster.karmada.io/v1alpha1"
    kind: str = "Cluster"
    spec: ClusterSpec = ClusterSpec()
    status: ClusterStatus = ClusterStatus()

    def summary(self) -> str:
        ready = condition(self.status.conditions, READY)
        taints = ", ".join(str(taint).removeprefix("cluster.karmada.io/") for taint in self.spec.taints)
        return f" {self.spec.syncMode} Ready={ready.status if ready else 'never'} taints=[{taints}]"


def ready_condition(cluster: Cluster) -> Condition | None:
    """The Ready condition, None when the cluster never reported one."""
    return condition(cluster.status.conditions, READY)


def is_ready(cluster: Cluster) -> bool:
    """Whether Ready is True."""
    ready = ready_condition(cluster)
    return ready is not None and ready.status == "True"


def execution_namespace(cluster_name: str) -> str:
    """Where the Works of a cluster live.

    >>> execution_namespace("member1")
    'karmada-es-member1'
    """
    return EXECUTION_NAMESPACE_PREFIX + cluster_name


def cluster_of_namespace(namespace: str) -> str | None:
    """The cluster an execution namespace belongs to, None for other namespaces."""
    name = namespace.removeprefix(EXECUTION_NAMESPACE_PREFIX)
    return name if name and name != namespace else None

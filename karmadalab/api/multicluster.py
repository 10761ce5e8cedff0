"""networking.karmada.io: services and ingresses that reach over clusters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from karmadalab.api.meta import ABSENT, Condition, Data, Resource

CROSS_CLUSTER, LOAD_BALANCER = "CrossCluster", "LoadBalancer"

MULTI_CLUSTER_SERVICE_ID_LABEL = "multiclusterservice.karmada.io/permanent-id"
MULTI_CLUSTER_SERVICE_NAMESPACE = "multiclusterservice.karmada.io/namespace"  # a label of Works, else an annotation
MULTI_CLUSTER_SERVICE_NAME = "multiclusterservice.karmada.io/name"
MULTI_CLUSTER_SERVICE_FINALIZER = "karmada.io/multiclusterservice-controller"
BINDING_MANAGED_BY_LABEL = "binding.karmada.io/managed-by"

SERVICE_APPLIED, ENDPOINT_SLICE_DISPATCHED = "ServiceApplied", "EndpointSliceDispatched"


class ExposurePort(Data):
    name: str = ""
    port: int = 0


class ExposureRange(Data):
    clusterNames: tuple[str, ...] = ()


class ClusterSelector(Data):
    name: str = ""


class MultiClusterServiceSpec(Data):
    """No provider or consumer named means all clusters. The last three fields are deprecated."""

    types: tuple[str, ...] = ABSENT
    ports: tuple[ExposurePort, ...] = ()
    providerClusters: tuple[ClusterSelector, ...] = ()
    consumerClusters: tuple[ClusterSelector, ...] = ()
    range: ExposureRange = ExposureRange()
    serviceProvisionClusters: tuple[str, ...] = ()
    serviceConsumptionClusters: tuple[str, ...] = ()


class MultiClusterServiceStatus(Data):
    loadBalancer: dict[str, Any] = {}
    conditions: tuple[Condition, ...] = ()


class MultiClusterService(Resource, kw_only=True):
    """A Service of the same name whose endpoints in some clusters are reachable from others."""

    GROUP_KIND: ClassVar[str] = "MultiClusterService.networking.karmada.io"

    apiVersion: str = "networking.karmada.io/v1alpha1"
    kind: str = "MultiClusterService"
    spec: MultiClusterServiceSpec = MultiClusterServiceSpec()
    status: MultiClusterServiceStatus = MultiClusterServiceStatus()


def provider_clusters(service: MultiClusterService, known: Iterable[str]) -> frozenset[str]:
    """The clusters whose endpoints are to be reached; all that are known when none is named."""
    return frozenset(item.name for item in service.spec.providerClusters) or frozenset(known)


def consumer_clusters(service: MultiClusterService, known: Iterable[str]) -> frozenset[str]:
    """The clusters from which they are to be reached; all that are known when none is named."""
    return frozenset(item.name for item in service.spec.consumerClusters) or frozenset(known)


class MultiClusterIngressSpec(Data):
    ingressClassName: str | None = None
    defaultBackend: dict[str, Any] | None = None
    tls: tuple[dict[str, Any], ...] = ()
    rules: tuple[dict[str, Any], ...] = ()


class MultiClusterIngress(Resource, kw_only=True):
    """An Ingress over clusters. Karmada itself has no controller for it, others have."""

    GROUP_KIND: ClassVar[str] = "MultiClusterIngress.networking.karmada.io"

    apiVersion: str = "networking.karmada.io/v1alpha1"
    kind: str = "MultiClusterIngress"
    spec: MultiClusterIngressSpec = MultiClusterIngressSpec()
    status: dict[str, Any] = {}

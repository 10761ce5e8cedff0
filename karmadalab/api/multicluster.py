"""networking.karmada.io: services and ingresses that reach over clusters."""

from __future__ import annotations

from typing import Any, ClassVar

from karmadalab.api.meta import ABSENT, Condition, Data, Resource

CROSS_CLUSTER, LOAD_BALANCER = "CrossCluster", "LoadBalancer"

MULTI_CLUSTER_SERVICE_ID_LABEL = "multiclusterservice.karmada.io/permanent-id"


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

"""EndpointSlices on their way between clusters: whose they are, and which Works carry them.

A slice that Kubernetes made in one member is reported to the control plane inside a Work that nobody carries out
(`suppressed`), and goes from there to other members under another name. Two features do so, ServiceExport and
MultiClusterService; a Work that serves both names both in one label, joined by dots.
"""

from __future__ import annotations

from collections.abc import Mapping

from karmadalab.api.unstructured import Unstructured

ENDPOINT_SLICE = "EndpointSlice.discovery.k8s.io"

SERVICE_NAME_LABEL = "kubernetes.io/service-name"
SLICE_MANAGED_BY_LABEL = "endpointslice.kubernetes.io/managed-by"
IMPORTED_BY, DISPATCHED_BY = "endpointslice-controller.karmada.io", "endpointslice-dispatch-controller.karmada.io"

WORK_MANAGED_BY_LABEL = "endpointslice.karmada.io/managed-by"
EXPORT_NAMESPACE_LABEL, EXPORT_NAME_LABEL = "endpointslice.karmada.io/namespace", "endpointslice.karmada.io/name"
PROVIDER_ANNOTATION = "endpointslice.karmada.io/provision-cluster"

COLLECT_FINALIZER = "karmada.io/endpointslice-controller"
DISPATCH_FINALIZER = "karmada.io/mcs-endpointslice-dispatch-controller"

BY_SERVICE_EXPORT, BY_MULTI_CLUSTER_SERVICE = "ServiceExport", "MultiClusterService"


def is_imported(endpoint_slice: Unstructured) -> bool:
    """Whether Karmada brought the slice into this cluster; such a one is not reported back."""
    return endpoint_slice.metadata.labels.get(SLICE_MANAGED_BY_LABEL) in (IMPORTED_BY, DISPATCHED_BY)


def service_of(endpoint_slice: Unstructured) -> str:
    """The Service that the slice belongs to, "" for none."""
    return endpoint_slice.metadata.labels.get(SERVICE_NAME_LABEL, "")


def managers_of(labels: Mapping[str, str]) -> frozenset[str]:
    """The features on whose behalf a Work carries a slice.

    >>> sorted(managers_of({WORK_MANAGED_BY_LABEL: "ServiceExport.MultiClusterService"}))
    ['MultiClusterService', 'ServiceExport']
    """
    return frozenset(filter(None, labels.get(WORK_MANAGED_BY_LABEL, "").split(".")))


def joined(managers: frozenset[str]) -> str:
    """The value of the label that names them; Karmada's order is random, ours is sorted."""
    return ".".join(sorted(managers))

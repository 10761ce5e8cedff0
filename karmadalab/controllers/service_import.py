"""service-import-controller: a Service by which an imported one is reached.

A ServiceImport of type ClusterSetIP gets a Service `derived-<name>` without a selector: its endpoints are the slices
that come from the exporting clusters. Service, import and slices travel together.

Mirrors pkg/controllers/mcs/service_import_controller.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karmadalab.api.meta import ObjectMeta
from karmadalab.api.naming import derived_service_name
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "service-import-controller"
SERVICE, SERVICE_IMPORT = "Service", "ServiceImport.multicluster.x-k8s.io"
CLUSTER_SET_IP = "ClusterSetIP"


def derived_service(service_import: Unstructured) -> Unstructured:
    """The Service of an import: its ports, without where they lead, which is up to the endpoints."""
    fields = ("name", "protocol", "port", "appProtocol")
    ports = [{name: port[name] for name in fields if name in port} for port in service_import.spec.get("ports") or ()]
    meta = service_import.metadata
    metadata = ObjectMeta(name=derived_service_name(meta.name), namespace=meta.namespace)
    return Unstructured("v1", "Service", metadata, {"spec": {"type": "ClusterIP", "ports": ports}})


def derived_status(service_import: Unstructured) -> dict[str, Any]:
    """The status of that Service: the addresses that the import has."""
    addresses = service_import.spec.get("ips") or ()
    return {"loadBalancer": {"ingress": [{"ip": address} for address in addresses]} if addresses else {}}


class ServiceImportController:
    """The reconciler."""

    name = NAME

    def __init__(self, store: Store) -> None:
        self._store = store

    def watches(self) -> Sequence[Watch]:
        """Imports."""
        return [Watch(self._store, SERVICE_IMPORT, self._event)]

    @staticmethod
    def _event(event: str, old: Any, new: Any) -> Sequence[Request]:
        return (Request(new.metadata.namespace, new.metadata.name),)

    def reconcile(self, request: Request) -> Result:
        """Write the derived Service, or delete it when the import is gone."""
        found: Unstructured | None = self._store.find(SERVICE_IMPORT, request.name, request.namespace)
        derived = self._store.find(SERVICE, derived_service_name(request.name), request.namespace)
        if found is None:
            if derived is not None:
                self._store.delete(SERVICE, derived.metadata.name, derived.metadata.namespace)
            return DONE
        if found.metadata.deletionTimestamp is not None or found.spec.get("type") != CLUSTER_SET_IP:
            return DONE
        wanted = derived_service(found)
        if derived is None:
            derived = self._store.create(wanted)
        else:
            derived = self._store.update(derived.with_spec(**wanted.spec))
        self._store.update_status(derived.with_status(derived_status(found)))
        return DONE

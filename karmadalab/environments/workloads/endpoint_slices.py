"""endpointslice-controller: where the pods of a Service are.

One slice a Service, in which every pod that matches the selector and has an address is an endpoint, ready or not. A
Service without a selector gets none: somebody else writes its endpoints, Karmada for example.

Not modelled: more than one slice a Service (a hundred endpoints each), dual stack, topology hints.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.meta import ObjectMeta
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import DELETED
from karmadalab.environments.workloads.pods import POD, is_finished, is_leaving, is_ready, owned_by, owner_of
from karmadalab.environments.workloads.site import Site

ACTOR = "endpointslice-controller"
SERVICE, ENDPOINT_SLICE = "Service", "EndpointSlice.discovery.k8s.io"
SERVICE_NAME, MANAGED_BY = "kubernetes.io/service-name", "endpointslice.kubernetes.io/managed-by"
_US = "endpointslice-controller.k8s.io"


class EndpointSlices:
    """The controller."""

    def __init__(self, site: Site) -> None:
        self._site, self._store = site, site.store
        self._store.watch(SERVICE, self._service_event)
        self._store.watch(ENDPOINT_SLICE, self._slice_event)
        self._store.watch(POD, self._pod_event)

    def _service_event(self, event: str, old: Any, new: Any) -> None:
        if event != DELETED and new.spec.get("selector"):
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, new.metadata.name)

    def _slice_event(self, event: str, old: Any, new: Any) -> None:
        owner = owner_of(new, "Service")
        if event == DELETED and owner is not None:
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, owner.name)

    def _pod_event(self, event: str, old: Any, new: Any) -> None:
        for service in self._store.list(SERVICE, new.metadata.namespace):
            if _selects(service, new):
                self._site.soon(ACTOR, self._sync, new.metadata.namespace, service.metadata.name)

    def resync(self) -> None:
        """Look at all Services."""
        for service in self._store.list(SERVICE):
            self._site.soon(ACTOR, self._sync, service.metadata.namespace, service.metadata.name)

    def _sync(self, namespace: str, name: str) -> None:
        service = self._store.find(SERVICE, name, namespace)
        if service is None or not service.spec.get("selector"):
            return
        pods = [pod for pod in self._store.list(POD, namespace) if _selects(service, pod) and _is_endpoint(pod)]
        body = {
            "addressType": "IPv4",
            "endpoints": [endpoint(pod) for pod in pods] or None,
            "ports": slice_ports(service) if pods else None,
        }
        owned = self._site.owned(ENDPOINT_SLICE, service.metadata.uid)
        if not owned:
            meta = ObjectMeta(
                name=f"{name}-{self._site.suffix()}",
                generateName=f"{name}-",
                namespace=namespace,
                labels={**service.metadata.labels, MANAGED_BY: _US, SERVICE_NAME: name},
                ownerReferences=owned_by(service),
            )
            self._store.create(Unstructured("discovery.k8s.io/v1", "EndpointSlice", meta, body))
        elif owned[0].body != body:
            self._store.update(owned[0].with_body(**body))


def endpoint(pod: Unstructured) -> dict[str, Any]:
    """A pod as an endpoint."""
    meta, ready, leaving = pod.metadata, is_ready(pod), is_leaving(pod)
    return {
        "addresses": [pod.status["podIP"]],
        "conditions": {"ready": ready and not leaving, "serving": ready, "terminating": leaving},
        "targetRef": {"kind": "Pod", "namespace": meta.namespace, "name": meta.name, "uid": meta.uid},
        "nodeName": pod.spec["nodeName"],
    }


def slice_ports(service: Unstructured) -> list[dict[str, Any]]:
    """The ports of the pods behind a Service's ports."""
    return [
        {
            "name": port.get("name", ""),
            "protocol": port.get("protocol", "TCP"),
            "port": port.get("targetPort", port["port"]),
        }
        for port in service.spec.get("ports") or ()
    ]


def _selects(service: Unstructured, pod: Unstructured) -> bool:
    selector, labels = service.spec.get("selector") or {}, pod.metadata.labels
    return bool(selector) and all(labels.get(key) == value for key, value in selector.items())


def _is_endpoint(pod: Unstructured) -> bool:
    return bool(pod.status.get("podIP")) and not is_finished(pod)

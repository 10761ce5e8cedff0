"""Addresses: the template lists those of all members, in cluster order.

An entry without a host name gets the name of its cluster in that place, so that one sees where an IP belongs.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import AggregatedStatusItem
from karmadalab.interpreter.status import with_new_status

Items = tuple[AggregatedStatusItem, ...]


def aggregate_service(template: Unstructured, items: Items, now: float) -> Unstructured:
    """Service: addresses of a load balancer; other types keep the status they have."""
    if template.spec.get("type") != "LoadBalancer":
        return template
    return with_new_status(template, {"loadBalancer": _load_balancer(items)})


def aggregate_ingress(template: Unstructured, items: Items, now: float) -> Unstructured:
    """Ingress: addresses."""
    return with_new_status(template, {"loadBalancer": _load_balancer(items)})


def _load_balancer(items: Items) -> dict[str, Any]:
    ingress = [
        {**entry, "hostname": entry.get("hostname") or item.clusterName}
        for item in items
        for entry in ((item.status or {}).get("loadBalancer") or {}).get("ingress") or ()
    ]
    return {"ingress": ingress} if ingress else {}

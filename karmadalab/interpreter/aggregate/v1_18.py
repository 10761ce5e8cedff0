"""How release v1.18 aggregates differently: addresses without duplicates, and Jobs that keep their start."""

from __future__ import annotations

from typing import Any

from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import AggregatedStatusItem
from karmadalab.interpreter.aggregate.jobs import aggregate_job, finished_as, job_condition
from karmadalab.interpreter.aggregate.workloads import sum_workload
from karmadalab.interpreter.status import put, statuses, with_new_status

Items = tuple[AggregatedStatusItem, ...]
Entry = dict[str, Any]

_REPLICA_SET = ("replicas", "readyReplicas", "availableReplicas")


def aggregate_replica_set(template: Unstructured, items: Items, now: float) -> Unstructured:
    """ReplicaSet: in the manner of a Deployment; `fullyLabeledReplicas` stays as it is."""
    summed = sum_workload(template, items, _REPLICA_SET, ("replicas",))
    if summed is template:
        return template
    return with_new_status(
        template, put(summed.status, {"fullyLabeledReplicas": summed.status.get("fullyLabeledReplicas")})
    )


def aggregate_service(template: Unstructured, items: Items, now: float) -> Unstructured:
    """Service: the addresses of load balancers, each once."""
    if template.spec.get("type") != "LoadBalancer":
        return template
    return with_new_status(template, {"loadBalancer": _load_balancer(items, ("hostname", "ip", "ipMode"))})


def aggregate_ingress(template: Unstructured, items: Items, now: float) -> Unstructured:
    """Ingress: addresses, each once."""
    return with_new_status(template, {"loadBalancer": _load_balancer(items, ("hostname", "ip"))})


def _load_balancer(items: Items, identity: tuple[str, ...]) -> Entry:
    """Entries that are the same but for their ports become one, with all ports."""
    merged: dict[tuple[str, ...], Entry] = {}
    for status in statuses(items):
        for entry in (status.get("loadBalancer") or {}).get("ingress") or ():
            key = tuple(entry.get(field) or "" for field in identity)
            known = merged.setdefault(key, {field: value for field, value in entry.items() if field != "ports"})
            ports = _united(known.get("ports") or [], entry.get("ports") or [])
            if ports:
                known["ports"] = ports
    ordered = [merged[key] for key in sorted(merged, key=_named_first)]
    return {"ingress": ordered} if ordered else {}


def _named_first(key: tuple[str, ...]) -> tuple[object, ...]:
    """By host name, IP and IP mode; in the first and the last, what is empty comes after what is not."""
    hostname, ip, mode = (*key, "")[:3]
    return not hostname, hostname, ip, not mode, mode


def _united(ports: list[Entry], more: list[Entry]) -> list[Entry]:
    united = ports + [port for port in more if port not in ports]
    return sorted(united, key=lambda port: (port.get("port") or 0, port.get("protocol") or ""))


def aggregate_job_keeping_start(template: Unstructured, items: Items, now: float) -> Unstructured:
    """Job: the start is set once, when all members have started; success criteria are reported when all met them."""
    done = aggregate_job(template, items, now)
    if done is template:
        return template
    parts = statuses(items)
    starts = [part["startTime"] for part in parts if part.get("startTime")]
    earliest = min(starts) if starts and len(starts) == len(items) else None
    status = put(done.status, {"startTime": template.status.get("startTime") or earliest})
    if finished_as(status) == "Complete" and all(map(_met_success_criteria, parts)):
        message = "All member clusters have met success criteria"
        met = job_condition("SuccessCriteriaMet", "CompletionsReached", message, now)
        status["conditions"] = [*status["conditions"], met]
    return with_new_status(template, status)


def _met_success_criteria(status: Entry) -> bool:
    conditions = status.get("conditions") or ()
    return any(c.get("type") == "SuccessCriteriaMet" and c.get("status") == "True" for c in conditions)

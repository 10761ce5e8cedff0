"""What an API server writes into native objects by itself, as far as somebody in a fleet reads it.

A Service gets its address, a Namespace the label that selectors find it by, a Job the selector that tells its pods from
others', a Deployment its one replica. Karmada has to cope with each of them: what was generated in the control plane
must not travel to the members, and what was left out counts as what it stands for.

Not modelled: the many defaults that nobody here reads (`imagePullPolicy`, `dnsPolicy`, probes' periods, ...).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

from karmadalab.api.meta import replace
from karmadalab.api.unstructured import Unstructured

NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name"
_REACHED_FROM_OUTSIDE: dict[str, dict[str, Any]] = {
    "NodePort": {"externalTrafficPolicy": "Cluster"},
    "LoadBalancer": {"externalTrafficPolicy": "Cluster", "allocateLoadBalancerNodePorts": True},
}
_KEPT = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort")
_CONTROLLER_UID, _JOB_NAME = "controller-uid", "job-name"  # and both with Kubernetes' prefix, since 1.27
_JOB_PREFIX = "batch.kubernetes.io/"
_NESTED = (dict, list)
COUNTS: dict[str, dict[str, int]] = {
    "Deployment.apps": {"replicas": 1, "revisionHistoryLimit": 10},
    "StatefulSet.apps": {"replicas": 1, "revisionHistoryLimit": 10},
    "ReplicaSet.apps": {"replicas": 1},
    "DaemonSet.apps": {"revisionHistoryLimit": 10},
    "Job.batch": {"parallelism": 1},
    **{kind: {} for kind in ("CronJob.batch", "Pod", "Ingress.networking.k8s.io", "PodDisruptionBudget.policy")},
    "HorizontalPodAutoscaler.autoscaling": {"minReplicas": 1},
}


def default_spec(obj: Unstructured) -> Unstructured:
    """A workload without nulls in its spec, which mean the same as nothing, and with its counts."""
    spec, counts = obj.spec, COUNTS[obj.GROUP_KIND]
    filled = without_nulls(spec)
    if counts.keys() - filled.keys():
        filled = {**counts, **filled}
    return obj if filled is spec else obj.with_body(spec=filled)


def without_nulls(data: Any) -> Any:
    """Data without the fields that are null; itself when there is none.

    >>> without_nulls({"replicas": None, "template": {"spec": {"nodeSelector": None}}})
    {'template': {'spec': {}}}
    """
    return _without_nulls(data) if _has_null(data) else data


def _without_nulls(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_nulls(value) for key, value in data.items() if value is not None}
    return [_without_nulls(item) for item in data] if isinstance(data, list) else data


def _has_null(data: Any) -> bool:
    if isinstance(data, dict):
        return any(value is None or (value.__class__ in _NESTED and _has_null(value)) for value in data.values())
    return isinstance(data, list) and any(item.__class__ in _NESTED and _has_null(item) for item in data)


def default_service(
    obj: Unstructured, old: Unstructured | None, address: Callable[[], str], node_ports: Callable[[], Iterator[int]]
) -> Unstructured:
    """A Service with its type, its ports spelled out, and an address and node ports of its own that updates keep.

    Args:
        address: one that no other Service has.
        node_ports: those that no Service has.
    """
    given = without_nulls(obj.spec)
    spec = {
        "type": "ClusterIP",
        "sessionAffinity": "None",
        "internalTrafficPolicy": "Cluster",
        **_REACHED_FROM_OUTSIDE.get(given.get("type", ""), {}),
        **given,
        "ports": [_port(port) for port in given.get("ports") or ()],
    }
    if spec["type"] in _REACHED_FROM_OUTSIDE and spec.get("allocateLoadBalancerNodePorts", True):
        spec["ports"] = _with_node_ports(spec["ports"], old, node_ports)
    if spec["type"] not in _REACHED_FROM_OUTSIDE:
        spec = {key: value for key, value in spec.items() if key not in _REACHED_FROM_OUTSIDE["LoadBalancer"]}
    if old is not None:
        spec = {**{key: old.spec[key] for key in _KEPT if key in old.spec}, **spec}
    if spec["type"] != "ExternalName" and not spec.get("clusterIP"):
        spec["clusterIP"] = address()
    if "clusterIP" in spec:
        spec = {"clusterIPs": [spec["clusterIP"]], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", **spec}
    return obj.with_body(spec=spec)


def _port(port: dict[str, Any]) -> dict[str, Any]:
    return {"protocol": "TCP", "targetPort": port.get("port"), **port}


def _with_node_ports(
    ports: list[dict[str, Any]], old: Unstructured | None, node_ports: Callable[[], Iterator[int]]
) -> list[dict[str, Any]]:
    if all(port.get("nodePort") for port in ports):
        return ports
    before = old.spec.get("ports") or () if old is not None else ()
    kept = {(port["port"], port["protocol"]): port.get("nodePort") for port in before}
    free = node_ports()
    return [
        {**port, "nodePort": port.get("nodePort") or kept.get((port.get("port"), port["protocol"])) or next(free)}
        for port in ports
    ]


def default_secret(obj: Unstructured) -> Unstructured:
    """A Secret with its type, and with what was written as text among the data."""
    texts = obj.body.get("stringData") or {}
    body = {"type": "Opaque", **{key: value for key, value in obj.body.items() if key != "stringData"}}
    if texts:
        coded = {key: b64encode(str(value).encode()).decode() for key, value in texts.items()}
        body["data"] = {**(body.get("data") or {}), **coded}
    return replace(obj, body=body)


def default_namespace(obj: Unstructured) -> Unstructured:
    """A Namespace with its name as a label, kept until it is empty."""
    labels = {**obj.metadata.labels, NAMESPACE_NAME_LABEL: obj.metadata.name}
    labelled = replace(obj, metadata=replace(obj.metadata, labels=labels))
    return labelled if labelled.spec.get("finalizers") else labelled.with_spec(finalizers=["kubernetes"])


def default_job(obj: Unstructured, new_id: Callable[[], str]) -> Unstructured:
    """A new Job with its counts, a selector that no other Job's pods match, and its pods' labels if it has none."""
    spec = dict(without_nulls(obj.spec))
    if "parallelism" not in spec:
        spec.setdefault("completions", 1)
        spec["parallelism"] = 1
    if not spec.get("manualSelector"):
        uid = new_id()
        generated = {_CONTROLLER_UID: uid, _JOB_NAME: obj.metadata.name}
        generated |= {f"{_JOB_PREFIX}{key}": value for key, value in generated.items()}
        template = dict(spec.get("template") or {})
        meta = dict(template.get("metadata") or {})
        template["metadata"] = {**meta, "labels": {**(meta.get("labels") or {}), **generated}}
        spec |= {"selector": {"matchLabels": {f"{_JOB_PREFIX}{_CONTROLLER_UID}": uid}}, "template": template}
    defaulted = obj.with_body(spec=spec)
    if obj.metadata.labels:
        return defaulted
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    return replace(defaulted, metadata=replace(obj.metadata, labels=labels))

"""What an API server writes into native objects by itself, as far as somebody in a fleet reads it.

A Service gets its address, a Namespace the label that selectors find it by, a Job the selector that tells its pods from
others', a Deployment its one replica. Karmada has to cope with each of them: what was generated in the control plane
must not travel to the members, and what was left out counts as what it stands for.

Not modelled: the many defaults that nobody here reads (`imagePullPolicy`, `dnsPolicy`, probes' periods, ...).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from karmadalab.api.meta import replace
from karmadalab.api.unstructured import Unstructured

NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name"
_KEPT = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort")
_CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
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


def default_service(obj: Unstructured, old: Unstructured | None, address: Callable[[], str]) -> Unstructured:
    """A Service with its type, its ports spelled out, and an address of its own that updates keep."""
    given = without_nulls(obj.spec)
    spec = {
        "type": "ClusterIP",
        "sessionAffinity": "None",
        "internalTrafficPolicy": "Cluster",
        **given,
        "ports": [_port(port) for port in given.get("ports") or ()],
    }
    if old is not None:
        spec = {**{key: old.spec[key] for key in _KEPT if key in old.spec}, **spec}
    if spec["type"] != "ExternalName" and not spec.get("clusterIP"):
        spec["clusterIP"] = address()
    if "clusterIP" in spec:
        spec = {"clusterIPs": [spec["clusterIP"]], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", **spec}
    return obj.with_body(spec=spec)


def _port(port: dict[str, Any]) -> dict[str, Any]:
    return {"protocol": "TCP", "targetPort": port.get("port"), **port}


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
    """A new Job with its counts, and a selector that no other Job's pods match."""
    spec = dict(without_nulls(obj.spec))
    if "parallelism" not in spec:
        spec.setdefault("completions", 1)
        spec["parallelism"] = 1
    if not spec.get("manualSelector"):
        unique = {_CONTROLLER_UID: new_id()}
        template = dict(spec.get("template") or {})
        meta = dict(template.get("metadata") or {})
        own = {**unique, "batch.kubernetes.io/job-name": obj.metadata.name}
        template["metadata"] = {**meta, "labels": {**(meta.get("labels") or {}), **own}}
        spec |= {"selector": {"matchLabels": unique}, "template": template}
    return obj.with_body(spec=spec)

"""What an API server writes into native objects by itself, as far as somebody in a fleet reads it.

A Service gets its address, a Namespace the label that selectors find it by, a Job the selector that tells its pods from
others', a Deployment its one replica. Karmada has to cope with each of them: what was generated in the control plane
must not travel to the members, and what was left out counts as what it stands for.

Not modelled: the many defaults that nobody here reads (`imagePullPolicy`, `dnsPolicy`, probes' periods, ...).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Collection
from typing import Any

from karmadalab.api.errors import FieldError, Invalid
from karmadalab.api.meta import replace
from karmadalab.api.unstructured import Unstructured

NODE_PORTS = range(30_000, 32_768)  # --service-node-port-range
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


def grace_s(obj: Any) -> int | None:
    """How long what is deleted may take to end, in seconds: a pod what it asks for; others end when they are empty."""
    return int(obj.spec.get("terminationGracePeriodSeconds", 30)) if obj.GROUP_KIND == "Pod" else None


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
    obj: Unstructured, old: Unstructured | None, address: Callable[[], str], taken: Callable[[], Collection[int]]
) -> Unstructured:
    """A Service with its type, its ports spelled out, and an address and node ports of its own that updates keep.

    Args:
        address: one that no other Service has.
        taken: the node ports of all Services.

    Raises:
        Invalid: a node port is another Service's, or can't be one; or there is none left.
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
        spec["ports"] = _with_node_ports(obj, spec["ports"], old, taken)
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
    obj: Unstructured, ports: list[dict[str, Any]], old: Unstructured | None, taken: Callable[[], Collection[int]]
) -> list[dict[str, Any]]:
    before = old.spec.get("ports") or () if old is not None else ()
    kept = {(port["port"], port["protocol"]): port.get("nodePort") for port in before}
    wanted = [port.get("nodePort") or kept.get((port.get("port"), port["protocol"])) for port in ports]
    own = set(kept.values())
    if all(number in own for number in wanted):
        return [{**port, "nodePort": number} for port, number in zip(ports, wanted, strict=True)]
    others = set(taken()) - own
    free = (number for number in NODE_PORTS if number not in others and number not in wanted)
    numbered = []
    for i, (port, number) in enumerate(zip(ports, wanted, strict=True)):
        _check_node_port(obj, i, number, others, wanted[:i])
        number = number or next(free, None)
        if number is None:
            raise _refused(obj, i, None, f"no node port from {NODE_PORTS[0]} to {NODE_PORTS[-1]} is free")
        numbered.append({**port, "nodePort": number})
    return numbered


def _check_node_port(
    obj: Unstructured, i: int, number: int | None, others: Collection[int], before: Collection[int | None]
) -> None:
    if number is not None and number not in NODE_PORTS:
        ports = f"{NODE_PORTS[0]}-{NODE_PORTS[-1]}"
        raise _refused(obj, i, number, f"provided port is not in the valid range. The range of valid ports is {ports}")
    if number is not None and (number in others or number in before):
        raise _refused(obj, i, number, "provided port is already allocated")


def _refused(obj: Unstructured, i: int, number: int | None, detail: str) -> Invalid:
    error = FieldError("FieldValueInvalid", f"spec.ports[{i}].nodePort", detail, number)
    return Invalid(f"Service {obj.metadata.namespace}/{obj.metadata.name}: {error}", (error,))


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

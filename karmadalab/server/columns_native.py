"""What `kubectl get` prints of Kubernetes' own kinds, as its API server does for a terminal."""

from __future__ import annotations

from typing import Any

from karmadalab.api.time import Time
from karmadalab.server.columns import AGE, NAME, NONE, Column, age, path, since
from karmadalab.server.selectors import at

Obj = dict[str, Any]


def _number(obj: Obj, where: str, empty: int = 0) -> int:
    found = at(obj, where)
    return found if isinstance(found, int) else empty


def _count(name: str, where: str, empty: int = 0) -> Column:
    return Column(name, lambda obj, now: _number(obj, where, empty), type="integer")


def _ready_of(obj: Obj, now: float) -> str:
    return f"{_number(obj, 'status.readyReplicas')}/{_number(obj, 'spec.replicas', 1)}"


def _containers(obj: Obj) -> list[Obj]:
    return at(obj, "spec.template.spec.containers") or at(obj, "spec.containers") or []


def _joined(labels: Any) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or NONE


def _selector(obj: Obj, now: float) -> str:
    return _joined(at(obj, "spec.selector.matchLabels"))


_TEMPLATE = (
    Column("Containers", lambda obj, now: ",".join(c.get("name", "") for c in _containers(obj)), wide=True),
    Column("Images", lambda obj, now: ",".join(c.get("image", "") for c in _containers(obj)), wide=True),
    Column("Selector", _selector, wide=True),
)


# --- pods and nodes


def _pod_ready(obj: Obj, now: float) -> str:
    total = len(_containers(obj))
    statuses = at(obj, "status.containerStatuses")
    if statuses and any("ready" in status for status in statuses):
        return f"{sum(1 for status in statuses if status.get('ready'))}/{total}"
    return f"{total if _has(obj, 'Ready') else 0}/{total}"


def _has(obj: Obj, type: str) -> bool:
    return any(c.get("type") == type and c.get("status") == "True" for c in at(obj, "status.conditions") or ())


def _pod_status(obj: Obj, now: float) -> str:
    if at(obj, "metadata.deletionTimestamp"):
        return "Terminating"
    for status in at(obj, "status.containerStatuses") or ():
        for state in (status.get("state") or {}).values():
            if isinstance(state, dict) and state.get("reason"):
                return str(state["reason"])
    return str(at(obj, "status.reason") or at(obj, "status.phase") or "Pending")


def _restarts(obj: Obj, now: float) -> str:
    return str(sum(status.get("restartCount", 0) for status in at(obj, "status.containerStatuses") or ()))


def _node_status(obj: Obj, now: float) -> str:
    ready = "Ready" if _has(obj, "Ready") else "NotReady"
    return f"{ready},SchedulingDisabled" if at(obj, "spec.unschedulable") else ready


def _roles(obj: Obj, now: float) -> str:
    prefix = "node-role.kubernetes.io/"
    labels = at(obj, "metadata.labels") or {}
    return ",".join(sorted(key.removeprefix(prefix) for key in labels if key.startswith(prefix))) or NONE


# --- services


def _ports(obj: Obj, now: float) -> str:
    def one(port: Obj) -> str:
        node = f":{port['nodePort']}" if port.get("nodePort") else ""
        return f"{port.get('port')}{node}/{port.get('protocol', 'TCP')}"

    return ",".join(map(one, at(obj, "spec.ports") or ())) or NONE


def _external(obj: Obj, now: float) -> str:
    if at(obj, "spec.type") == "ExternalName":
        return str(at(obj, "spec.externalName") or NONE)
    entries = at(obj, "status.loadBalancer.ingress") or ()
    found = [str(entry.get("ip") or entry.get("hostname") or "") for entry in entries] + list(
        at(obj, "spec.externalIPs") or ()
    )
    return ",".join(found) or ("<pending>" if at(obj, "spec.type") == "LoadBalancer" else NONE)


def _hosts(obj: Obj, now: float) -> str:
    return ",".join(rule["host"] for rule in at(obj, "spec.rules") or () if rule.get("host")) or "*"


# --- batch


def _completions(obj: Obj, now: float) -> str:
    wanted = _number(obj, "spec.completions", 1)
    return f"{_number(obj, 'status.succeeded')}/{wanted}"


def _job_status(obj: Obj, now: float) -> str:
    for type in ("Complete", "Failed", "Suspended"):
        if _has(obj, type):
            return type
    return "Terminating" if at(obj, "metadata.deletionTimestamp") else "Running"


def _job_duration(obj: Obj, now: float) -> str:
    start, end = at(obj, "status.startTime"), at(obj, "status.completionTime")
    if not start:
        return ""
    return age((Time.parse(end) if end else now) - Time.parse(start))


# --- the rest


def _hpa_targets(obj: Obj, now: float) -> str:
    return ", ".join("<unknown>" for _ in at(obj, "spec.metrics") or ()) or NONE


def _data(obj: Obj, now: float) -> int:
    return len(at(obj, "data") or {}) + len(at(obj, "binaryData") or {})


def _role_ref(obj: Obj, now: float) -> str:
    return f"{at(obj, 'roleRef.kind')}/{at(obj, 'roleRef.name')}"


def _event_object(obj: Obj, now: float) -> str:
    return f"{str(at(obj, 'involvedObject.kind') or '').lower()}/{at(obj, 'involvedObject.name') or ''}"


_CREATED = path("Created At", "metadata.creationTimestamp")

NATIVE: dict[str, tuple[Column, ...]] = {
    "Pod": (
        NAME,
        Column("Ready", _pod_ready),
        Column("Status", _pod_status),
        Column("Restarts", _restarts),
        AGE,
        path("IP", "status.podIP", wide=True, empty=NONE),
        path("Node", "spec.nodeName", wide=True, empty=NONE),
        path("Nominated Node", "status.nominatedNodeName", wide=True, empty=NONE),
        Column("Readiness Gates", lambda obj, now: NONE, wide=True),
    ),
    "Node": (
        NAME,
        Column("Status", _node_status),
        Column("Roles", _roles),
        AGE,
        path("Version", "status.nodeInfo.kubeletVersion"),
        Column("Internal-IP", lambda obj, now: NONE, wide=True),
        Column("External-IP", lambda obj, now: NONE, wide=True),
        path("OS-Image", "status.nodeInfo.osImage", wide=True, empty="<unknown>"),
        path("Kernel-Version", "status.nodeInfo.kernelVersion", wide=True, empty="<unknown>"),
        path("Container-Runtime", "status.nodeInfo.containerRuntimeVersion", wide=True, empty="<unknown>"),
    ),
    "Namespace": (
        NAME,
        Column("Status", lambda obj, now: "Terminating" if at(obj, "metadata.deletionTimestamp") else "Active"),
        AGE,
    ),
    "Service": (
        NAME,
        path("Type", "spec.type", empty="ClusterIP"),
        path("Cluster-IP", "spec.clusterIP", empty=NONE),
        Column("External-IP", _external),
        Column("Port(s)", _ports),
        AGE,
        Column("Selector", lambda obj, now: _joined(at(obj, "spec.selector")), wide=True),
    ),
    "ConfigMap": (NAME, Column("Data", _data, type="integer"), AGE),
    "Secret": (NAME, path("Type", "type", empty="Opaque"), Column("Data", _data, type="integer"), AGE),
    "ServiceAccount": (NAME, Column("Secrets", lambda obj, now: len(at(obj, "secrets") or ()), type="integer"), AGE),
    "Event": (
        since("Last Seen", "lastTimestamp"),
        path("Type", "type"),
        path("Reason", "reason"),
        Column("Object", _event_object),
        path("Subobject", "involvedObject.fieldPath", wide=True),
        path("Source", "source.component", wide=True),
        path("Message", "message"),
        since("First Seen", "firstTimestamp", wide=True),
        Column("Count", lambda obj, now: _number(obj, "count", 1), wide=True, type="integer"),
        NAME._replace(wide=True),
    ),
    "PersistentVolumeClaim": (
        NAME,
        path("Status", "status.phase"),
        path("Volume", "spec.volumeName"),
        path("Capacity", "status.capacity.storage"),
        Column("Access Modes", lambda obj, now: ",".join(at(obj, "status.accessModes") or ())),
        path("StorageClass", "spec.storageClassName"),
        path("VolumeAttributesClass", "spec.volumeAttributesClassName", empty="<unset>"),
        AGE,
    ),
    "Lease.coordination.k8s.io": (NAME, path("Holder", "spec.holderIdentity"), AGE),
    "Deployment.apps": (
        NAME,
        Column("Ready", _ready_of),
        _count("Up-to-date", "status.updatedReplicas"),
        _count("Available", "status.availableReplicas"),
        AGE,
        *_TEMPLATE,
    ),
    "ReplicaSet.apps": (
        NAME,
        _count("Desired", "spec.replicas", 1),
        _count("Current", "status.replicas"),
        _count("Ready", "status.readyReplicas"),
        AGE,
        *_TEMPLATE,
    ),
    "StatefulSet.apps": (NAME, Column("Ready", _ready_of), AGE, *_TEMPLATE[:2]),
    "DaemonSet.apps": (
        NAME,
        _count("Desired", "status.desiredNumberScheduled"),
        _count("Current", "status.currentNumberScheduled"),
        _count("Ready", "status.numberReady"),
        _count("Up-to-date", "status.updatedNumberScheduled"),
        _count("Available", "status.numberAvailable"),
        Column("Node Selector", lambda obj, now: _joined(at(obj, "spec.template.spec.nodeSelector"))),
        AGE,
        *_TEMPLATE,
    ),
    "Job.batch": (
        NAME,
        Column("Status", _job_status),
        Column("Completions", _completions),
        Column("Duration", _job_duration),
        AGE,
        *_TEMPLATE,
    ),
    "CronJob.batch": (
        NAME,
        path("Schedule", "spec.schedule"),
        path("Timezone", "spec.timeZone", empty=NONE),
        Column("Suspend", lambda obj, now: str(bool(at(obj, "spec.suspend")))),
        Column("Active", lambda obj, now: len(at(obj, "status.active") or ()), type="integer"),
        since("Last Schedule", "status.lastScheduleTime", NONE),
        AGE,
    ),
    "Ingress.networking.k8s.io": (
        NAME,
        path("Class", "spec.ingressClassName", empty=NONE),
        Column("Hosts", _hosts),
        Column("Address", lambda obj, now: _external(obj, now).replace(NONE, "")),
        Column("Ports", lambda obj, now: "80, 443" if at(obj, "spec.tls") else "80"),
        AGE,
    ),
    "PodDisruptionBudget.policy": (
        NAME,
        path("Min Available", "spec.minAvailable", empty="N/A"),
        path("Max Unavailable", "spec.maxUnavailable", empty="N/A"),
        _count("Allowed Disruptions", "status.disruptionsAllowed"),
        AGE,
    ),
    "HorizontalPodAutoscaler.autoscaling": (
        NAME,
        Column("Reference", lambda o, n: f"{at(o, 'spec.scaleTargetRef.kind')}/{at(o, 'spec.scaleTargetRef.name')}"),
        Column("Targets", _hpa_targets),
        path("MinPods", "spec.minReplicas", empty="<unset>"),
        _count("MaxPods", "spec.maxReplicas"),
        _count("Replicas", "status.currentReplicas"),
        AGE,
    ),
    "EndpointSlice.discovery.k8s.io": (
        NAME,
        path("AddressType", "addressType"),
        Column("Ports", lambda o, n: ",".join(str(p.get("port", "")) for p in at(o, "ports") or ()) or "<unset>"),
        Column(
            "Endpoints",
            lambda o, n: ",".join(a for e in at(o, "endpoints") or () for a in e.get("addresses") or ()) or "<unset>",
        ),
        AGE,
    ),
    "Role.rbac.authorization.k8s.io": (NAME, _CREATED),
    "ClusterRole.rbac.authorization.k8s.io": (NAME, _CREATED),
    "RoleBinding.rbac.authorization.k8s.io": (NAME, Column("Role", _role_ref), AGE),
    "ClusterRoleBinding.rbac.authorization.k8s.io": (NAME, Column("Role", _role_ref), AGE),
    "CustomResourceDefinition.apiextensions.k8s.io": (NAME, _CREATED),
}

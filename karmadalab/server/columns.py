"""What `kubectl get` prints of each of Karmada's kinds: the columns of the real CRDs and API servers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from karmadalab.api.time import Time
from karmadalab.server.selectors import at

Cell = Callable[[dict[str, Any], float], Any]


class Column(NamedTuple):
    """One column.

    Args:
        name: its heading; kubectl writes it in capitals.
        value: from the manifest and the lab's present time.
        wide: whether only `-o wide` shows it.
        type: OpenAPI's.
        format: `name` for the first column.
    """

    name: str
    value: Cell
    wide: bool = False
    type: str = "string"
    format: str = ""


def path(name: str, where: str, wide: bool = False, type: str = "string", empty: Any = "") -> Column:
    """A column that shows a field."""

    def value(obj: dict[str, Any], now: float) -> Any:
        found = at(obj, where)
        return empty if found is None or found == "" else found

    return Column(name, value, wide, type)


def condition(name: str, type: str) -> Column:
    """A column that shows the status of a condition."""

    def value(obj: dict[str, Any], now: float) -> Any:
        found = at(obj, "status.conditions") or ()
        return next((item.get("status", "") for item in found if item.get("type") == type), "")

    return Column(name, value)


def since(name: str, where: str, empty: str = "<unknown>", wide: bool = False) -> Column:
    """A column that shows how long ago a time was, in the lab's own time."""

    def value(obj: dict[str, Any], now: float) -> Any:
        found = at(obj, where)
        return age(now - Time.parse(found)) if isinstance(found, str) and found else empty

    return Column(name, value, wide)


def age(length_s: float) -> str:
    """A length of time as kubectl shows ages: two units at most, fewer as it grows.

    >>> [age(s) for s in (0, 119, 125, 185, 1200, 7300, 90000, 800000, 40000000)]
    ['0s', '119s', '2m5s', '3m5s', '20m', '121m', '25h', '9d', '462d']
    """
    total = int(length_s)
    if total < 0:
        return "<invalid>" if total < -1 else "0s"
    minutes, hours, days = total // 60, total // 3600, total // 86400
    if total < 120:
        return f"{total}s"
    if minutes < 10:
        return f"{minutes}m{total % 60}s" if total % 60 else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h{minutes % 60}m" if minutes % 60 else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    if hours < 192:
        return f"{days}d{hours % 24}h" if hours % 24 else f"{days}d"
    if days < 730:
        return f"{days}d"
    if days < 2920:
        return f"{days // 365}y{days % 365}d" if days % 365 else f"{days // 365}y"
    return f"{days // 365}y"


NAME = Column("Name", lambda obj, now: at(obj, "metadata.name") or "", format="name")
AGE = since("Age", "metadata.creationTimestamp")
NONE = "<none>"


def _workload_kinds(obj: dict[str, Any], now: float) -> str:
    manifests = at(obj, "spec.workload.manifests") or [{}]
    return str(manifests[0].get("kind", ""))  # the real column's JSONPath takes them all and prints the first


def _zones(obj: dict[str, Any], now: float) -> str:
    return ",".join(at(obj, "spec.zones") or ()) or str(at(obj, "spec.zone") or NONE)


_POLICY = (
    NAME,
    path("Conflict-Resolution", "spec.conflictResolution"),
    path("Priority", "spec.priority", type="integer", empty=0),
    AGE,
)
_BINDING = (NAME, condition("Scheduled", "Scheduled"), condition("FullyApplied", "FullyApplied"), AGE)

KARMADA: dict[str, tuple[Column, ...]] = {
    "Cluster.cluster.karmada.io": (
        NAME,
        path("Version", "status.kubernetesVersion"),
        path("Mode", "spec.syncMode"),
        condition("Ready", "Ready"),
        AGE,
        Column("Zones", _zones, wide=True),
        path("Region", "spec.region", wide=True, empty=NONE),
        path("Provider", "spec.provider", wide=True, empty=NONE),
        path("API-Endpoint", "spec.apiEndpoint", wide=True, empty=NONE),
        path("Proxy-URL", "spec.proxyURL", wide=True, empty=NONE),
    ),
    "PropagationPolicy.policy.karmada.io": _POLICY,
    "ClusterPropagationPolicy.policy.karmada.io": _POLICY,
    "ResourceBinding.work.karmada.io": _BINDING,
    "ClusterResourceBinding.work.karmada.io": _BINDING,
    "Work.work.karmada.io": (NAME, Column("Workload-Kind", _workload_kinds), condition("Applied", "Applied"), AGE),
    "CronFederatedHPA.autoscaling.karmada.io": (
        NAME,
        path("Reference-Kind", "spec.scaleTargetRef.kind"),
        path("Reference-Name", "spec.scaleTargetRef.name"),
        AGE,
    ),
    "FederatedHPA.autoscaling.karmada.io": (
        NAME,
        path("Reference-Kind", "spec.scaleTargetRef.kind"),
        path("Reference-Name", "spec.scaleTargetRef.name"),
        path("MinPods", "spec.minReplicas", type="integer"),
        path("MaxPods", "spec.maxReplicas", type="integer"),
        path("Replicas", "status.currentReplicas", type="integer"),
        AGE,
    ),
    "ServiceImport.multicluster.x-k8s.io": (
        NAME,
        path("Type", "spec.type"),
        Column("IP", lambda obj, now: ",".join(at(obj, "spec.ips") or ())),
        AGE,
    ),
}
PLAIN = (NAME, AGE)

"""A simulated member cluster: an API server, nodes, workloads, and the ways to it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from karmadalab.api.cluster import PULL, APIEnablement, APIResource
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.time import seconds
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.clock import VirtualClock
from karmadalab.core.trace import Trace
from karmadalab.environments.api_server import ApiServer
from karmadalab.environments.fleet import MemberSpec
from karmadalab.environments.link import Link, Remote
from karmadalab.environments.workloads import Workloads

# What a plain Kubernetes serves that Karmada's scheduler may ask for.
_SERVED: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("apiextensions.k8s.io/v1", (("customresourcedefinitions", "CustomResourceDefinition"),)),
    (
        "apps/v1",
        (
            ("daemonsets", "DaemonSet"),
            ("deployments", "Deployment"),
            ("replicasets", "ReplicaSet"),
            ("statefulsets", "StatefulSet"),
        ),
    ),
    ("autoscaling/v2", (("horizontalpodautoscalers", "HorizontalPodAutoscaler"),)),
    ("batch/v1", (("cronjobs", "CronJob"), ("jobs", "Job"))),
    ("coordination.k8s.io/v1", (("leases", "Lease"),)),
    ("discovery.k8s.io/v1", (("endpointslices", "EndpointSlice"),)),
    ("networking.k8s.io/v1", (("ingresses", "Ingress"),)),
    ("policy/v1", (("poddisruptionbudgets", "PodDisruptionBudget"),)),
    (
        "rbac.authorization.k8s.io/v1",
        (
            ("clusterrolebindings", "ClusterRoleBinding"),
            ("clusterroles", "ClusterRole"),
            ("rolebindings", "RoleBinding"),
            ("roles", "Role"),
        ),
    ),
    (
        "v1",
        (
            ("configmaps", "ConfigMap"),
            ("namespaces", "Namespace"),
            ("nodes", "Node"),
            ("persistentvolumeclaims", "PersistentVolumeClaim"),
            ("persistentvolumes", "PersistentVolume"),
            ("pods", "Pod"),
            ("secrets", "Secret"),
            ("serviceaccounts", "ServiceAccount"),
            ("services", "Service"),
        ),
    ),
)
API_ENABLEMENTS = tuple(
    APIEnablement(groupVersion=group_version, resources=tuple(APIResource(name=n, kind=k) for n, k in resources))
    for group_version, resources in _SERVED
)


def served(definitions: Sequence[Unstructured]) -> tuple[APIEnablement, ...]:
    """The kinds that a cluster with these CustomResourceDefinitions serves, by group and version."""
    custom: dict[str, list[APIResource]] = {}
    for spec in (definition.spec for definition in definitions):
        names = spec.get("names") or {}
        resource = APIResource(name=names.get("plural", ""), kind=names.get("kind", ""))
        for version in spec.get("versions") or ():
            custom.setdefault(f"{spec.get('group')}/{version.get('name')}", []).append(resource)
    if not custom:
        return API_ENABLEMENTS
    more = [APIEnablement(groupVersion=name, resources=tuple(found)) for name, found in custom.items()]
    return tuple(sorted((*API_ENABLEMENTS, *more), key=lambda enablement: enablement.groupVersion))


class Access:
    """A member as seen over one link; this is what controllers get."""

    def __init__(self, member: SimulatedMember, link: Link) -> None:
        self.name = member.spec.name
        self.link = link
        self.client = Remote(member.store, link, member.clock, member.trace)
        self.kubernetes_version = member.spec.kubernetes
        self._member = member

    def get_code(self, path: str) -> int:
        """The status code of a health check. Raises `Unreachable`."""
        self.link.cross()
        return self._member.health_codes.get(path, 404)

    def api_enablements(self) -> tuple[APIEnablement, ...]:
        """What the member serves: what Kubernetes has, and what its CustomResourceDefinitions add."""
        return served(self._member.store.list("CustomResourceDefinition.apiextensions.k8s.io"))


class SimulatedMember:
    """A cluster in memory.

    Attributes:
        spec: what the fleet says of it.
        store: its API server.
        workloads: what runs on it.
        from_control_plane: the way the control plane reaches it (push mode).
        from_agent: the way its agent reaches its API server (pull mode); inside the cluster, so only its own
            API server can break it.
        uplink: the way its agent reaches the control plane.
        health_codes: what its health endpoints answer.
        let_go: names of the Works that Karmada let go when it left and could not be reached; it keeps their objects.
    """

    def __init__(self, spec: MemberSpec, clock: VirtualClock, trace: Trace, rng: Random) -> None:
        self.spec = spec
        self.clock = clock
        self.trace = trace
        self.store = ApiServer(clock, trace, world=spec.name).store
        self.workloads = Workloads(self.store, clock, trace, seconds(spec.startup), seconds(spec.shutdown))
        self.from_control_plane = Access(self, Link(f"karmada -> {spec.name}", clock, trace, rng))
        self.from_agent = Access(self, Link(f"agent -> {spec.name}", clock, trace, rng))
        self.uplink = Link(f"agent@{spec.name} -> karmada", clock, trace, rng)
        self.health_codes = {"/readyz": 200, "/healthz": 200}
        self.let_go: set[str] = set()
        self._make_nodes()

    @property
    def pulls(self) -> bool:
        """Whether an agent inside it reports, rather than the control plane reaching in."""
        return self.spec.mode == PULL

    def api_server_links(self) -> tuple[Link, ...]:
        """The links that end at its API server."""
        return (self.from_control_plane.link, self.from_agent.link)

    def _make_nodes(self) -> None:
        number = 0
        for pool in self.spec.nodes:
            for _ in range(pool.count):
                number += 1
                capacity = {"cpu": str(pool.cpu), "memory": str(pool.memory), "pods": str(pool.pods)}
                status = {
                    "allocatable": capacity,
                    "capacity": capacity,
                    "conditions": [{"type": "Ready", "status": "True"}],
                    "nodeInfo": {"kubeletVersion": self.spec.kubernetes},
                }
                name = f"{self.spec.name}-node{number}"
                meta = ObjectMeta(name=name, labels={"kubernetes.io/hostname": name})
                node = Unstructured(apiVersion="v1", kind="Node", metadata=meta)
                self.store.update_status(self.store.create(node).with_status(status))

    def __repr__(self) -> str:
        return f"<SimulatedMember {self.spec.name} {self.spec.mode} {self.from_control_plane.link.state}>"

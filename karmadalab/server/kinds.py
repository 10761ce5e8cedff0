"""What one API server serves: its kinds, under which paths, with which verbs and subresources.

The control plane serves everything the lab knows, a member what a plain Kubernetes serves; both add the kinds of the
CustomResourceDefinitions that are stored in them. Every kind has one version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from karmadalab.api.errors import Invalid
from karmadalab.api.scheme import RESOURCE_TYPES, ResourceType
from karmadalab.api.unstructured import group_kind
from karmadalab.core.store import Store
from karmadalab.server.definitions import CRD, PrinterColumn, ScalePaths, definition

EVENT = "Event"

_GENERIC = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_ALL = frozenset(
    (
        "Pod",
        "Service",
        "Deployment",
        "ReplicaSet",
        "StatefulSet",
        "DaemonSet",
        "Job",
        "CronJob",
        "HorizontalPodAutoscaler",
    )
)
_SCALED = frozenset(("Deployment.apps", "ReplicaSet.apps", "StatefulSet.apps"))
_RBAC = ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
_CONFIGURATION = ("OverridePolicy", "ClusterOverridePolicy", "ResourceInterpreterWebhookConfiguration")
_NO_STATUS = frozenset(
    (*_RBAC, *_CONFIGURATION, "ConfigMap", "Secret", "ServiceAccount", "Event", "EndpointSlice", "Lease")
)
_OWN_API_SERVERS = frozenset(("cluster.karmada.io",))  # served by karmada-aggregated-apiserver, not by a CRD
_NO_CATEGORY = frozenset(("Cluster", "WorkloadRebalancer"))
# Karmada's own short names, where the scheme has others or none.
_SHORT = {"MultiClusterIngress": ("mci",)}
_ALSO_IN_MEMBERS = frozenset(("Lease.coordination.k8s.io",))


class Served(NamedTuple):
    """A kind as one API server serves it.

    Args:
        type: how it is called.
        columns: what a CRD wants printed, as `additionalPrinterColumns`.
        scale: the paths of a CRD's scale subresource.
    """

    type: ResourceType
    columns: tuple[PrinterColumn, ...] = ()
    scale: ScalePaths | None = None

    @property
    def group(self) -> str:
        """Its API group; empty for the core group."""
        return self.type.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        """Its one version."""
        return self.type.api_version.rpartition("/")[2]

    @property
    def resource(self) -> str:
        """As messages name it: `deployments.apps`."""
        return f"{self.type.plural}.{self.group}" if self.group else self.type.plural

    @property
    def is_builtin(self) -> bool:
        """Whether a real API server knows the kind by itself, which decides what it accepts as a patch."""
        return (
            self.type.cls is None
            and not self.group.endswith((".karmada.io", "multicluster.x-k8s.io"))
            and (self.group == "" or self.group.endswith(".k8s.io") or "." not in self.group)
        ) or self.type.kind == "Lease"

    @property
    def categories(self) -> tuple[str, ...]:
        """`all` for what `kubectl get all` shows, `karmada-io` for Karmada's."""
        if self.type.kind in _ALL and self.is_builtin:
            return ("all",)
        return ("karmada-io",) if self.group.endswith("karmada.io") and self.type.kind not in _NO_CATEGORY else ()

    @property
    def short_names(self) -> tuple[str, ...]:
        """What a person types."""
        return _SHORT.get(self.type.kind, self.type.short_names)

    @property
    def verbs(self) -> tuple[str, ...]:
        """What can be done with it, in the order in which kubectl shows it."""
        return _GENERIC

    def subresources(self) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
        """(name, group/version, kind, verbs) of each."""
        own = self.type.api_version
        if self.type.kind not in _NO_STATUS:
            yield "status", own, self.type.kind, ("get", "patch", "update")
        if self.type.group_kind in _SCALED or self.scale:
            yield "scale", "autoscaling/v1", "Scale", ("get", "patch", "update")
        if self.type.group_kind == "Pod":
            yield "log", own, self.type.kind, ("get",)
        if self.group in _OWN_API_SERVERS:
            yield "proxy", own, "Cluster", ("create", "delete", "get", "patch", "update")

    def has(self, subresource: str) -> bool:
        """Whether it has a subresource of that name."""
        return any(name == subresource for name, *_ in self.subresources())


# Kinds that are only ever sent to the server, with the answer in the response.
REVIEWS = (
    ResourceType("authorization.k8s.io/v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", False),
    ResourceType("authorization.k8s.io/v1", "SelfSubjectRulesReview", "selfsubjectrulesreviews", False),
    ResourceType("authentication.k8s.io/v1", "SelfSubjectReview", "selfsubjectreviews", False),
)

_CONTROL_PLANE = tuple(Served(rt) for rt in RESOURCE_TYPES)
_MEMBER = tuple(
    kind
    for kind in _CONTROL_PLANE
    if kind.type.cls is None or kind.type.group_kind in _ALSO_IN_MEMBERS
    if kind.group != "multicluster.x-k8s.io"
)


def served(store: Store) -> list[Served]:
    """What an API server serves now, by group, version and plural."""
    known = _MEMBER if store.world else _CONTROL_PLANE
    names = {kind.type.group_kind for kind in known}
    custom = [kind for crd in store.list(CRD) for kind in _of_crd(crd.spec) if kind.type.group_kind not in names]
    return sorted([*known, *custom], key=lambda kind: (kind.group, kind.version, kind.type.plural))


def find(store: Store, group: str, version: str, plural: str) -> Served | None:
    """The kind behind a path."""
    for kind in _MEMBER if store.world else _CONTROL_PLANE:
        if kind.type.plural == plural and kind.group == group and kind.version == version:
            return kind
    for crd in store.list(CRD):
        for kind in _of_crd(crd.spec):
            if (kind.group, kind.version, kind.type.plural) == (group, version, plural):
                return kind
    return None


def by_kind(store: Store, api_version: str, kind: str) -> Served | None:
    """What serves a kind."""
    wanted = group_kind(api_version, kind)
    return next((item for item in served(store) if item.type.group_kind == wanted), None)


def _of_crd(spec: dict[str, Any]) -> Iterator[Served]:
    """The kind that a CustomResourceDefinition makes, in its storage version; broken definitions make none."""
    try:
        found = definition(spec)
    except Invalid:
        return  # the lab itself has stored it; over HTTP it would have been refused
    versions = [version for version in found.versions if version.served]
    if not versions:
        return
    version = next((version for version in versions if version.storage), versions[0])
    names, namespaced = found.names, found.scope == "Namespaced"
    rt = ResourceType(f"{found.group}/{version.name}", names.kind, names.plural, namespaced, names.shortNames)
    yield Served(rt, version.additionalPrinterColumns, version.subresources.scale)

"""Every kind the lab knows: how it is called, where its objects live, and whether its schema is ours."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import msgspec

from karmadalab.api.apps import WorkloadRebalancer
from karmadalab.api.autoscaling import CronFederatedHPA, FederatedHPA
from karmadalab.api.cluster import Cluster
from karmadalab.api.config import ResourceInterpreterWebhookConfiguration
from karmadalab.api.errors import BadRequest, shortly
from karmadalab.api.meta import Resource
from karmadalab.api.multicluster import MultiClusterIngress, MultiClusterService
from karmadalab.api.native import Lease
from karmadalab.api.override import ClusterOverridePolicy, OverridePolicy
from karmadalab.api.policy import ClusterPropagationPolicy, ClusterTaintPolicy, PropagationPolicy
from karmadalab.api.quota import FederatedResourceQuota
from karmadalab.api.remedy import Remedy
from karmadalab.api.similar import similar
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.api.work import ClusterResourceBinding, ResourceBinding, Work

AnyObject = Resource | Unstructured
D = TypeVar("D")


class ResourceType(NamedTuple):
    """How a kind is called and whether its objects live in namespaces."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    cls: type[Resource] | None = None

    @property
    def group_kind(self) -> str:
        """Its name in the store."""
        return group_kind(self.api_version, self.kind)


def _ours(cls: type[Resource], plural: str, namespaced: bool, *short: str) -> ResourceType:
    api_version = next(str(f.default) for f in msgspec.structs.fields(cls) if f.name == "apiVersion")
    return ResourceType(api_version, cls.__name__, plural, namespaced, short, cls)


RESOURCE_TYPES: tuple[ResourceType, ...] = (
    _ours(Cluster, "clusters", False),
    _ours(PropagationPolicy, "propagationpolicies", True, "pp"),
    _ours(ClusterPropagationPolicy, "clusterpropagationpolicies", False, "cpp"),
    _ours(OverridePolicy, "overridepolicies", True, "op"),
    _ours(ClusterOverridePolicy, "clusteroverridepolicies", False, "cop"),
    _ours(ClusterTaintPolicy, "clustertaintpolicies", False),
    _ours(ResourceBinding, "resourcebindings", True, "rb"),
    _ours(ClusterResourceBinding, "clusterresourcebindings", False, "crb"),
    _ours(Work, "works", True, "wk"),
    _ours(FederatedResourceQuota, "federatedresourcequotas", True),
    _ours(FederatedHPA, "federatedhpas", True, "fhpa"),
    _ours(CronFederatedHPA, "cronfederatedhpas", True, "cronfhpa"),
    _ours(MultiClusterService, "multiclusterservices", True, "mcs"),
    _ours(MultiClusterIngress, "multiclusteringresses", True, "mcing"),
    _ours(WorkloadRebalancer, "workloadrebalancers", False),
    _ours(Remedy, "remedies", False),
    _ours(ResourceInterpreterWebhookConfiguration, "resourceinterpreterwebhookconfigurations", False),
    _ours(Lease, "leases", True),
    ResourceType("v1", "Namespace", "namespaces", False, ("ns",)),
    ResourceType("v1", "Node", "nodes", False, ("no",)),
    ResourceType("v1", "Pod", "pods", True, ("po",)),
    ResourceType("v1", "Service", "services", True, ("svc",)),
    ResourceType("v1", "ConfigMap", "configmaps", True, ("cm",)),
    ResourceType("v1", "Secret", "secrets", True),
    ResourceType("v1", "ServiceAccount", "serviceaccounts", True, ("sa",)),
    ResourceType("v1", "PersistentVolumeClaim", "persistentvolumeclaims", True, ("pvc",)),
    ResourceType("v1", "PersistentVolume", "persistentvolumes", False, ("pv",)),
    ResourceType("v1", "Event", "events", True, ("ev",)),
    ResourceType("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", True),
    ResourceType("multicluster.x-k8s.io/v1alpha1", "ServiceExport", "serviceexports", True, ("svcex",)),
    ResourceType("multicluster.x-k8s.io/v1alpha1", "ServiceImport", "serviceimports", True, ("svcim",)),
    ResourceType("apps/v1", "Deployment", "deployments", True, ("deploy",)),
    ResourceType("apps/v1", "ReplicaSet", "replicasets", True, ("rs",)),
    ResourceType("apps/v1", "StatefulSet", "statefulsets", True, ("sts",)),
    ResourceType("apps/v1", "DaemonSet", "daemonsets", True, ("ds",)),
    ResourceType("batch/v1", "Job", "jobs", True),
    ResourceType("batch/v1", "CronJob", "cronjobs", True, ("cj",)),
    ResourceType("networking.k8s.io/v1", "Ingress", "ingresses", True, ("ing",)),
    ResourceType("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", True, ("pdb",)),
    ResourceType("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", True, ("hpa",)),
    ResourceType("rbac.authorization.k8s.io/v1", "Role", "roles", True),
    ResourceType("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", True),
    ResourceType("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", False),
    ResourceType("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", False),
    ResourceType(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", False, ("crd", "crds")
    ),
)

_BY_GROUP_KIND = {rt.group_kind: rt for rt in RESOURCE_TYPES}
_BY_ANY_NAME = {
    alias: rt
    for rt in reversed(RESOURCE_TYPES)
    for alias in (rt.kind.lower(), rt.plural, rt.group_kind.lower(), *rt.short_names)
}


def resource_type(name: str | type[Resource]) -> ResourceType:
    """The kind someone means: a class, `Deployment`, `deploy`, `deployments`, `Deployment.apps`.

    A name with a dot that is not in the table is taken as a namespaced custom kind.

    Raises:
        BadRequest: no such kind; the message offers close ones.
    """
    if not isinstance(name, str):
        if not isinstance(name, type) or getattr(name, "GROUP_KIND", None) not in _BY_GROUP_KIND:
            raise BadRequest(f"expected a kind such as Deployment, deploy or Redis.example.io, got {shortly(name)}")
        return _BY_GROUP_KIND[name.GROUP_KIND]
    found = _BY_GROUP_KIND.get(name) or _BY_ANY_NAME.get(name.lower())
    if found is not None:
        return found
    kind, dot, group = name.partition(".")
    if dot and kind and group:
        return ResourceType(f"{group}/v1", kind, kind.lower() + "s", True)
    close = similar(name.lower(), _BY_ANY_NAME, at_most=3)
    offer = f"; did you mean {' or '.join(sorted({_BY_ANY_NAME[c].kind for c in close}))}?" if close else ""
    raise BadRequest(
        f"there is no kind {name!r}{offer or '.'} Custom kinds are written Kind.group, for example Redis.example.io"
    )


def is_namespaced(group_kind_name: str) -> bool:
    """Whether objects of a kind live in namespaces; unknown kinds do."""
    known = known_type(group_kind_name)
    return known is None or known.namespaced


def known_type(group_kind_name: str) -> ResourceType | None:
    """The kind of that name in the store; None for a custom one."""
    return _BY_GROUP_KIND.get(group_kind_name)


def same_kind(kind: str) -> ResourceType | None:
    """The kind that is written so, whatever its group; None when there is none in the table."""
    found = _BY_ANY_NAME.get(kind.lower())
    return found if found is not None and found.kind == kind else None

"""From manifests to objects and back, for every kind the lab knows.

Kinds with a schema of our own are read strictly: an unknown field or a wrong type is an error that names the path. All
other kinds are kept as they are (`Unstructured`). `null` and a missing field mean the same, as in Kubernetes.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import msgspec

from karmadalab.api.apps import WorkloadRebalancer
from karmadalab.api.autoscaling import CronFederatedHPA, FederatedHPA
from karmadalab.api.cluster import Cluster
from karmadalab.api.config import ResourceInterpreterWebhookConfiguration
from karmadalab.api.errors import BadRequest, FieldError, Invalid
from karmadalab.api.explain import explain_validation, server_words, unknown_field
from karmadalab.api.meta import Data, ObjectMeta, Resource
from karmadalab.api.multicluster import MultiClusterIngress, MultiClusterService
from karmadalab.api.native import Lease
from karmadalab.api.override import ClusterOverridePolicy, OverridePolicy
from karmadalab.api.policy import ClusterPropagationPolicy, ClusterTaintPolicy, PropagationPolicy
from karmadalab.api.quota import FederatedResourceQuota
from karmadalab.api.remedy import Remedy
from karmadalab.api.similar import similar
from karmadalab.api.time import Time
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
    ResourceType("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", False, ("crd",)),
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
    known = _BY_GROUP_KIND.get(group_kind_name)
    return known is None or known.namespaced


# --- reading ----------------------------------------------------------------------------------------------------------

_RAW_FIELDS = frozenset(("manifests", "value", "managedFields"))


def _without_nulls(data: Any) -> Any:
    if isinstance(data, dict):
        return {
            key: value if key in _RAW_FIELDS else _without_nulls(value)
            for key, value in data.items()
            if value is not None
        }
    if isinstance(data, (list, tuple)):
        return [_without_nulls(item) for item in data]
    return data


def _read_special(type_: type, value: Any) -> Any:
    if issubclass(type_, Time):
        if isinstance(value, str):
            return type_.parse(value)
        isoformat = getattr(value, "isoformat", None)  # YAML readers turn times into datetimes
        if isoformat is not None:
            return type_.parse(isoformat())
        if isinstance(value, type_):
            return value
        raise ValueError(f"Expected a time such as 2026-01-31T12:00:00Z, got `{type(value).__name__}`")
    raise NotImplementedError(type_)  # what msgspec asks of a hook that passes


def _write_special(value: Any) -> Any:
    if isinstance(value, Time):
        return str(value)
    raise NotImplementedError(type(value))  # what msgspec asks of a hook that passes


def convert(data: Any, type_: type[D], where: str = "object") -> D:
    """Plain data as a type of `karmadalab.api`, strictly.

    Args:
        data: what a YAML or JSON reader returned.
        type_: a `Data` class.
        where: how to name the object in errors.

    Raises:
        Invalid: with the path, the rule, and close field names where one is misspelt.
    """
    try:
        return msgspec.convert(_without_nulls(data), type_, dec_hook=_read_special)
    except msgspec.ValidationError as error:
        raise Invalid(f"{where}: {explain_validation(str(error), type_)}") from None


def _convert_served(data: dict[str, Any], type_: type[Resource], where: str) -> Resource:
    """A manifest of a kind of ours; the error also says what a real API server answers.

    Raises:
        Invalid: as `convert`.
    """
    data = _without_nulls(data)
    try:
        return msgspec.convert(data, type_, dec_hook=_read_special)
    except msgspec.ValidationError as error:
        answer = server_words(str(error), type_, data)
        text = f"{where}: {explain_validation(str(error), type_)}" + (f" ({answer})" if answer else "")
        raise Invalid(text, unknown=unknown_field(str(error), type_, data)) from None


def describe(data: Any) -> str:
    """`Kind namespace/name` of a manifest that may be broken, for messages."""
    meta = data.get("metadata") if isinstance(data, dict) else None
    meta = meta if isinstance(meta, dict) else {}
    name = meta.get("name") or meta.get("generateName") or "(no name)"
    namespace = meta.get("namespace")
    return f"{data.get('kind') or 'object'} {f'{namespace}/' if namespace else ''}{name}"


def decode(data: Any) -> AnyObject:
    """A manifest as an object.

    Args:
        data: one YAML document.

    Returns:
        A typed object for Karmada's own kinds, `Unstructured` for all others.

    Raises:
        Invalid: what is wrong, at which path.
    """
    if not isinstance(data, dict):
        raise Invalid(f"a manifest is a mapping with apiVersion, kind and metadata, not {type(data).__name__}")
    where = describe(data)
    api_version, kind = data.get("apiVersion"), data.get("kind")
    if kind is not None and not isinstance(kind, str):
        raise Invalid(f"object (no kind): kind: expected text such as Deployment, got {kind!r}")
    if not kind:
        raise Invalid(f"{where}: kind: required, but missing; write for example kind: Deployment")
    if not isinstance(api_version, str) or not api_version:
        raise Invalid(f"{where}: apiVersion: required, but missing; write for example apiVersion: apps/v1")
    known = _BY_GROUP_KIND.get(group_kind(api_version, kind))
    if known is not None and known.cls is not None:
        if known.api_version != api_version:
            answer = f'no matches for kind "{kind}" in version "{api_version}"'
            raise Invalid(f"{where}: apiVersion: {api_version} is not served; write {known.api_version} ({answer})")
        return _convert_served(data, known.cls, where)
    if known is None:
        _refuse_wrong_group(where, api_version, kind)
        if kind == _LUA_KIND:
            _refuse_lua(where, data)
    body = {key: value for key, value in data.items() if key not in ("apiVersion", "kind", "metadata")}
    metadata = convert({"metadata": data.get("metadata") or {}}, _HasMetadata, where).metadata
    return Unstructured(apiVersion=api_version, kind=kind, metadata=metadata, body=body)


class _HasMetadata(Data):
    metadata: ObjectMeta


def _refuse_wrong_group(where: str, api_version: str, kind: str) -> None:
    """A known kind under another group is almost always a slip; a truly custom kind is fine."""
    same = _BY_ANY_NAME.get(kind.lower())
    if same is not None and same.kind == kind and "." not in api_version.partition("/")[0]:
        raise Invalid(f"{where}: apiVersion: {api_version} has no kind {kind}; write {same.api_version}")
    if kind != _LUA_KIND and api_version.partition("/")[0].endswith("karmada.io"):
        close = similar(kind, [rt.kind for rt in RESOURCE_TYPES if rt.cls is not None])
        offer = f"; did you mean {close[0]}?" if close else ""
        raise Invalid(f"{where}: apiVersion: {api_version} has no kind {kind} that this lab knows{offer}")


_LUA_KIND = "ResourceInterpreterCustomization"


def _refuse_lua(where: str, data: dict[str, Any]) -> None:
    """The schema comes first, as in a real API server."""
    target = (data.get("spec") or {}).get("target") or {}
    missing = [f"spec.target.{field}" for field in ("apiVersion", "kind") if not target.get(field)]
    if missing:
        errors = tuple(FieldError("FieldValueRequired", path, "") for path in missing)
        raise Invalid(f"{where}: {', '.join(map(str, errors))}", errors)
    raise Invalid(f"{where}: the lab runs no Lua; give the kind its meaning in Python: interpreter.register(...)")


# --- writing ----------------------------------------------------------------------------------------------------------


def to_dict(obj: AnyObject) -> dict[str, Any]:
    """An object as the manifest `kubectl get -o yaml` would show."""
    data: dict[str, Any] = msgspec.to_builtins(obj, enc_hook=_write_special)
    head = {"apiVersion": obj.apiVersion, "kind": obj.kind}
    if isinstance(obj, Unstructured):
        return {**head, "metadata": data.get("metadata", {}), **obj.body}
    return {**head, **{key: value for key, value in data.items() if key not in head}}


def plain(data: Any) -> Any:
    """Any part of an object as plain data."""
    return msgspec.to_builtins(data, enc_hook=_write_special)


def to_json(data: Any) -> str:
    """Compact JSON of any part of an object, keys in the order of the API types."""
    return msgspec.json.encode(data, enc_hook=_write_special).decode()

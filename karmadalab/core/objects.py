"""Comparing and putting together objects of typed and of unknown kinds alike."""

from __future__ import annotations

from typing import Any

from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.unstructured import Unstructured

_REVISION = "deployment.kubernetes.io/revision"

# Kinds whose API server gives a new object a status.
_FIRST_STATUS: dict[str, dict[str, Any]] = {
    "Namespace": {"phase": "Active"},
    "PersistentVolumeClaim": {"phase": "Pending"},
    "Service": {"loadBalancer": {}},
}

# Kinds whose API server strategy keeps no generation.
_RBAC = "rbac.authorization.k8s.io"
_NO_GENERATION = frozenset(
    (
        *("ConfigMap", "Secret", "Namespace", "Service", "ServiceAccount", "PersistentVolume", "PersistentVolumeClaim"),
        *("Node", "Event", "Lease.coordination.k8s.io", f"Role.{_RBAC}", f"RoleBinding.{_RBAC}"),
        *(f"ClusterRole.{_RBAC}", f"ClusterRoleBinding.{_RBAC}"),
    )
)


def uid_of(world: str, number: int) -> str:
    """The uid of the so many-th object of a store.

    Readable and the same in every run; the world keeps uids of different clusters apart.
    """
    digits = sum((index + 1) * ord(char) for index, char in enumerate(world)) & 0xFFFF
    return f"00000000-0000-4000-8{digits >> 12:03x}-{digits & 0xFFF:03x}{number:09x}"


def first_generation(kind: str) -> int:
    """The generation of a new object: 1, or 0 for a kind that keeps none."""
    return 0 if kind in _NO_GENERATION else 1


def at_version(obj: Any, version: int) -> Any:
    """`obj` as of a version."""
    return replace(obj, metadata=replace(obj.metadata, resourceVersion=str(version)))


def without_status(obj: Any) -> Any:
    """`obj` with an empty status, or what its API server puts there, as it is first stored."""
    if isinstance(obj, Unstructured):
        first = _FIRST_STATUS.get(obj.GROUP_KIND)
        if obj.body.get("status") == first:
            return obj
        body = {key: value for key, value in obj.body.items() if key != "status"}
        return replace(obj, body=body if first is None else {**body, "status": first})
    if getattr(obj, "status", None) is None:  # a kind that has none
        return obj
    return replace(obj, status=type(obj.status)())


def with_status_of(obj: Any, other: Any) -> Any:
    """`obj` with the status of `other`."""
    if obj.__class__ is not Unstructured:
        status = getattr(other, "status", None)
        return obj if status is None or obj.status is status else replace(obj, status=status)
    mine, theirs = obj.body.get("status"), other.body.get("status")
    if mine == theirs:
        return obj
    body = {key: value for key, value in obj.body.items() if key != "status"}
    return replace(obj, body=body if theirs is None else {**body, "status": theirs})


def content_changed(obj: Any, old: Any) -> bool:
    """Whether anything but metadata and status differs; both have the same status already."""
    if obj.__class__ is not Unstructured:
        return bool(obj.spec is not old.spec and obj.spec != old.spec)
    return bool(obj.body is not old.body and obj.body != old.body)


def moves_generation(obj: Any, old: Any, content_differs: bool) -> bool:
    """Whether an update counts as a new generation; a Deployment's annotations count like its spec.

    That is why a template is at generation 2 as soon as a policy has claimed it. The revision that the deployment
    controller notes on it does not count: it is written with the status.
    """
    if content_differs or obj.kind != "Deployment" or obj.metadata.annotations == old.metadata.annotations:
        return content_differs
    mine, theirs = ({**item.metadata.annotations, _REVISION: ""} for item in (obj, old))
    return mine != theirs


def same_metadata(meta: ObjectMeta, old: ObjectMeta) -> bool:
    """Whether nothing differs that a writer may change."""
    return meta is old or (
        meta.labels == old.labels
        and meta.annotations == old.annotations
        and meta.finalizers == old.finalizers
        and meta.ownerReferences == old.ownerReferences
        and meta.managedFields == old.managedFields
    )

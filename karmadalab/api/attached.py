"""Attached bindings: those that an object has because somebody depends on it.

The binding that depends is called independent. An attached one names, in `requiredBy`, each of those that need it and
where they are; a label leads from the independent binding to what is attached to it.

Mirrors the building and merging of bindings in pkg/dependenciesdistributor/dependencies_distributor.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from karmadalab.api.meta import ObjectMeta, OwnerReference, replace
from karmadalab.api.naming import binding_name, binding_reference_key
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import (
    BINDING_FINALIZER,
    BINDING_ID_LABEL,
    DEPENDED_BY_PREFIX,
    BindingSnapshot,
    ObjectReference,
    ResourceBinding,
    ResourceBindingSpec,
)

OVERWRITE, ABORT = "Overwrite", "Abort"


def attached_binding(independent: ResourceBinding, dependency: Unstructured, *, with_uid: bool) -> ResourceBinding:
    """The binding that a dependency gets on behalf of one independent binding.

    Args:
        with_uid: whether the reference to the dependency holds its uid, as from v1.18 on.
    """
    meta, wanted = dependency.metadata, independent.metadata
    owner = OwnerReference(dependency.apiVersion, dependency.kind, meta.name, meta.uid, True, True)
    return ResourceBinding(
        metadata=ObjectMeta(
            name=binding_name(dependency.kind, meta.name),
            namespace=meta.namespace,
            labels={depended_by_label(wanted): wanted.labels.get(BINDING_ID_LABEL, "")},
            finalizers=(BINDING_FINALIZER,),
            ownerReferences=(owner,),
        ),
        spec=ResourceBindingSpec(
            resource=ObjectReference(
                dependency.apiVersion,
                dependency.kind,
                meta.namespace,
                meta.name,
                meta.uid if with_uid else "",
                meta.resourceVersion,
            ),
            requiredBy=(BindingSnapshot(wanted.namespace, wanted.name, independent.spec.clusters),),
            conflictResolution=independent.spec.conflictResolution,
            preserveResourcesOnDeletion=independent.spec.preserveResourcesOnDeletion,
        ),
    )


def depended_by_label(independent: ObjectMeta) -> str:
    """The label by which one finds what is attached to a binding."""
    return DEPENDED_BY_PREFIX + binding_reference_key(independent.namespace, independent.name)


def merged_snapshots(
    known: tuple[BindingSnapshot, ...], new: tuple[BindingSnapshot, ...]
) -> tuple[BindingSnapshot, ...]:
    """The snapshots with newer ones in their places, or at the end."""
    merged = {(snapshot.namespace, snapshot.name): snapshot for snapshot in known}
    merged |= {(snapshot.namespace, snapshot.name): snapshot for snapshot in new}
    return tuple(merged.values())


def merged_binding(existing: ResourceBinding, attached: ResourceBinding) -> ResourceBinding:
    """An existing binding of a dependency, attached to one more independent binding.

    One that a policy made keeps that policy's way of resolving conflicts.
    """
    meta = existing.metadata
    spec, new = existing.spec, attached.spec
    spec = replace(
        spec,
        resource=new.resource,
        requiredBy=merged_snapshots(spec.requiredBy, new.requiredBy),
        conflictResolution=new.conflictResolution if spec.placement is None else spec.conflictResolution,
        preserveResourcesOnDeletion=new.preserveResourcesOnDeletion,
    )
    return replace(existing, metadata=replace(meta, labels={**meta.labels, **attached.metadata.labels}), spec=spec)


class Agreement(NamedTuple):
    """What all who need a dependency want done with it; `conflict` says where they differ, empty when they agree."""

    conflict_resolution: str
    preserves: bool
    conflict: str


def agreement(specs: Iterable[ResourceBindingSpec]) -> Agreement:
    """v1.18: one who overwrites is enough to overwrite, one who preserves is enough to preserve."""
    specs = list(specs)
    overwrite = {spec.conflictResolution == OVERWRITE for spec in specs}
    preserve = {bool(spec.preserveResourcesOnDeletion) for spec in specs}
    parts = ["ConflictResolution conflicted (Overwrite vs Abort)"] if len(overwrite) > 1 else []
    parts += ["PreserveResourcesOnDeletion conflicted (true vs false)"] if len(preserve) > 1 else []
    conflict = f"Dependency policy conflict detected: {'; '.join(parts)}." if parts else ""
    return Agreement(OVERWRITE if True in overwrite else ABORT, True in preserve, conflict)


def detached(attached: ResourceBinding, independent: ObjectMeta) -> ResourceBinding:
    """An attached binding that one independent binding has no need of any more."""
    label, meta = depended_by_label(independent), attached.metadata
    labels = {key: value for key, value in meta.labels.items() if key != label}
    left = tuple(
        snapshot
        for snapshot in attached.spec.requiredBy
        if (snapshot.namespace, snapshot.name) != (independent.namespace, independent.name)
    )
    return replace(attached, metadata=replace(meta, labels=labels), spec=replace(attached.spec, requiredBy=left))

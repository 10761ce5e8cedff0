"""How an object gets into a member, how what is the member's own survives, and how one sees that somebody changed it.

A process remembers the version that each object had after its own last write. A member's object that has another
version was changed by somebody else, and is written again. The memory is lost with the process, whereupon everything is
written once more, mostly without effect.

Mirrors pkg/util/objectwatcher. Execution and work status share one.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import KarmadalabError
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import (
    CONFLICT_RESOLUTION_ANNOTATION,
    MANAGED_ANNOTATIONS_ANNOTATION,
    MANAGED_LABEL,
    MANAGED_LABELS_ANNOTATION,
)
from karmadalab.core.member import MemberCluster
from karmadalab.interpreter.interpreter import Interpreter


class NotManaged(KarmadalabError):
    """The member has an object of that name which Karmada did not make, and may not take."""


# --- decisions -------------------------------------------------------------------------------------------------------


def is_managed(obj: Unstructured) -> bool:
    """Whether Karmada put the object into the member."""
    return obj.metadata.labels.get(MANAGED_LABEL) == "true"


def merged_metadata(desired: ObjectMeta, observed: ObjectMeta) -> ObjectMeta:
    """The metadata to write over a member's object.

    Labels and annotations that the member has of its own stay; those that Karmada had recorded as its own and no longer
    wants go. Version, finalizers and owners are the member's.
    """
    return replace(
        desired,
        labels=_merged(desired.labels, observed.labels, observed.annotations.get(MANAGED_LABELS_ANNOTATION, "")),
        annotations=_merged(
            desired.annotations, observed.annotations, observed.annotations.get(MANAGED_ANNOTATIONS_ANNOTATION, "")
        ),
        resourceVersion=observed.resourceVersion,
        finalizers=observed.finalizers,
        ownerReferences=observed.ownerReferences,
    )


def _merged(desired: dict[str, str], observed: dict[str, str], recorded: str) -> dict[str, str]:
    ours = set(recorded.split(",")) if recorded else set()
    return {**{key: value for key, value in observed.items() if key not in ours}, **desired}


def object_version(meta: ObjectMeta) -> str:
    """What tells one state of an object from another: its generation, or its resourceVersion where it has none.

    >>> object_version(ObjectMeta(generation=3, resourceVersion="9")), object_version(ObjectMeta(resourceVersion="9"))
    ('gen:3', 'rv:9')
    """
    return f"gen:{meta.generation}" if meta.generation else f"rv:{meta.resourceVersion}"


def needs_update(desired: ObjectMeta, observed: ObjectMeta, recorded: str) -> bool:
    """Whether a member's object is no longer as it was written.

    The generation does not move with labels, so where it is the version they are compared as well.

    Args:
        recorded: its version after our last write; empty when we know of none.
    """
    version = object_version(observed)
    return recorded != version or (version.startswith("gen:") and desired.labels != observed.labels)


# --- the watcher -----------------------------------------------------------------------------------------------------


class ObjectWatcher:
    """Writes objects to members and remembers their versions.

    Args:
        interpreter: says which fields are a member's own.
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._versions: dict[tuple[str, str, str, str], str] = {}

    def create(self, member: MemberCluster, desired: Unstructured) -> None:
        """Put an object into a member that has none of that name."""
        self._record(member, member.client.create(desired))

    def update(self, member: MemberCluster, desired: Unstructured, observed: Unstructured) -> None:
        """Write over a member's object, keeping what is the member's own.

        Raises:
            NotManaged: Karmada did not make it, and the policy does not say to overwrite.
        """
        if not is_managed(observed) and desired.metadata.annotations.get(CONFLICT_RESOLUTION_ANNOTATION) != "overwrite":
            meta = desired.metadata
            raise NotManaged(
                f"resource(kind={desired.kind}, {meta.namespace}/{meta.name}) already exists in the cluster "
                f"{member.name} and the {CONFLICT_RESOLUTION_ANNOTATION} strategy value is empty, Karmada will not "
                "manage this resource"
            )
        self._record(member, member.client.update(self._retained(desired, observed)))

    def delete(self, member: MemberCluster, desired: Unstructured) -> None:
        """Delete a member's object, if Karmada made it."""
        kind, meta = desired.GROUP_KIND, desired.metadata
        observed = member.client.find(kind, meta.name, meta.namespace)
        if observed is not None and is_managed(observed):
            member.client.delete(kind, meta.name, meta.namespace)
        self._versions.pop(_key(member, desired), None)

    def needs_update(self, member: MemberCluster, desired: Unstructured, observed: Unstructured) -> bool:
        """Whether somebody else changed a member's object since our last write."""
        recorded = self._versions.get(_key(member, desired), "")
        return needs_update(desired.metadata, observed.metadata, recorded)

    def _retained(self, desired: Unstructured, observed: Unstructured) -> Unstructured:
        merged = replace(desired, metadata=merged_metadata(desired.metadata, observed.metadata))
        if self._interpreter.hook_enabled(desired.GROUP_KIND, "retain"):
            merged = self._interpreter.retain(merged, observed)
        return merged

    def _record(self, member: MemberCluster, written: Any) -> None:
        self._versions[_key(member, written)] = object_version(written.metadata)


def _key(member: MemberCluster, obj: Unstructured) -> tuple[str, str, str, str]:
    meta = obj.metadata
    return member.name, obj.GROUP_KIND, meta.namespace, meta.name

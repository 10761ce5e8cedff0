"""What any API server checks, whatever the kind: identity, and what an update must leave alone."""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import ApiError, BadRequest, Conflict, Invalid, NotFound
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.native_rules import check_content, check_labels, check_name
from karmadalab.api.scheme import is_namespaced


def where(meta: ObjectMeta) -> str:
    """Namespace and name, for messages."""
    return f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name


def check_identity(namespaced: bool, kind: str, meta: ObjectMeta) -> None:
    """Whether an object says who it is.

    Raises:
        BadRequest: a name or a namespace is missing, or there is one too many.
    """
    if not meta.name and not meta.generateName:
        raise BadRequest(f"{kind} (no name): metadata.name: required, but missing; write name: something")
    if namespaced and not meta.namespace:
        raise BadRequest(f"{kind} {meta.name}: metadata.namespace: required, but missing; write namespace: default")
    if not namespaced and meta.namespace:
        raise BadRequest(f"{kind} {meta.name}: metadata.namespace: a {kind} has no namespace; leave it out")


def check_new(obj: Any) -> None:
    """Whether an object could be created, as far as it is known from the object alone.

    Raises:
        BadRequest, Invalid: what is wrong with its name, its labels or its content.
    """
    meta = obj.metadata
    kind: str = obj.GROUP_KIND
    check_identity(is_namespaced(kind), obj.kind, meta)
    check_name(obj.kind, kind, meta)
    if meta.labels:
        check_labels(obj.kind, where(meta), meta.labels)
    check_content(obj)


def refusal(obj: Any, old: Any, world: str) -> ApiError:
    """Why an object can't be written over the stored one: that is not there, or not the one that was read."""
    if old is None:
        at = f" in {world}" if world else ""
        return NotFound(f"{obj.kind} {where(obj.metadata)} not found{at}")
    given = obj.metadata.resourceVersion
    if not given:
        return BadRequest(
            f"{obj.kind} {where(obj.metadata)}: metadata.resourceVersion must be specified for an update: "
            "read the object, change it and write it back"
        )
    return Conflict(
        f"{obj.kind} {where(obj.metadata)}: you wrote resourceVersion {given}, the store has "
        f"{old.metadata.resourceVersion}; read it again and reapply your change"
    )


def check_update(obj: Any, meta: ObjectMeta, old: ObjectMeta) -> None:
    """What an update must not change.

    Raises:
        Conflict, Invalid: what was changed.
    """
    if meta.uid and meta.uid != old.uid:
        raise Conflict(
            f"{obj.kind} {where(meta)}: you wrote uid {meta.uid}, the store has {old.uid}: the object you read was "
            "deleted and another has its name; read it again"
        )
    if meta.labels != old.labels:
        check_labels(obj.kind, where(meta), meta.labels)
    if old.deletionTimestamp is not None and (new := set(meta.finalizers) - set(old.finalizers)):
        raise Invalid(
            f"{obj.kind} {where(meta)}: metadata.finalizers: {', '.join(sorted(new))} can't be added: the object is "
            "being deleted; finalizers can only be removed now"
        )

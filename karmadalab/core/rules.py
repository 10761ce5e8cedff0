"""What any API server checks, whatever the kind: identity, and what an update must leave alone."""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import BadRequest, Conflict, Invalid
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.native_rules import check_labels


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

"""The `scale` subresource: how many replicas, whatever the kind; what `kubectl scale` and autoscalers write."""

from __future__ import annotations

from typing import Any

from karmadalab.api.codec import plain, to_dict
from karmadalab.api.errors import BadRequest, Conflict, Invalid
from karmadalab.server.kinds import Served
from karmadalab.server.selectors import at

_PATHS = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ""}


def scale_of(kind: Served, obj: Any) -> dict[str, Any]:
    """An object's `autoscaling/v1` Scale."""
    data = to_dict(obj)
    paths = {**_PATHS, **(kind.scale or {})}
    meta = {
        key: value
        for key, value in plain(obj.metadata).items()
        if key in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    }
    selector = at(data, "spec.selector.matchLabels") or {}
    status: dict[str, Any] = {"replicas": at(data, paths["statusReplicasPath"].lstrip(".")) or 0}
    if selector and isinstance(selector, dict):
        status["selector"] = ",".join(f"{key}={value}" for key, value in sorted(selector.items()))
    replicas = at(data, paths["specReplicasPath"].lstrip("."))
    spec = {"replicas": 1 if replicas is None else replicas}
    return {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": meta, "spec": spec, "status": status}


def scaled(kind: Served, obj: Any, scale: Any) -> dict[str, Any]:
    """The object's manifest with the replicas of a Scale.

    Raises:
        BadRequest, Invalid: it is no Scale, or its number is none.
        Conflict: it was read before somebody else wrote.
    """
    if not isinstance(scale, dict) or scale.get("kind", "Scale") != "Scale":
        raise BadRequest("the body is an autoscaling/v1 Scale: {spec: {replicas: 2}}")
    replicas = at(scale, "spec.replicas") or 0
    if isinstance(replicas, bool) or not isinstance(replicas, int) or replicas < 0:
        raise Invalid(f"spec.replicas: expected a whole number of 0 or more, got {replicas!r}")
    version = at(scale, "metadata.resourceVersion")
    if version and version != obj.metadata.resourceVersion:
        raise Conflict(f"you wrote resourceVersion {version}, the store has {obj.metadata.resourceVersion}")
    data = to_dict(obj)
    *outer, last = {**_PATHS, **(kind.scale or {})}["specReplicasPath"].strip(".").split(".")
    inner = data
    for part in outer:
        inner[part] = dict(inner.get(part) or {})  # a manifest shares its parts with the stored object
        inner = inner[part]
    inner[last] = replicas
    return data

"""The `scale` subresource: how many replicas, whatever the kind; what `kubectl scale` and autoscalers write."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from karmadalab.api.codec import convert, plain, to_dict
from karmadalab.api.errors import Conflict, Invalid
from karmadalab.api.meta import Data
from karmadalab.server.definitions import ScalePaths
from karmadalab.server.kinds import Served
from karmadalab.server.selectors import at

_NATIVE = ScalePaths()


class _Metadata(Data, forbid_unknown_fields=False):
    resourceVersion: str = ""


class _Spec(Data):
    replicas: Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)] = 0  # Go leaves a 0 out


class _Scale(Data, forbid_unknown_fields=False):
    spec: _Spec
    kind: Literal["Scale"] = "Scale"
    metadata: _Metadata = _Metadata()


def scale_of(kind: Served, obj: Any) -> dict[str, Any]:
    """An object's `autoscaling/v1` Scale."""
    data = to_dict(obj)
    paths = kind.scale or _NATIVE
    meta = {
        key: value
        for key, value in plain(obj.metadata).items()
        if key in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    }
    selector = at(data, "spec.selector.matchLabels") or {}
    status: dict[str, Any] = {"replicas": at(data, paths.statusReplicasPath.lstrip(".")) or 0}
    if selector and isinstance(selector, dict):
        status["selector"] = ",".join(f"{key}={value}" for key, value in sorted(selector.items()))
    replicas = at(data, paths.specReplicasPath.lstrip("."))
    spec = {"replicas": 1 if replicas is None else replicas}
    return {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": meta, "spec": spec, "status": status}


def scaled(kind: Served, obj: Any, scale: Any) -> dict[str, Any]:
    """The object's manifest with the replicas of a Scale.

    Raises:
        Invalid: it is no Scale, or the object has no place for the number.
        Conflict: it was read before somebody else wrote.
    """
    wanted = convert(scale, _Scale, f"Scale {obj.metadata.name}")
    version = wanted.metadata.resourceVersion
    if version and version != obj.metadata.resourceVersion:
        raise Conflict(f"you wrote resourceVersion {version}, the store has {obj.metadata.resourceVersion}")
    data = to_dict(obj)
    *outer, last = (kind.scale or _NATIVE).specReplicasPath.strip(".").split(".")
    inner = data
    for part in outer:
        if not isinstance(inner.get(part) or {}, dict):
            raise Invalid(f"{kind.type.kind} {obj.metadata.name}: {part}: not a mapping, so it can't hold {last}")
        inner[part] = dict(inner.get(part) or {})  # a manifest shares its parts with the stored object
        inner = inner[part]
    inner[last] = wanted.spec.replicas
    return data

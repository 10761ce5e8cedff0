"""From what a person hands to `lab.apply` to objects, and from an applied object to an update."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from karmadalab.api.cluster import Cluster
from karmadalab.api.codec import decode, describe, to_dict
from karmadalab.api.errors import BadRequest, Conflict, Invalid
from karmadalab.api.meta import Resource, replace
from karmadalab.api.scheme import AnyObject, resource_type
from karmadalab.api.unstructured import Unstructured
from karmadalab.environments.files import parse_yaml, read_text
from karmadalab.environments.plain import plain

Manifests = str | Path | Mapping[str, Any] | AnyObject | Iterable[Any]


def read_manifests(manifests: Any) -> list[Any]:
    if isinstance(manifests, (Resource, Unstructured)):
        return [_sound(manifests)]
    if isinstance(manifests, Path):
        return _documents(read_text(manifests), str(manifests))
    if isinstance(manifests, str):
        if "\n" in manifests or manifests.lstrip().startswith("{"):
            return _documents(manifests, "manifest")
        return _documents(read_text(manifests), manifests)
    if isinstance(manifests, Mapping):
        data = dict(manifests)
        if data.get("kind") == "List" and isinstance(data.get("items"), list):
            return _all(data["items"])
        return [decode(plain(data, describe(data)))]
    if isinstance(manifests, Iterable):
        return _all(manifests)
    raise BadRequest(f"apply: expected a file, a YAML text or manifests, got {type(manifests).__name__}")


def _all(manifests: Iterable[Any]) -> list[Any]:
    try:
        return [obj for item in manifests for obj in read_manifests(item)]
    except RecursionError:
        raise Invalid("apply: a list of manifests holds itself, and so has no end") from None


def _sound(obj: Any) -> Any:
    """An object made by hand, if it could be sent at all."""
    where = f"{obj.kind} {obj.metadata.name}"
    if isinstance(obj, Unstructured):
        obj = replace(obj, body=plain(obj.body, where))
    try:
        plain(to_dict(obj), where)
    except RecursionError:
        raise Invalid(f"{where}: holds itself, and so has no end") from None
    return obj


def _documents(text: str, where: str) -> list[Any]:
    documents = parse_yaml(text, where)
    if not documents:
        raise Invalid(f"{where}: holds no manifest")
    objects = []
    for document in documents:
        if not isinstance(document, dict):
            raise Invalid(
                f"{where}: a manifest is a mapping with apiVersion, kind and metadata, not {type(document).__name__}"
            )
        objects.extend(read_manifests(document))
    return objects


def in_namespace(obj: Any) -> Any:
    meta = obj.metadata
    if meta.namespace or not resource_type(obj.GROUP_KIND).namespaced:
        return obj
    return replace(obj, metadata=replace(meta, namespace="default"))


def applied(obj: Any, old: Any, last: Mapping[str, Any]) -> Any:
    """An update that keeps what others wrote: the stored version, and labels, annotations, finalizers it lacks.

    Args:
        obj: what is applied now.
        old: what is stored.
        last: the body that was applied the time before, empty if none was.

    Raises:
        Conflict: it names another version than the stored one.
    """
    meta, stored = obj.metadata, old.metadata
    if meta.resourceVersion and meta.resourceVersion != stored.resourceVersion:
        raise Conflict(
            f"{obj.kind} {stored.namespace}/{stored.name}: you applied resourceVersion {meta.resourceVersion}, the "
            f"store has {stored.resourceVersion}; leave resourceVersion out of manifests"
        )
    merged = replace(
        stored,
        labels={**stored.labels, **meta.labels},
        annotations={**stored.annotations, **meta.annotations},
        finalizers=meta.finalizers or stored.finalizers,
    )
    if isinstance(obj, Cluster):
        obj = replace(obj, spec=replace(obj.spec, taints=obj.spec.taints or old.spec.taints))
    if isinstance(obj, Unstructured):
        obj = replace(obj, body=three_way(old.body, last, obj.body))
    return replace(obj, metadata=merged)


def three_way(live: Mapping[str, Any], last: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """What becomes of stored data when a manifest is applied again, as `kubectl apply` works it out.

    What the manifest says counts; what it said the last time and says no more goes; what it never said is others'.
    Lists are taken as a whole, which kubectl does only where their items have no names.

    >>> three_way({"replicas": 4, "paused": True}, {"paused": True}, {"image": "a"})
    {'replicas': 4, 'image': 'a'}
    """
    merged = {}
    for key in (*live, *(key for key in new if key not in live)):
        before, after = live.get(key), new.get(key)
        if key not in new:
            if key not in last:
                merged[key] = before
        elif isinstance(before, Mapping) and isinstance(after, Mapping):
            said = last.get(key)
            merged[key] = three_way(before, said if isinstance(said, Mapping) else {}, after)
        else:
            merged[key] = before if before == after and key in live else after  # equal data keep their order
    return merged

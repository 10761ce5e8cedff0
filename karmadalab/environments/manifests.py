"""From what a person hands to `lab.apply` to objects, and from an applied object to an update."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from karmadalab.api.codec import decode, describe, to_dict
from karmadalab.api.errors import BadRequest, Conflict, Invalid
from karmadalab.api.meta import Resource, replace
from karmadalab.api.native_defaults import without_nulls
from karmadalab.api.scheme import AnyObject, resource_type
from karmadalab.api.unstructured import Unstructured
from karmadalab.environments.files import parse_yaml, read_text
from karmadalab.environments.plain import plain

Manifests = str | Path | Mapping[str, Any] | AnyObject | Iterable[Any]

T = TypeVar("T")


class Manifest(NamedTuple):
    """An object to apply.

    Attributes:
        obj: what it is.
        written: its manifest as somebody wrote it, before any default; of an object made by hand, what is no default.
        was_read: it was read from a store and is written back.
    """

    obj: Any
    written: Mapping[str, Any]
    was_read: bool = False


def read_manifests(manifests: Any) -> list[Manifest]:
    """What a person hands over, one by one. Raises `Invalid`, `BadRequest`."""
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
        written = plain(data, describe(data))
        return [Manifest(_without_nulls(decode(written)), written)]
    if isinstance(manifests, Iterable):
        return _all(manifests)
    raise BadRequest(f"apply: expected a file, a YAML text or manifests, got {type(manifests).__name__}")


def _all(manifests: Iterable[Any]) -> list[Manifest]:
    try:
        return [manifest for item in manifests for manifest in read_manifests(item)]
    except RecursionError:
        raise Invalid("apply: a list of manifests holds itself, and so has no end") from None


def _sound(obj: Any) -> Manifest:
    """An object made by hand, if it could be sent at all."""
    where = f"{obj.kind} {obj.metadata.name}"
    if isinstance(obj, Unstructured):
        obj = replace(obj, body=plain(obj.body, where))
    try:
        written = plain(to_dict(obj), where)
    except RecursionError:
        raise Invalid(f"{where}: holds itself, and so has no end") from None
    return Manifest(_without_nulls(obj), written, was_read=bool(obj.metadata.resourceVersion))


def _without_nulls(obj: Any) -> Any:
    """A kind with a schema of ours has none; in any other, null and nothing mean the same too."""
    return replace(obj, body=without_nulls(obj.body)) if isinstance(obj, Unstructured) else obj


def _documents(text: str, where: str) -> list[Manifest]:
    documents = parse_yaml(text, where)
    if not documents:
        raise Invalid(f"{where}: holds no manifest")
    found = []
    for document in documents:
        if not isinstance(document, dict):
            raise Invalid(
                f"{where}: a manifest is a mapping with apiVersion, kind and metadata, not {type(document).__name__}"
            )
        found.extend(read_manifests(document))
    return found


def in_namespace(manifest: Manifest) -> Manifest:
    """In `default`, where its kind has namespaces and it names none."""
    obj = manifest.obj
    if obj.metadata.namespace or not resource_type(obj.GROUP_KIND).namespaced:
        return manifest
    return manifest._replace(obj=replace(obj, metadata=replace(obj.metadata, namespace="default")))


def applied(manifest: Manifest, old: Any, last: Mapping[str, Any]) -> Any:
    """An update that keeps what others wrote; one of an object that was read, which says all, as it is.

    Args:
        manifest: what is applied now.
        old: what is stored.
        last: what was written the time before, empty if nothing was.

    Raises:
        Conflict: it names another version than the stored one.
    """
    obj = manifest.obj
    meta, stored = obj.metadata, old.metadata
    if meta.resourceVersion and meta.resourceVersion != stored.resourceVersion:
        raise Conflict(
            f"{obj.kind} {stored.namespace}/{stored.name}: you applied resourceVersion {meta.resourceVersion}, the "
            f"store has {stored.resourceVersion}; leave resourceVersion out of manifests"
        )
    if manifest.was_read:
        return obj
    live, new = to_dict(old), manifest.written
    notes = three_way(_notes(live), _notes(last), _notes(new))
    body = three_way(_body(live), _body(last), _body(new))
    before = last.get("metadata") or {}
    owned_before = {owner["uid"] for owner in before.get("ownerReferences") or ()}
    merged = replace(
        stored,
        **notes,
        finalizers=_shared(stored.finalizers, before.get("finalizers") or (), meta.finalizers, str),
        ownerReferences=_shared(stored.ownerReferences, owned_before, meta.ownerReferences, attrgetter("uid")),
    )
    if isinstance(obj, Unstructured):
        return replace(obj, body=without_nulls(body), metadata=merged)
    head = {"apiVersion": obj.apiVersion, "kind": obj.kind, "metadata": {"name": stored.name}}
    return replace(decode({**head, **body}), metadata=merged)


def _notes(data: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the metadata that a manifest shares with others; to say none of it takes away none of theirs."""
    metadata = data.get("metadata") or {}
    return {key: metadata.get(key) or {} for key in ("labels", "annotations")}


def _shared(stored: Iterable[T], last: Iterable[str], new: Iterable[T], key: Callable[[T], str]) -> tuple[T, ...]:
    """A list to which others add items, too: the manifest's own become what it says now, theirs stay."""
    own = {key(item): item for item in new}
    gone = set(last) - own.keys()
    kept = [own.pop(key(item), item) for item in stored if key(item) not in gone]
    return (*kept, *own.values())


def _body(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in ("apiVersion", "kind", "metadata")}


def three_way(live: Mapping[str, Any], last: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """What becomes of stored data when a manifest is applied again, as `kubectl apply` works it out.

    What the manifest says counts; what it said the last time and says no more goes, and so does what it says is null;
    what it never said is others'. Lists are taken as a whole, which kubectl does only where their items have no names.

    >>> three_way({"replicas": 4, "paused": True}, {"paused": True}, {"image": "a"})
    {'replicas': 4, 'image': 'a'}
    """
    merged = {}
    for key in (*live, *(key for key in new if key not in live)):
        before, after = live.get(key), new.get(key)
        if key not in new:
            if key not in last:
                merged[key] = before
        elif isinstance(after, Mapping):
            merged[key] = three_way(_mapping(before), _mapping(last.get(key)), after)
        elif after is not None:
            merged[key] = before if before == after else after  # equal data keep their order
    return merged


def _mapping(data: Any) -> Mapping[str, Any]:
    return data if isinstance(data, Mapping) else {}

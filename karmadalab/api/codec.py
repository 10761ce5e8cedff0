"""From manifests to objects and back.

Kinds with a schema of our own are read strictly: an unknown field or a wrong type is an error that names the path. All
other kinds are kept as they are (`Unstructured`). `null` and a missing field mean the same, as in Kubernetes.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from karmadalab.api.errors import FieldError, Invalid
from karmadalab.api.explain import explain_validation, server_words, unknown_field
from karmadalab.api.meta import Data, ObjectMeta, Resource
from karmadalab.api.scheme import RESOURCE_TYPES, AnyObject, known_type, same_kind
from karmadalab.api.shapes import TEXT, Fields
from karmadalab.api.similar import similar
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured, group_kind

D = TypeVar("D")


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
    known = known_type(group_kind(api_version, kind))
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
    same = same_kind(kind)
    if same is not None and "." not in api_version.partition("/")[0]:
        raise Invalid(f"{where}: apiVersion: {api_version} has no kind {kind}; write {same.api_version}")
    if kind != _LUA_KIND and api_version.partition("/")[0].endswith("karmada.io"):
        close = similar(kind, [rt.kind for rt in RESOURCE_TYPES if rt.cls is not None])
        offer = f"; did you mean {close[0]}?" if close else ""
        raise Invalid(f"{where}: apiVersion: {api_version} has no kind {kind} that this lab knows{offer}")
    close = similar(kind, [rt.kind for rt in RESOURCE_TYPES if rt.api_version == api_version and rt.cls is None])
    if close and kind not in _OTHER_NATIVE_KINDS:
        raise Invalid(f"{where}: apiVersion: {api_version} has no kind {kind}; did you mean {close[0]}?")


# What Kubernetes has beside what the lab knows, and reads like a slip for Ingress.
_OTHER_NATIVE_KINDS = frozenset(("IngressClass", "IPAddress"))
_LUA_KIND = "ResourceInterpreterCustomization"
_CUSTOMIZATION = Fields({"spec": Fields({"target": Fields({"apiVersion": TEXT, "kind": TEXT})})})


def _refuse_lua(where: str, data: dict[str, Any]) -> None:
    """The schema comes first, as in a real API server."""
    misfit = _CUSTOMIZATION.misfit(data)
    if misfit is not None:
        path, problem = misfit
        raise Invalid(f"{where}: {path.lstrip('.')}: {problem}")
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

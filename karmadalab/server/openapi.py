"""OpenAPI v3, derived from the API types themselves: what `kubectl explain` teaches and `kubectl apply` asks for.

Kinds of our own have their real schema. Kinds whose schema is not ours (Deployments, Services) are open objects with
the fields that somebody here reads: they are stored as they come, and kubectl leaves validation to the server.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from karmadalab.api.meta import ObjectMeta
from karmadalab.api.native_shapes import SHAPES
from karmadalab.api.scheme import RESOURCE_TYPES
from karmadalab.api.shapes import ANY, Each, Fields, Leaf, Named, Shape
from karmadalab.api.time import Time
from karmadalab.core.store import Store
from karmadalab.server.field_docs import FIELD_DOCS
from karmadalab.server.kinds import Served, served

_REF = "#/components/schemas/{name}"
_TYPES = [rt.cls for rt in RESOURCE_TYPES if rt.cls is not None]


def index(store: Store, prefix: str) -> dict[str, Any]:
    """`/openapi/v3`: where the document of each group version is.

    Args:
        store: whose kinds.
        prefix: what stands before `/openapi` in this server's addresses; kubectl takes the address as it is given.
    """
    versions = sorted({_path(kind) for kind in served(store)})
    return {"paths": {path: {"serverRelativeURL": f"{prefix}/openapi/v3/{path}?hash=1"} for path in versions}}


def _path(kind: Served) -> str:
    return f"apis/{kind.type.api_version}" if kind.group else f"api/{kind.version}"


def document(store: Store, path: str) -> dict[str, Any] | None:
    """`/openapi/v3/apis/GROUP/VERSION`, None when it is not served."""
    kinds = [kind for kind in served(store) if _path(kind) == path]
    if not kinds:
        return None
    needed: dict[str, Any] = {}
    for kind in kinds:
        _collect(_schema_of(kind, needed), needed)
    paths = {url: item for kind in kinds for url, item in _operations(kind)}
    info = {"title": "karmadalab", "version": "v1.32.0"}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": needed}}


def _schema_of(kind: Served, into: dict[str, Any]) -> dict[str, Any]:
    """Put a kind's schema under its name; returns it."""
    rt = kind.type
    schema: dict[str, Any]
    if rt.cls is not None:
        schema = dict(_components()[rt.cls.__name__])
    else:
        properties = {
            "apiVersion": {"type": "string", "description": FIELD_DOCS["apiVersion"]},
            "kind": {"type": "string", "description": FIELD_DOCS["kind"]},
            "metadata": {"allOf": [{"$ref": _REF.format(name="ObjectMeta")}], "description": FIELD_DOCS["metadata"]},
        }
        own = _schema_of_shape(SHAPES.get(rt.group_kind, ANY))
        schema = {**own, "description": _foreign(kind), "properties": {**properties, **own["properties"]}}
    schema["x-kubernetes-group-version-kind"] = [_gvk(kind)]
    into[schema_name(kind)] = schema
    return schema


def _schema_of_shape(shape: Shape) -> dict[str, Any]:
    """What is known of a kind whose schema is not ours: the fields that somebody here reads."""
    if isinstance(shape, Fields):
        known = {field: _schema_of_shape(inner) for field, inner in sorted(shape.fields.items())}
        required = {"required": sorted(shape.required)} if shape.required else {}
        return {"type": "object", "properties": known, "x-kubernetes-preserve-unknown-fields": True, **required}
    if isinstance(shape, Each):
        return {"type": "array", "items": _schema_of_shape(shape.item)}
    if isinstance(shape, Named):
        return {"type": "object", "additionalProperties": _schema_of_shape(shape.item)}
    leaf = shape.type if isinstance(shape, Leaf) else ""
    return {"type": leaf} if leaf else {"x-kubernetes-int-or-string": True}


def _foreign(kind: Served) -> str:
    return (
        f"{kind.type.kind}: the lab stores it as it is written. Below are the fields that somebody here reads; "
        "Kubernetes describes them all."
    )


def schema_name(kind: Served) -> str:
    """The name of a kind's schema: `io.karmada.policy.v1alpha1.PropagationPolicy`."""
    group = kind.group or "core.k8s.io"
    return ".".join([*reversed(group.split(".")), kind.version, kind.type.kind])


def _gvk(kind: Served) -> dict[str, str]:
    return {"group": kind.group, "version": kind.version, "kind": kind.type.kind}


def _operations(kind: Served) -> list[tuple[str, dict[str, Any]]]:
    """The paths of a kind. kubectl looks for a patch with `fieldValidation`, and for the kind of each operation."""
    parameter = {"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}
    content = {"application/json": {"schema": {"$ref": _REF.format(name=schema_name(kind))}}}
    operation = {
        "x-kubernetes-group-version-kind": _gvk(kind),
        "parameters": [parameter, {"name": "dryRun", "in": "query", "schema": {"type": "string"}}],
        "responses": {"200": {"description": "OK", "content": content}},
    }
    scope = "/namespaces/{namespace}" if kind.type.namespaced else ""
    base = f"/{_path(kind)}{scope}/{kind.type.plural}"
    with_action = [
        (verb, {**operation, "x-kubernetes-action": action})
        for verb, action in (("get", "get"), ("put", "put"), ("patch", "patch"))
    ]
    return [(base, {"post": {**operation, "x-kubernetes-action": "post"}}), (f"{base}/{{name}}", dict(with_action))]


# --- from msgspec's JSON Schema to what Kubernetes writes


@cache
def _components() -> dict[str, Any]:
    """The schemas of our API types, by class name."""
    _, raw = msgspec.json.schema_components([*_TYPES, ObjectMeta], schema_hook=_time, ref_template=_REF)
    return {name: _struct(name, schema) for name, schema in raw.items()}


def _time(type_: type) -> dict[str, Any]:
    if issubclass(type_, Time):
        return {"type": "string", "format": "date-time"}
    raise NotImplementedError(type_)  # what msgspec asks of a hook that passes


def _struct(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    converted = {
        field: _described(name, field, _plain(properties[field])) for field in sorted(properties, key=_field_order)
    }
    found: dict[str, Any] = {"type": "object", "description": schema.get("description", ""), "properties": converted}
    if schema.get("required"):
        found["required"] = sorted(schema["required"])
    return found


def _field_order(field: str) -> tuple[int, str]:
    head = ("apiVersion", "kind", "metadata", "spec", "status")
    return (head.index(field) if field in head else len(head), field)


def _described(struct: str, field: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A field's schema with the words about it; beside a `$ref` they need an `allOf`."""
    words = FIELD_DOCS.get(f"{struct}.{field}") or FIELD_DOCS.get(field)
    if "$ref" in schema:
        schema = {"allOf": [schema]}
    return {"description": words, **schema} if words else schema


def _plain(schema: Any) -> Any:
    """Without defaults and without `null`: in Kubernetes a missing field says both."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        return _plain(options[0])
    if options:
        return {"x-kubernetes-int-or-string": True}
    dropped = ("default", "title", "additionalProperties") if "properties" in schema else ("default", "title")
    return {key: _plain(value) for key, value in schema.items() if key not in dropped}


def _collect(schema: Any, into: dict[str, Any]) -> None:
    """Put every schema that one refers to beside it."""
    if isinstance(schema, list):
        for item in schema:
            _collect(item, into)
    if not isinstance(schema, dict):
        return
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        if name not in into:
            into[name] = _components()[name]
            _collect(into[name], into)
    for value in schema.values():
        _collect(value, into)

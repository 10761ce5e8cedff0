"""How strictly a written manifest is read: whether a field that its kind does not have is refused, and in which words.

kubectl asks the server to be strict (`fieldValidation=Strict`), and so does who says nothing: a misspelt field that is
dropped in silence is the worst of answers. A real server only warns those who say nothing. Who asks for `Ignore` gets
it, for Karmada's own kinds; what a workload's `spec` may hold is checked at admission, for everybody. What would keep a
client from reading the object again is refused here: the lab's own controllers write no such thing.
"""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec

from karmadalab.api.codec import decode, describe
from karmadalab.api.errors import Invalid
from karmadalab.api.scheme import AnyObject, known_type
from karmadalab.api.shapes import TEXT, Each, Fields
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.server.definitions import CRD, definition
from karmadalab.server.status import HttpError

Manifest = dict[str, Any]

_READ_BY_CLIENTS = Fields({"status": Fields({"conditions": Each(Fields({"type": TEXT, "status": TEXT}))})})


def read(data: Manifest) -> AnyObject:
    """A manifest as an object.

    Raises:
        Invalid: it makes no sense, or has a field that its kind does not have.
    """
    obj = decode(data)
    if isinstance(obj, Unstructured):
        if misfit := _READ_BY_CLIENTS.misfit(obj.body):
            raise Invalid(f"{describe(data)}: {misfit[0].removeprefix('.')}: {misfit[1]}")
        if obj.GROUP_KIND == CRD:
            definition(obj.spec, obj.metadata.name)
    return obj


def read_applied(data: Manifest) -> AnyObject:
    """The same for a server-side apply, which compares with a schema before it looks at anything else.

    Raises:
        HttpError: a field is in no schema.
        Invalid: it makes no sense.
    """
    try:
        return read(data)
    except Invalid as error:
        if not error.unknown:
            raise
        meta = data["metadata"]
        name = "/".join(part for part in (meta.get("namespace"), meta.get("name")) if part)
        raise HttpError(
            400,
            "",
            f"failed to create typed patch object ({name}; {data['apiVersion']}, Kind={data['kind']}): "
            f".{error.unknown}: field not declared in schema",
        ) from None


def known_part(data: Manifest) -> Manifest:
    """A manifest without the fields that its kind does not have; all of it, if its schema is not ours."""
    api_version, kind = data["apiVersion"], data["kind"]
    known = known_type(group_kind(api_version, kind))
    return data if known is None else _known(data, known.cls)


def _known(data: Any, type_: Any) -> Any:
    """What its type has fields for; all of it, where there is none."""
    origin, inner = get_origin(type_), get_args(type_)
    if origin in (Union, UnionType, Annotated):
        return _known(data, inner[0])  # the rest is None, or a rule
    if isinstance(data, list) and origin is tuple:
        return [_known(item, inner[0]) for item in data]
    if isinstance(data, dict) and origin is dict:
        return {key: _known(value, inner[1]) for key, value in data.items()}
    if isinstance(data, dict) and isinstance(type_, type) and issubclass(type_, msgspec.Struct):
        fields = _fields_of(type_)
        return {key: _known(value, fields[key]) for key, value in data.items() if key in fields}
    return data


@cache
def _fields_of(type_: type[msgspec.Struct]) -> dict[str, Any]:
    return {field.encode_name: field.type for field in msgspec.structs.fields(type_)}

"""Objects as JSON bytes, quickly: `apiVersion` and `kind` first, and no detour over dicts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from karmadalab.api.scheme import AnyObject
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured


def _special(value: Any) -> Any:
    if isinstance(value, Time):
        return str(value)
    raise NotImplementedError(type(value))  # what msgspec asks of a hook that passes


_encoder = msgspec.json.Encoder(enc_hook=_special)
_EMPTY = (b"{}", b"null", b"[]", b'""')


def json_bytes(data: Any) -> bytes:
    """Anything plain as JSON."""
    return _encoder.encode(data)


def manifest(obj: AnyObject) -> bytes:
    """An object as JSON.

    >>> from karmadalab.api.meta import ObjectMeta
    >>> manifest(Unstructured("v1", "ConfigMap", ObjectMeta(name="a"), {"data": {"x": "1"}}))
    b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"}}'
    """
    head = b'{"apiVersion":%b,"kind":%b,' % (_encoder.encode(obj.apiVersion), _encoder.encode(obj.kind))
    if isinstance(obj, Unstructured):
        rest = _encoder.encode(obj.body)
        body = b'"metadata":' + _encoder.encode(obj.metadata)
        return head + body + (b"," + rest[1:] if len(rest) > 2 else b"}")
    parts = [(name, _encoder.encode(getattr(obj, name))) for name in _parts(type(obj))]
    return head + b",".join(b'"%b":%b' % (name.encode(), part) for name, part in parts if part not in _EMPTY) + b"}"


@cache
def _parts(cls: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(name for name in cls.__struct_fields__ if name not in ("apiVersion", "kind"))


def item_list(api_version: str, kind: str, meta: dict[str, Any], items: Iterable[AnyObject]) -> bytes:
    """A list of objects as JSON."""
    head = _encoder.encode({"apiVersion": api_version, "kind": f"{kind}List", "metadata": meta})
    return head[:-1] + b',"items":[' + b",".join(map(manifest, items)) + b"]}"

"""The tolerations in a binding's annotation `policy.karmada.io/applied-placement`, read as Go reads JSON.

The scheduler writes the annotation and the taint manager relies on it, but anybody who may edit a binding can spoil it.
Go passes over fields that it doesn't know and takes `null` for nothing said; what it can't read it refuses in words
that one searches the log of karmada-controller-manager for, and so they are given here.

Mirrors `json.Unmarshal` in `GetAppliedPlacement`, pkg/util/helper. Left out: types in the rest of the placement are not
looked at, and slips within a string, a number or a literal are told in other words.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from karmadalab.api.errors import Invalid
from karmadalab.api.explain import json_kind, server_words
from karmadalab.api.meta import Toleration
from karmadalab.api.policy import Placement

_KNOWN = tuple(field.encode_name for field in msgspec.structs.fields(Toleration))
_MALFORMED = re.compile(r"JSON is malformed: (.*) \(byte (\d+)\)")
# Where a wrong character stands: what msgspec says, and what Go says.
_PLACES = {
    "invalid character": "looking for beginning of value",
    "trailing comma in array": "looking for beginning of value",
    "object keys must be strings": "looking for beginning of object key string",
    "trailing comma in object": "looking for beginning of object key string",
    "expected ':'": "after object key",
    "expected ',' or '}'": "after object key:value pair",
    "expected ',' or ']'": "after array element",
    "trailing characters": "after top-level value",
}


def tolerations_in(text: str) -> tuple[Toleration, ...]:
    """The tolerations of an applied placement.

    Raises:
        Invalid: the text is not a placement.

    >>> tolerations_in('{"clusterTolerations":[{"key":"bad","operator":"Exists","since":"v9"}]}')
    (Toleration(key='bad', operator='Exists', value='', effect='', tolerationSeconds=None),)
    >>> tolerations_in("null")
    ()
    """
    field = "struct field Placement.clusterTolerations of type"
    items = _read(_decoded(text), dict, "value of type v1alpha1.Placement").get("clusterTolerations")
    known = []
    for item in _read(items, list, f"{field} []v1.Toleration"):
        toleration = _read(item, dict, f"{field} v1.Toleration")
        known.append({key: toleration[key] for key in _KNOWN if toleration.get(key) is not None})
    placement = {"clusterTolerations": known}
    try:
        tolerations = msgspec.convert(placement, Placement).clusterTolerations
    except msgspec.ValidationError as error:
        raise Invalid(server_words(str(error), Placement, placement)) from None
    for seconds in (toleration.tolerationSeconds for toleration in tolerations):
        if seconds is not None and not -(1 << 63) <= seconds < 1 << 63:
            path = "Toleration.clusterTolerations.tolerationSeconds"
            raise Invalid(f"json: cannot unmarshal number {seconds} into Go struct field {path} of type int64")
    return tolerations


def _decoded(text: str) -> Any:
    raw = text.encode(errors="replace")
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError as error:
        raise Invalid(_syntax_error(str(error), raw)) from None
    except RecursionError:
        raise Invalid("exceeded max depth") from None


def _syntax_error(message: str, raw: bytes) -> str:
    if message == "Input data was truncated":
        return "unexpected end of JSON input"
    found = _MALFORMED.match(message)
    if not found or found[1] not in _PLACES:
        return message
    at = int(found[2]) - (found[1] == "trailing characters")  # of these the first is read when it is refused
    wrong = chr(raw[at]) if at < len(raw) else ""  # Go too looks at bytes
    quoted = r"'\''" if wrong == "'" else repr(wrong)
    return f"invalid character {quoted} {_PLACES[found[1]]}" if wrong else message


def _read(value: Any, type_: type, go_place: str) -> Any:
    """A value of the type that belongs here; an empty one where there is none."""
    if value is None:
        return type_()
    if not isinstance(value, type_):
        raise Invalid(f"json: cannot unmarshal {json_kind(value)} into Go {go_place}")
    return value

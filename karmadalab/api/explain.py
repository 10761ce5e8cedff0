"""What is wrong with a manifest, for the person who wrote it, and in the words of a real API server.

`msgspec` says where and what; here its sentence becomes one in the terms of YAML, with close field names where one is
misspelt. After it, in parentheses, comes what a real Karmada answers, so that it can be searched for.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, get_args

import msgspec

from karmadalab.api.meta import Data
from karmadalab.api.similar import similar

_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`(?: - at `\$\.?(.*)`)?$")
_MISSING = re.compile(r"Object missing required field `(.*?)`(?: - at `\$\.?(.*)`)?$")
_OTHER = re.compile(r"(.*?)(?: - at `\$\.?(.*)`)?$", re.DOTALL)
_PLAIN = {
    "`int`": "a whole number",
    "`str`": "text",
    "`bool`": "true or false",
    "`object`": "a mapping",
    "`array`": "a list",
    "`float`": "a number",
    "`null`": "nothing",
}
# Go's name of the type that was expected, and of the JSON that was found.
_GO_TYPES: dict[Any, str] = {int: "int32", str: "string", bool: "bool"}
_INT64_FIELDS = frozenset(("tolerationSeconds", "generation", "observedGeneration", "ttlSecondsAfterFinished"))


class _Place(NamedTuple):
    """A value in a manifest: its path with the indexes, the struct that holds it, its field and itself."""

    path: str
    struct: type[Data] | None
    field: str
    value: Any


def explain_validation(message: str, type_: type) -> str:
    """A msgspec message in the terms of someone who writes YAML."""
    if found := _UNKNOWN.match(message):
        field, path = found[1], found[2] or ""
        names = _field_names(type_, path)
        close = similar(field, names)
        offer = f"; did you mean {close[0]}?" if close else f"; known are {', '.join(names)}" if names else ""
        return f"{path + '.' if path else ''}{field}: unknown field{offer}"
    if found := _MISSING.match(message):
        return f"{found[2] + '.' if found[2] else ''}{found[1]}: required, but missing"
    found = _OTHER.match(message)
    text, path = (found[1], found[2]) if found else (message, None)
    text = text.replace(" | null`", "`")
    for word, plain in _PLAIN.items():
        text = text.replace(word, plain)
    if text.startswith("Expected text, got ") and text.endswith(("number", "false")):
        text += "; put it in quotes"  # YAML reads 1.0 and yes as something else than text
    return f"{path}: {text[:1].lower() + text[1:]}" if path else text[:1].lower() + text[1:]


def server_words(message: str, type_: type[Data], data: Any) -> str:
    """What a real API server, or Karmada's webhook, says to a manifest that msgspec refuses; empty if unknown.

    Args:
        message: msgspec's sentence.
        type_: the kind's class.
        data: the manifest.
    """
    if path := unknown_field(message, type_, data):
        return f'strict decoding error: unknown field "{path}"'
    found = _OTHER.match(message)
    for place in _places(data, type_, (found[2] or "") if found else ""):
        text = _cannot_unmarshal(place)
        if text:
            return text
    return ""


def unknown_field(message: str, type_: type[Data], data: Any) -> str:
    """The path of the field that msgspec's sentence calls unknown; empty if it is about something else."""
    found = _UNKNOWN.match(message)
    for place in _places(data, type_, found[2] or "") if found else ():
        if found and isinstance(place.value, dict) and found[1] in place.value:
            return f"{place.path}.{found[1]}".lstrip(".")
    return ""


def _cannot_unmarshal(place: _Place) -> str:
    """Go's `json.UnmarshalTypeError`, for the values it would refuse."""
    if place.struct is None:
        return ""
    value, wanted = place.value, _scalar(place.struct, place.field)
    if place.field == "manifests":
        wrong = not isinstance(value, dict)
        return (
            f"json: cannot unmarshal {json_kind(value)} into Go value of type map[string]interface {{}}"
            if wrong
            else ""
        )
    fits = isinstance(value, wanted) and not (wanted is int and isinstance(value, bool)) if wanted else True
    too_large = wanted is int and isinstance(value, int) and abs(value) >= 1 << 31
    if fits and not too_large:
        return ""
    go_type = "int64" if place.field in _INT64_FIELDS else _GO_TYPES[wanted]
    found = f"number {value}" if too_large else json_kind(value)
    path = re.sub(r"\[\d+\]", "", place.path)
    return f"json: cannot unmarshal {found} into Go struct field {place.struct.__name__}.{path} of type {go_type}"


def json_kind(value: Any) -> str:
    """What Go calls the kind of a JSON value.

    >>> json_kind([1]), json_kind(1), json_kind(True)
    ('array', 'number', 'bool')
    """
    kinds = ((bool, "bool"), (str, "string"), ((int, float), "number"), (dict, "object"), ((list, tuple), "array"))
    return next((name for type_, name in kinds if isinstance(value, type_)), "null")


def _scalar(struct: type[Data], field: str) -> Any:
    """`int`, `str` or `bool` when the field holds one, also where it may be left out."""
    type_ = next((f.type for f in msgspec.structs.fields(struct) if f.encode_name == field), None)
    types = [type_, *get_args(type_), *(inner for arg in get_args(type_) for inner in get_args(arg))]
    return next((scalar for scalar in (bool, int, str) if scalar in types), None)


def _places(data: Any, type_: type[Data], path: str) -> list[_Place]:
    """All places that a path may mean: `[...]` stands for any key of a map."""
    places = [_Place("", type_, "", data)]
    for index, field in re.findall(r"\[(\d+|\.\.\.)\]|([^.\[\]]+)", path):
        places = [step for place in places for step in (_into(place, index) if index else _down(place, field))]
    return places


def _down(place: _Place, field: str) -> list[_Place]:
    if not isinstance(place.value, dict) or field not in place.value:
        return []
    struct = _struct_at(place) or place.struct
    return [_Place(f"{place.path}.{field}".lstrip("."), struct, field, place.value[field])]


def _into(place: _Place, index: str) -> list[_Place]:
    value = place.value
    if isinstance(value, list) and index.isdecimal() and int(index) < len(value):
        return [place._replace(path=f"{place.path}[{index}]", value=value[int(index)])]
    if isinstance(value, dict):
        return [place._replace(path=f"{place.path}.{key}", value=inner) for key, inner in value.items()]
    return []


def _struct_at(place: _Place) -> type[Data] | None:
    """The struct that a place's value is read as."""
    if place.struct is None or not place.field:
        return place.struct
    field = next((f for f in msgspec.structs.fields(place.struct) if f.encode_name == place.field), None)
    return None if field is None else _struct_in(field.type)


def _field_names(type_: Any, path: str) -> tuple[str, ...]:
    """The fields allowed at a path like `spec.placement.spreadConstraints[...]`."""
    for part in re.sub(r"\[[^\]]*\]", "", path).split("."):
        if part:
            type_ = _struct_in(next((f.type for f in msgspec.structs.fields(type_) if f.encode_name == part), None))
            if type_ is None:
                return ()
    return tuple(f.encode_name for f in msgspec.structs.fields(type_))


def _struct_in(type_: Any) -> type[Data] | None:
    if isinstance(type_, type) and issubclass(type_, Data):
        return type_
    return next((found for arg in get_args(type_) if (found := _struct_in(arg)) is not None), None)

"""The errors an API server answers with, as exceptions.

Each message names the object, the rule it breaks and the way out. `reason` and `code` are those of a Kubernetes
`Status`, so that the HTTP server can pass them on unchanged.
"""

from __future__ import annotations

import json
from typing import ClassVar


class KarmadalabError(Exception):
    """Anything the library refuses, with a message meant for the person who asked."""


class ApiError(KarmadalabError):
    """A request that an API server would refuse."""

    reason: ClassVar[str] = "InternalError"
    code: ClassVar[int] = 500


class NotFound(ApiError):
    """The object is not there."""

    reason = "NotFound"
    code = 404


class AlreadyExists(ApiError):
    """An object of this kind and name exists."""

    reason = "AlreadyExists"
    code = 409


class Conflict(ApiError):
    """The write was based on an older version than the one stored."""

    reason = "Conflict"
    code = 409


class Invalid(ApiError):
    """The object breaks a rule of its kind.

    Args:
        message: what to show.
        errors: the single findings, as (type, field path, detail), in Kubernetes' field.Error terms.
        unknown: the path of a field that the kind does not have, if that is what is wrong.
    """

    reason = "Invalid"
    code = 422

    def __init__(self, message: str, errors: tuple[FieldError, ...] = (), unknown: str = "") -> None:
        super().__init__(message)
        self.errors, self.unknown = errors, unknown


# What `field.Error` calls each type when it prints itself.
_PHRASES: dict[str, str] = {
    "FieldValueRequired": "Required value",
    "FieldValueInvalid": "Invalid value",
    "FieldValueTypeInvalid": "Invalid value",
    "FieldValueDuplicate": "Duplicate value",
    "FieldValueNotSupported": "Unsupported value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueTooLong": "Too long",
}


class FieldError:
    """One finding about one field, as Kubernetes' `field.Error` has it.

    >>> str(FieldError("FieldValueInvalid", "spec.maxReplicas", "must be greater than 0", 0))
    'spec.maxReplicas: Invalid value: 0: must be greater than 0'

    Args:
        type: `FieldValueRequired`, `FieldValueInvalid`, `FieldValueDuplicate`, `FieldValueNotSupported`, ...
        field: the path, `spec.placement.spreadConstraints[0]`.
        detail: the sentence.
        bad_value: the value that was refused, as JSON has it.
    """

    __slots__ = ("bad_value", "detail", "field", "type")

    def __init__(self, type: str, field: str, detail: str, bad_value: object = None) -> None:
        self.type, self.field, self.detail, self.bad_value = type, field, detail, bad_value

    def __repr__(self) -> str:
        return f"<FieldError {self.field}: {self.detail}>"

    def __str__(self) -> str:
        phrase = _PHRASES[self.type]
        if self.type not in ("FieldValueRequired", "FieldValueForbidden"):
            phrase += f": {_printed(self.bad_value)}"
        return f"{self.field}: {phrase}" + (f": {self.detail}" if self.detail else "")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FieldError):
            return NotImplemented
        return (self.type, self.field, self.detail) == (other.type, other.field, other.detail)

    def __hash__(self) -> int:
        return hash((self.type, self.field, self.detail))


class Bare(str):
    """A refused value that is printed without quotes, as Go prints names with a `String` method."""

    __slots__ = ()


def _printed(value: object) -> str:
    """A refused value as JSON; Karmada prints Go structs here, which nobody can read."""
    return str(value) if isinstance(value, Bare) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class BadRequest(ApiError):
    """The request itself makes no sense, whatever is stored."""

    reason = "BadRequest"
    code = 400


class Forbidden(ApiError):
    """Admission refused the request."""

    reason = "Forbidden"
    code = 403


class Denied(Invalid):
    """A validating webhook found rules broken. A real API server calls that Forbidden, unlike what a schema refuses."""

    reason = "Forbidden"
    code = 403


class Gone(ApiError):
    """The resourceVersion asked for is older than what is kept."""

    reason = "Expired"
    code = 410


class Unreachable(KarmadalabError):
    """The network between two parts did not carry the call."""


def shortly(value: object) -> str:
    """A value as in a program, cut when it is long.

    >>> shortly("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    if isinstance(value, int) and value.bit_length() > 64:
        return "a number of more than 64 bits"  # Python refuses to write very long ones
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:37]}..."

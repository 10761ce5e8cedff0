"""What an API server refuses with, as our own errors."""

from __future__ import annotations

import re
from typing import Any

from karmadalab.api.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    Unreachable,
)
from karmadalab.environments.http.transport import Answer

_BY_REASON: dict[str, type[ApiError]] = {
    "NotFound": NotFound,
    "AlreadyExists": AlreadyExists,
    "Conflict": Conflict,
    "Invalid": Invalid,
    "BadRequest": BadRequest,
    "Forbidden": Forbidden,
    "Expired": Gone,
    "Gone": Gone,
}
_BY_CODE: dict[int, type[ApiError]] = {400: BadRequest, 403: Forbidden, 404: NotFound}
_BY_CODE |= {409: Conflict, 410: Gone, 422: Invalid}

_TOO_NEW = "Too large resource version"  # the server has lost its past: it is another one, or began anew
_TOO_OLD = re.compile(r"too old resource version: (\d+) \((\d+)\)")


def refusal(answer: Answer, what: str = "") -> ApiError | Unreachable:
    """The error that an answer of 400 or more means.

    Args:
        answer: status and body.
        what: `ConfigMap here/web`, to name the object as the rest of the lab does.

    >>> refusal(Answer(404, {"kind": "Status", "reason": "NotFound", "details": {"name": "a"}}), "Pod here/a")
    NotFound('Pod here/a not found')
    """
    status = answer.data if isinstance(answer.data, dict) else {}
    reason, message = str(status.get("reason", "")), str(status.get("message") or answer.data or f"HTTP {answer.code}")
    if answer.code == 503:  # a server that starts or stops: as if it did not answer
        return Unreachable(message)
    type_ = _BY_REASON.get(reason) or _BY_CODE.get(answer.code) or ApiError
    if answer.code == 504 and message.startswith(_TOO_NEW):
        type_ = Gone
    return type_(_worded(type_, message, what, status))


def _worded(type_: type[ApiError], message: str, what: str, status: dict[str, Any]) -> str:
    about = str((status.get("details") or {}).get("name", ""))
    if type_ is NotFound and about and what.replace(" ", "/").endswith(f"/{about}"):  # else its namespace is missing
        return f"{what} not found"
    if type_ is AlreadyExists and what:
        return f"{what} already exists: update it, or choose another name"
    if type_ is Gone and (versions := _TOO_OLD.fullmatch(message)):
        return f"resourceVersion {versions[1]} is too old: the oldest kept is {versions[2]}; list again"
    if type_ is Conflict and "Precondition failed: UID" in message:
        return f"{what}: {message}; what you read was deleted, another has its name and another uid: read it again"
    if type_ is Conflict and message.endswith(")"):  # the lab's own server puts the fuller sentence in brackets
        _, found, own = message.partition("try again (")
        return own.removesuffix(")") if found else message
    return message

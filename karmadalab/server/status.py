"""Errors as Kubernetes `Status` objects, with the words a real API server uses for the common ones.

kubectl prints the message of a Status, except of an invalid object: there it prints the causes. Where the lab's own
sentence says more than Kubernetes' (which version is stored, what to do), it follows in brackets.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import AlreadyExists, ApiError, Conflict, Invalid, NotFound, Unreachable


class HttpError(ApiError):
    """A refusal that only HTTP knows, or one in words that only a real API server has.

    Args:
        code, reason: as in a Status.
        message: what to show.
        causes: single findings, as (reason, field, message).
    """

    def __init__(self, code: int, reason: str, message: str, causes: tuple[tuple[str, str, str], ...] = ()) -> None:
        super().__init__(message)
        self.status_code, self.status_reason, self.causes = code, reason, causes


def failure(error: Exception, resource: str = "", name: str = "", kind: str = "") -> dict[str, Any]:
    """The Status of an error.

    Args:
        error: what was raised.
        resource: what the request was about: `deployments.apps`.
        name: of the object, if it was about one.
        kind: its kind.
    """
    code, reason = _code_and_reason(error)
    plural, _, group = resource.partition(".")
    details: dict[str, Any] = {"name": name, "group": group, "kind": kind if isinstance(error, Invalid) else plural}
    if causes := _causes(error):
        details["causes"] = causes
    details = {key: value for key, value in details.items() if value}
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": _words(error, resource, name),
    }
    return {**status, "reason": reason, **({"details": details} if details else {}), "code": code}


def success(resource: str, name: str, uid: str) -> dict[str, Any]:
    """The Status of a deletion."""
    plural, _, group = resource.partition(".")
    details = {"name": name, "kind": plural, "uid": uid, **({"group": group} if group else {})}
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}


def _code_and_reason(error: Exception) -> tuple[int, str]:
    if isinstance(error, HttpError):
        return error.status_code, error.status_reason
    if isinstance(error, ApiError):
        return error.code, error.reason
    if isinstance(error, Unreachable):
        return 503, "ServiceUnavailable"
    return 500, "InternalError"


def _words(error: Exception, resource: str, name: str) -> str:
    if not resource or not name:
        return str(error)
    if isinstance(error, NotFound):
        return f'{resource} "{name}" not found'
    if isinstance(error, AlreadyExists):
        return f'{resource} "{name}" already exists'
    if type(error) is Conflict:
        return (
            f'Operation cannot be fulfilled on {resource} "{name}": the object has been modified; please apply your '
            f"changes to the latest version and try again ({error})"
        )
    return str(error)


def _causes(error: Exception) -> list[dict[str, str]]:
    if isinstance(error, HttpError):
        return [{"reason": reason, "message": message, "field": field} for reason, field, message in error.causes]
    if not isinstance(error, Invalid):
        return []
    if error.errors:
        return [
            {"reason": finding.type, "message": str(finding).removeprefix(f"{finding.field}: "), "field": finding.field}
            for finding in error.errors
        ]
    field, message = _field_and_message(str(error))
    return [{"reason": "FieldValueInvalid", "message": message, "field": field}]


def _field_and_message(text: str) -> tuple[str, str]:
    """`Kind default/web: spec.replicas: too many` in its parts; kubectl names the object itself.

    >>> _field_and_message("Work a/b: spec.workload: unknown field")
    ('spec.workload', 'unknown field')
    """
    _, _, rest = text.partition(": ")
    field, colon, message = rest.partition(": ")
    return (field, message) if colon and " " not in field else ("object", rest or text)

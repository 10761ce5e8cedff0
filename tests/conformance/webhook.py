"""Admission: mutation and validation of recorded objects.

Findings are compared by type, field and detail; the recorded sentences about whole objects dump Go structs. Where only
the sentence was recorded it is compared, with Go's `[]string{"a"}` read as the JSON we print. The recording calls the
mutating and the validating webhook on the same input, without the schema defaults of the API server in between.
"""

from __future__ import annotations

import json
import re
from typing import Any

from karmadalab.api.codec import decode, to_dict
from karmadalab.api.errors import ApiError, FieldError
from karmadalab.api.quantity import milli
from karmadalab.webhook.admission import Admission, aggregate

# The store sets the generation; the stamp of a taint is compared as a flag.
_STORE_KEEPS = ("generation", "timeAdded")
NOW = 1_700_000_000.0


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """What admission makes of one recorded object."""
    given = case["input"]
    seconds = given.get("defaultNotReadyTolerationSeconds"), given.get("defaultUnreachableTolerationSeconds")
    allowed = given.get("allowNoExecuteTaintPolicy", False)
    admission = Admission(
        lambda: "<uuid>", lambda: NOW, *seconds, allow_no_execute_taint_policy=allowed, profile=profile
    )
    if given["kind"] == "deletionProtection":
        return _delete(admission, given)
    if given["kind"] == "clusterStrategyCreate":
        return _create_cluster(admission, given)
    return _admit(admission, given)


def _delete(admission: Admission, given: dict[str, Any]) -> dict[str, Any]:
    old = decode(given["oldObject"])
    try:
        admission.admit(given["operation"], old, old)
    except ApiError as error:
        return {"validate": {"allowed": False, "message": str(error).partition("denied the request: ")[2]}}
    return {"validate": {"allowed": True, "message": ""}}


def _create_cluster(admission: Admission, given: dict[str, Any]) -> dict[str, Any]:
    cluster = admission.mutate("CREATE", decode(given["object"]), defaults=False)
    errors = admission.validate("CREATE", cluster, None)
    cluster = admission.canonicalize(cluster)
    return {
        "errors": list(map(_finding, errors)) or None,
        "object": to_dict(cluster),
        "noExecuteTaintsGetTimeAdded": any(t.effect == "NoExecute" and t.timeAdded for t in cluster.spec.taints),
    }


def _admit(admission: Admission, given: dict[str, Any]) -> dict[str, Any]:
    obj = decode(given["object"])
    old = decode(given["oldObject"]) if given.get("oldObject") else None
    actual: dict[str, Any] = {"mutatedObject": to_dict(admission.mutate(given["operation"], obj, defaults=False))}
    try:
        errors = admission.validate(given["operation"], obj, old)
        actual["validate"] = {"allowed": not errors, "message": aggregate(errors) if errors else ""}
    except ApiError as error:
        actual["validate"] = {"allowed": False, "message": str(error)}
    # The recording lists the findings also where a change was refused first.
    actual["errors"] = list(map(_finding, admission.findings(given["operation"], obj, old))) or None
    return json.loads(json.dumps(actual))


def _finding(error: FieldError) -> dict[str, Any]:
    return {"type": error.type, "field": error.field, "detail": error.detail, "badValue": error.bad_value}


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """One line for each recorded part that differs."""
    expected = case["expected"]
    actual = json.loads(json.dumps(actual))
    found = []
    if "errors" in expected:
        ours, theirs = (sorted(map(_key, side.get("errors") or ())) for side in (actual, expected))
        found += [f"errors: {ours} instead of {theirs}"] if ours != theirs else []
    for part in ("mutatedObject", "object"):
        if expected.get(part):
            ours, theirs = canonical(actual.get(part)), canonical(expected[part])
            found += [f"{part}: {ours} instead of {theirs}"] if ours != theirs else []
    if "validate" in expected:
        found += _verdicts_differ(expected, actual)
    flag = "noExecuteTaintsGetTimeAdded"
    if flag in expected and expected[flag] != actual[flag]:
        found.append(f"{flag}: {actual[flag]}")
    return found


def _verdicts_differ(expected: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    ours, theirs = actual["validate"], expected["validate"]
    if ours["allowed"] != theirs["allowed"]:
        return [f"allowed: {ours} instead of {theirs}"]
    sentence = theirs.get("message", "")
    if expected.get("errors") or sentence is None:
        return []  # already compared, and better; or the sentence is not known
    left, right = ours["message"], _without_go_slices(sentence)
    return [] if left == right else [f"message: {left} instead of {right}"]


def _without_go_slices(text: str) -> str:
    return re.sub(r"\[\][\w.]+\{(.*?)\}", lambda found: f"[{found[1]}]".replace('", "', '","'), text)


def _key(finding: dict[str, Any]) -> tuple[str, str, str]:
    return finding["type"], finding["field"], finding["detail"]


def canonical(data: Any) -> Any:
    """Without what Go leaves out or adds by itself: empty values, and the spelling of quantities."""
    if isinstance(data, dict):
        pairs = {key: _quantity(key, canonical(value)) for key, value in data.items() if key not in _STORE_KEEPS}
        return {key: value for key, value in pairs.items() if value not in (None, "", 0, False, [], {})}
    if isinstance(data, list):
        return [canonical(item) for item in data]
    return data


def _quantity(key: str, value: Any) -> Any:
    return milli(value) if key in ("min", "max") else value

"""The resource interpreter: every native hook on recorded objects.

Karmada reads objects into Go structs and writes them back, which adds empty structs (`resources: {}`), drops empty
texts and rewrites quantities. We keep templates as they were written, so both sides are compared without empty values
and with canonical quantities. Dependencies are compared as a set. Errors of a missing hook are compared exactly; others
must contain the recorded text.
"""

from __future__ import annotations

import json
from typing import Any

from karmadalab.api.codec import convert, decode, plain, to_dict
from karmadalab.api.errors import KarmadalabError
from karmadalab.api.meta import Data
from karmadalab.api.quantity import milli
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.api.work import AggregatedStatusItem
from karmadalab.interpreter import HookNotFound, Interpreter
from karmadalab.interpreter.hooks import OPERATIONS

INTERPRETERS = {profile: Interpreter(profile) for profile in ("v1.13", "v1.18")}


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """The answer to one recorded question."""
    given, interpreter = case["input"], INTERPRETERS[profile]
    if given["operation"] == "HookEnabled":
        name = group_kind(given["apiVersion"], given["kind"])
        return {"result": {label: interpreter.hook_enabled(name, hook) for hook, label in OPERATIONS.items()}}
    try:
        return {"result": _ANSWERS[given["operation"]](interpreter, given), "error": None}
    except KarmadalabError as error:
        return {"result": None, "error": str(error), "exact": isinstance(error, HookNotFound)}


def _object(data: dict[str, Any]) -> Unstructured:
    decoded = decode(data)
    if isinstance(decoded, Unstructured):
        return decoded
    return Unstructured(apiVersion=decoded.apiVersion, kind=decoded.kind, metadata=decoded.metadata, body=data)


def _replicas(interpreter: Interpreter, given: dict[str, Any]) -> Any:
    replicas, requirements = interpreter.get_replicas(_object(given["object"]))
    return {"replicas": replicas, "requirements": plain(requirements)}


def _dependencies(interpreter: Interpreter, given: dict[str, Any]) -> Any:
    found = []
    for item in interpreter.get_dependencies(_object(given["object"])):
        entry = {"apiVersion": item.api_version, "kind": item.kind, "namespace": item.namespace}
        if item.name:
            entry["name"] = item.name
        found.append(entry | ({"labelSelector": plain(item.label_selector)} if item.label_selector else {}))
    return found or None


def template_and_items(given: dict[str, Any]) -> tuple[Unstructured, tuple[AggregatedStatusItem, ...]]:
    """What one recorded aggregation was given."""
    return _object(given["object"]), convert({"items": given["items"] or []}, _Items).items


def _aggregate(interpreter: Interpreter, given: dict[str, Any]) -> Any:
    return to_dict(interpreter.aggregate_status(*template_and_items(given), Time.parse(given["now"])))


class _Items(Data):
    items: tuple[AggregatedStatusItem, ...] = ()


_ANSWERS = {
    "GetReplicas": _replicas,
    "ReviseReplica": lambda interpreter, given: to_dict(
        interpreter.revise_replica(_object(given["object"]), given["replica"])
    ),
    "Retain": lambda interpreter, given: to_dict(
        interpreter.retain(_object(given["desired"]), _object(given["observed"]))
    ),
    "ReflectStatus": lambda interpreter, given: interpreter.reflect_status(_object(given["object"])),
    "AggregateStatus": _aggregate,
    "InterpretHealth": lambda interpreter, given: interpreter.interpret_health(_object(given["object"])) == "Healthy",
    "GetDependencies": _dependencies,
}


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """What disagrees, as `field: ours instead of theirs`."""
    expected = case["expected"]
    ours, theirs = actual.get("error"), expected.get("error")
    if theirs is not None:
        agrees = ours == theirs if actual.get("exact") else ours is not None and theirs in ours
        return [] if agrees else [f"error: {ours!r} instead of {theirs!r}"]
    if ours is not None:
        return [f"error: {ours!r} instead of none"]
    operation = case["input"]["operation"]
    left, right = _comparable(actual.get("result"), operation), _comparable(expected.get("result"), operation)
    return [] if left == right else [f"result: {left!r} instead of {right!r}"]


def _comparable(result: Any, operation: str) -> Any:
    result = json.loads(json.dumps(result))
    if operation == "GetDependencies":
        return sorted(json.dumps(item, sort_keys=True) for item in result or ())
    if operation in ("AggregateStatus", "Retain"):
        kept = _canonical(result)
        kept["status"] = (result or {}).get("status") or None
        return {key: value for key, value in kept.items() if key != "spec" or operation == "Retain"}
    return result


def _canonical(data: Any, quantities: bool = False) -> Any:
    if isinstance(data, dict):
        pairs = {key: _canonical(value, key in ("requests", "limits")) for key, value in data.items()}
        return {key: milli(v) if quantities else v for key, v in pairs.items() if v not in (None, "", [], {})}
    if isinstance(data, list):
        return [_canonical(item) for item in data]
    return data

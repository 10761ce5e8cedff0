"""Plain objects in a member cluster, made and taken away again: what joining needs there, and an agent in a pod."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from karmadalab.api.errors import AlreadyExists, BadRequest, NotFound
from karmadalab.api.scheme import resource_type
from karmadalab.core.clock import stopwatch
from karmadalab.environments.http import paths
from karmadalab.environments.http.refusal import refusal
from karmadalab.environments.http.transport import Answer, Transport

RBAC = "rbac.authorization.k8s.io"
SYSTEM_LABEL = {"karmada.io/system": "true"}
TIMEOUT_S = 30.0
POLL_S = 0.1


def make(transport: Transport, objects: Iterable[dict[str, Any]], timeout_s: float = TIMEOUT_S) -> None:
    """Make objects in their order; one that is there already stays as it is.

    Raises:
        Unreachable, ApiError: the member does not answer, or refuses.
        BadRequest: a namespace among them is still being deleted after `timeout_s`.
    """
    for data in objects:
        if data["kind"] == "Namespace":
            _wait_for_the_end_of(transport, data["metadata"]["name"], timeout_s)
        try:
            call(transport, "POST", _path(data, collection=True), data)
        except AlreadyExists:
            continue


def take_away(transport: Transport, objects: Iterable[dict[str, Any]], timeout_s: float = TIMEOUT_S) -> None:
    """Delete objects, the last first; what is gone already is no error. Raises `Unreachable`, `ApiError`."""
    for data in reversed(list(objects)):
        try:
            call(transport, "DELETE", _path(data), {"propagationPolicy": "Background"}, timeout_s)
        except NotFound:
            continue


def call(transport: Transport, method: str, path: str, body: Any, timeout_s: float = TIMEOUT_S) -> dict[str, Any]:
    """One request that must succeed. Raises `Unreachable`, and `ApiError` when the member refuses."""
    answer: Answer = transport.request(method, path, {}, body, timeout_s)
    if answer.code >= 400 or not isinstance(answer.data, dict):
        raise refusal(answer, path)
    return answer.data


def plain_object(api_version: str, kind: str, name: str, namespace: str = "") -> dict[str, Any]:
    """An object without a body, with the label of what belongs to Karmada itself."""
    metadata: dict[str, Any] = {"name": name, "labels": dict(SYSTEM_LABEL)}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def all_rights(role: str, account: str, namespace: str) -> list[dict[str, Any]]:
    """A cluster role that may do everything, as Karmada's own in a member, and its binding to a service account."""
    everything = [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        {"nonResourceURLs": ["*"], "verbs": ["get"]},
    ]
    return [
        {**plain_object(f"{RBAC}/v1", "ClusterRole", role), "rules": everything},
        {
            **plain_object(f"{RBAC}/v1", "ClusterRoleBinding", role),
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
        },
    ]


def _wait_for_the_end_of(transport: Transport, namespace: str, timeout_s: float) -> None:
    """Nothing can be made in a namespace that an earlier leaving has begun to delete."""
    path = paths.item(resource_type("Namespace"), namespace)
    deadline = stopwatch() + timeout_s
    while True:
        try:
            found = call(transport, "GET", path, None)
        except NotFound:
            return
        if not found["metadata"].get("deletionTimestamp"):
            return
        if stopwatch() > deadline:
            raise BadRequest(f"namespace {namespace}: still being deleted after {timeout_s:g} s; see its finalizers")
        time.sleep(POLL_S)


def _path(data: dict[str, Any], collection: bool = False) -> str:
    rt, meta = resource_type(data["kind"]), data["metadata"]
    namespace = meta.get("namespace", "")
    return paths.collection(rt, namespace) if collection else paths.item(rt, meta["name"], namespace)

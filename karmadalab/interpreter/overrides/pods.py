"""Where kinds keep their containers.

Image, command and args overriders know the kinds with a pod template at the usual place. CronJobs and custom kinds are
not among them: their images are overridden only where a predicate says where they are.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from karmadalab.interpreter.overrides.errors import OverrideError

Manifest = dict[str, Any]
S = TypeVar("S")

_POD, _TEMPLATE = ("spec",), ("spec", "template", "spec")

_POD_SPEC: dict[str, tuple[str, ...]] = {
    "Pod": _POD,
    "Deployment": _TEMPLATE,
    "ReplicaSet": _TEMPLATE,
    "StatefulSet": _TEMPLATE,
    "DaemonSet": _TEMPLATE,
    "Job": _TEMPLATE,
}


class _Container(msgspec.Struct):
    name: str | None = None
    image: str | None = None
    command: list[str] | None = None
    args: list[str] | None = None


class _Metadata(msgspec.Struct):
    labels: dict[str, str | None] | None = None
    annotations: dict[str, str | None] | None = None


class _PodSpec(msgspec.Struct):
    """As the other structs here: the fields that overriders have been seen to spoil."""

    containers: list[_Container] | None = None
    initContainers: list[_Container] | None = None
    nodeName: str | None = None


class _Pod(msgspec.Struct):
    """A pod, and what a template says of one."""

    metadata: _Metadata | None = None
    spec: _PodSpec | None = None


class _WithTemplate(msgspec.Struct):
    template: _Pod | None = None


class _WithReplicas(_WithTemplate):
    replicas: int | None = None


class _DeploymentSpec(_WithReplicas):
    paused: bool | None = None


class _JobSpec(_WithTemplate):
    parallelism: int | None = None
    completions: int | None = None


class _Workload(msgspec.Struct, Generic[S]):
    metadata: _Metadata | None = None
    spec: S | None = None


_TYPES: dict[str, Any] = {
    "Pod": _Pod,
    "Deployment": _Workload[_DeploymentSpec],
    "ReplicaSet": _Workload[_WithReplicas],
    "StatefulSet": _Workload[_WithReplicas],
    "DaemonSet": _Workload[_WithTemplate],
    "Job": _Workload[_JobSpec],
}


def container_path(manifest: Manifest) -> str | None:
    """The JSON pointer of the containers, None for kinds without a known place."""
    place = _POD_SPEC.get(str(manifest.get("kind")))
    return None if place is None else "/" + "/".join((*place, "containers"))


def containers(manifest: Manifest) -> list[dict[str, Any]]:
    """The containers of a manifest, empty for other kinds.

    Raises:
        OverrideError: something else was put where containers belong.
    """
    place = _POD_SPEC.get(str(manifest.get("kind")))
    data: Any = manifest
    for key in (*place, "containers") if place else ():
        data = data.get(key) or {} if isinstance(data, dict) else {}
    if not place or not data:
        return []
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise OverrideError(f"{manifest.get('kind')}: containers must be a list of mappings; an override broke it")
    return data


def check_types(manifest: Manifest) -> None:
    """What Karmada's conversion into a typed object would refuse.

    Raises:
        OverrideError: a field of a workload has a type that its kind doesn't allow.
    """
    kind = str(manifest.get("kind"))
    if kind not in _TYPES:
        return
    try:
        msgspec.convert(manifest, _TYPES[kind])
    except msgspec.ValidationError as error:
        raise OverrideError(f"failed to convert {kind} from unstructured object: {error}") from None

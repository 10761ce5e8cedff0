"""Where kinds keep their containers.

Image, command and args overriders know the kinds with a pod template at the usual place. CronJobs and custom kinds are
not among them: their images are overridden only where a predicate says where they are.
"""

from __future__ import annotations

from typing import Any

import msgspec

from karmadalab.interpreter.overrides.errors import OverrideError

Manifest = dict[str, Any]

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


class _Spec(msgspec.Struct):
    """The fields of all these kinds that overriders have been seen to spoil."""

    containers: list[_Container] | None = None
    initContainers: list[_Container] | None = None
    nodeName: str | None = None
    replicas: int | None = None
    paused: bool | None = None
    template: _Template | None = None


class _Template(msgspec.Struct):
    spec: _Spec | None = None


class _Workload(msgspec.Struct):
    spec: _Spec | None = None


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
    if kind not in _POD_SPEC:
        return
    try:
        msgspec.convert(manifest, _Workload)
    except msgspec.ValidationError as error:
        raise OverrideError(f"failed to convert {kind} from unstructured object: {error}") from None

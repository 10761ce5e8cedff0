"""The questions the control plane asks about a kind, and the shape of their answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from karmadalab.api.meta import LabelSelector
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import AggregatedStatusItem, ReplicaRequirements
from karmadalab.interpreter.status import StatusDict


class Dependency(NamedTuple):
    """`DependentObjectReference`: an object by name, or objects by label."""

    api_version: str
    kind: str
    namespace: str
    name: str = ""
    label_selector: LabelSelector | None = None


class Hooks(NamedTuple):
    """The answers of one kind; None where it has none, as Karmada's `HookEnabled` reports."""

    get_replicas: Callable[[Unstructured], tuple[int, ReplicaRequirements | None]] | None = None
    revise_replica: Callable[[Unstructured, int], Unstructured] | None = None
    retain: Callable[[Unstructured, Unstructured], Unstructured] | None = None
    reflect_status: Callable[[Unstructured], StatusDict | None] | None = None
    aggregate_status: Callable[[Unstructured, tuple[AggregatedStatusItem, ...], float], Unstructured] | None = None
    interpret_health: Callable[[Unstructured], bool] | None = None
    get_dependencies: Callable[[Unstructured], tuple[Dependency, ...]] | None = None


# Karmada's name of each operation, in the order of its API.
OPERATIONS: dict[str, str] = {
    "get_replicas": "InterpretReplica",
    "revise_replica": "ReviseReplica",
    "retain": "Retain",
    "reflect_status": "InterpretStatus",
    "aggregate_status": "AggregateStatus",
    "interpret_health": "InterpretHealth",
    "get_dependencies": "InterpretDependency",
}

NO_HOOKS = Hooks()

"""What a kind means to the control plane: its replicas, its health, what of it stays a member's own, what it needs.

Karmada moves objects whose schema it doesn't own. Whatever depends on the kind is asked of the *resource interpreter*:
how many replicas a template wants, how to write another number into it, which fields of a member's copy survive an
update, which part of its status is worth reporting, how many statuses become one, whether the object is healthy, and
which other objects it needs beside it. Mirrors `pkg/resourceinterpreter` with its default native interpreters.

Not modelled: interpreter webhooks and Lua customizations. A Python function takes their place: `Interpreter.register`.
"""

from __future__ import annotations

from typing import NoReturn

from karmadalab.api.errors import BadRequest, KarmadalabError
from karmadalab.api.scheme import AnyObject
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import HEALTHY, UNHEALTHY, AggregatedStatusItem, ReplicaRequirements
from karmadalab.interpreter.hooks import NO_HOOKS, OPERATIONS, Dependency, Hooks
from karmadalab.interpreter.native import NATIVE
from karmadalab.interpreter.status import StatusDict, whole_status


class HookNotFound(KarmadalabError):
    """The kind has no such hook. Ask `Interpreter.hook_enabled` first; Karmada's controllers do."""


class Interpreter:
    """The hooks of every kind: the native ones, and those a lab adds with `register`.

    Args:
        profile: the Karmada release whose native hooks are meant.

    Raises:
        BadRequest: there is no such profile.
    """

    def __init__(self, profile: str = "v1.13") -> None:
        if profile not in NATIVE:
            raise BadRequest(f"there is no profile {profile!r}: write one of {', '.join(NATIVE)}")
        self._hooks = dict(NATIVE[profile])

    def register(self, group_kind: str, hooks: Hooks) -> None:
        """Say what a kind means; fields left None in `hooks` keep the answer the kind already has.

        Args:
            group_kind: `Redis.example.io`, or the kind alone for the core group.

        Raises:
            BadRequest: the name is not a kind.

        >>> interpreter = Interpreter()
        >>> interpreter.register("Redis.example.io", Hooks(interpret_health=lambda redis: redis.status["up"]))
        >>> interpreter.hook_enabled("Redis.example.io", "interpret_health")
        True
        """
        if not group_kind[:1].isupper() or "/" in group_kind:
            raise BadRequest(f"{group_kind!r} is not a kind: write Kind.group, for example Redis.example.io")
        known = self._hooks.get(group_kind, NO_HOOKS)
        self._hooks[group_kind] = known._replace(**{name: hook for name, hook in hooks._asdict().items() if hook})

    def hook_enabled(self, group_kind: str, operation: str) -> bool:
        """Whether a kind answers an operation (a key of `OPERATIONS`). Every kind has a status to reflect."""
        return operation == "reflect_status" or getattr(self._hooks.get(group_kind, NO_HOOKS), operation) is not None

    def get_replicas(self, obj: Unstructured) -> tuple[int, ReplicaRequirements | None]:
        """How many replicas a template wants, and what each of them needs.

        Raises:
            HookNotFound: the kind doesn't count replicas.
        """
        hook = self._hooks.get(obj.GROUP_KIND, NO_HOOKS).get_replicas
        return hook(obj) if hook else _refuse("get_replicas", obj)

    def revise_replica(self, obj: Unstructured, replicas: int) -> Unstructured:
        """The template with another number of replicas.

        Raises:
            HookNotFound: the kind doesn't count replicas.
        """
        hook = self._hooks.get(obj.GROUP_KIND, NO_HOOKS).revise_replica
        return hook(obj, replicas) if hook else _refuse("revise_replica", obj)

    def retain(self, desired: Unstructured, observed: Unstructured) -> Unstructured:
        """`desired` with the fields that the member cluster owns taken from its copy.

        Raises:
            HookNotFound: nothing of this kind is retained.
        """
        hook = self._hooks.get(desired.GROUP_KIND, NO_HOOKS).retain
        return hook(desired, observed) if hook else _refuse("retain", desired)

    def reflect_status(self, obj: Unstructured) -> StatusDict | None:
        """The part of a member's status that the control plane collects; the whole of it for unknown kinds.

        Raises:
            KarmadalabError: a workload carries no `resourcetemplate.karmada.io/generation` to report.
        """
        hook = self._hooks.get(obj.GROUP_KIND, NO_HOOKS).reflect_status
        return hook(obj) if hook else whole_status(obj)

    def aggregate_status(
        self, template: Unstructured, items: tuple[AggregatedStatusItem, ...], now: float
    ) -> Unstructured:
        """The template with the members' statuses made into one; itself when nothing changes.

        Args:
            template: the object the user wrote.
            items: one item a cluster, sorted by cluster name.
            now: seconds since 1970; a Job's final condition is stamped with it.

        Raises:
            HookNotFound: the kind's status stays in the members.
        """
        hook = self._hooks.get(template.GROUP_KIND, NO_HOOKS).aggregate_status
        return hook(template, items, now) if hook else _refuse("aggregate_status", template)

    def interpret_health(self, obj: Unstructured) -> str:
        """`Healthy` or `Unhealthy`.

        Raises:
            HookNotFound: nobody can tell; Karmada's work status controller then reports `Healthy`.
        """
        hook = self._hooks.get(obj.GROUP_KIND, NO_HOOKS).interpret_health
        if hook is None:
            return _refuse("interpret_health", obj)
        return HEALTHY if hook(obj) else UNHEALTHY

    def get_dependencies(self, obj: Unstructured) -> tuple[Dependency, ...]:
        """What must be in the same cluster, sorted (Karmada's order is random).

        Raises:
            HookNotFound: the kind refers to nothing.
        """
        hook = self._hooks.get(obj.GROUP_KIND, NO_HOOKS).get_dependencies
        return hook(obj) if hook else _refuse("get_dependencies", obj)


def _refuse(operation: str, obj: AnyObject) -> NoReturn:
    if operation == "get_dependencies":
        raise HookNotFound("default interpreter for operation InterpretDependency not found")
    group, _, version = obj.apiVersion.rpartition("/")
    gvk = f"{group}/{version}, Kind={obj.kind}"
    raise HookNotFound(f'default {OPERATIONS[operation]} interpreter for "{gvk}" not found')

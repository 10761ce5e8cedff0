"""dependencies-distributor: what a workload needs goes where the workload goes.

A Deployment that mounts a ConfigMap is no use on a cluster without it. With `propagateDeps` the interpreter says what a
template refers to, and each of these objects gets a binding that is attached to the workload's: it names, in
`requiredBy`, who needs the object and on which clusters. An attached binding has no placement of its own, so it is
never scheduled, unless a policy selects the object as well.

Mirrors pkg/dependenciesdistributor. What an attached binding looks like is in `api.attached`. Not modelled:
dependencies of cluster-scoped templates, which Karmada has none of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karmadalab.api.attached import (
    agreement,
    attached_binding,
    depended_by_label,
    detached,
    merged_binding,
)
from karmadalab.api.bindings import belongs_to_another
from karmadalab.api.codec import to_json
from karmadalab.api.errors import NotFound
from karmadalab.api.meta import replace, selector_matches
from karmadalab.api.naming import binding_name
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.api.work import (
    DEPENDENCIES_ANNOTATION,
    DEPENDENCIES_FINALIZER,
    BindingSnapshot,
    ResourceBinding,
)
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store
from karmadalab.interpreter import Interpreter
from karmadalab.interpreter.hooks import Dependency

NAME = "dependencies-distributor"

# --- decisions -------------------------------------------------------------------------------------------------------


def is_meant(dependency: Dependency, obj: Unstructured) -> bool:
    """Whether a dependency means an object."""
    meta = obj.metadata
    kind = (dependency.api_version, dependency.kind, dependency.namespace)
    if kind != (obj.apiVersion, obj.kind, meta.namespace):
        return False
    selector = dependency.label_selector
    return dependency.name == meta.name or (selector is not None and selector_matches(selector, meta.labels))


# --- the controller --------------------------------------------------------------------------------------------------


class DependenciesDistributor:
    """The reconciler. Its requests are independent bindings.

    Args:
        manager, store, interpreter: the control plane's.
    """

    name = NAME

    def __init__(self, manager: Manager, store: Store, interpreter: Interpreter) -> None:
        self._store = store
        self._interpreter = interpreter
        self._manager = manager
        self._watched: set[str] = set()
        self._enabled = manager.settings.gate("PropagateDeps")
        self._agrees = manager.settings.profile != "v1.13"
        self._dependencies: dict[Request, tuple[Dependency, ...]] = {}

    def watches(self) -> Sequence[Watch]:
        """Bindings that propagate dependencies, or did; the kinds that somebody depends on are watched from then on."""
        return [Watch(self._store, ResourceBinding, self._binding_event)] if self._enabled else []

    @staticmethod
    def _binding_event(event: str, old: Any, new: Any) -> Sequence[Request]:
        if event == "DELETED" or (old is not None and old.metadata.generation == new.metadata.generation):
            return ()
        versions = [binding for binding in (old, new) if binding is not None]
        if not any(binding.spec.propagateDeps for binding in versions):
            return ()
        if not any(binding.spec.clusters for binding in versions):
            return ()
        return (Request(new.metadata.namespace, new.metadata.name),)

    def _template_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        for request, dependencies in self._dependencies.items():
            if any(is_meant(dependency, new) for dependency in dependencies):
                yield request

    def reconcile(self, request: Request) -> Result:
        """Bring the bindings attached to one binding to what it needs now."""
        binding: ResourceBinding | None = self._store.find(ResourceBinding, request.name, request.namespace)
        if binding is None:
            self._dependencies.pop(request, None)
            return DONE
        if binding.metadata.deletionTimestamp is not None or not binding.spec.propagateDeps:
            self._detach(binding, keep=frozenset())
            self._forget(binding, request)
            return DONE
        resource = binding.spec.resource
        kind = group_kind(resource.apiVersion, resource.kind)
        template: Unstructured | None = self._store.find(kind, resource.name, resource.namespace)
        if template is None or not self._interpreter.hook_enabled(kind, "get_dependencies"):
            return DONE
        dependencies = self._dependencies[request] = self._interpreter.get_dependencies(template)
        for dependency in dependencies:
            self._watch_kind(group_kind(dependency.api_version, dependency.kind))
        binding = self._note(binding, dependencies)
        objects = [obj for dependency in dependencies for obj in self._objects(dependency)]
        self._detach(binding, keep=frozenset(binding_name(obj.kind, obj.metadata.name) for obj in objects))
        for obj in objects:
            self.attach(binding, obj)
        return DONE

    def _watch_kind(self, kind: str) -> None:
        if kind not in self._watched:
            self._watched.add(kind)
            self._manager.watch(NAME, Watch(self._store, kind, self._template_event))

    def _objects(self, dependency: Dependency) -> list[Unstructured]:
        kind = group_kind(dependency.api_version, dependency.kind)
        found = self._store.list(kind, dependency.namespace)
        return [obj for obj in found if is_meant(dependency, obj) and obj.metadata.deletionTimestamp is None]

    def _note(self, binding: ResourceBinding, dependencies: tuple[Dependency, ...]) -> ResourceBinding:
        """Write the finalizer and the list of dependencies on the independent binding."""
        meta = binding.metadata
        text = to_json([_reference(d) for d in dependencies]) if dependencies else "null"  # as Go writes an empty list
        annotations = {**meta.annotations, DEPENDENCIES_ANNOTATION: text}
        finalizers = tuple(dict.fromkeys((*meta.finalizers, DEPENDENCIES_FINALIZER)))
        updated: ResourceBinding = self._store.update(
            replace(binding, metadata=replace(meta, annotations=annotations, finalizers=finalizers))
        )
        return updated

    def _forget(self, binding: ResourceBinding, request: Request) -> None:
        """Let go of a binding; the list of what it once needed stays on it, as recorded."""
        self._dependencies.pop(request, None)
        meta = binding.metadata
        finalizers = tuple(f for f in meta.finalizers if f != DEPENDENCIES_FINALIZER)
        if finalizers != meta.finalizers:
            self._store.update(replace(binding, metadata=replace(meta, finalizers=finalizers)))

    def _detach(self, independent: ResourceBinding, keep: frozenset[str]) -> None:
        """Take a binding off what is attached to it, except for the bindings with the names to keep."""
        label = depended_by_label(independent.metadata)
        for attached in self._store.list(ResourceBinding, independent.metadata.namespace):
            if label in attached.metadata.labels and attached.metadata.name not in keep:
                self._store.update(detached(attached, independent.metadata))

    def attach(self, independent: ResourceBinding, dependency: Unstructured) -> None:
        """Give a dependency its binding, or attach the one it has.

        Raises:
            Retry: the one it has belongs to an older object of that name.
            NotFound: v1.18: another binding that needs it is gone.
        """
        attached = attached_binding(independent, dependency, with_uid=self._agrees)
        meta = attached.metadata
        existing: ResourceBinding | None = self._store.find(ResourceBinding, meta.name, meta.namespace)
        if existing is not None and belongs_to_another(existing, dependency.metadata.uid):
            raise Retry(
                f"failed to update resourceBinding({meta.namespace}/{meta.name}) due to different owner reference UID, "
                "will try again later after binding is garbage collected, see "
                "https://github.com/karmada-io/karmada/issues/6034"
            )
        merged = attached if existing is None else merged_binding(existing, attached)
        if self._agrees:
            merged = self._agreed(merged, existing)
        if existing is None:
            self._store.create(merged)
        else:
            self._store.update(merged)

    def _agreed(self, merged: ResourceBinding, existing: ResourceBinding | None) -> ResourceBinding:
        spec = merged.spec
        if existing is not None and spec.placement is not None:
            kept = existing.spec.preserveResourcesOnDeletion
            return replace(merged, spec=replace(spec, preserveResourcesOnDeletion=kept))
        wish = agreement(self._needing(snapshot).spec for snapshot in spec.requiredBy)
        if wish.conflict:
            name, namespace = merged.metadata.name, merged.metadata.namespace
            self._manager.trace.note(
                NAME, name, f"Warning DependencyPolicyConflict {wish.conflict}", namespace=namespace
            )
        spec = replace(spec, conflictResolution=wish.conflict_resolution, preserveResourcesOnDeletion=wish.preserves)
        return replace(merged, spec=spec)

    def _needing(self, snapshot: BindingSnapshot) -> ResourceBinding:
        found: ResourceBinding | None = self._store.find(ResourceBinding, snapshot.name, snapshot.namespace)
        if found is None:
            raise NotFound(f'resourcebindings.work.karmada.io "{snapshot.name}" not found')
        return found


def _reference(dependency: Dependency) -> dict[str, Any]:
    """A dependency as the annotation has it: `DependentObjectReference`."""
    fields = {
        "apiVersion": dependency.api_version,
        "kind": dependency.kind,
        "namespace": dependency.namespace,
        "name": dependency.name,
        "labelSelector": dependency.label_selector,
    }
    return {key: value for key, value in fields.items() if value}

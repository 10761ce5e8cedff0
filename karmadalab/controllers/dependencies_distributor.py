"""dependencies-distributor: what a workload needs goes where the workload goes.

A Deployment that mounts a ConfigMap is no use on a cluster without it. With `propagateDeps` the interpreter says what a
template refers to, and each of these objects gets a binding that is attached to the workload's: it names, in
`requiredBy`, who needs the object and on which clusters. An attached binding has no placement of its own, so it is
never scheduled, unless a policy selects the object as well.

Mirrors pkg/dependenciesdistributor. Not modelled: dependencies of cluster-scoped templates, which Karmada has none of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from karmadalab.api.errors import NotFound
from karmadalab.api.meta import ObjectMeta, OwnerReference, replace, selector_matches
from karmadalab.api.naming import binding_name, binding_reference_key
from karmadalab.api.scheme import to_json
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.api.work import (
    BINDING_FINALIZER,
    BINDING_ID_LABEL,
    DEPENDED_BY_PREFIX,
    DEPENDENCIES_ANNOTATION,
    DEPENDENCIES_FINALIZER,
    BindingSnapshot,
    ObjectReference,
    ResourceBinding,
    ResourceBindingSpec,
)
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store
from karmadalab.interpreter import Interpreter
from karmadalab.interpreter.hooks import Dependency

NAME = "dependencies-distributor"
OVERWRITE, ABORT = "Overwrite", "Abort"


# --- decisions -------------------------------------------------------------------------------------------------------


def attached_binding(independent: ResourceBinding, dependency: Unstructured, *, with_uid: bool) -> ResourceBinding:
    """The binding that a dependency gets on behalf of one independent binding.

    Args:
        with_uid: whether the reference to the dependency holds its uid, as from v1.18 on.
    """
    meta, wanted = dependency.metadata, independent.metadata
    owner = OwnerReference(dependency.apiVersion, dependency.kind, meta.name, meta.uid, True, True)
    return ResourceBinding(
        metadata=ObjectMeta(
            name=binding_name(dependency.kind, meta.name),
            namespace=meta.namespace,
            labels={depended_by_label(wanted): wanted.labels.get(BINDING_ID_LABEL, "")},
            finalizers=(BINDING_FINALIZER,),
            ownerReferences=(owner,),
        ),
        spec=ResourceBindingSpec(
            resource=ObjectReference(
                dependency.apiVersion,
                dependency.kind,
                meta.namespace,
                meta.name,
                meta.uid if with_uid else "",
                meta.resourceVersion,
            ),
            requiredBy=(BindingSnapshot(wanted.namespace, wanted.name, independent.spec.clusters),),
            conflictResolution=independent.spec.conflictResolution,
            preserveResourcesOnDeletion=independent.spec.preserveResourcesOnDeletion,
        ),
    )


def depended_by_label(independent: ObjectMeta) -> str:
    """The label by which one finds what is attached to a binding."""
    return DEPENDED_BY_PREFIX + binding_reference_key(independent.namespace, independent.name)


def merged_snapshots(
    known: tuple[BindingSnapshot, ...], new: tuple[BindingSnapshot, ...]
) -> tuple[BindingSnapshot, ...]:
    """The snapshots with newer ones in their places, or at the end."""
    merged = {(snapshot.namespace, snapshot.name): snapshot for snapshot in known}
    merged |= {(snapshot.namespace, snapshot.name): snapshot for snapshot in new}
    return tuple(merged.values())


def merged_binding(existing: ResourceBinding, attached: ResourceBinding) -> ResourceBinding:
    """An existing binding of a dependency, attached to one more independent binding.

    One that a policy made keeps that policy's way of resolving conflicts.

    Raises:
        Retry: it belongs to an older object of that name.
    """
    meta = existing.metadata
    owner = next((owner.uid for owner in meta.ownerReferences if owner.controller), None)
    if owner is not None and owner != attached.metadata.ownerReferences[0].uid:
        raise Retry(
            f"failed to update resourceBinding({meta.namespace}/{meta.name}) due to different owner reference UID, "
            "will try again later after binding is garbage collected, see "
            "https://github.com/karmada-io/karmada/issues/6034"
        )
    spec, new = existing.spec, attached.spec
    spec = replace(
        spec,
        resource=new.resource,
        requiredBy=merged_snapshots(spec.requiredBy, new.requiredBy),
        conflictResolution=new.conflictResolution if spec.placement is None else spec.conflictResolution,
        preserveResourcesOnDeletion=new.preserveResourcesOnDeletion,
    )
    return replace(existing, metadata=replace(meta, labels={**meta.labels, **attached.metadata.labels}), spec=spec)


class Agreement(NamedTuple):
    """What all who need a dependency want done with it; `conflict` says where they differ, empty when they agree."""

    conflict_resolution: str
    preserves: bool
    conflict: str


def agreement(specs: Iterable[ResourceBindingSpec]) -> Agreement:
    """v1.18: one who overwrites is enough to overwrite, one who preserves is enough to preserve."""
    specs = list(specs)
    overwrite = {spec.conflictResolution == OVERWRITE for spec in specs}
    preserve = {bool(spec.preserveResourcesOnDeletion) for spec in specs}
    parts = ["ConflictResolution conflicted (Overwrite vs Abort)"] if len(overwrite) > 1 else []
    parts += ["PreserveResourcesOnDeletion conflicted (true vs false)"] if len(preserve) > 1 else []
    conflict = f"Dependency policy conflict detected: {'; '.join(parts)}." if parts else ""
    return Agreement(OVERWRITE if True in overwrite else ABORT, True in preserve, conflict)


def detached(attached: ResourceBinding, independent: ObjectMeta) -> ResourceBinding:
    """An attached binding that one independent binding has no need of any more."""
    label, meta = depended_by_label(independent), attached.metadata
    labels = {key: value for key, value in meta.labels.items() if key != label}
    left = tuple(
        snapshot
        for snapshot in attached.spec.requiredBy
        if (snapshot.namespace, snapshot.name) != (independent.namespace, independent.name)
    )
    return replace(attached, metadata=replace(meta, labels=labels), spec=replace(attached.spec, requiredBy=left))


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

"""The claims of policies as they are in the store: who holds what, taking, letting go."""

from __future__ import annotations

from collections.abc import Iterable

from karmadalab.api.claims import claimed, id_label, other_marks, unclaimed
from karmadalab.api.meta import replace
from karmadalab.api.naming import binding_name
from karmadalab.api.policy import AnyPropagationPolicy
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.api.work import BINDING_KINDS, ClusterResourceBinding, ResourceBinding
from karmadalab.core.queue import Request
from karmadalab.core.store import Store


def held_by(store: Store, kind: type[AnyPropagationPolicy], policy_id: str) -> list[Request]:
    """The templates that the policy with that permanent id has claimed, by way of their bindings."""
    label = id_label(kind)
    found = []
    for binding_kind in BINDING_KINDS:
        for binding in store.list(binding_kind):
            if policy_id and binding.metadata.labels.get(label) == policy_id:
                resource = binding.spec.resource
                found.append(Request(resource.namespace, resource.name, group_kind(resource.apiVersion, resource.kind)))
    return found


def holdings(store: Store, policy: AnyPropagationPolicy) -> list[Request]:
    """The templates that a policy has claimed."""
    kind = type(policy)
    return held_by(store, kind, policy.metadata.labels.get(id_label(kind), ""))


def take(store: Store, template: Unstructured, policy: AnyPropagationPolicy) -> Unstructured:
    """Mark a template as a policy's; returns it as stored.

    The id decides: a template that has it is left as it is, also when somebody took the annotations off.
    """
    label = id_label(type(policy))
    labels, policy_id = template.metadata.labels, policy.metadata.labels.get(label, "")
    if policy_id and labels.get(label) == policy_id and not other_marks(template.metadata, policy):
        return template
    marked = claimed(template.metadata, policy)
    if marked == template.metadata:
        return template
    updated: Unstructured = store.update(replace(template, metadata=marked))
    return updated


def let_go(store: Store, templates: Iterable[Request]) -> None:
    """Take all marks off templates and their bindings; what was propagated stays where it is."""
    for request in templates:
        name = binding_name(request.kind.partition(".")[0], request.name)
        kind = ResourceBinding if request.namespace else ClusterResourceBinding
        binding = store.find(kind, name, request.namespace)
        template = store.find(request.kind, request.name, request.namespace)
        for obj in (binding, template):
            if obj is not None and unclaimed(obj.metadata) != obj.metadata:
                store.update(replace(obj, metadata=unclaimed(obj.metadata)))

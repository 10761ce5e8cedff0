"""Which policy an object follows, and the marks by which one can tell.

A template that a policy has taken carries the policy's permanent id (a label) and its name (annotations); so does the
binding made of it. A marked template keeps its policy even when a better one appears, unless that one may preempt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.policy import (
    CLUSTER_PROPAGATION_POLICY_ID_LABEL,
    CLUSTER_PROPAGATION_POLICY_NAME_ANNOTATION,
    PROPAGATION_POLICY_ID_LABEL,
    PROPAGATION_POLICY_NAME_ANNOTATION,
    PROPAGATION_POLICY_NAMESPACE_ANNOTATION,
    AnyPropagationPolicy,
    ClusterPropagationPolicy,
    PropagationPolicy,
)
from karmadalab.api.selection import match_priority
from karmadalab.api.unstructured import Unstructured

_LABELS = (PROPAGATION_POLICY_ID_LABEL, CLUSTER_PROPAGATION_POLICY_ID_LABEL)
_ANNOTATIONS = (
    PROPAGATION_POLICY_NAMESPACE_ANNOTATION,
    PROPAGATION_POLICY_NAME_ANNOTATION,
    CLUSTER_PROPAGATION_POLICY_NAME_ANNOTATION,
)


# --- choosing --------------------------------------------------------------------------------------------------------


def best_policy(obj: Unstructured, policies: Iterable[AnyPropagationPolicy]) -> AnyPropagationPolicy | None:
    """The policy an unclaimed object follows: explicit priority, then the better selector, then the smaller name."""
    matching = [
        (-explicit_priority(policy), -implicit, policy.metadata.name, policy)
        for policy in policies
        if policy.metadata.deletionTimestamp is None
        and (implicit := match_priority(obj, policy.spec.resourceSelectors))
    ]
    return min(matching, key=lambda item: item[:3])[3] if matching else None


def policy_for(obj: Unstructured, policies: Iterable[AnyPropagationPolicy]) -> AnyPropagationPolicy | None:
    """The policy that an unclaimed object follows, of those of its namespace and those for the whole fleet.

    One of the object's own namespace goes before any ClusterPropagationPolicy, whatever their priorities.
    """
    everybody = list(policies)
    own = best_policy(obj, [policy for policy in everybody if isinstance(policy, PropagationPolicy)])
    return own or best_policy(obj, [policy for policy in everybody if isinstance(policy, ClusterPropagationPolicy)])


PolicyRule = Callable[[Unstructured, Iterable[AnyPropagationPolicy]], AnyPropagationPolicy | None]


def explicit_priority(policy: AnyPropagationPolicy) -> int:
    """The priority that the policy gives itself; 0 when it gives none."""
    return policy.spec.priority or 0


def may_preempt(policy: AnyPropagationPolicy, holder: AnyPropagationPolicy) -> bool:
    """Whether a policy with `preemption: Always` may take an object from the policy that holds it.

    Only a strictly higher priority takes from one's own kind. A PropagationPolicy takes from any
    ClusterPropagationPolicy, and never the other way round.
    """
    if isinstance(policy, PropagationPolicy) and isinstance(holder, ClusterPropagationPolicy):
        return True
    return type(policy) is type(holder) and explicit_priority(policy) > explicit_priority(holder)


# --- marking ---------------------------------------------------------------------------------------------------------


class Claim(NamedTuple):
    """The policy named by an object's marks. `namespace` is empty for a ClusterPropagationPolicy."""

    kind: type[AnyPropagationPolicy]
    namespace: str
    name: str
    id: str


def claim_in(meta: ObjectMeta) -> Claim | None:
    """The claim that an object carries; a label without its annotations, or the reverse, is none."""
    labels, annotations = meta.labels, meta.annotations
    policy_id = labels.get(PROPAGATION_POLICY_ID_LABEL)
    namespace = annotations.get(PROPAGATION_POLICY_NAMESPACE_ANNOTATION)
    name = annotations.get(PROPAGATION_POLICY_NAME_ANNOTATION)
    if policy_id and namespace and name:
        return Claim(PropagationPolicy, namespace, name, policy_id)
    policy_id = labels.get(CLUSTER_PROPAGATION_POLICY_ID_LABEL)
    name = annotations.get(CLUSTER_PROPAGATION_POLICY_NAME_ANNOTATION)
    return Claim(ClusterPropagationPolicy, "", name, policy_id) if policy_id and name else None


def id_label(kind: type[AnyPropagationPolicy]) -> str:
    """The label that holds the permanent id of a policy of that kind."""
    return PROPAGATION_POLICY_ID_LABEL if kind is PropagationPolicy else CLUSTER_PROPAGATION_POLICY_ID_LABEL


def marks_of(policy: AnyPropagationPolicy) -> tuple[dict[str, str], dict[str, str]]:
    """The labels and annotations that mark a template, or a binding, as a policy's."""
    meta = policy.metadata
    label = id_label(type(policy))
    labels = {label: meta.labels.get(label, "")}
    if isinstance(policy, PropagationPolicy):
        names = {PROPAGATION_POLICY_NAMESPACE_ANNOTATION: meta.namespace, PROPAGATION_POLICY_NAME_ANNOTATION: meta.name}
        return labels, names
    return labels, {CLUSTER_PROPAGATION_POLICY_NAME_ANNOTATION: meta.name}


def other_marks(meta: ObjectMeta, policy: AnyPropagationPolicy) -> bool:
    """Whether an object is marked by a policy of the other kind as well."""
    other = ClusterPropagationPolicy if isinstance(policy, PropagationPolicy) else PropagationPolicy
    return id_label(other) in meta.labels


def claimed(meta: ObjectMeta, policy: AnyPropagationPolicy) -> ObjectMeta:
    """Metadata marked as this policy's and no other's."""
    labels, annotations = marks_of(policy)
    plain = unclaimed(meta)
    return replace(plain, labels={**plain.labels, **labels}, annotations={**plain.annotations, **annotations})


def unclaimed(meta: ObjectMeta) -> ObjectMeta:
    """Metadata without any policy's mark."""
    return replace(
        meta,
        labels={key: value for key, value in meta.labels.items() if key not in _LABELS},
        annotations={key: value for key, value in meta.annotations.items() if key not in _ANNOTATIONS},
    )

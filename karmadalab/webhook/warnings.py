"""What Karmada accepts although it cannot mean anything.

The real webhooks let a good deal of nonsense pass: a selector without a kind, a toleration with an operator that is
none, an override without rules. The lab accepts it too, or it would not be a likeness, but it can say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from karmadalab.api.meta import NO_EXECUTE, LabelSelector, Toleration, selector_is_valid
from karmadalab.api.override import Overriders
from karmadalab.api.policy import Placement, ResourceSelector
from karmadalab.api.scheme import AnyObject


def warnings_for(obj: AnyObject) -> tuple[str, ...]:
    """One sentence a finding: where, what, and what will come of it.

    Args:
        obj: as admitted.
    """
    finder = _FINDERS.get(obj.GROUP_KIND)
    return tuple(finder(obj)) if finder else ()


def _propagation(policy: Any) -> Iterator[str]:
    yield from _selectors(policy.spec.resourceSelectors, policy.metadata.namespace)
    yield from _placement(policy.spec.placement, "spec.placement")


def _override(policy: Any) -> Iterator[str]:
    spec = policy.spec
    yield from _selectors(spec.resourceSelectors, policy.metadata.namespace)
    if not spec.overrideRules and spec.overriders == Overriders():
        yield "spec.overrideRules: there are none, so this policy changes nothing"
    for index, rule in enumerate(spec.overrideRules):
        yield from _overriders(rule.overriders, f"spec.overrideRules[{index}].overriders")


def _binding(binding: Any) -> Iterator[str]:
    if not binding.spec.resource.kind:
        yield "spec.resource: it names no kind, so nothing will ever be dispatched"
    if binding.spec.placement is not None:
        yield from _placement(binding.spec.placement, "spec.placement")


def _multi_cluster_service(service: Any) -> Iterator[str]:
    for field in ("providerClusters", "consumerClusters"):
        names = [cluster.name for cluster in getattr(service.spec, field)]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"spec.{field}: {name} is listed more than once; once is enough"


def _selectors(selectors: Iterable[ResourceSelector], namespace: str) -> Iterator[str]:
    for index, selector in enumerate(selectors):
        path = f"spec.resourceSelectors[{index}]"
        if not selector.kind or not selector.apiVersion:
            missing = "kind" if selector.apiVersion else "apiVersion"
            yield f"{path}.{missing}: empty, so it selects nothing; in Karmada such a policy can't even be deleted"
        if namespace and selector.namespace != namespace:
            yield f"{path}.namespace: {selector.namespace} is not the policy's own namespace, so it selects nothing"
        yield from _label_selector(selector.labelSelector, f"{path}.labelSelector")


def _placement(placement: Placement, path: str) -> Iterator[str]:
    affinities = [(f"{path}.clusterAffinity", placement.clusterAffinity)]
    affinities += [(f"{path}.clusterAffinities[{i}]", term) for i, term in enumerate(placement.clusterAffinities)]
    for where, affinity in affinities:
        if affinity is not None:
            yield from _label_selector(affinity.labelSelector, f"{where}.labelSelector")
    for index, toleration in enumerate(placement.clusterTolerations):
        yield from _toleration(toleration, f"{path}.clusterTolerations[{index}]")
    for index, constraint in enumerate(placement.spreadConstraints):
        if constraint.spreadByLabel:
            yield f"{path}.spreadConstraints[{index}].spreadByLabel: Karmada's scheduler doesn't spread by label yet"


def _label_selector(selector: LabelSelector | None, path: str) -> Iterator[str]:
    if selector is not None and not selector_is_valid(selector):
        yield (
            f"{path}: In and NotIn need values, Exists and DoesNotExist take none, and keys and values are spelt as "
            "those of labels; as it is, it matches nothing"
        )


def _toleration(toleration: Toleration, path: str) -> Iterator[str]:
    if toleration.operator not in ("", "Equal", "Exists"):
        yield f"{path}.operator: {toleration.operator} is no operator, so no taint is tolerated; write Exists or Equal"
    if toleration.tolerationSeconds is not None and toleration.effect not in ("", NO_EXECUTE):
        yield f"{path}.tolerationSeconds: only NoExecute taints evict, so it is ignored for {toleration.effect}"


def _overriders(overriders: Overriders, path: str) -> Iterator[str]:
    for index, image in enumerate(overriders.imageOverrider):
        if image.operator == "remove" and image.value:
            yield f"{path}.imageOverrider[{index}].value: ignored, since the operator is remove"
    for field in ("commandOverrider", "argsOverrider"):
        for index, overrider in enumerate(getattr(overriders, field)):
            if overrider.operator == "replace":
                yield f"{path}.{field}[{index}].operator: replace changes nothing; write add and remove"


_FINDERS: dict[str, Callable[[Any], Iterator[str]]] = {
    "PropagationPolicy.policy.karmada.io": _propagation,
    "ClusterPropagationPolicy.policy.karmada.io": _propagation,
    "OverridePolicy.policy.karmada.io": _override,
    "ClusterOverridePolicy.policy.karmada.io": _override,
    "ResourceBinding.work.karmada.io": _binding,
    "ClusterResourceBinding.work.karmada.io": _binding,
    "MultiClusterService.networking.karmada.io": _multi_cluster_service,
}

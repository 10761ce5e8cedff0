"""Which overrides apply to an object on a cluster, in which order, and the object they make of it.

All cluster-scoped policies come first, then those of the object's namespace. Among policies those that match all
objects come before those that match by label and by name, then the order is by policy name; so the more specific
override has the last word. Mirrors `pkg/util/overridemanager`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from karmadalab.api.affinity import cluster_matches
from karmadalab.api.cluster import Cluster
from karmadalab.api.codec import to_dict
from karmadalab.api.override import ClusterOverridePolicy, OverridePolicy, Overriders, RuleWithCluster
from karmadalab.api.selection import MATCH_ALL, match_priority
from karmadalab.api.unstructured import Unstructured
from karmadalab.interpreter.overrides.containers import override_container_list
from karmadalab.interpreter.overrides.errors import OverrideError
from karmadalab.interpreter.overrides.fields import override_field
from karmadalab.interpreter.overrides.image import override_images
from karmadalab.interpreter.overrides.labels import override_map
from karmadalab.interpreter.overrides.patch import Operation, apply_patch
from karmadalab.interpreter.overrides.pods import Manifest

AnyOverridePolicy = OverridePolicy | ClusterOverridePolicy


class Override(NamedTuple):
    """The overriders of one rule that applies, and the policy it is from."""

    policy: str
    overriders: Overriders


class Overridden(NamedTuple):
    """A manifest after its overrides, and what was applied, in order.

    It is a plain dict, as a Work holds it: an override may put in what no object may have, a number for a label, say.
    The member's API server is the one to refuse that.
    """

    manifest: Manifest
    cluster_overrides: tuple[Override, ...]
    overrides: tuple[Override, ...]


def apply_overrides(
    obj: Unstructured,
    cluster: Cluster,
    cluster_policies: Iterable[ClusterOverridePolicy],
    policies: Iterable[OverridePolicy],
    any_zone: bool = False,
) -> Overridden:
    """The manifest as one cluster shall have it.

    Args:
        obj: the template, with the replicas of that cluster.
        cluster: where it goes.
        cluster_policies: all cluster-scoped override policies.
        policies: override policies of any namespace; those of other namespaces than the object's are ignored.
        any_zone: v1.18: `zone In` is content with one zone of the cluster, as in `cluster_matches`.

    Raises:
        OverrideError: an override doesn't fit the object; no Work is made then.
    """
    cluster_wide = tuple(matching_overrides(obj, cluster, cluster_policies, any_zone))
    own = [policy for policy in policies if policy.metadata.namespace == obj.metadata.namespace]
    namespaced = tuple(matching_overrides(obj, cluster, own, any_zone)) if obj.metadata.namespace else ()
    manifest = to_dict(obj)
    for override in (*cluster_wide, *namespaced):
        try:
            manifest = override_manifest(manifest, override.overriders)
        except OverrideError as error:
            raise OverrideError(f"override {override.policy} on {obj!r} for {cluster.metadata.name}: {error}") from None
    return Overridden(manifest, cluster_wide, namespaced)


def matching_overrides(
    obj: Unstructured, cluster: Cluster, policies: Iterable[AnyOverridePolicy], any_zone: bool = False
) -> Iterator[Override]:
    """The rules that apply, in the order of application, for policies of one scope."""
    ranked = []
    for policy in policies:
        selectors = policy.spec.resourceSelectors
        if priority := match_priority(obj, selectors) if selectors else MATCH_ALL:
            ranked.append((priority, policy.metadata.name, policy))
    for _, name, policy in sorted(ranked, key=lambda entry: entry[:2]):
        spec = policy.spec
        for rule in spec.overrideRules or (RuleWithCluster(spec.targetCluster, spec.overriders),):
            if rule.targetCluster is None or cluster_matches(cluster, rule.targetCluster, any_zone):
                yield Override(name, rule.overriders)


def override_manifest(manifest: Manifest, overriders: Overriders) -> Manifest:
    """One rule's overriders, kind by kind in Karmada's order; plaintext comes last.

    Raises:
        OverrideError: one of them doesn't fit.
    """
    for image in overriders.imageOverrider:
        manifest = override_images(manifest, image)
    for command in overriders.commandOverrider:
        manifest = override_container_list(manifest, command, "command")
    for args in overriders.argsOverrider:
        manifest = override_container_list(manifest, args, "args")
    for label in overriders.labelsOverrider:
        manifest = override_map(manifest, label, "labels")
    for annotation in overriders.annotationsOverrider:
        manifest = override_map(manifest, annotation, "annotations")
    for field in overriders.fieldOverrider:
        manifest = override_field(manifest, field)
    plaintext = [Operation(step.operator, step.path, step.value) for step in overriders.plaintext]
    manifest = apply_patch(manifest, plaintext)
    if not isinstance(manifest.get("kind"), str) or not manifest["kind"]:
        raise OverrideError("Object 'Kind' is missing: an override took it away")
    return manifest

"""Whether a cluster is one that an affinity speaks of: names, labels, and the fields provider, region and zone.

Propagation, overrides and taint policies all select clusters with the same `ClusterAffinity`, so the rule lives here,
once. Mirrors Karmada's `util.ClusterMatches`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from karmadalab.api.cluster import Cluster
from karmadalab.api.meta import LabelSelectorRequirement, requirement_matches, selector_matches
from karmadalab.api.policy import ClusterAffinity, FieldSelector


class Whereabouts(Protocol):
    """What an affinity looks at. `ClusterPlace` has it, and so has the scheduler's own record of a cluster."""

    @property
    def name(self) -> str: ...
    @property
    def labels(self) -> Mapping[str, str]: ...
    @property
    def provider(self) -> str: ...
    @property
    def region(self) -> str: ...
    @property
    def zones(self) -> tuple[str, ...]: ...


class ClusterPlace(NamedTuple):
    """The whereabouts of one cluster."""

    name: str
    labels: Mapping[str, str]
    provider: str
    region: str
    zones: tuple[str, ...]


def cluster_matches(cluster: Cluster, affinity: ClusterAffinity, any_zone: bool = False) -> bool:
    """`util.ClusterMatches` for a Cluster object; see `affinity_matches`."""
    spec = cluster.spec
    place = ClusterPlace(cluster.metadata.name, cluster.metadata.labels, spec.provider, spec.region, spec.zones)
    return affinity_matches(affinity, place, any_zone)


def affinity_matches(affinity: ClusterAffinity, cluster: Whereabouts, any_zone: bool = False) -> bool:
    """Whether all that the affinity says holds. `exclude` comes first; an empty affinity matches every cluster.

    Args:
        affinity: an invalid requirement in it (`In` without values) matches nothing.
        cluster: whose whereabouts are looked at.
        any_zone: v1.18: `zone In` is content with one zone of the cluster; v1.13 wants all of them listed.

    >>> place = ClusterPlace("member1", {"env": "prod"}, "", "eu", ("eu-a",))
    >>> affinity_matches(ClusterAffinity(clusterNames=("member1", "member2")), place)
    True
    >>> affinity_matches(ClusterAffinity(exclude=("member1",)), place)
    False
    """
    name = cluster.name
    if name in affinity.exclude:
        return False
    if affinity.labelSelector is not None and not selector_matches(affinity.labelSelector, cluster.labels):
        return False
    if affinity.fieldSelector is not None and not _fields_match(affinity.fieldSelector, cluster, any_zone):
        return False
    return not affinity.clusterNames or name in affinity.clusterNames


def _fields_match(selector: FieldSelector, cluster: Whereabouts, any_zone: bool) -> bool:
    """Provider and region behave like labels that are absent when empty; `zone` has rules of its own."""
    fields = {"provider": cluster.provider, "region": cluster.region}
    present = {key: value for key, value in fields.items() if value}
    for requirement in selector.matchExpressions:
        if requirement.key == "zone":
            if not _zones_match(requirement, cluster.zones, any_zone):
                return False
        elif requirement.operator in ("Gt", "Lt"):
            if not _number_matches(requirement, present):
                return False
        elif not requirement_matches(requirement, present):
            return False
    return True


def _number_matches(requirement: LabelSelectorRequirement, fields: Mapping[str, str]) -> bool:
    """`Gt` and `Lt` compare the field with one number, both whole; label selectors don't have them."""
    if len(requirement.values) != 1:
        return False
    limit, field = _whole(requirement.values[0]), _whole(fields.get(requirement.key, ""))
    if limit is None or field is None:
        return False
    return field > limit if requirement.operator == "Gt" else field < limit


def _whole(text: str) -> int | None:
    """As Go's `ParseInt` reads what can be the value of a label, which has no sign: 64 bits, None when it is none."""
    number = int(text) if re.fullmatch("[0-9]{1,63}", text) else None
    return number if number is not None and number < 1 << 63 else None


def _zones_match(requirement: LabelSelectorRequirement, zones: tuple[str, ...], any_zone: bool) -> bool:
    """`spec.zone`, the deprecated single zone, is not looked at, as in Karmada."""
    operator, listed = requirement.operator, requirement.values
    if operator == "In":
        enough = any if any_zone else all
        return bool(zones) and enough(zone in listed for zone in zones)
    if operator == "NotIn":
        return not any(zone in listed for zone in zones)
    if operator == "Exists":
        return bool(zones)
    return operator == "DoesNotExist" and not zones

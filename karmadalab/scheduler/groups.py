"""Clusters grouped by region, zone or provider, and what each group is worth.

The score of a group puts room first (in thousands) and what the clusters score on the average second. Mirrors
`spreadconstraint/group_clusters.go`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from karmadalab.api.policy import (
    SPREAD_BY_CLUSTER,
    SPREAD_BY_PROVIDER,
    SPREAD_BY_REGION,
    SPREAD_BY_ZONE,
    SpreadConstraint,
)
from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.candidates import Candidate
from karmadalab.scheduler.errors import CrashError
from karmadalab.scheduler.integers import int64, quotient
from karmadalab.scheduler.snapshot import ClusterInfo

ROOM_WEIGHT = 1000


class Group(msgspec.Struct, frozen=True, eq=False):
    """The candidates of one region, zone or provider, best first, and what they are worth together."""

    name: str
    score: int
    candidates: tuple[Candidate, ...]

    def __repr__(self) -> str:
        return f"<Group {self.name} score={self.score} of {len(self.candidates)}>"


def group_by_fields(
    binding: BindingInfo, candidates: Sequence[Candidate], constraints: Mapping[str, SpreadConstraint]
) -> dict[str, list[Group]]:
    """Groups by each constrained field. Zones and providers only matter because scoring them can crash v1.13."""
    groups: dict[str, list[Group]] = {}
    by_cluster = constraints.get(SPREAD_BY_CLUSTER)
    for field in (SPREAD_BY_ZONE, SPREAD_BY_REGION, SPREAD_BY_PROVIDER):
        if field not in constraints:
            continue
        members: dict[str, list[Candidate]] = {}
        for candidate in candidates:
            for name in _groups_of(candidate.info, field):
                members.setdefault(name, []).append(candidate)
        least = constraints[field].minGroups
        clusters = max(by_cluster.minGroups if by_cluster is not None else 0, least)
        groups[field] = [
            Group(name, _score(binding, field, name, those, least, clusters), tuple(those))
            for name, those in sorted(members.items())
        ]
    return groups


def _groups_of(cluster: ClusterInfo, field: str) -> tuple[str, ...]:
    if field == SPREAD_BY_ZONE:
        return cluster.zones
    return (cluster.region,) if field == SPREAD_BY_REGION else (cluster.provider,)


def _score(
    binding: BindingInfo, field: str, name: str, candidates: Sequence[Candidate], min_groups: int, clusters: int
) -> int:
    if binding.duplicated:
        return _score_duplicated(binding, field, name, candidates)
    return _score_divided(binding.replicas, candidates, min_groups, clusters)


def _score_duplicated(binding: BindingInfo, field: str, name: str, candidates: Sequence[Candidate]) -> int:
    """Clusters that can hold a whole copy count; the more the better."""
    able = [candidate for candidate in candidates if candidate.available >= binding.replicas]
    if not able:
        if binding.behaviour.empty_group_scores_zero:
            return 0
        raise CrashError(field, name, binding.replicas)
    return ROOM_WEIGHT * len(able) + quotient(sum(candidate.score for candidate in able), len(able))


def _score_divided(replicas: int, candidates: Sequence[Candidate], min_groups: int, clusters: int) -> int:
    """The group's fair part of the replicas, as far as its best clusters have room for it."""
    # Go turns the division by a zero minGroups into the smallest 64-bit number, which any group reaches.
    target = -(-replicas // min_groups) if min_groups else -(1 << 63)
    room = score = taken = 0
    for candidate in candidates:
        room, score, taken = room + candidate.available, score + candidate.score, taken + 1
        if taken >= clusters and room >= target:
            break
    else:
        if room < target:
            return ROOM_WEIGHT * room + quotient(score, len(candidates))
    return int64(ROOM_WEIGHT * target) + quotient(score, taken)

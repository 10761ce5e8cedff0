"""Which of the possible clusters are used: the spread constraints.

Only `cluster` and `region` choose; `zone` and `provider` merely demand that the property is set (a filter) and are
ignored here. Mirrors `pkg/scheduler/core/spreadconstraint`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karmadalab.api.policy import SPREAD_BY_CLUSTER, SPREAD_BY_REGION, SpreadConstraint
from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.candidates import Candidate
from karmadalab.scheduler.errors import SelectionError
from karmadalab.scheduler.groups import group_by_fields
from karmadalab.scheduler.notes import Notes
from karmadalab.scheduler.regions import choose_regions

Selection = Callable[[BindingInfo, Sequence[Candidate], Notes | None], list[Candidate]]

UNCONSTRAINED = SpreadConstraint(spreadByField=SPREAD_BY_CLUSTER)


def select_clusters(
    binding: BindingInfo, candidates: Sequence[Candidate], notes: Notes | None = None
) -> list[Candidate]:
    """The clusters to divide the replicas among, in the order of preference.

    Args:
        binding: whose spread constraints apply.
        candidates: best first.
        notes: where to write down why a candidate was dropped.

    Raises:
        SelectionError: the constraints cannot be met.
        CrashError: v1.13 would crash.
    """
    if not binding.spread:
        return list(candidates)
    # A second constraint on the same field replaces the first, as in Karmada's map.
    constraints = {constraint.spreadByField: constraint for constraint in binding.spread}
    by_cluster = constraints.get(SPREAD_BY_CLUSTER, UNCONSTRAINED)
    groups = group_by_fields(binding, candidates, constraints)
    if SPREAD_BY_REGION in constraints:
        return choose_regions(groups[SPREAD_BY_REGION], constraints[SPREAD_BY_REGION], by_cluster, notes)
    if SPREAD_BY_CLUSTER in constraints:
        return choose_clusters(binding, candidates, by_cluster, notes)
    raise SelectionError("just support cluster and region spread constraint")


def choose_clusters(
    binding: BindingInfo, candidates: Sequence[Candidate], constraint: SpreadConstraint, notes: Notes | None = None
) -> list[Candidate]:
    """The best `maxGroups` clusters; for divided replicas, swapped until together they have room for all."""
    if len(candidates) < constraint.minGroups:
        raise SelectionError("the number of feasible clusters is less than spreadConstraint.MinGroups")
    size = min(len(candidates), constraint.maxGroups)
    chosen, rest = list(candidates[:size]), list(candidates[size:])
    if not binding.duplicated:
        room = _swap_for_room(binding.replicas, chosen, rest, notes)
        if size == 0 or room < binding.replicas:
            raise SelectionError(f"no enough resource when selecting {size} clusters")
    if notes is not None:
        why = f"spread by cluster: not among the {size} chosen (maxGroups {constraint.maxGroups})"
        for candidate in rest:
            notes.dropped(candidate.name, why)
    return chosen


def _swap_for_room(replicas: int, chosen: list[Candidate], rest: list[Candidate], notes: Notes | None) -> int:
    """From the least preferred of the chosen upwards, put the roomiest of the rest in its place, while room is short.

    Returns:
        the room of the chosen.
    """
    room = sum(candidate.available for candidate in chosen)
    for index in range(len(chosen) - 1, -1, -1):
        if not rest or room >= replicas:
            break
        roomiest = max(range(len(rest)), key=lambda i: rest[i].available)
        gain = rest[roomiest].available - chosen[index].available
        if gain > 0:
            if notes is not None:
                notes.swapped(rest[roomiest].name, chosen[index].name)
            chosen[index], rest[roomiest] = rest[roomiest], chosen[index]
            room += gain
    return room

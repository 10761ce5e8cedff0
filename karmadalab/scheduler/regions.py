"""Which regions are used: a search over combinations, then clusters from the regions chosen.

Mirrors `spreadconstraint/select_clusters_by_region.go` and `select_groups.go`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karmadalab.api.policy import SpreadConstraint
from karmadalab.scheduler.candidates import Candidate, best_first
from karmadalab.scheduler.errors import SelectionError
from karmadalab.scheduler.groups import Group
from karmadalab.scheduler.notes import Notes

Path = tuple[Group, ...]


def choose_regions(
    regions: Sequence[Group], by_region: SpreadConstraint, by_cluster: SpreadConstraint, notes: Notes | None = None
) -> list[Candidate]:
    """The best cluster of each chosen region, then the best of the others there, up to the limit on clusters.

    Every chosen region gets one cluster, even when the limit on clusters is smaller. Room is not checked again.

    Raises:
        SelectionError: too few regions, or no combination of them has enough clusters.
    """
    if len(regions) < by_region.minGroups:
        raise SelectionError("the number of feasible region is less than spreadConstraint.MinGroups")
    path = best_path(regions, by_region, by_cluster.minGroups)
    if path is None:
        raise SelectionError("the number of clusters is less than the cluster spreadConstraint.MinGroups")
    chosen = [region.candidates[0] for region in path]
    others = best_first(candidate for region in path for candidate in region.candidates[1:])
    free_places = max(0, by_cluster.maxGroups - len(chosen))
    if notes is not None:
        _note_dropped(notes, regions, path, others[free_places:], by_cluster.maxGroups)
    return chosen + others[:free_places]


def best_path(regions: Sequence[Group], by_region: SpreadConstraint, min_clusters: int) -> Path | None:
    """The best combination of regions, None when no combination has enough clusters.

    By total score, then number of clusters, then the order of the search. A shorter combination that starts like the
    best one is preferred to it: it is enough, and leaves more room for others.
    """
    paths = [tuple(sorted(path, key=_by_score)) for path in _paths(regions, by_region, min_clusters)]
    if not paths:
        return None
    paths.sort(key=lambda path: (-sum(group.score for group in path), -_clusters(path)))
    best = paths[0]
    for path in paths[1:]:
        if len(path) < len(best) and path == best[: len(path)]:
            best = path
    return best


def _paths(regions: Sequence[Group], by_region: SpreadConstraint, min_clusters: int) -> Iterator[Path]:
    """All combinations of regions that are just large enough, small regions first."""
    ordered = sorted(regions, key=lambda group: (len(group.candidates), -group.score, group.name))
    if len(ordered) == by_region.minGroups:  # no choice: it is all of them or none
        if len(ordered) <= by_region.maxGroups and _clusters(ordered) >= min_clusters:
            yield tuple(ordered)
        return
    yield from _extend((), ordered, 0, by_region, min_clusters)


def _extend(
    path: Path, regions: Sequence[Group], clusters: int, by_region: SpreadConstraint, min_clusters: int
) -> Iterator[Path]:
    if clusters >= min_clusters and by_region.minGroups <= len(path) <= by_region.maxGroups:
        yield path
        return
    if len(path) >= by_region.maxGroups:
        return
    for index, region in enumerate(regions):
        yield from _extend(
            (*path, region), regions[index + 1 :], clusters + len(region.candidates), by_region, min_clusters
        )


def _by_score(group: Group) -> tuple[int, str]:
    return (-group.score, group.name)


def _clusters(path: Sequence[Group]) -> int:
    return sum(len(group.candidates) for group in path)


def _note_dropped(
    notes: Notes, regions: Sequence[Group], path: Path, surplus: Sequence[Candidate], max_clusters: int
) -> None:
    used = {region.name for region in path}
    names = ", ".join(region.name for region in path)
    for region in regions:
        if region.name not in used:
            for candidate in region.candidates:
                notes.dropped(candidate.name, f"spread by region: {region.name} is not among the chosen ({names})")
    for candidate in surplus:
        notes.dropped(candidate.name, f"spread by cluster: maxGroups {max_clusters} is used up by better clusters")

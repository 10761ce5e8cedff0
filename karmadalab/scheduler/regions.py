"""Which regions are used: a search over combinations, then clusters from the regions chosen.

Mirrors `spreadconstraint/select_clusters_by_region.go` and `select_groups.go`.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

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
    if not path:
        raise SelectionError("the number of clusters is less than the cluster spreadConstraint.MinGroups")
    chosen = [region.candidates[0] for region in path]
    others = best_first(candidate for region in path for candidate in region.candidates[1:])
    free_places = max(0, by_cluster.maxGroups - len(chosen))
    if notes is not None:
        _note_dropped(notes, regions, path, others[free_places:], by_cluster.maxGroups)
    return chosen + others[:free_places]


def best_path(regions: Sequence[Group], by_region: SpreadConstraint, min_clusters: int) -> Path:
    """The best combination of regions; empty when none has enough clusters, and when both minimums are 0.

    By total score, then number of clusters, then the order of the search. A shorter combination that starts like the
    best one is preferred to it: it is enough, and leaves more room for others.
    """
    found = _combinations(regions, by_region, min_clusters)
    if not found:
        return ()
    merit = itemgetter(0, 1)
    best = _by_score(max(found, key=merit)[2])
    shorter = [combination for combination in found if len(combination[2]) < len(best)]
    for _, _, path in sorted(shorter, key=merit, reverse=True):
        if path[0] in best and len(path) < len(best) and _by_score(path) == best[: len(path)]:
            best = best[: len(path)]
    return best


def _combinations(
    regions: Sequence[Group], by_region: SpreadConstraint, min_clusters: int
) -> list[tuple[int, int, Path]]:
    """All combinations of regions that are just large enough, as (total score, number of clusters, regions).

    In the order of a depth-first search that takes small regions first.
    """
    least, most = by_region.minGroups, by_region.maxGroups
    ordered = sorted(regions, key=lambda group: (len(group.candidates), -group.score, group.name))
    steps = [(region, region.score, len(region.candidates)) for region in ordered]
    found: list[tuple[int, int, Path]] = []

    def grow(path: Path, size: int, start: int, score: int, clusters: int) -> None:
        """Record or extend each way to add one region; `size` is what the path then has."""
        for index, (region, more_score, more_clusters) in enumerate(steps[start:], start + 1):
            count = clusters + more_clusters
            if count >= min_clusters and size >= least:
                found.append((score + more_score, count, (*path, region)))
            elif size < most:
                grow((*path, region), size + 1, index, score + more_score, count)

    if min_clusters <= 0 and least <= 0 <= most:
        found.append((0, 0, ()))
    elif most > 0:
        grow((), 1, 0, 0, 0)
    if len(ordered) == least:  # no choice: all of them or none
        return [combination for combination in found if len(combination[2]) == least]
    return found


def _by_score(path: Path) -> Path:
    return tuple(sorted(path, key=lambda group: (-group.score, group.name)))


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

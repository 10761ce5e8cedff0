"""Check 22.1: three selections of clusters with a planted bug each, beside Karmada's own, and what tells them apart.

A selection gets replicas to divide, the possible clusters, and the two ends of a constraint on clusters. It returns the
names of the chosen ones, best first, or None when the demand cannot be met.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from karmadalab.api.cluster import Cluster
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.policy import Placement, ReplicaSchedulingStrategy, SpreadConstraint
from karmadalab.api.work import ResourceBindingSpec
from karmadalab.scheduler import BindingInfo
from karmadalab.scheduler.candidates import Candidate, best_first
from karmadalab.scheduler.errors import SelectionError
from karmadalab.scheduler.select import select_clusters
from karmadalab.scheduler.snapshot import ClusterInfo
from karmadalab.teaching.asking import ask
from karmadalab.teaching.verdict import Finding


class Spot(NamedTuple):
    """A possible cluster: its name, its score, and for how many replicas there is room."""

    name: str
    score: int
    room: int


Choice = Callable[[int, Sequence[Spot], int, int], list[str] | None]
Question = tuple[int, Sequence[Spot], int, int]

MOST_SPOTS = 4


def karmada(replicas: int, spots: Sequence[Spot], least: int, most: int) -> list[str] | None:
    """Karmada's own selection, for replicas that are divided."""
    constraint = SpreadConstraint(spreadByField="cluster", minGroups=least, maxGroups=most)
    divided = ReplicaSchedulingStrategy(replicaSchedulingType="Divided", replicaDivisionPreference="Aggregated")
    placement = Placement(spreadConstraints=(constraint,), replicaScheduling=divided)
    binding = BindingInfo.of(ResourceBindingSpec(placement=placement, replicas=replicas))
    candidates = [Candidate(s.name, s.score, s.room, s.room, _info(s.name)) for s in spots]
    try:
        return [candidate.name for candidate in select_clusters(binding, best_first(candidates))]
    except SelectionError:
        return None


def _info(name: str) -> ClusterInfo:
    return ClusterInfo.of(Cluster(metadata=ObjectMeta(name=name)))


# --- the culprits


def ada(replicas: int, spots: Sequence[Spot], least: int, most: int) -> list[str] | None:
    """Somebody's selection; it has one bug."""
    order = sorted(spots, key=lambda s: (-s.score, -s.room, s.name))
    return _with_room(replicas, order[:most], order[most:])


def bob(replicas: int, spots: Sequence[Spot], least: int, most: int) -> list[str] | None:
    """Somebody's selection; it has one bug."""
    order = sorted(spots, key=lambda s: (-s.score, s.name))
    return None if len(order) < least else _with_room(replicas, order[:most], order[most:])


def cyd(replicas: int, spots: Sequence[Spot], least: int, most: int) -> list[str] | None:
    """Somebody's selection; it has one bug."""
    order = sorted(spots, key=lambda s: (-s.score, -s.room, s.name))
    if len(order) < least:
        return None
    found = _with_room(replicas, order[:most][::-1], order[most:])
    return None if found is None else found[::-1]


def _with_room(replicas: int, chosen: list[Spot], rest: list[Spot]) -> list[str] | None:
    """From the last of the chosen to the first, take the roomiest of the rest instead, while room is short."""
    for index in reversed(range(len(chosen))):
        if not rest or sum(spot.room for spot in chosen) >= replicas:
            break
        roomiest = max(range(len(rest)), key=lambda i: rest[i].room)
        if rest[roomiest].room > chosen[index].room:
            chosen[index], rest[roomiest] = rest[roomiest], chosen[index]
    enough = bool(chosen) and sum(spot.room for spot in chosen) >= replicas
    return [spot.name for spot in chosen] if enough else None


CULPRITS: dict[str, Choice] = {"ada": ada, "bob": bob, "cyd": cyd}
_TRAITS = {
    "ada": ("one of the two ends of the constraint is never looked at.", "how few clusters there may be."),
    "bob": ("when two clusters are equal in one thing, another decides; here it is left out.", "clusters in a tie."),
    "cyd": (
        "when room is short, somebody must give way; here it is the wrong one.",
        "little room, and a cluster to spare.",
    ),
}


def judge(witness: Callable[[str], Question]) -> Finding | None:
    """Whether the learner has a question for each culprit that it answers otherwise than Karmada."""
    for name, culprit in CULPRITS.items():
        question = ask(witness, name, fits=_is_question, wanted=_WANTED, hint=_HINT)
        replicas, spots, least, most = question
        if finding := _nonsense(name, replicas, spots, least, most):
            return finding
        mine, right = culprit(replicas, list(spots), least, most), karmada(replicas, list(spots), least, most)
        if mine == right:
            return Finding(f"your question for {name}: both answer {mine}.", *_TRAITS[name])
    return None


_WANTED = "(replicas, spots, least, most), and whole numbers in all of them"
_HINT = "for each of the three names it returns a question: (replicas, [Spot(...), ...], least, most)."


def _is_question(said: Any) -> bool:
    if not isinstance(said, tuple) or len(said) != 4 or not isinstance(said[1], list | tuple):
        return False
    numbers = all(type(n) is int for n in (said[0], said[2], said[3]))
    return numbers and all(isinstance(spot, Spot) and _is_plain(spot) for spot in said[1])


def _is_plain(spot: Spot) -> bool:
    return isinstance(spot.name, str) and type(spot.score) is type(spot.room) is int


def _nonsense(name: str, replicas: int, spots: Sequence[Spot], least: int, most: int) -> Finding | None:
    """What no fleet and no policy could ever ask."""
    head = f"your question for {name}"
    if len(spots) > MOST_SPOTS:
        why = "a bug that is shown by little is understood by many: a colleague will have to read it."
        return Finding(f"{head} has {len(spots)} clusters; {MOST_SPOTS} are enough.", why, "which of them play a part.")
    if not 1 <= least <= most or replicas < 1:
        what = f"{head} has {replicas} replicas, at least {least} and at most {most} clusters."
        return Finding(what, "a webhook would refuse it: 1 <= least <= most, and a replica to divide.", "the numbers.")
    if len({spot.name for spot in spots}) < len(spots):
        return Finding(f"{head} has a cluster twice.", "cluster names are unique.", "the names.")
    if any(spot.room < 0 or not 0 <= spot.score <= 100 for spot in spots):
        return Finding(f"{head} has negative room, or a score beyond 0 to 100.", "no cluster is like that.", "spots.")
    return None

"""The clusters that passed the filters, with what the rest of the pipeline needs to know of them, best first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

import msgspec

from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.integers import MAX_INT32, int32
from karmadalab.scheduler.notes import Notes
from karmadalab.scheduler.plugins import Estimator, ScorePlugin, plugin_error, wrong_answer
from karmadalab.scheduler.snapshot import ClusterInfo


class Candidate(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A possible cluster.

    Attributes:
        name: the cluster's name.
        score: sum of all score plugins.
        available: replicas it could hold in all: the estimate and those it has already.
        estimate: replicas it could hold on top of those it has.
        info: the facts of the cluster.
    """

    name: str
    score: int
    available: int
    estimate: int
    info: ClusterInfo

    def __repr__(self) -> str:
        return f"<Candidate {self.name} score={self.score} available={self.available}>"


def rank(
    binding: BindingInfo,
    clusters: Sequence[ClusterInfo],
    scores: Sequence[ScorePlugin],
    estimator: Estimator,
    notes: Notes | None = None,
) -> list[Candidate]:
    """Score and estimate each cluster; the best comes first.

    The order is by score, then by room, then by name, so that it is the same whatever order the clusters came in.

    Raises:
        PluginError: a plugin raised, or returned no whole number.
    """
    total = _scores(binding, clusters, scores, notes)
    room = estimates(binding, clusters, estimator)
    previous = binding.previous
    candidates = [
        Candidate((name := info.name), score, count + previous.get(name, 0), count, info)
        for info, score, count in zip(clusters, total, room, strict=True)
    ]
    return best_first(candidates)


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """By score and available replicas, both descending, then by name."""
    return sorted(sorted(candidates, key=attrgetter("name")), key=attrgetter("score", "available"), reverse=True)


def _scores(
    binding: BindingInfo, clusters: Sequence[ClusterInfo], plugins: Sequence[ScorePlugin], notes: Notes | None
) -> list[int]:
    total = [0] * len(clusters)
    for plugin in plugins:
        scores = _ask_all(plugin, "score", binding, clusters)
        if notes is not None:
            notes.scores[plugin.name] = {info.name: score for info, score in zip(clusters, scores, strict=True)}
        if any(scores):
            total = [sum_ + score for sum_, score in zip(total, scores, strict=True)]
    return total


def estimates(binding: BindingInfo, clusters: Sequence[ClusterInfo], estimator: Estimator) -> list[int]:
    """Room for more replicas in each cluster. Templates without replicas fit everywhere, and nobody is asked."""
    if binding.replicas == 0:
        return [MAX_INT32] * len(clusters)
    room = _ask_all(estimator, "estimate", binding, clusters)
    if room and (max(room) > MAX_INT32 or min(room) < -MAX_INT32 - 1):
        cluster, answer = next((c, n) for c, n in zip(clusters, room, strict=True) if int32(n) != n)
        raise wrong_answer(estimator, "estimate", cluster.name, answer, "a whole number of 32 bits, as Karmada counts")
    # Karmada starts from MaxInt32, skips -1 ("unauthentic"), and takes MaxInt32 in the end for "no estimator answered":
    # then it assumes just enough room.
    return [binding.replicas if count == MAX_INT32 or count == -1 else count for count in room]


def _ask_all(plugin: object, method: str, binding: BindingInfo, clusters: Sequence[ClusterInfo]) -> list[int]:
    """One whole number from a plugin for each cluster."""
    answers: list[int] = []
    ask = getattr(plugin, method)
    try:
        answers.extend(ask(binding, cluster) for cluster in clusters)
    except Exception as error:
        raise plugin_error(plugin, method, clusters[len(answers)].name, error) from error
    if not set(map(type, answers)) <= {int}:
        cluster, answer = next((c, a) for c, a in zip(clusters, answers, strict=True) if type(a) is not int)
        raise wrong_answer(plugin, method, cluster.name, answer, "a whole number")
    return answers

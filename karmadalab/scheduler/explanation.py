"""Every verdict behind a decision, cluster by cluster: why member3 and not member4?

Made from the notes of a decision that was made once more; see `Decision.explain`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

import msgspec

from karmadalab.api.errors import NotFound
from karmadalab.api.work import TargetCluster
from karmadalab.scheduler import explanation_view as view
from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.errors import ScheduleError
from karmadalab.scheduler.notes import Notes
from karmadalab.scheduler.snapshot import Snapshot


class ClusterVerdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the scheduler found out about one cluster. None stands where a step was not reached.

    Attributes:
        cluster: its name.
        refusals: (plugin, reason) of every filter plugin that refuses it; only the first counted.
        scores: points by score plugin.
        score: their sum.
        estimate: replicas it has room for, on top of those it has.
        available: the estimate and the replicas it has already.
        selected: whether the replicas were divided among it and others.
        selection: what the spread constraints did to it.
        weight: its claim in the division.
        quota: its exact share, weight * replicas / sum of weights, before rounding.
        dealt: how many of the replicas to divide it was dealt.
        previous: replicas it had before; None when it was not in use.
        replicas: what it gets in the end; None when it is not used.
    """

    cluster: str
    refusals: tuple[tuple[str, str], ...] = ()
    scores: dict[str, int] = {}
    score: int | None = None
    estimate: int | None = None
    available: int | None = None
    selected: bool = False
    selection: str = ""
    weight: int | None = None
    quota: float | None = None
    dealt: int | None = None
    previous: int | None = None
    replicas: int | None = None

    def __repr__(self) -> str:
        return f"<{self.cluster}: {view.sentence(self)}>"


class Explanation:
    """The verdicts on all clusters, by name; shows itself as text, as a table in a notebook, as a data frame.

    Attributes:
        binding: what was asked.
        clusters: the new `spec.clusters`; empty when there is an error.
        error: why there are none.
        step: `scale up`, `scale down` or `do fresh scale` where that was at stake, else "".
    """

    def __init__(
        self, binding: BindingInfo, snapshot: Snapshot, outcome: tuple[TargetCluster, ...] | ScheduleError, notes: Notes
    ) -> None:
        self.binding = binding
        self.clusters: tuple[TargetCluster, ...] = () if isinstance(outcome, ScheduleError) else outcome
        self.error: ScheduleError | None = outcome if isinstance(outcome, ScheduleError) else None
        self.step = notes.step
        self._snapshot, self._notes = snapshot, notes

    @cached_property
    def verdicts(self) -> tuple[ClusterVerdict, ...]:
        """One for each cluster, by name; put together when first asked for."""
        replicas = {target.name: target.replicas for target in self.clusters}
        return _verdicts(self.binding, self._snapshot, replicas, self._notes)

    def __getitem__(self, cluster: str) -> ClusterVerdict:
        """The verdict on a cluster. Raises `NotFound` when it was not in the fleet."""
        for verdict in self.verdicts:
            if verdict.cluster == cluster:
                return verdict
        known = ", ".join(verdict.cluster for verdict in self.verdicts[:10])
        raise NotFound(f"cluster {cluster} was not there when this was decided; there were {known}")

    def __iter__(self) -> Iterator[ClusterVerdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def why(self, cluster: str, not_cluster: str | None = None) -> str:
        """In a sentence or two: what happened to a cluster, and to another beside it.

        >>> decision.explain().why("member3", not_cluster="member4")  # doctest: +SKIP
        'member3: gets 3 of 10 replicas ...; member4: refused by TaintToleration: ...'
        """
        told = [self[name] for name in (cluster, not_cluster) if name is not None]
        return "; ".join(f"{verdict.cluster}: {view.sentence(verdict)}" for verdict in told)

    def rows(self) -> list[dict[str, Any]]:
        """The table as plain data, a dict a cluster, all with the same keys."""
        plugins = tuple(self._notes.scores)
        return [view.row(verdict, plugins) for verdict in self.verdicts]

    def to_frame(self) -> Any:
        """The table as a pandas data frame, indexed by cluster. Needs the extra `notebooks`.

        Raises:
            ImportError: pandas is not installed.
        """
        try:  # by name, because the scheduler must also load where there is no pandas
            frame = import_module("pandas").DataFrame(self.rows()).convert_dtypes()
        except ImportError:
            raise ImportError(
                "to_frame needs pandas: pip install 'karmadalab[notebooks]'; rows() has the same table as plain data"
            ) from None
        return frame.set_index("cluster") if len(frame) else frame

    def __repr__(self) -> str:
        return view.text(self)

    def _repr_html_(self) -> str:
        return view.html(self)


def _verdicts(
    binding: BindingInfo, snapshot: Snapshot, replicas: dict[str, int], notes: Notes
) -> tuple[ClusterVerdict, ...]:
    refusals: dict[str, list[tuple[str, str]]] = {}
    for cluster, plugin, reason in notes.refusals:
        refusals.setdefault(cluster, []).append((plugin, reason))
    candidates = {candidate.name: candidate for candidate in notes.candidates}
    selected = set(notes.selected)
    claims = {claim.name: claim.weight for claim in notes.weights}
    total = sum(claims.values())
    # Replicas on a cluster that left the fleet are part of the story of a scale-down.
    names = {info.name for info in snapshot} | set(binding.previous)
    verdicts = []
    for name in sorted(names):
        candidate, weight = candidates.get(name), claims.get(name)
        verdicts.append(
            ClusterVerdict(
                cluster=name,
                refusals=tuple(refusals.get(name, ())) if name in snapshot else (("(fleet)", "no such cluster"),),
                scores={plugin: points[name] for plugin, points in notes.scores.items() if name in points},
                score=candidate.score if candidate else None,
                estimate=candidate.estimate if candidate else None,
                available=candidate.available if candidate else None,
                selected=name in selected,
                selection=notes.selection.get(name, ""),
                weight=weight,
                quota=round(weight * notes.to_deal / total, 3) if weight is not None and total else None,
                dealt=notes.dealt.get(name),
                previous=binding.previous.get(name),
                replicas=replicas.get(name),
            )
        )
    return tuple(verdicts)

"""The pipeline: filter, score, estimate, select, divide.

Everything is decided from one binding and one snapshot of the fleet; nothing is read, waited for or remembered. Mirrors
`pkg/scheduler/core/generic_scheduler.go`. What is done with the decision is in `plan` and `controller`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from karmadalab.api.cluster import Cluster
from karmadalab.api.work import ResourceBindingSpec, ResourceBindingStatus, TargetCluster
from karmadalab.scheduler.assign import Dealer, assign_replicas
from karmadalab.scheduler.behaviour import Behaviour, behaviour_of
from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.candidates import Candidate, rank
from karmadalab.scheduler.decision import Decision
from karmadalab.scheduler.division import LargestWeightFirst
from karmadalab.scheduler.errors import AssignError, ScheduleError, SelectionError
from karmadalab.scheduler.estimator import GeneralEstimator
from karmadalab.scheduler.explanation import Explanation
from karmadalab.scheduler.feasible import find_clusters_that_fit
from karmadalab.scheduler.filters import FILTERS
from karmadalab.scheduler.notes import Notes
from karmadalab.scheduler.plugins import DivisionStrategy, Estimator, FilterPlugin, ScorePlugin, checked
from karmadalab.scheduler.scores import SCORES
from karmadalab.scheduler.select import Selection, select_clusters
from karmadalab.scheduler.snapshot import Snapshot
from karmadalab.scheduler.webster import Webster

DIVISIONS: Mapping[str, DivisionStrategy] = {"largest-weight": LargestWeightFirst(), "webster": Webster()}

Outcome = tuple[TargetCluster, ...] | ScheduleError


class Scheduler:
    """A scheduler put together from plugins.

    Args:
        profile: whose release's rules apply, `v1.13` or `v1.18`; None: the lab's, and by itself v1.13.
        filters: the filter plugins, asked in this order; the first to refuse a cluster is the one that is counted. None
            takes Karmada's, in an order that `rng` draws once, as every process of Karmada has its own.
        scores: the score plugins, whose scores are added.
        estimator: who says how much room a cluster has.
        division: who deals replicas out by weight; None takes the one of the profile.
        enable_empty_workload_propagation: Karmada's flag: selected clusters that get no replicas keep the template.
            None: as the lab's settings have it, and by itself off.
        rng: where coin flips come from. None: no chance at all; equal claims go by name.
        explanations: write every verdict down while deciding. Otherwise that is done when someone asks.

    Attributes:
        selection: what the spread constraints allow; students bring their own.

    Raises:
        BadRequest: no such profile, or something that is no plugin.

    Example:
        >>> Scheduler("v1.13").schedule(spec, status, clusters)  # doctest: +SKIP
        <Decision {member1:2, member3:1}>
    """

    def __init__(
        self,
        profile: str | None = None,
        *,
        filters: Sequence[FilterPlugin] | None = None,
        scores: Sequence[ScorePlugin] = SCORES,
        estimator: Estimator | None = None,
        division: DivisionStrategy | None = None,
        enable_empty_workload_propagation: bool | None = None,
        rng: Random | None = None,
        explanations: bool = False,
    ) -> None:
        self.explanations = explanations
        self._open = (profile, filters, division, enable_empty_workload_propagation)
        self.behaviour: Behaviour = behaviour_of(profile or "v1.13")
        self.filters = checked(_in_some_order(rng) if filters is None else filters, "filter", "filters")
        self.scores = checked(scores, "score", "scores")
        (self.estimator,) = checked([estimator or GeneralEstimator()], "estimate", "estimator")
        (self.division,) = checked([division or DIVISIONS[self.behaviour.division]], "divide", "division")
        self.enable_empty_workload_propagation = bool(enable_empty_workload_propagation)
        self.rng = rng
        self.selection: Selection = select_clusters

    def completed(self, profile: str, enable_empty_workload_propagation: bool, rng: Random | None = None) -> Scheduler:
        """The same plugins, with what was left open filled in from a lab's settings."""
        own_profile, filters, division, own_flag = self._open
        return Scheduler(
            own_profile or profile,
            filters=filters,
            scores=self.scores,
            estimator=self.estimator,
            division=division,
            enable_empty_workload_propagation=enable_empty_workload_propagation if own_flag is None else own_flag,
            rng=self.rng or rng,
            explanations=self.explanations,
        )

    def schedule(
        self,
        spec: ResourceBindingSpec,
        status: ResourceBindingStatus | None = None,
        clusters: Snapshot | Iterable[Cluster] = (),
    ) -> Decision:
        """Decide where a binding goes.

        Args:
            spec: the binding's spec.
            status: its status; None for one that was never scheduled.
            clusters: the fleet. A `Snapshot` kept between calls saves working out the same facts again.

        Returns:
            the decision; that there is no way is a decision too, with `error` set.

        Raises:
            Invalid: the binding has no placement.
            PluginError: a plugin misbehaved.
        """
        binding = BindingInfo.of(spec, status, self.behaviour)
        snapshot = clusters if isinstance(clusters, Snapshot) else Snapshot(clusters)
        # One seed a decision, so that it can be made once more in the same way.
        seed = self.rng.getrandbits(64) if self.rng is not None else None
        notes = Notes() if self.explanations else None
        outcome = self._decide(binding, snapshot, seed, notes)

        def explain() -> Explanation:
            if notes is not None:
                return Explanation(binding, snapshot, outcome, notes)
            fresh = Notes()
            return Explanation(binding, snapshot, self._decide(binding, snapshot, seed, fresh), fresh)

        return Decision(binding, snapshot, outcome, explain)

    def _decide(self, binding: BindingInfo, snapshot: Snapshot, seed: int | None, notes: Notes | None) -> Outcome:
        dealer = Dealer(self.division, Random(seed) if seed is not None else None, notes)
        try:
            candidates = self.candidates(binding, snapshot, notes)
            selected = self.select(binding, candidates, notes)
            return self.assign(binding, selected, dealer)
        except ScheduleError as error:
            return error

    def candidates(self, binding: BindingInfo, snapshot: Snapshot, notes: Notes | None = None) -> list[Candidate]:
        """The clusters that pass the filters, best first. Raises `FitError` when there are none."""
        fitting = find_clusters_that_fit(binding, snapshot.infos, self.filters, notes)
        candidates = rank(binding, fitting, self.scores, self.estimator, notes)
        if notes is not None:
            notes.candidates = candidates
        return candidates

    def select(
        self, binding: BindingInfo, candidates: Sequence[Candidate], notes: Notes | None = None
    ) -> list[Candidate]:
        """The candidates that the spread constraints allow. Raises `SelectionError`."""
        try:
            selected = self.selection(binding, candidates, notes)
        except SelectionError as error:
            raise error.within("select clusters") from None
        if notes is not None:
            notes.selected = [candidate.name for candidate in selected]
        return selected

    def assign(self, binding: BindingInfo, selected: Sequence[Candidate], dealer: Dealer) -> tuple[TargetCluster, ...]:
        """The new `spec.clusters`, by name. Raises `AssignError`."""
        try:
            replicas = assign_replicas(binding, selected, dealer)
        except AssignError as error:
            raise error.within("assign replicas") from None
        return self._targets(binding, selected, replicas)

    def _targets(
        self, binding: BindingInfo, selected: Sequence[Candidate], replicas: Mapping[str, int]
    ) -> tuple[TargetCluster, ...]:
        if self.enable_empty_workload_propagation:
            replicas = {**{candidate.name: 0 for candidate in selected}, **replicas}
        if replicas == binding.previous:
            return binding.spec.clusters  # nothing moves, not even in the list
        return tuple(TargetCluster(name, replicas[name]) for name in sorted(replicas))

    def __repr__(self) -> str:
        names = ", ".join(plugin.name for plugin in self.filters)
        return f"<Scheduler {self.behaviour.profile} filters=[{names}] division={self.division.name}>"


def _in_some_order(rng: Random | None) -> Sequence[FilterPlugin]:
    return FILTERS if rng is None else rng.sample(FILTERS, len(FILTERS))


def schedule(
    spec: ResourceBindingSpec,
    status: ResourceBindingStatus | None = None,
    clusters: Snapshot | Iterable[Cluster] = (),
    *,
    profile: str = "v1.13",
    enable_empty_workload_propagation: bool = False,
    rng: Random | None = None,
) -> Decision:
    """Decide with the plugins Karmada has; see `Scheduler` for the arguments and `Scheduler.schedule` for the rest."""
    scheduler = Scheduler(profile, enable_empty_workload_propagation=enable_empty_workload_propagation, rng=rng)
    return scheduler.schedule(spec, status, clusters)

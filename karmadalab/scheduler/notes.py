"""The scheduler's notepad: what happened on the way to a decision, for whoever asks why.

Deciding needs none of it, so the pipeline writes only when it was handed a notepad.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karmadalab.scheduler.plugins import ClusterWeight

if TYPE_CHECKING:
    from karmadalab.scheduler.candidates import Candidate


class Notes:
    """Filled while a decision is made, read by `Explanation`.

    Attributes:
        refusals: (cluster, plugin, reason) of every filter plugin that refused a cluster, not only the first.
        scores: by plugin, the score of each candidate.
        candidates: the clusters that passed the filters, best first.
        selection: by cluster, the step of the selection that dropped it or brought it in.
        selected: the clusters chosen, in the order of preference.
        step: which of the careful strategies' steps it was: scale up, scale down, fresh; "" for the others.
        to_deal: how many replicas were dealt out,
        weights: by which claims,
        dealt: and who was dealt how many.
    """

    def __init__(self) -> None:
        self.refusals: list[tuple[str, str, str]] = []
        self.scores: dict[str, dict[str, int]] = {}
        self.candidates: Sequence[Candidate] = ()
        self.selection: dict[str, str] = {}
        self.selected: list[str] = []
        self.step = ""
        self.to_deal = 0
        self.weights: tuple[ClusterWeight, ...] = ()
        self.dealt: dict[str, int] = {}

    def dropped(self, cluster: str, why: str) -> None:
        """A candidate is not used."""
        self.selection[cluster] = f"{self.selection[cluster]}; {why}" if cluster in self.selection else why

    def swapped(self, came: str, went: str) -> None:
        """A candidate took another's place because it has more room."""
        self.selection[came] = f"came in for {went}, which has less room"
        self.selection[went] = f"gave way to {came}, which has more room"

    def divided(self, replicas: int, weights: Sequence[ClusterWeight], dealt: dict[str, int]) -> None:
        """Replicas were dealt out by weight."""
        self.to_deal, self.weights, self.dealt = replicas, tuple(weights), dict(dealt)

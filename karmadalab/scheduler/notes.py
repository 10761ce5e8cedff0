"""The scheduler's notepad: what happened between the filters and the division, for whoever asks why.

Deciding needs none of it, so the pipeline writes only when it was handed a notepad.
"""

from __future__ import annotations

from collections.abc import Sequence

from karmadalab.scheduler.plugins import ClusterWeight


class Notes:
    """Filled while a decision is made, read by `Explanation`.

    Attributes:
        refusals: (cluster, plugin, reason) of every filter plugin that refused a cluster, not only the first.
        scores: by plugin, the score of each candidate.
        selection: by cluster, the step of the selection that dropped it or brought it in.
        selected: the clusters chosen, in the order of preference.
        divisions: what was dealt out: how many replicas, by which weights, on top of what, with which result.
    """

    def __init__(self) -> None:
        self.refusals: list[tuple[str, str, str]] = []
        self.scores: dict[str, dict[str, int]] = {}
        self.selection: dict[str, str] = {}
        self.selected: list[str] = []
        self.divisions: list[tuple[str, int, tuple[ClusterWeight, ...], dict[str, int]]] = []
        self.step = ""

    def dropped(self, cluster: str, why: str) -> None:
        """A candidate is not used."""
        self.selection[cluster] = f"{self.selection[cluster]}; {why}" if cluster in self.selection else why

    def swapped(self, came: str, went: str) -> None:
        """A candidate took another's place because it has more room."""
        self.selection[came] = f"came in for {went}, which has less room"
        self.selection[went] = f"gave way to {came}, which has more room"

    def divided(self, replicas: int, weights: Sequence[ClusterWeight], dealt: dict[str, int]) -> None:
        """Replicas were dealt out by weight."""
        self.divisions.append((self.step, replicas, tuple(weights), dict(dealt)))

"""The score plugins: which of the possible clusters are better.

There is little to them in Karmada: clusters that run the workload already are preferred, so that a new decision moves
as little as possible; all other preference comes from free capacity, and that is for the selection to weigh.
"""

from __future__ import annotations

from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.plugins import ScorePlugin
from karmadalab.scheduler.snapshot import ClusterInfo

MAX_SCORE, MIN_SCORE = 100, 0


class ClusterLocality:
    """Full marks for clusters the binding is scheduled to already, be it with 0 replicas."""

    name = "ClusterLocality"

    def score(self, binding: BindingInfo, cluster: ClusterInfo) -> int:
        return MAX_SCORE if cluster.name in binding.previous else MIN_SCORE


class ClusterAffinity:
    """Karmada has the plugin, and it scores every cluster 0. Here for completeness, and for those who look for it."""

    name = "ClusterAffinity"

    def score(self, binding: BindingInfo, cluster: ClusterInfo) -> int:
        return MIN_SCORE


SCORES: tuple[ScorePlugin, ...] = (ClusterLocality(), ClusterAffinity())

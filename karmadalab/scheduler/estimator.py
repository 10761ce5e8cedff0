"""The general estimator: how many replicas a cluster has room for, from what the cluster reported about itself.

The summary of a cluster adds up all its nodes, so it can promise room that no single node has; resource models count
nodes by size and know better. Mirrors `pkg/estimator/client/general.go`; accurate estimators, which ask the member
cluster itself, are not modelled, but any `Estimator` of your own can take this one's place.
"""

from __future__ import annotations

from collections.abc import Mapping

from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.integers import int32
from karmadalab.scheduler.models import room_by_models, room_by_simulation
from karmadalab.scheduler.snapshot import PODS, ClusterInfo


class GeneralEstimator:
    """Free pods, and free resources divided by what one replica asks for, whichever is less."""

    name = "GeneralEstimator"

    def estimate(self, binding: BindingInfo, cluster: ClusterInfo) -> int:
        free = cluster.free
        if free is None:
            return 0
        room = free.get(PODS, 0)
        if room <= 0:
            return 0
        if binding.spec.replicaRequirements is None:
            return int32(room)
        if cluster.nodes is not None:
            simulated = binding.behaviour.models_simulate_nodes
            modelled = (room_by_simulation if simulated else room_by_models)(binding, cluster.nodes)
            if modelled is not None:
                return int32(min(room, modelled))
        return int32(room_by_summary(binding, free, room))


def room_by_summary(binding: BindingInfo, free: Mapping[str, int], room: int) -> int:
    """The scarcest resource decides; a resource the cluster lacks leaves no room."""
    for resource, units in binding.requests:
        left = free.get(resource, 0)
        if left <= 0:
            return 0
        count = left // units
        if count < room:
            room = count
    return room

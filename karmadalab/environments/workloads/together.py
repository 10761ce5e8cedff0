"""All of a member's controllers put together."""

from __future__ import annotations

from karmadalab.api.unstructured import Unstructured
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace
from karmadalab.environments.workloads.daemon_set import DaemonSets
from karmadalab.environments.workloads.deployment import Deployments
from karmadalab.environments.workloads.endpoint_slices import ENDPOINT_SLICE, EndpointSlices
from karmadalab.environments.workloads.job import Jobs
from karmadalab.environments.workloads.kubelet import Kubelet
from karmadalab.environments.workloads.pods import POD, is_ready
from karmadalab.environments.workloads.replica_set import REPLICA_SET, ReplicaSets
from karmadalab.environments.workloads.site import OBJECTS_BY_OWNER, Site
from karmadalab.environments.workloads.stateful_set import StatefulSets


class Workloads:
    """The controllers and kubelets of one member.

    Args:
        startup_s, shutdown_s: how long pods take, in seconds.

    Attributes:
        kubelet: its nodes: how long pods take, which images are bad, whether there is room.
    """

    def __init__(self, store: Store, clock: VirtualClock, trace: Trace, startup_s: float, shutdown_s: float) -> None:
        self.store = store
        for kind in (POD, REPLICA_SET, ENDPOINT_SLICE):
            store.add_index(kind, OBJECTS_BY_OWNER, lambda obj: [owner.uid for owner in obj.metadata.ownerReferences])
        self._site = site = Site(store, clock, trace)
        self.kubelet = Kubelet(site, startup_s, shutdown_s)
        self._controllers = (
            Deployments(site),
            ReplicaSets(site),
            StatefulSets(site),
            DaemonSets(site),
            Jobs(site),
            EndpointSlices(site),
        )

    @property
    def powered(self) -> bool:
        """Whether the machines are on."""
        return self._site.powered

    def power(self, on: bool) -> None:
        """Switch the machines: pods don't run while they are off, and start again when they are back."""
        if on == self._site.powered:
            return
        self._site.powered = on
        if on:
            self.kubelet.restart()
            for controller in self._controllers:
                controller.resync()

    def has_room_for(self, pod: Unstructured) -> bool:
        """Whether a node could take a pod."""
        return self.kubelet.has_room_for(pod)

    def serving(self) -> int:
        """How many pods answer requests now."""
        return sum(1 for pod in self.store.list(POD) if is_ready(pod)) if self.powered else 0

"""cluster-lease-controller: the heartbeat of a pull cluster.

An agent renews a Lease in the control plane four times within the lease's duration. The lease says that the agent
lives, not that its cluster is well: it goes on when the cluster becomes unhealthy. It starts with the first healthy
pass of the cluster status controller.

Mirrors client-go's component-helpers lease controller, as Karmada starts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from karmadalab.api.cluster import LEASE_NAMESPACE, Cluster
from karmadalab.api.errors import Unreachable
from karmadalab.api.meta import ObjectMeta, OwnerReference, replace
from karmadalab.api.native import Lease, LeaseSpec
from karmadalab.api.time import MicroTime
from karmadalab.core.client import Client
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request

NAME = "cluster-lease-controller"
JITTER = 0.04


class LeaseController:
    """The reconciler; `begin` sets it going.

    Args:
        manager: the agent's process.
        client: the control plane, behind the agent's link.
        rng: for the jitter of up to 4 % that keeps a fleet's agents from marching in step; None for none.
    """

    name = NAME

    def __init__(self, manager: Manager, client: Client, rng: Random | None) -> None:
        self._client = client
        self._manager = manager
        self._rng = rng
        settings = manager.settings
        self._duration_s = settings.cluster_lease_duration
        self._interval_s = settings.cluster_lease_duration * settings.cluster_lease_renew_interval_fraction
        self._begun: set[str] = set()

    def watches(self) -> Sequence[Watch]:
        """Nothing: the status controller begins it, and time goes on with it."""
        return ()

    def begin(self, cluster_name: str) -> None:
        """Start the heartbeat of a cluster, once."""
        if cluster_name not in self._begun:
            self._begun.add(cluster_name)
            self._manager.enqueue(NAME, Request(LEASE_NAMESPACE, cluster_name))

    def reconcile(self, request: Request) -> Result:
        """Renew the lease, or make it; come again after the renew interval whether that worked or not."""
        name = request.name
        now = MicroTime(self._manager.clock.now())
        cluster = self._client.find(Cluster, name)
        if cluster is None:
            self._begun.discard(name)
            return DONE
        try:
            lease = self._client.find(Lease, name, LEASE_NAMESPACE)
            if lease is None:
                self._client.create(self._new_lease(cluster, now))
            else:
                self._client.update(replace(lease, spec=replace(lease.spec, renewTime=now)))
        except Unreachable as error:
            self._manager.trace.note(NAME, name, f"lease of {name} not renewed: {error}")
        late = JITTER * self._rng.random() if self._rng is not None else 0.0
        return Result(self._interval_s * (1 + late))

    def _new_lease(self, cluster: Cluster, now: MicroTime) -> Lease:
        meta = cluster.metadata
        owner = OwnerReference(apiVersion=cluster.apiVersion, kind=cluster.kind, name=meta.name, uid=meta.uid)
        return Lease(
            metadata=ObjectMeta(name=meta.name, namespace=LEASE_NAMESPACE, ownerReferences=(owner,)),
            spec=LeaseSpec(holderIdentity=meta.name, leaseDurationSeconds=round(self._duration_s), renewTime=now),
        )

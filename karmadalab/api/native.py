"""The few Kubernetes kinds that the control plane itself reads and writes."""

from __future__ import annotations

from typing import ClassVar

from karmadalab.api.meta import Data, Resource
from karmadalab.api.time import MicroTime


class LeaseSpec(Data):
    holderIdentity: str = ""
    leaseDurationSeconds: int = 0
    acquireTime: MicroTime | None = None
    renewTime: MicroTime | None = None
    leaseTransitions: int = 0


class Lease(Resource, kw_only=True):
    """The heartbeat of a pull-mode agent, in namespace `karmada-cluster`, named after the cluster."""

    GROUP_KIND: ClassVar[str] = "Lease.coordination.k8s.io"

    apiVersion: str = "coordination.k8s.io/v1"
    kind: str = "Lease"
    spec: LeaseSpec = LeaseSpec()

    def summary(self) -> str:
        return f" renewed {self.spec.renewTime}"

"""policy.karmada.io: a quota for a namespace over all clusters."""

from __future__ import annotations

from typing import ClassVar

from karmadalab.api.cluster import Quantity
from karmadalab.api.meta import Data, Resource


class StaticClusterAssignment(Data):
    clusterName: str = ""
    hard: dict[str, Quantity] = {}


class FederatedResourceQuotaSpec(Data):
    overall: dict[str, Quantity] = {}
    staticAssignments: tuple[StaticClusterAssignment, ...] = ()


class ClusterQuotaStatus(Data):
    clusterName: str = ""
    hard: dict[str, Quantity] = {}
    used: dict[str, Quantity] = {}


class FederatedResourceQuotaStatus(Data):
    overall: dict[str, Quantity] = {}
    overallUsed: dict[str, Quantity] = {}
    aggregatedStatus: tuple[ClusterQuotaStatus, ...] = ()


class FederatedResourceQuota(Resource, kw_only=True):
    """How much a namespace may use in all clusters together, and what of it each cluster is given."""

    GROUP_KIND: ClassVar[str] = "FederatedResourceQuota.policy.karmada.io"

    apiVersion: str = "policy.karmada.io/v1alpha1"
    kind: str = "FederatedResourceQuota"
    spec: FederatedResourceQuotaSpec = FederatedResourceQuotaSpec()
    status: FederatedResourceQuotaStatus = FederatedResourceQuotaStatus()

"""apps.karmada.io: asking for workloads to be scheduled anew."""

from __future__ import annotations

from typing import ClassVar

from karmadalab.api.meta import Data, Resource
from karmadalab.api.time import Time


class WorkloadReference(Data):
    apiVersion: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""


class WorkloadRebalancerSpec(Data):
    workloads: tuple[WorkloadReference, ...] = ()
    ttlSecondsAfterFinished: int | None = None


class ObservedWorkload(Data):
    """`result` is Successful or Failed; successful only means that the binding was told."""

    workload: WorkloadReference = WorkloadReference()
    result: str = ""
    reason: str = ""


class WorkloadRebalancerStatus(Data):
    observedWorkloads: tuple[ObservedWorkload, ...] = ()
    observedGeneration: int = 0
    finishTime: Time | None = None


class WorkloadRebalancer(Resource, kw_only=True):
    """A request to place workloads as if they were new; finished, it can delete itself."""

    GROUP_KIND: ClassVar[str] = "WorkloadRebalancer.apps.karmada.io"

    apiVersion: str = "apps.karmada.io/v1alpha1"
    kind: str = "WorkloadRebalancer"
    spec: WorkloadRebalancerSpec = WorkloadRebalancerSpec()
    status: WorkloadRebalancerStatus = WorkloadRebalancerStatus()

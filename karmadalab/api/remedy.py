"""remedy.karmada.io: what to do about a cluster with a certain condition."""

from __future__ import annotations

from typing import ClassVar

from karmadalab.api.meta import Data, Resource


class RemedyClusterAffinity(Data):
    clusterNames: tuple[str, ...] = ()


class ClusterConditionRequirement(Data):
    conditionType: str = ""
    operator: str = ""
    conditionStatus: str = ""


class DecisionMatch(Data):
    clusterConditionMatch: ClusterConditionRequirement | None = None


class RemedySpec(Data):
    clusterAffinity: RemedyClusterAffinity | None = None
    decisionMatches: tuple[DecisionMatch, ...] = ()
    actions: tuple[str, ...] = ()


class Remedy(Resource, kw_only=True):
    """Actions that a cluster is given while it matches; they are listed in its status."""

    GROUP_KIND: ClassVar[str] = "Remedy.remedy.karmada.io"

    apiVersion: str = "remedy.karmada.io/v1alpha1"
    kind: str = "Remedy"
    spec: RemedySpec = RemedySpec()

"""policy.karmada.io: how resources differ from cluster to cluster."""

from __future__ import annotations

from typing import Any, ClassVar

from karmadalab.api.meta import Data, Resource
from karmadalab.api.policy import ClusterAffinity, ResourceSelector

APPLIED_OVERRIDES_ANNOTATION = "policy.karmada.io/applied-overrides"
APPLIED_CLUSTER_OVERRIDES_ANNOTATION = "policy.karmada.io/applied-cluster-overrides"


class PlaintextOverrider(Data):
    path: str = ""
    operator: str = ""
    value: Any = None


class ImagePredicate(Data):
    path: str = ""


class ImageOverrider(Data):
    predicate: ImagePredicate | None = None
    component: str = ""
    operator: str = ""
    value: str = ""


class CommandArgsOverrider(Data):
    containerName: str = ""
    operator: str = ""
    value: tuple[str, ...] = ()


class LabelAnnotationOverrider(Data):
    operator: str = ""
    value: dict[str, str] = {}


class FieldPatchOperation(Data):
    subPath: str = ""
    operator: str = ""
    value: Any = None


class FieldOverrider(Data):
    fieldPath: str = ""
    json: tuple[FieldPatchOperation, ...] = ()
    yaml: tuple[FieldPatchOperation, ...] = ()


class Overriders(Data):
    plaintext: tuple[PlaintextOverrider, ...] = ()
    imageOverrider: tuple[ImageOverrider, ...] = ()
    commandOverrider: tuple[CommandArgsOverrider, ...] = ()
    argsOverrider: tuple[CommandArgsOverrider, ...] = ()
    labelsOverrider: tuple[LabelAnnotationOverrider, ...] = ()
    annotationsOverrider: tuple[LabelAnnotationOverrider, ...] = ()
    fieldOverrider: tuple[FieldOverrider, ...] = ()


class RuleWithCluster(Data):
    targetCluster: ClusterAffinity | None = None
    overriders: Overriders = Overriders()


class OverrideSpec(Data):
    resourceSelectors: tuple[ResourceSelector, ...] = ()
    overrideRules: tuple[RuleWithCluster, ...] = ()
    targetCluster: ClusterAffinity | None = None
    overriders: Overriders = Overriders()


class OverridePolicy(Resource, kw_only=True):
    """How resources of its namespace differ on some clusters."""

    GROUP_KIND: ClassVar[str] = "OverridePolicy.policy.karmada.io"

    apiVersion: str = "policy.karmada.io/v1alpha1"
    kind: str = "OverridePolicy"
    spec: OverrideSpec


class ClusterOverridePolicy(Resource, kw_only=True):
    """How resources of any namespace, or of none, differ on some clusters."""

    GROUP_KIND: ClassVar[str] = "ClusterOverridePolicy.policy.karmada.io"

    apiVersion: str = "policy.karmada.io/v1alpha1"
    kind: str = "ClusterOverridePolicy"
    spec: OverrideSpec

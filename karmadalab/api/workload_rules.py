"""What an API server asks of a Deployment and its relatives beyond the types of their fields, in its own words.

A workload without a selector, or with one that misses its own pods, is the classic manifest that works in a draft and
is refused by the cluster. A misspelt field of `spec` is the other: what nobody reads would be lost without a word.

Mirrors ValidateDeploymentSpec and its siblings in Kubernetes' pkg/apis/apps/validation, as far as selector, template
and containers go. Values are printed as JSON. Not modelled: the rest of a pod's rules; that a selector never changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from karmadalab.api.errors import BadRequest, FieldError, Invalid
from karmadalab.api.meta import LabelSelector, LabelSelectorRequirement, selector_matches
from karmadalab.api.similar import similar
from karmadalab.api.unstructured import Unstructured

_SELECTING = frozenset(("Deployment.apps", "StatefulSet.apps", "DaemonSet.apps", "ReplicaSet.apps"))

_PODS = ("selector", "template")
_FIELDS: dict[str, frozenset[str]] = {
    "Deployment.apps": frozenset(
        (*_PODS, "minReadySeconds", "replicas", "strategy", "revisionHistoryLimit", "paused", "progressDeadlineSeconds")
    ),
    "StatefulSet.apps": frozenset(
        (
            *_PODS,
            "minReadySeconds",
            "replicas",
            "serviceName",
            "volumeClaimTemplates",
            "podManagementPolicy",
            "updateStrategy",
            "revisionHistoryLimit",
            "persistentVolumeClaimRetentionPolicy",
            "ordinals",
        )
    ),
    "DaemonSet.apps": frozenset((*_PODS, "minReadySeconds", "updateStrategy", "revisionHistoryLimit")),
    "ReplicaSet.apps": frozenset((*_PODS, "minReadySeconds", "replicas")),
    "Job.batch": frozenset(
        (
            "parallelism",
            "completions",
            "activeDeadlineSeconds",
            "podFailurePolicy",
            "successPolicy",
            "backoffLimit",
            "backoffLimitPerIndex",
            "maxFailedIndexes",
            "selector",
            "manualSelector",
            "template",
            "ttlSecondsAfterFinished",
            "completionMode",
            "suspend",
            "podReplacementPolicy",
            "managedBy",
        )
    ),
    "CronJob.batch": frozenset(
        (
            "schedule",
            "timeZone",
            "startingDeadlineSeconds",
            "concurrencyPolicy",
            "suspend",
            "jobTemplate",
            "successfulJobsHistoryLimit",
            "failedJobsHistoryLimit",
        )
    ),
    "Service": frozenset(
        (
            "ports",
            "selector",
            "clusterIP",
            "clusterIPs",
            "type",
            "externalIPs",
            "sessionAffinity",
            "loadBalancerIP",
            "loadBalancerSourceRanges",
            "externalName",
            "externalTrafficPolicy",
            "healthCheckNodePort",
            "publishNotReadyAddresses",
            "sessionAffinityConfig",
            "ipFamilies",
            "ipFamilyPolicy",
            "loadBalancerClass",
            "internalTrafficPolicy",
            "allocateLoadBalancerNodePorts",
            "trafficDistribution",
        )
    ),
}


def check_workload(obj: Unstructured, old: Unstructured | None = None) -> None:
    """A native object's spec has no unknown field, and a workload selects the pods that it makes.

    The types of the fields must have been checked before.

    Args:
        old: what is stored. It got in as it is: only what differs from it is checked.

    Raises:
        Invalid: naming the path.
    """
    kind, spec = obj.GROUP_KIND, obj.spec
    if kind not in _FIELDS:
        return
    known = _FIELDS[kind] if old is None else {*_FIELDS[kind], *old.spec}
    if (unknown := next((field for field in spec if field not in known), None)) is not None:
        raise Invalid(f"{_name_of(obj)}: spec.{unknown}: {_offer(unknown, _FIELDS[kind])}")
    if kind not in _SELECTING or (old is not None and all(spec.get(f) == old.spec.get(f) for f in _PODS)):
        return
    if errors := tuple(_errors(kind.partition(".")[0], spec)):
        raise Invalid(f"{_name_of(obj)}: {_aggregate(errors)}", errors)


def _aggregate(errors: tuple[FieldError, ...]) -> str:
    texts = [str(error) for error in errors]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _name_of(obj: Unstructured) -> str:
    meta = obj.metadata
    return f"{obj.kind} {meta.namespace}/{meta.name}" if meta.namespace else f"{obj.kind} {meta.name}"


def _offer(field: str, there: frozenset[str]) -> str:
    close = similar(field, sorted(there))
    return "unknown field; " + (f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(there))}")


def _errors(kind: str, spec: Mapping[str, Any]) -> Iterator[FieldError]:
    selector, template = spec.get("selector"), spec.get("template") or {}
    if selector is None:
        yield FieldError("FieldValueRequired", "spec.selector", "", "")
    elif not selector.get("matchLabels") and not selector.get("matchExpressions"):
        yield FieldError("FieldValueInvalid", "spec.selector", f"empty selector is invalid for {kind.lower()}", {})
    labels = (template.get("metadata") or {}).get("labels") or {}
    if selector is None or not selector_matches(_read(selector), labels):
        detail = "`selector` does not match template `labels`"
        yield FieldError("FieldValueInvalid", "spec.template.metadata.labels", detail, labels)
    if not (template.get("spec") or {}).get("containers"):
        yield FieldError("FieldValueRequired", "spec.template.spec.containers", "", "")


def scaled(obj: Any, replicas: int) -> Any:
    """An object with another number of replicas.

    Raises:
        BadRequest: it has none.
    """
    if not isinstance(obj, Unstructured) or "replicas" not in obj.spec:
        raise BadRequest(
            f"{obj.kind} {obj.metadata.name}: has no spec.replicas to scale; a Deployment, a StatefulSet, a ReplicaSet "
            "has, and so can a kind of one's own"
        )
    return obj.with_spec(replicas=replicas)


def selector_of(obj: Unstructured) -> LabelSelector | None:
    """Which pods a workload calls its own; None if it says nothing about it."""
    selector = obj.spec.get("selector")
    return _read(selector) if selector else None


def _read(selector: Mapping[str, Any]) -> LabelSelector:
    """What can't be read as a requirement matches nothing, as an invalid one does."""
    requirements = tuple(
        LabelSelectorRequirement(item.get("key") or "", item.get("operator") or "", tuple(item.get("values") or ()))
        for item in selector.get("matchExpressions") or ()
    )
    return LabelSelector(selector.get("matchLabels") or {}, requirements)

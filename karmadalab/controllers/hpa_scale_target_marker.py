"""hpaScaleTargetMarker: who is scaled by an autoscaler keeps its replicas.

When a HorizontalPodAutoscaler is propagated, each member scales the workload by itself, and Karmada must not write the
template's replicas over that. This controller puts the label `resourcetemplate.karmada.io/retain-replicas` on the
target of every propagated autoscaler, and takes it off when the autoscaler or its target goes. Off by default in
Karmada.

Mirrors pkg/controllers/hpascaletargetmarker.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karmadalab.api.meta import replace
from karmadalab.api.policy import CLUSTER_PROPAGATION_POLICY_ID_LABEL, PROPAGATION_POLICY_ID_LABEL
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.api.work import RETAIN_REPLICAS_LABEL
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "hpa-scale-target-marker"
KIND = "HorizontalPodAutoscaler.autoscaling"

_POLICY_LABELS = (PROPAGATION_POLICY_ID_LABEL, CLUSTER_PROPAGATION_POLICY_ID_LABEL)


def is_propagated(autoscaler: Unstructured) -> bool:
    """Whether a policy has claimed it."""
    return any(autoscaler.metadata.labels.get(label) for label in _POLICY_LABELS)


def target_of(autoscaler: Unstructured) -> Request:
    """What it scales, as a request."""
    target = autoscaler.spec.get("scaleTargetRef") or {}
    kind = group_kind(target.get("apiVersion", ""), target.get("kind", ""))
    return Request(autoscaler.metadata.namespace, target.get("name", ""), kind)


class HPAScaleTargetMarker:
    """The reconciler. Its requests are scale targets."""

    name = NAME

    def __init__(self, store: Store) -> None:
        self._store = store

    def watches(self) -> Sequence[Watch]:
        """Propagated autoscalers; both the old and the new target are looked at."""
        return [Watch(self._store, KIND, self._event)]

    @staticmethod
    def _event(event: str, old: Any, new: Any) -> Iterable[Request]:
        return dict.fromkeys(target_of(obj) for obj in (old, new) if obj is not None and is_propagated(obj))

    def reconcile(self, request: Request) -> Result:
        """Mark a target that a propagated autoscaler scales, and unmark any other."""
        target: Unstructured | None = self._store.find(request.kind, request.name, request.namespace)
        if target is None:
            return DONE
        autoscalers = self._store.list(KIND, request.namespace)
        wanted = any(is_propagated(item) and target_of(item) == request for item in autoscalers)
        labels = {key: value for key, value in target.metadata.labels.items() if key != RETAIN_REPLICAS_LABEL}
        if wanted:
            labels[RETAIN_REPLICAS_LABEL] = "true"
        if labels != target.metadata.labels:
            self._store.update(replace(target, metadata=replace(target.metadata, labels=labels)))
        return DONE

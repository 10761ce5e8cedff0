"""namespace-sync-controller: a namespace of the control plane exists in every member.

A Deployment can only arrive where its namespace is, so each namespace becomes a Work in each cluster: no policy, no
binding, no regard to taints. It owns these Works, and they go with it. What Karmada and Kubernetes keep for themselves
is left out, and what carries the label `namespace.karmada.io/skip-auto-propagation`; setting that label later removes
nothing.

Mirrors pkg/controllers/namespace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from karmadalab.api.cluster import Cluster, execution_namespace
from karmadalab.api.errors import KarmadalabError
from karmadalab.api.meta import ObjectMeta, OwnerReference
from karmadalab.api.naming import is_reserved_namespace, work_name
from karmadalab.api.override import ClusterOverridePolicy
from karmadalab.api.selection import match_priority
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import EXECUTION_FINALIZER, Work, WorkloadTemplate, WorkSpec
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store
from karmadalab.interpreter.manifest import marked, pruned
from karmadalab.interpreter.overrides import apply_overrides
from karmadalab.interpreter.works import applied_overrides, write_work

NAME = "namespace-sync-controller"

NAMESPACE = "Namespace"
SKIP_LABEL = "namespace.karmada.io/skip-auto-propagation"


def is_synced(namespace: Unstructured, skipped: Sequence[re.Pattern[str]]) -> bool:
    """Whether a namespace goes to the members.

    Args:
        skipped: `--skipped-propagating-namespaces`, each of which must match the whole name.
    """
    name = namespace.metadata.name
    if name == "default" or is_reserved_namespace(name) or any(pattern.fullmatch(name) for pattern in skipped):
        return False
    return namespace.metadata.labels.get(SKIP_LABEL, "").lower() != "true"


def work_for(namespace: Unstructured, cluster: Cluster, policies: Iterable[ClusterOverridePolicy]) -> Work:
    """The Work that brings a namespace to a cluster.

    Raises:
        OverrideError: an override doesn't fit it.
    """
    meta = namespace.metadata
    overridden = apply_overrides(pruned(namespace), cluster, policies, ())
    owner = OwnerReference("v1", NAMESPACE, meta.name, meta.uid, controller=True, blockOwnerDeletion=True)
    metadata = ObjectMeta(
        name=work_name(NAMESPACE, meta.name),
        namespace=execution_namespace(cluster.metadata.name),
        annotations=applied_overrides(overridden),
        finalizers=(EXECUTION_FINALIZER,),
        ownerReferences=(owner,),
    )
    manifest = marked(overridden.manifest, meta, metadata, {}, {})
    return Work(metadata=metadata, spec=WorkSpec(workload=WorkloadTemplate((manifest,))))


class NamespaceSyncController:
    """The reconciler."""

    name = NAME

    def __init__(self, manager: Manager, store: Store) -> None:
        self._store = store
        patterns = manager.settings.skipped_propagating_namespaces.split(",")
        self._skipped = [re.compile(pattern.strip()) for pattern in patterns if pattern.strip()]

    def watches(self) -> Sequence[Watch]:
        """Namespaces, clusters that join, and override policies that select namespaces."""
        return [
            Watch(self._store, NAMESPACE),
            Watch(self._store, Cluster, self._cluster_event),
            Watch(self._store, ClusterOverridePolicy, self._policy_event),
        ]

    def _cluster_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        return self._requests() if event == "ADDED" else ()

    def _policy_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        selectors = [*new.spec.resourceSelectors, *(old.spec.resourceSelectors if old is not None else ())]
        namespaces = self._store.list(NAMESPACE)
        return [Request("", found.metadata.name) for found in namespaces if match_priority(found, selectors)]

    def _requests(self) -> list[Request]:
        return [Request("", found.metadata.name) for found in self._store.list(NAMESPACE)]

    def reconcile(self, request: Request) -> Result:
        """Write the Works of a namespace.

        Raises:
            Retry: with all that went wrong; the other clusters got theirs.
        """
        namespace: Unstructured | None = self._store.find(NAMESPACE, request.name)
        if namespace is None or namespace.metadata.deletionTimestamp is not None:
            return DONE  # its Works go with their owner
        if not is_synced(namespace, self._skipped):
            return DONE
        policies = self._store.list(ClusterOverridePolicy)
        errors = []
        for cluster in self._store.list(Cluster):
            try:
                write_work(self._store, work_for(namespace, cluster, policies))
            except KarmadalabError as error:
                errors.append(str(error))
        if errors:
            raise Retry(f"[{', '.join(errors)}]")
        return DONE

"""How objects are found by what they say, without a walk through all of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from karmadalab.api.work import (
    BINDING_ID_LABEL,
    CLUSTER_BINDING_ID_LABEL,
    AnyBinding,
    ClusterResourceBinding,
    ResourceBinding,
    Work,
)
from karmadalab.core.store import Store

WORKS_BY_BINDING_ID = "binding-id"
BINDINGS_BY_CLUSTER = "clusters"


def add_indexes(store: Store) -> None:
    """The indexes that Karmada's controllers use in the control plane."""
    store.add_index(Work, WORKS_BY_BINDING_ID, _binding_ids)
    store.add_index(ResourceBinding, BINDINGS_BY_CLUSTER, _clusters)
    store.add_index(ClusterResourceBinding, BINDINGS_BY_CLUSTER, _clusters)


def _binding_ids(work: Work) -> Iterable[Hashable]:
    labels = work.metadata.labels
    return [labels[key] for key in (BINDING_ID_LABEL, CLUSTER_BINDING_ID_LABEL) if key in labels]


def _clusters(binding: AnyBinding) -> Iterable[Hashable]:
    return [target.name for target in binding.spec.clusters]

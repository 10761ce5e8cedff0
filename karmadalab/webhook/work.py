"""Bindings and Works: permanent ids, by which their parts are found, and the pruning of manifests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karmadalab.api.errors import Invalid
from karmadalab.api.meta import R, replace
from karmadalab.api.prune import prune, record_managed_keys
from karmadalab.api.shapes import ANY, TEXT, TEXTS, Fields
from karmadalab.api.work import (
    BINDING_ID_LABEL,
    CLUSTER_BINDING_ID_LABEL,
    PROPAGATION_INSTRUCTION_LABEL,
    WORK_ID_LABEL,
    AnyBinding,
    ResourceBinding,
    Work,
    WorkloadTemplate,
)

# What every manifest has in common, and pruning reads; the rest is for the member to judge.
_MANIFEST = Fields(
    {"apiVersion": TEXT, "kind": TEXT, "metadata": Fields({"labels": TEXTS, "annotations": TEXTS}), "spec": ANY}
)


def mutate_binding(binding: AnyBinding, new_id: Callable[[], str]) -> AnyBinding:
    """A binding without a permanent id gets one, on any operation."""
    label = BINDING_ID_LABEL if isinstance(binding, ResourceBinding) else CLUSTER_BINDING_ID_LABEL
    return with_id(binding, label, new_id)


def with_id(obj: R, label: str, new_id: Callable[[], str]) -> R:
    """`obj` with a permanent id under that label; one that is there stays."""
    if obj.metadata.labels.get(label):
        return obj
    labels = {**obj.metadata.labels, label: new_id()}
    return replace(obj, metadata=replace(obj.metadata, labels=labels))


def mutate_work(work: Work, new_id: Callable[[], str], mark_suppressed: bool = False) -> Work:
    """The permanent id, and manifests without what doesn't belong in a member.

    Manifests of a suppressed Work only report what a member has. They never go there, so they carry no id and no lists
    of managed keys, unless `mark_suppressed` is set, as in v1.18.

    Raises:
        Invalid: a manifest is none.
    """
    for index, manifest in enumerate(work.spec.workload.manifests):
        if misfit := _MANIFEST.misfit(manifest):
            where = f"{work.metadata.namespace}/{work.metadata.name}: spec.workload.manifests[{index}]{misfit[0]}"
            raise Invalid(f"Work {where}: {misfit[1]}")
    work = with_id(work, WORK_ID_LABEL, new_id)
    manifests = tuple(map(prune, work.spec.workload.manifests))
    if mark_suppressed or work.metadata.labels.get(PROPAGATION_INSTRUCTION_LABEL) != "suppressed":
        manifests = tuple(_with_work_id(manifest, work.metadata.labels[WORK_ID_LABEL]) for manifest in manifests)
    if manifests == work.spec.workload.manifests:
        return work
    return replace(work, spec=replace(work.spec, workload=WorkloadTemplate(manifests)))


def _with_work_id(manifest: dict[str, Any], work_id: str) -> dict[str, Any]:
    meta = manifest["metadata"]
    labels = {**(meta.get("labels") or {}), WORK_ID_LABEL: work_id}
    return record_managed_keys({**manifest, "metadata": {**meta, "labels": labels}})

"""Reporting a member's EndpointSlices as Works, on behalf of one feature or of several."""

from __future__ import annotations

from karmadalab.api.cluster import execution_namespace
from karmadalab.api.endpoints import WORK_MANAGED_BY_LABEL, joined, managers_of
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.naming import work_name
from karmadalab.api.scheme import to_dict
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import PROPAGATION_INSTRUCTION_LABEL, Work, WorkloadTemplate, WorkSpec
from karmadalab.core.client import Client
from karmadalab.interpreter.manifest import pruned
from karmadalab.interpreter.works import write_work


def slice_work_name(endpoint_slice: Unstructured) -> str:
    """The name of the Work that carries a slice, in whatever execution namespace."""
    meta = endpoint_slice.metadata
    return work_name(endpoint_slice.kind, meta.name, meta.namespace)


def report_slice(
    client: Client, cluster: str, endpoint_slice: Unstructured, manager: str, labels: dict[str, str], finalizer: str
) -> None:
    """Write the Work that carries a slice to the control plane.

    Args:
        manager: the feature that wants it.
        labels: by which that feature finds it again.
        finalizer: of the controller that takes it from here.
    """
    namespace, name = execution_namespace(cluster), slice_work_name(endpoint_slice)
    old = client.find(Work, name, namespace)
    managers = frozenset((manager,)) | (managers_of(old.metadata.labels) if old is not None else frozenset())
    finalizers = old.metadata.finalizers if old is not None else ()
    marks = {PROPAGATION_INSTRUCTION_LABEL: "suppressed", WORK_MANAGED_BY_LABEL: joined(managers)}
    meta = ObjectMeta(
        name=name,
        namespace=namespace,
        labels={**labels, **marks},
        finalizers=tuple(dict.fromkeys((*finalizers, finalizer))),
    )
    manifest = to_dict(pruned(endpoint_slice))
    write_work(client, Work(metadata=meta, spec=WorkSpec(workload=WorkloadTemplate((manifest,)))))


def unreport_slice(client: Client, work: Work, manager: str, labels: tuple[str, ...]) -> None:
    """One feature needs a reported slice no longer; the Work goes unless another one does.

    Args:
        labels: those of that feature.
    """
    if work.metadata.deletionTimestamp is not None:
        return
    left = managers_of(work.metadata.labels) - {manager}
    if not left:
        client.delete(Work, work.metadata.name, work.metadata.namespace)
        return
    kept = {key: value for key, value in work.metadata.labels.items() if key not in labels}
    kept[WORK_MANAGED_BY_LABEL] = joined(left)
    client.update(replace(work, metadata=replace(work.metadata, labels=kept)))

"""Reporting a member's EndpointSlices as Works, on behalf of one feature or of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from karmadalab.api.cluster import execution_namespace
from karmadalab.api.codec import to_dict
from karmadalab.api.endpoints import WORK_MANAGED_BY_LABEL, is_imported, joined, managers_of, service_of
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.naming import work_name
from karmadalab.api.scheme import AnyObject
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import PROPAGATION_INSTRUCTION_LABEL, Work, WorkloadTemplate, WorkSpec
from karmadalab.core.client import Client
from karmadalab.core.controller import Mapper
from karmadalab.core.queue import Request
from karmadalab.interpreter.manifest import pruned
from karmadalab.interpreter.works import write_work


def own_slices(slices: Iterable[Unstructured], service: str) -> dict[str, Unstructured]:
    """A member's own slices of a Service, by the name of the Work that carries each."""
    return {_work_of(item): item for item in slices if service_of(item) == service and not is_imported(item)}


def service_requests(cluster: str) -> Mapper:
    """Which service of a member (its name in `kind`) a slice there concerns; none when it came from elsewhere."""

    def requests(event: str, old: AnyObject | None, new: Any) -> Sequence[Request]:
        service = service_of(new)
        return (Request(new.metadata.namespace, service, cluster),) if service and not is_imported(new) else ()

    return requests


def report_slices(
    client: Client,
    cluster: str,
    wanted: Mapping[str, Unstructured],
    manager: str,
    labels: dict[str, str],
    finalizer: str,
) -> None:
    """Make the Works in the control plane agree with the slices of a service that one feature wants reported.

    Args:
        wanted: the slices, by the name of their Work.
        manager: the feature.
        labels: by which that feature finds the Works of this service again.
        finalizer: of the controller that takes them from here.
    """
    for name, item in wanted.items():
        _report(client, cluster, name, item, manager, labels, finalizer)
    for work in client.list(Work, execution_namespace(cluster)):
        ours = manager in managers_of(work.metadata.labels) and labels.items() <= work.metadata.labels.items()
        if ours and work.metadata.name not in wanted:
            unreport_slice(client, work, manager, labels)


def _work_of(endpoint_slice: Unstructured) -> str:
    """The name of the Work that carries a slice, in whatever execution namespace."""
    meta = endpoint_slice.metadata
    return work_name(endpoint_slice.kind, meta.name, meta.namespace)


def _report(
    client: Client,
    cluster: str,
    name: str,
    endpoint_slice: Unstructured,
    manager: str,
    labels: dict[str, str],
    finalizer: str,
) -> None:
    namespace = execution_namespace(cluster)
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


def unreport_slice(client: Client, work: Work, manager: str, labels: Iterable[str]) -> None:
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

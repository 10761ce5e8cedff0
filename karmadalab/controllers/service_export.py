"""service-export-controller: report the endpoints of exported services from where they run.

A ServiceExport says: the Service of my name may be reached from other clusters. Once a member has one, the member's
EndpointSlices of that Service are copied into the control plane, each inside a Work that nobody carries out. Runs in
the control plane for push clusters and in the agent for pull clusters.

Mirrors pkg/controllers/mcs/service_export_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karmadalab.api.cluster import Cluster, cluster_of_namespace, is_ready
from karmadalab.api.endpoints import (
    BY_SERVICE_EXPORT,
    COLLECT_FINALIZER,
    ENDPOINT_SLICE,
    EXPORT_NAME_LABEL,
    EXPORT_NAMESPACE_LABEL,
)
from karmadalab.api.meta import condition
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import APPLIED, Work
from karmadalab.core.client import Client
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.member import MemberCluster, Members
from karmadalab.core.queue import Request
from karmadalab.interpreter.endpoint_works import own_slices, report_slices, service_requests

NAME = "service-export-controller"
SERVICE_EXPORT = "ServiceExport.multicluster.x-k8s.io"


def holds_export(work: Work) -> bool:
    """Whether a Work brings a ServiceExport to its cluster, and did so."""
    applied = condition(work.status.conditions, APPLIED)
    if applied is None or applied.status != "True":
        return False
    return any(manifest.get("kind") == "ServiceExport" for manifest in work.spec.workload.manifests)


def exported_slices(
    slices: Iterable[Unstructured], export: Unstructured | None, service: str
) -> dict[str, Unstructured]:
    """The slices to report, by the name of their Work: the Service's own, when it is exported."""
    if export is None:
        return {}
    return own_slices(slices, service)


class ServiceExportController:
    """The reconciler. Its requests are Works, and services of a cluster (its name in `kind`).

    Args:
        manager: the process: the controller manager, or an agent.
        client: the control plane, near or behind the agent's link.
        members: the clusters this process looks into.
        namespace: the one execution namespace an agent watches; None for all.
    """

    name = NAME

    def __init__(self, manager: Manager, client: Client, members: Members, namespace: str | None = None) -> None:
        self._manager = manager
        self._client = client
        self._members = members
        self._namespace = namespace
        self._informers: set[str] = set()

    def watches(self) -> Sequence[Watch]:
        """Works with an export, once they are applied; the member's exports and slices from then on."""
        return [Watch(self._client, Work, self._work_event)]

    def _work_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        meta = new.metadata
        if event == "DELETED" or self._namespace not in (None, meta.namespace) or not holds_export(new):
            return ()
        if old is not None and holds_export(old):
            return ()
        return (Request(meta.namespace, meta.name),)

    def reconcile(self, request: Request) -> Result:
        """Begin to watch a member, or bring the reports of one of its services up to date."""
        if request.kind:
            member = self._members.reach(request.kind)
            if member is not None:
                self._report(member, request.namespace, request.name)
            return DONE
        name = cluster_of_namespace(request.namespace)
        member = self._members.reach(name) if name else None
        cluster = self._client.find(Cluster, name) if name else None
        if member is not None and cluster is not None:
            if not is_ready(cluster):
                raise Retry(f"cluster {name} is not ready")
            self._watch_member(member)
        return DONE

    def _watch_member(self, member: MemberCluster) -> None:
        if member.name in self._informers:
            return
        self._informers.add(member.name)
        cluster = member.name

        def export_event(event: str, old: Any, new: Any) -> Sequence[Request]:
            return (Request(new.metadata.namespace, new.metadata.name, cluster),)

        self._manager.watch(NAME, Watch(member.client, SERVICE_EXPORT, export_event))
        self._manager.watch(NAME, Watch(member.client, ENDPOINT_SLICE, service_requests(cluster)))

    def _report(self, member: MemberCluster, namespace: str, service: str) -> None:
        """Make the Works agree with the member's slices of a service."""
        export = member.client.find(SERVICE_EXPORT, service, namespace)
        wanted = exported_slices(member.client.list(ENDPOINT_SLICE, namespace), export, service)
        labels = {EXPORT_NAMESPACE_LABEL: namespace, EXPORT_NAME_LABEL: service}
        report_slices(self._client, member.name, wanted, BY_SERVICE_EXPORT, labels, COLLECT_FINALIZER)

"""endpointslice-collect-controller: report a provider's endpoints of a MultiClusterService.

The Work with a MultiClusterService in a provider's execution namespace says which Service; the member's own slices of
it are copied into the control plane, each inside a Work that nobody carries out. Runs in the control plane for push
clusters and in the agent for pull clusters.

Mirrors pkg/controllers/multiclusterservice/endpointslice_collect_controller.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karmadalab.api.cluster import Cluster, cluster_of_namespace, execution_namespace, is_ready
from karmadalab.api.endpoints import (
    BY_MULTI_CLUSTER_SERVICE,
    DISPATCH_FINALIZER,
    ENDPOINT_SLICE,
)
from karmadalab.api.multicluster import MULTI_CLUSTER_SERVICE_NAME, MULTI_CLUSTER_SERVICE_NAMESPACE
from karmadalab.api.naming import work_name
from karmadalab.api.work import Work
from karmadalab.core.client import Client
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.member import MemberCluster, Members
from karmadalab.core.queue import Request
from karmadalab.interpreter.endpoint_works import own_slices, report_slices, service_requests

NAME = "endpointslice-collect-controller"


def asks_for(work: Work) -> tuple[str, str] | None:
    """Namespace and name of the Service whose endpoints a Work asks for; None when it asks for none."""
    for manifest in work.spec.workload.manifests:
        if manifest.get("kind") == "MultiClusterService":
            meta = manifest.get("metadata") or {}
            return meta.get("namespace", ""), meta.get("name", "")
    return None


class EndpointSliceCollectController:
    """The reconciler. Its requests are services of a cluster (its name in `kind`).

    Args:
        manager, client, members, namespace: as for the service export controller.
    """

    name = NAME

    def __init__(self, manager: Manager, client: Client, members: Members, namespace: str | None = None) -> None:
        self._manager = manager
        self._client = client
        self._members = members
        self._namespace = namespace
        self._informers: set[str] = set()

    def watches(self) -> Sequence[Watch]:
        """Works that ask for endpoints; the member's slices from then on."""
        return [Watch(self._client, Work, self._work_event)]

    def _work_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        cluster = cluster_of_namespace(new.metadata.namespace)
        wanted = asks_for(new)
        if wanted is None or cluster is None or self._namespace not in (None, new.metadata.namespace):
            return ()
        return (Request(*wanted, cluster),)

    def reconcile(self, request: Request) -> Result:
        """Make the Works agree with the member's slices of a service."""
        member = self._members.reach(request.kind)
        cluster = self._client.find(Cluster, request.kind)
        if member is None or cluster is None:
            return DONE
        namespace = execution_namespace(request.kind)
        asked = self._client.find(Work, work_name("MultiClusterService", request.name, request.namespace), namespace)
        if asked is None or asked.metadata.deletionTimestamp is not None:
            return DONE  # the MultiClusterService's own controller takes back what was reported
        if not is_ready(cluster):
            raise Retry(f"cluster {request.kind} is not ready")
        self._watch_member(member)
        self._report(member, request)
        return DONE

    def _watch_member(self, member: MemberCluster) -> None:
        if member.name in self._informers:
            return
        self._informers.add(member.name)
        self._manager.watch(NAME, Watch(member.client, ENDPOINT_SLICE, service_requests(member.name)))

    def _report(self, member: MemberCluster, request: Request) -> None:
        labels = {MULTI_CLUSTER_SERVICE_NAMESPACE: request.namespace, MULTI_CLUSTER_SERVICE_NAME: request.name}
        wanted = own_slices(member.client.list(ENDPOINT_SLICE, request.namespace), request.name)
        report_slices(self._client, member.name, wanted, BY_MULTI_CLUSTER_SERVICE, labels, DISPATCH_FINALIZER)

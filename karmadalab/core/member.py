"""What the control plane may ask of a member cluster, whatever that cluster is: simulated, remote or a kind cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from karmadalab.api.cluster import APIEnablement
from karmadalab.api.errors import KarmadalabError
from karmadalab.api.hpa import PodMetric
from karmadalab.core.client import Client


class ClientFailed(KarmadalabError):
    """There is no client for a member: its secret is missing, or the credentials in it can't be used."""


class VersionedClient(Client, Protocol):
    """A client whose reads come from a cache, as with informers; `version` changes whenever that cache does."""

    @property
    def version(self) -> int: ...


class MemberCluster(Protocol):
    """One member, as seen from where the caller stands (the control plane, or the agent inside)."""

    name: str
    kubernetes_version: str

    @property
    def client(self) -> VersionedClient:
        """Its objects."""
        ...

    def get_code(self, path: str) -> int:
        """The HTTP status code of a GET on the API server: `/readyz`, `/healthz`.

        Raises:
            Unreachable: no answer.
        """
        ...

    def api_enablements(self) -> tuple[APIEnablement, ...]:
        """What kinds the member serves, sorted, without subresources."""
        ...


class Members(Protocol):
    """The members that a process can reach."""

    def reach(self, name: str) -> MemberCluster | None:
        """The member of that name, None when this process is not the one to talk to it.

        Raises:
            ClientFailed: it is, but it can't: a client needs credentials.
        """
        ...


class PodMetrics(Protocol):
    """The resource metrics of members' pods, as a metrics server has them."""

    def cpu(self, cluster: str, namespace: str) -> Mapping[str, PodMetric]:
        """What the pods of a namespace use, by name.

        Raises:
            NoMetric: the member has no metrics API.
        """
        ...

"""A member cluster over HTTP: its health, its version, what it serves, and a client for its objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karmadalab.api.cluster import APIEnablement, APIResource
from karmadalab.core.clock import VirtualClock
from karmadalab.core.trace import Trace
from karmadalab.environments.http.client import HttpClient
from karmadalab.environments.http.refusal import refusal
from karmadalab.environments.http.transport import Transport

# One answer with all groups, from Kubernetes 1.30 on; older servers and small ones answer in the old form.
_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"


class HttpMember:
    """One member, as `core.member.MemberCluster`.

    Args:
        name: the member's name.
        transport: the way to its API server.
        clock, trace: the lab's.
        kubernetes_version: as `server_version` says.
        caller: who stands where, for errors: `karmada` or `agent`.
    """

    def __init__(
        self,
        name: str,
        transport: Transport,
        clock: VirtualClock,
        trace: Trace,
        kubernetes_version: str = "",
        caller: str = "karmada",
    ) -> None:
        self.name = name
        self.transport = transport
        self.client = HttpClient(f"{caller} -> {name}", transport, clock, trace)
        self.kubernetes_version = kubernetes_version

    def get_code(self, path: str) -> int:
        """The status code of a health check. Raises `Unreachable`."""
        asked = self.client.ask(("GET", path), lambda limit_s: self.transport.request("GET", path, {}, None, limit_s))
        return int(asked.code)

    def api_enablements(self) -> tuple[APIEnablement, ...]:
        """What it serves, without subresources. Raises `Unreachable`."""
        found: tuple[APIEnablement, ...] = self.client.ask(
            ("GET", "discovery"), lambda timeout_s: enablements(self.transport, timeout_s)
        )
        return found

    def close(self) -> None:
        """End its informers."""
        self.client.close()

    def __repr__(self) -> str:
        return f"<HttpMember {self.name} {self.kubernetes_version}>"


def server_version(transport: Transport, timeout_s: float = 10.0) -> str:
    """What `/version` says: `v1.34.0`. Raises `Unreachable`, `ApiError`."""
    return str(_get(transport, "/version", timeout_s)["gitVersion"])


def enablements(transport: Transport, timeout_s: float) -> tuple[APIEnablement, ...]:
    """Every group and version with its kinds, sorted. Raises `Unreachable`, `ApiError`."""
    found = [*_group(transport, "/api", timeout_s), *_group(transport, "/apis", timeout_s)]
    return tuple(sorted(found, key=lambda enablement: enablement.groupVersion))


def _group(transport: Transport, root: str, timeout_s: float) -> list[APIEnablement]:
    data = _get(transport, root, timeout_s, _AGGREGATED)
    if data.get("kind") == "APIGroupDiscoveryList":
        return [
            _enablement(_group_version(item["metadata"].get("name", ""), version["version"]), _aggregated(version))
            for item in data.get("items") or ()
            for version in item.get("versions") or ()
        ]
    versions = data.get("versions") or [v["groupVersion"] for g in data.get("groups") or () for v in g["versions"]]
    found = []
    for version in versions:
        resources = _get(transport, f"{root}/{version}", timeout_s).get("resources") or ()
        found.append(_enablement(version, [(r["name"], r["kind"]) for r in resources if "/" not in r["name"]]))
    return found


def _aggregated(version: dict[str, Any]) -> list[tuple[str, str]]:
    resources = version.get("resources") or ()
    return [(r["resource"], (r.get("responseKind") or {}).get("kind", "")) for r in resources]


def _group_version(group: str, version: str) -> str:
    return f"{group}/{version}" if group else version


def _enablement(group_version: str, resources: Sequence[tuple[str, str]]) -> APIEnablement:
    listed = tuple(APIResource(name=name, kind=kind) for name, kind in sorted(set(resources)))
    return APIEnablement(groupVersion=group_version, resources=listed)


def _get(transport: Transport, path: str, timeout_s: float, accept: str = "") -> dict[str, Any]:
    answer = transport.request("GET", path, {}, None, timeout_s, accept)
    if answer.code >= 400 or not isinstance(answer.data, dict):
        raise refusal(answer, path)
    return answer.data

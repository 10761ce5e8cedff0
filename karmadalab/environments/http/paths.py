"""Where in an API server the objects of a kind are."""

from __future__ import annotations

from karmadalab.api.scheme import ResourceType


def collection(rt: ResourceType, namespace: str | None = None) -> str:
    """The path of a list.

    >>> from karmadalab.api.scheme import resource_type
    >>> collection(resource_type("Deployment"), "web"), collection(resource_type("Node"))
    ('/apis/apps/v1/namespaces/web/deployments', '/api/v1/nodes')
    """
    base = f"/apis/{rt.api_version}" if "/" in rt.api_version else f"/api/{rt.api_version}"
    inside = f"/namespaces/{namespace}" if rt.namespaced and namespace else ""
    return f"{base}{inside}/{rt.plural}"


def item(rt: ResourceType, name: str, namespace: str = "", subresource: str = "") -> str:
    """The path of one object, or of a part of it that is written apart."""
    return f"{collection(rt, namespace)}/{name}" + (f"/{subresource}" if subresource else "")

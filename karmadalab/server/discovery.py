"""What a client asks first: which groups, versions and kinds are there.

Both forms: the legacy one (a list of groups, then a list of resources for each) and the aggregated one (everything in
one answer), which kubectl prefers.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from karmadalab.api.scheme import ResourceType
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Store
from karmadalab.core.wall_clock import WallClock
from karmadalab.server.kinds import REVIEWS, Served, served

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

KUBERNETES = "v1.32.0"  # whom kubectl takes the control plane for


def version_of(clock: VirtualClock, kubernetes: str) -> dict[str, Any]:
    """`/version`, with what other processes need to know of the lab's time; other clients pass over it."""
    speed = clock.speed if isinstance(clock, WallClock) else 0.0
    major, minor = ([*kubernetes.lstrip("v").split("."), "", ""])[:2]
    known = {"gitCommit": "", "gitTreeState": "clean", "buildDate": "2026-01-01T00:00:00Z", "goVersion": "none"}
    version = {
        "major": major,
        "minor": minor,
        "gitVersion": kubernetes,
        **known,
        "compiler": "",
        "platform": "karmadalab",
    }
    return {**version, "lab": {"time": clock.now(), "speed": speed}}


Grouped = list[tuple[str, str, list[Served]]]


def _grouped(store: Store) -> Grouped:
    """(group, version, kinds), the core group first."""
    kinds = [*served(store), *map(Served, REVIEWS)]
    kinds.sort(key=lambda kind: (kind.group, kind.version, kind.type.plural))
    return [(*key, list(found)) for key, found in groupby(kinds, key=lambda kind: (kind.group, kind.version))]


def _verbs(kind: Served) -> list[str]:
    return ["create"] if kind.type in REVIEWS else list(kind.verbs)


# --- aggregated


def aggregated(store: Store, core: bool) -> dict[str, Any]:
    """An `APIGroupDiscoveryList`: of the core group for `/api`, of the others for `/apis`."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for group, version, kinds in _grouped(store):
        if (group == "") is core:
            resources = [_aggregated_kind(kind) for kind in kinds]
            groups.setdefault(group, []).append({"version": version, "resources": resources, "freshness": "Current"})
    items = [{"metadata": {"name": group} if group else {}, "versions": versions} for group, versions in groups.items()]
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def _aggregated_kind(kind: Served) -> dict[str, Any]:
    rt = kind.type
    found: dict[str, Any] = {
        "resource": rt.plural,
        "responseKind": _gvk(rt.api_version, rt.kind),
        "scope": "Namespaced" if rt.namespaced else "Cluster",
        "singularResource": rt.kind.lower(),
        "verbs": _verbs(kind),
    }
    if kind.short_names:
        found["shortNames"] = list(kind.short_names)
    if kind.categories:
        found["categories"] = list(kind.categories)
    if rt not in REVIEWS:
        found["subresources"] = [
            {"subresource": name, "responseKind": _gvk(api_version, name_of_kind), "verbs": list(verbs)}
            for name, api_version, name_of_kind, verbs in kind.subresources()
        ]
    return found


def _gvk(api_version: str, kind: str) -> dict[str, str]:
    group, _, version = api_version.rpartition("/")
    return {"group": group, "version": version, "kind": kind}


# --- legacy


def api_versions() -> dict[str, Any]:
    """`/api`."""
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}


def api_groups(store: Store) -> dict[str, Any]:
    """`/apis`."""
    groups = [api_group(group, version) for group, version, _ in _grouped(store) if group]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def api_group(group: str, version: str) -> dict[str, Any]:
    """`/apis/GROUP`."""
    both = {"groupVersion": f"{group}/{version}", "version": version}
    return {"kind": "APIGroup", "apiVersion": "v1", "name": group, "versions": [both], "preferredVersion": both}


def group_of(store: Store, group: str) -> dict[str, Any] | None:
    """`/apis/GROUP`, None when there is none of that name."""
    return next((api_group(name, version) for name, version, _ in _grouped(store) if name == group and group), None)


def resources(store: Store, group: str, version: str) -> dict[str, Any] | None:
    """`/api/v1` and `/apis/GROUP/VERSION`, None when it is not served."""
    found = next((kinds for g, v, kinds in _grouped(store) if (g, v) == (group, version)), None)
    if found is None:
        return None
    entries = [entry for kind in found for entry in _entries(kind)]
    group_version = f"{group}/{version}" if group else version
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": entries}


def _entries(kind: Served) -> list[dict[str, Any]]:
    rt: ResourceType = kind.type
    main: dict[str, Any] = {
        "name": rt.plural,
        "singularName": rt.kind.lower(),
        "namespaced": rt.namespaced,
        "kind": rt.kind,
        "verbs": _verbs(kind),
    }
    if kind.short_names:
        main["shortNames"] = list(kind.short_names)
    if kind.categories:
        main["categories"] = list(kind.categories)
    if rt in REVIEWS:
        return [main]
    return [main, *(_sub_entry(rt, *sub) for sub in kind.subresources())]


def _sub_entry(rt: ResourceType, name: str, api_version: str, kind: str, verbs: tuple[str, ...]) -> dict[str, Any]:
    entry = {"name": f"{rt.plural}/{name}", "singularName": "", "namespaced": rt.namespaced, "kind": kind}
    group, _, version = api_version.rpartition("/")
    other = {"group": group, "version": version} if api_version != rt.api_version else {}
    return {**entry, **other, "verbs": list(verbs)}

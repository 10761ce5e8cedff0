"""One wrong thing and what is said to it, and manifests to get wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from karmadalab.api.meta import replace
from karmadalab.lab import Lab
from tests.worlds import deployment, policy


class Wrong(NamedTuple):
    """A mistake.

    Attributes:
        name: the mistake in words.
        call: makes it, in a lab in which `web` runs.
        error: what is raised.
        message: all that it says; `<cwd>` stands for the folder, `<version>` for the version of `web`.
    """

    name: str
    call: Callable[[Lab], object]
    error: type[Exception]
    message: str


def spec_of(**spec: Any) -> dict[str, Any]:
    """The Deployment `web` with fields of its spec replaced."""
    found = deployment()
    return {**found, "spec": {**found["spec"], **spec}}


def with_meta(**meta: Any) -> dict[str, Any]:
    """The Deployment `web` with fields of its metadata replaced."""
    found = deployment()
    return {**found, "metadata": {**found["metadata"], **meta}}


def with_policy(**spec: Any) -> dict[str, Any]:
    """The policy of `web` with fields of its spec replaced."""
    found = policy()
    return {**found, "spec": {**found["spec"], **spec}}


def placed(**placement: Any) -> dict[str, Any]:
    """The policy of `web` with another placement."""
    return policy(**placement)


def cluster(**spec: Any) -> dict[str, Any]:
    """A Cluster with fields of its spec replaced."""
    return {
        "apiVersion": "cluster.karmada.io/v1alpha1",
        "kind": "Cluster",
        "metadata": {"name": "extra"},
        "spec": {"syncMode": "Push", "apiEndpoint": "https://extra.example", **spec},
    }


def update_web(lab: Lab, **meta: Any) -> object:
    """Write `web` back with fields of its metadata replaced."""
    found = lab.get("Deployment", "web")
    return lab.update(replace(found, metadata=replace(found.metadata, **meta), body={**found.body, "extra": 1}))

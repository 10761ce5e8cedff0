"""A Deployment and a policy for it, as the manifests that one would write, without the forty lines around the point.

What a lesson is about stands in the lesson, in Karmada's own words (`placement` is the policy's `spec.placement`); what
every such manifest has anyway is added here. The result is plain data: `lab.apply(deployment("web"))`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# A placement in exactly one cluster, whichever that is: what most stories of a failover begin with.
ONE_CLUSTER = {"spreadConstraints": [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}]}


def deployment(name: str, replicas: int = 2, cpu: str = "100m", **labels: str) -> dict[str, Any]:
    """A Deployment of nginx.

    Args:
        name: its name; also its label `app`.
        replicas: how many.
        cpu: what one replica requests.
        labels: more labels of the Deployment itself.

    >>> deployment("web", 3, tier="front")["metadata"]
    {'name': 'web', 'labels': {'app': 'web', 'tier': 'front'}}
    """
    requests = {"cpu": cpu, "memory": "64Mi"}
    container = {"name": name, "image": "nginx:1.27", "resources": {"requests": requests}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": name, **labels}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}},
        },
    }


def policy(
    name: str,
    placement: Mapping[str, Any],
    selector: Mapping[str, Any] | None = None,
    kind: str = "PropagationPolicy",
    **spec: Any,
) -> dict[str, Any]:
    """A policy for Deployments.

    Args:
        name: its name.
        placement: its `spec.placement`.
        selector: which Deployments, beside `apiVersion` and `kind`; by default the one of the same name. An empty
            mapping selects all.
        kind: `PropagationPolicy` or `ClusterPropagationPolicy`.
        spec: more of its spec, such as `priority=5`.

    >>> policy("web", {})["spec"]["resourceSelectors"]
    [{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'web'}]
    """
    chosen = {"name": name} if selector is None else selector
    selectors = [{"apiVersion": "apps/v1", "kind": "Deployment", **chosen}]
    body = {"resourceSelectors": selectors, "placement": dict(placement), **spec}
    return {"apiVersion": "policy.karmada.io/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": body}

"""Clusters that can't join, and what is refused because of what is there already."""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import BadRequest, Conflict, Forbidden, Invalid
from tests.worlds import deployment, policy

from .wrong import Wrong, cluster, spec_of, with_meta


def other_scheduler(name: str) -> dict[str, Any]:
    """A policy for another scheduler."""
    found = policy(name)
    return {**found, "spec": {**found["spec"], "schedulerName": "other"}}


CLUSTERS = [
    Wrong(
        "a cluster's name with an underscore",
        lambda lab: lab.apply({**cluster(), "metadata": {"name": "Member_1"}}),
        Invalid,
        "Cluster Member_1: metadata.name: 'Member_1' is not a name: lower case letters, digits, '-' and '.', "
        "at most 253 characters, a letter or a digit first and last",
    ),
    Wrong(
        "a mode between push and pull",
        lambda lab: lab.apply(cluster(syncMode="Both")),
        Invalid,
        'Cluster extra: spec.syncMode: Unsupported value: "Both": supported values: "Pull", "Push"',
    ),
    Wrong(
        "a cluster without a mode",
        lambda lab: lab.apply({**cluster(), "spec": {}}),
        Invalid,
        'Cluster extra: [spec.syncMode: Required value, spec.syncMode: Unsupported value: "": supported '
        'values: "Pull", "Push"]',
    ),
    Wrong(
        "an unknown effect",
        lambda lab: lab.apply(cluster(taints=[{"key": "a", "effect": "NoWay"}])),
        Invalid,
        'Cluster extra: spec.taints[0].effect: Unsupported value: "NoWay": supported values: "NoSchedule", "NoExecute"',
    ),
    Wrong(
        "a taint twice",
        lambda lab: lab.apply(cluster(taints=[{"key": "a", "effect": "NoSchedule"}] * 2)),
        Invalid,
        'Cluster extra: spec.taints[1]: Duplicate value: {"key":"a","effect":"NoSchedule"}: taints must be '
        "unique by key and effect pair",
    ),
    Wrong(
        "a cluster in a namespace",
        lambda lab: lab.apply({**cluster(), "metadata": {"name": "extra", "namespace": "default"}}),
        BadRequest,
        "Cluster extra: metadata.namespace: a Cluster has no namespace; leave it out",
    ),
    Wrong(
        "a stale manifest",
        lambda lab: lab.apply(with_meta(resourceVersion="1")),
        Conflict,
        "Deployment default/web: you applied resourceVersion 1, the store has <version>; leave "
        "resourceVersion out of manifests",
    ),
    Wrong(
        "two manifests, the second without a name",
        lambda lab: lab.apply([deployment("fine"), with_meta(name="")]),
        BadRequest,
        "Deployment (no name): metadata.name: required, but missing; write name: something",
    ),
    Wrong(
        "two manifests, the second with negative replicas",
        lambda lab: lab.apply([deployment("fine"), spec_of(replicas=-3)]),
        Invalid,
        "Deployment default/web: spec.replicas: expected a whole number of 0 or more, got -3",
    ),
    Wrong(
        "two manifests, the second against the first",
        lambda lab: lab.apply([with_meta(name="pq"), policy("pq"), other_scheduler("pq")]),
        Forbidden,
        'PropagationPolicy default/pq: admission webhook "propagationpolicy.karmada.io" denied the request: '
        "the schedulerName should not be updated",
    ),
]

"""Small manifests and labs that several tests start from."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from karmadalab.lab import Lab

ENVIRONMENTS = Path(__file__).resolve().parent.parent / "environments"


def deployment(name: str = "web", replicas: int = 2, namespace: str = "default", **container: Any) -> dict[str, Any]:
    """A Deployment that asks for 100m of cpu a pod."""
    main = {"name": "main", "image": "nginx:1.27", "resources": {"requests": {"cpu": "100m"}}, **container}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [main]}},
        },
    }


def policy(name: str = "web", namespace: str = "default", **placement: Any) -> dict[str, Any]:
    """A PropagationPolicy that selects the Deployment of its own name."""
    selector = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    return {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "PropagationPolicy",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"resourceSelectors": [selector], "placement": placement},
    }


DIVIDED = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted"}
AT_MOST_TWO = [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 2}]

# v1.18 evicts only where it is told to, three times: by these flags, and by a policy that taints.
EVICTS = {"enable_no_execute_taint_eviction": True, "allow_no_execute_taint_policy": True}
TAINT_POLICY = {
    "apiVersion": "policy.karmada.io/v1alpha1",
    "kind": "ClusterTaintPolicy",
    "metadata": {"name": "down"},
    "spec": {
        "addOnConditions": [{"conditionType": "Ready", "operator": "NotIn", "statusValues": ["True"]}],
        "removeOnConditions": [{"conditionType": "Ready", "operator": "In", "statusValues": ["True"]}],
        "taints": [{"key": "down", "effect": "NoExecute"}],
    },
}


def lab_with_web(members: int = 3, pull: int = 0, seed: int | None = 1, **placement: Any) -> Lab:
    """A lab a minute after `web` was applied."""
    lab = Lab.fake(members=members, pull=pull, seed=seed)
    lab.apply([deployment(), policy(**placement)])
    return lab.run("1m")


def five_members(**options: Any) -> Lab:
    """The five members of `environments/` a minute after `nginx` was applied."""
    lab = Lab.fake(ENVIRONMENTS / "five-members.yaml", seed=1, **options)
    lab.apply(ENVIRONMENTS / "nginx.yaml")
    return lab.run("1m")


@cache
def power_off() -> Lab:
    """member1 dies at 1m, is repaired at 21m, and it is 30m. To be looked at only: several tests share it."""
    lab = five_members()
    lab.fault("member1").power_off(for_="20m")
    return lab.run("29m")


@cache
def cut_off() -> Lab:
    """The pull member is only unreachable, from 1m to 15m, and it is 30m. To be looked at only."""
    lab = Lab.fake(ENVIRONMENTS / "five-members.yaml", seed=1)
    lab.taint("member2", "maintenance=true:NoSchedule")
    lab.apply(ENVIRONMENTS / "nginx.yaml")
    lab.run("1m").fault("member3").cut_off(for_="14m")
    return lab.run("29m")

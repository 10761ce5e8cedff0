"""Whatever stands in any field of a manifest: it is refused at once, or the lab runs with it. Nothing breaks later."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from karmadalab.api.errors import KarmadalabError
from karmadalab.lab import Lab

from .worlds import deployment, policy

REF = {"name": "a"}
CONTAINER = {
    "name": "main",
    "image": "nginx:1.27",
    "command": ["run"],
    "env": [{"name": "A", "value": "b"}, {"name": "C", "valueFrom": {"secretKeyRef": REF, "configMapKeyRef": REF}}],
    "envFrom": [{"configMapRef": REF, "secretRef": REF}],
    "ports": [{"name": "http", "containerPort": 80}],
    "resources": {"requests": {"cpu": "100m"}, "limits": {"memory": "64Mi"}},
}
TERM = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
POD = {
    "containers": [CONTAINER],
    "initContainers": [CONTAINER],
    "volumes": [
        {"name": "a", "configMap": REF},
        {"name": "b", "secret": {"secretName": "a"}},
        {"name": "c", "persistentVolumeClaim": {"claimName": "a"}},
        {"name": "d", "projected": {"sources": [{"configMap": REF}, {"secret": REF}]}},
        {"name": "e", "rbd": {"secretRef": REF}},
    ],
    "nodeSelector": {"disk": "ssd"},
    "serviceAccountName": "a",
    "imagePullSecrets": [REF],
    "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5}],
    "affinity": {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [TERM]}},
        "podAffinity": {},
    },
    "overhead": {"cpu": "10m"},
    "priorityClassName": "a",
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 3,
}
TEMPLATE = {"metadata": {"labels": {"app": "web"}, "annotations": {"a": "b"}}, "spec": POD}
SELECTOR = {"matchLabels": {"app": "web"}}
ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}}
WORKLOAD = {"replicas": 1, "revisionHistoryLimit": 3, "selector": SELECTOR, "template": TEMPLATE}
JOB = {"parallelism": 1, "completions": 2, "template": {"spec": {**POD, "restartPolicy": "Never"}}}
CLAIM = {"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}


def manifest(api_version: str, kind: str, **body: Any) -> dict[str, Any]:
    """An object of a kind, called web."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "web", "namespace": "default"}, **body}


WHOLE = {
    "Deployment": manifest("apps/v1", "Deployment", spec={**WORKLOAD, "strategy": ROLLING}),
    "StatefulSet": manifest(
        "apps/v1", "StatefulSet", spec={**WORKLOAD, "updateStrategy": ROLLING, "volumeClaimTemplates": [CLAIM]}
    ),
    "DaemonSet": manifest("apps/v1", "DaemonSet", spec={"selector": SELECTOR, "template": TEMPLATE}),
    "Job": manifest("batch/v1", "Job", spec=JOB),
    "CronJob": manifest("batch/v1", "CronJob", spec={"schedule": "* * * * *", "jobTemplate": {"spec": JOB}}),
    "Pod": manifest("v1", "Pod", spec=POD),
    "Service": manifest(
        "v1",
        "Service",
        spec={"selector": {"app": "web"}, "ports": [{"name": "http", "port": 80, "targetPort": "http"}]},
    ),
    "ConfigMap": manifest("v1", "ConfigMap", data={"a": "b"}),
    "Secret": manifest("v1", "Secret", data={"a": "Yg=="}, stringData={"c": "d"}),
    "Ingress": manifest("networking.k8s.io/v1", "Ingress", spec={"tls": [{"secretName": "a"}], "rules": [{}]}),
    "PodDisruptionBudget": manifest("policy/v1", "PodDisruptionBudget", spec={"selector": SELECTOR}),
    "PersistentVolumeClaim": manifest("v1", "PersistentVolumeClaim", spec=CLAIM["spec"]),
}
WRONG: tuple[Any, ...] = (None, "x", -1, 2**40, True, 1.5, [], ["x"], [None], {}, {"x": "y"}, {"x": None})


def places(data: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """The path of everything in it."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, *path, key)


def changed(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with one thing replaced."""
    data = copy.deepcopy(data)
    inside = data
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return data


@pytest.mark.parametrize("kind", WHOLE)
def test_anything_in_any_field_is_refused_or_runs(kind: str) -> None:
    lab = Lab.fake(members=1)
    whole = WHOLE[kind]
    selector = {"apiVersion": whole["apiVersion"], "kind": kind}
    lab.apply(policy() | {"spec": {"resourceSelectors": [selector], "propagateDeps": True}})
    lab.apply(
        manifest("v1", "Service", spec={"selector": {"app": "web"}, "ports": [{"port": 80}]})
        if kind != "Service"
        else deployment()
    )
    lab.apply(whole)
    for path in places(whole):
        if path[0] in ("apiVersion", "kind", "metadata"):
            continue
        for wrong in WRONG:
            given = changed(whole, path, wrong)
            try:
                lab.apply(given)
            except KarmadalabError:
                continue
            try:
                lab.run("1s")
            except Exception as error:
                raise AssertionError(f"{kind} with {path} = {wrong!r} was taken") from error
    lab.run("2m")

"""The recorded walk about kinds: a Job, a StatefulSet, a ConfigMap, a Secret, Services, an Ingress and a volume claim.

The recorded members had no pods that end, no load balancer and no volumes: somebody wrote the statuses by hand. The
same is written here at the same moments.
"""

from __future__ import annotations

import re
from typing import Any

from karmadalab import Lab
from karmadalab.core.store import Store
from karmadalab.environments.workloads.pods import SUCCEEDED, is_finished, is_ready
from tests.walks import Walk, assert_agrees, by_number, namespace

NEVER_S = 1e6  # pods of the recorded Job don't end by themselves


def member(lab: Lab, name: str = "member1") -> Store:
    return lab.world.member(name).store


def pods_succeed(name: str, *moments: float) -> Any:
    """At each moment the pods of the Job that are ready in one member come to their end."""

    def succeed(lab: Lab) -> None:
        for pod in member(lab, name).list("Pod", "s4c"):
            if "job-name" in pod.metadata.labels and is_ready(pod) and not is_finished(pod):
                member(lab, name).update_status(pod.with_status({**pod.status, "phase": SUCCEEDED, "conditions": []}))

    def deed(lab: Lab, _: Any) -> None:
        for moment in moments:
            lab.clock.call_at(lab.clock.epoch + moment, succeed, lab)

    return deed


def write_status(store: Store, kind: str, name: str, **status: Any) -> None:
    found = store.get(kind, name, "s4c")
    store.update_status(found.with_status({**found.status, **status}))


def addresses(lab: Lab, _: Any) -> None:
    """Service and Ingress get addresses in both members, and a host name in member2 only."""
    for name, ip, hosts in (
        ("member1", "203.0.113.1", []),
        ("member2", "203.0.113.2", [{"hostname": "lb.example.io"}]),
    ):
        service = {"ingress": [{"ip": ip, "ipMode": "VIP"}, *hosts]}
        write_status(member(lab, name), "Service", "lb", loadBalancer=service)
        ingress = {"ingress": [{"ip": ip}, *hosts]}
        write_status(member(lab, name), "Ingress.networking.k8s.io", "ing", loadBalancer=ingress)


def complete_then_addresses(lab: Lab, step: Any) -> None:
    job = lab.get("Job", "job", "s4c").status
    assert (job["succeeded"], [c["type"] for c in job["conditions"]]) == (6, ["Complete"])  # refused there
    addresses(lab, step)


def bound(lab: Lab, _: Any) -> None:
    status = {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}
    write_status(member(lab), "PersistentVolumeClaim", "pvc", **status)


def patch(store: Store, kind: str, name: str, field: str, **values: Any) -> None:
    """`kubectl patch` of a mapping below the top."""
    found = store.get(kind, name, "s4c")
    store.update(found.with_body(**{field: {**(found.body.get(field) or {}), **values}}))


def known(label: str, path: str) -> bool:
    """That a claim is held by its pods, and that a new API server refuses how Karmada says that a Job is complete."""
    if " pvc/pvc member" in label:
        return path == "metadata.finalizers"
    if label in ("4 job/job template", "6 job/job template", "11 job/job template"):
        return path in ("status.succeeded", "status.conditions", "status.completionTime")
    return False


def template(what: str) -> str:
    """The template of an object: eight were applied in 0.5 s, and whose turn it was next is open."""
    return re.split(r"[- ]", what.rpartition("/")[2])[0]


def matters(what: str) -> bool:
    """All that this walk made; accounts and their certificates are not made here."""
    kind = what.split("/")[1]
    return kind not in ("Pod", "ServiceAccount", "Event", "ControllerRevision") and (
        ("/s4c/" in what and "kube-root-ca" not in what) or "karmada-es-member" in what
    )


def test_04c_kinds() -> None:
    walk = Walk("04c-kinds")
    walk.lab.apply(namespace("s4c"))
    for name in walk.lab.members:
        walk.lab.world.member(name).workloads.kubelet.run_s = NEVER_S
    port = {"port": 81, "targetPort": 8080, "protocol": "TCP"}
    walk.go(
        {
            2: pods_succeed("member1", 21.79, 26.82),
            3: pods_succeed("member2", 34.10, 39.14),
            4: complete_then_addresses,
            5: bound,
            6: lambda lab, _: patch(lab.store, "ConfigMap", "cm", "data", a="2", b="3"),
            7: lambda lab, _: patch(member(lab), "ConfigMap", "cm", "data", a="hand"),
            8: lambda lab, _: patch(member(lab), "Secret", "sec", "data", z="MQ=="),
            9: lambda lab, _: patch(member(lab), "Service", "svc", "spec", ports=[port]),
            10: lambda lab, _: lab.scale("sts", 5, "s4c", kind="StatefulSet"),
            11: lambda lab, _: lab.delete("Job", "job", "s4c"),
        },
        by_number(walk),
        known,
    )
    # When a member's own controller makes its slices is that member's affair.
    assert_agrees(walk, matters, free="/EndpointSlice/", chain=template)

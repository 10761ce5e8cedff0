"""Recorded walks about what follows a workload when it moves, and about workloads that move because they are unwell."""

from __future__ import annotations

import re
from typing import Any

from karmadalab import Lab
from tests.walks import Walk, assert_agrees, by_number, concerns, namespace

_UNTOLD = "/Pod/|/ReplicaSet/|member./PersistentVolumeClaim|/Event/|member6"
TAINT = "maintenance=true:NoExecute"


def known(label: str, path: str) -> bool:
    """How often a binding is written while several controllers work on it."""
    return "binding" in label and path in ("metadata.generation", "status.schedulerObservedGeneration")


def known_of_dependencies(label: str, path: str) -> bool:
    """What members do with accounts and claims: pods wait for their account, claims for their pods."""
    if "member6" in label or "pvc" in label or path.endswith("spec.template.spec.serviceAccount"):
        return True
    return known(label, path) or (label.startswith(("1 ", "2 ")) and path.startswith("status."))


# --- 05: dependencies -------------------------------------------------------------------------------------------------


def without_secret(lab: Lab, _: Any) -> None:
    """The template no longer mounts the Secret."""
    found = lab.get("Deployment", "app", "s05")
    template = found.spec["template"]
    pod = template["spec"]
    [container] = pod["containers"]
    sources = [source for source in container["envFrom"] if "secretRef" not in source]
    containers = [{**container, "envFrom": sources}]
    lab.update(found.with_spec(template={**template, "spec": {**pod, "containers": containers}}))


def test_05_dependencies() -> None:
    walk = Walk("05-dependencies", {"member4": 20})
    walk.lab.apply(namespace("s05"))
    walk.go(
        {
            2: lambda lab, _: lab.update(lab.get("ConfigMap", "cm", "s05").with_body(data={"a": "2"})),
            4: lambda lab, _: lab.taint("member4", TAINT),
            5: lambda lab, _: lab.untaint("member4", TAINT),
            6: without_secret,
            7: lambda lab, _: lab.delete("Deployment", "app2", "s05"),
            10: lambda lab, _: lab.delete("ConfigMap", "cm", "s05"),
            12: lambda lab, _: lab.delete("Deployment", "app", "s05"),
        },
        by_number(walk),
        known_of_dependencies,
    )
    assert_agrees(
        walk,
        lambda what: "/s05/" in what and not re.search(_UNTOLD, what),
        free="s05/(sa|pvc|pull)|app-deployment gone",
    )


# --- 09: application failover -----------------------------------------------------------------------------------------


def pulls(member: str, namespace: str) -> bool:
    """Whether pods become ready there: those of e1-* never on member1, of e-* on member4, of u-* anywhere."""
    return not (
        namespace.startswith("u-")
        or (namespace.startswith("e1-") and member == "member1")
        or (namespace.startswith("e-") and member == "member4")
    )


def test_09_application_failover() -> None:
    walk = Walk("09-application-failover")
    names = ("e1-imm", "e1-grac", "e1-never", "e1-imm-div", "e-div")
    names += ("u-all-grac", "u-all-imm", "u-only", "e1-state", "e1-aff")
    walk.lab.apply([namespace(name) for name in names])
    for member in walk.lab.members:
        kubelet = walk.lab.world.member(member).workloads.kubelet
        kubelet.starts = lambda pod, member=member: pulls(member, pod.metadata.namespace)
    moments = {"t12": 12.0, "t50": 50.0, "t215": 215.0}
    walk.go({}, lambda label: moments[label.partition(" ")[0]], known)
    for name in names:  # they were applied one after the other, which took longer there
        assert_agrees(walk, concerns(f"/{name}/"), joined=range(10))

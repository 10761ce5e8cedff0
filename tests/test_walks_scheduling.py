"""Recorded walks about where workloads go: affinity groups, rebalancing."""

from __future__ import annotations

from karmadalab import Lab, replace
from tests.walks import Walk, assert_agrees, by_number, concerns, namespace

TAINT = "maintenance=true:NoExecute"
LEAVE = frozenset(("dup", "sta"))


def known(label: str, path: str) -> bool:
    """How often a binding is written while several controllers work on it, and who gets an odd replica."""
    if "binding" in label and path in ("metadata.generation", "status.schedulerObservedGeneration"):
        return True
    if "cluster" in label.split():  # what a member is and serves
        return path.startswith(
            ("spec.id", "status.apiEnablements", "status.kubernetesVersion", "status.resourceSummary")
        )
    return label in ("10 div binding", "11 div binding") and path.startswith(
        ("spec.clusters", "status.aggregatedStatus")
    )


# --- 10: affinity groups ----------------------------------------------------------------------------------------------


def test_10_affinity_groups() -> None:
    walk = Walk("10-cluster-affinities")
    walk.lab.apply(namespace("s10"))
    walk.go(
        {
            3: lambda lab, _: lab.taint("member3", TAINT),
            4: lambda lab, _: lab.untaint("member3", TAINT),
            5: lambda lab, _: lab.taint("member2", TAINT),
            6: lambda lab, _: lab.taint("member3", TAINT),
            7: lambda lab, _: lab.untaint("member2", TAINT),
            8: lambda lab, _: lab.untaint("member3", TAINT),
            10: lambda lab, _: lab.taint("member3", "window=true:NoSchedule"),
            11: lambda lab, _: [lab.scale(name, 5, "s10") for name in ("div", "dup", "dup2")],
            12: lambda lab, _: lab.untaint("member3", "window=true:NoSchedule"),
            13: lambda lab, _: lab.delete("WorkloadRebalancer", "s10-back"),
        },
        by_number(walk),
        known,
    )
    assert_agrees(walk, concerns("/s10/", "Rebalancer"), joined=range(3))


# --- 08: rebalancing --------------------------------------------------------------------------------------------------


def touch(lab: Lab, name: str) -> None:
    """`kubectl annotate workloadrebalancer NAME touch=1`."""
    found = lab.get("WorkloadRebalancer", name)
    lab.update(replace(found, metadata=replace(found.metadata, annotations={"touch": "1"})))


def shorten(lab: Lab, name: str) -> None:
    """Two workloads leave the spec."""
    found = lab.get("WorkloadRebalancer", name)
    kept = tuple(item for item in found.spec.workloads if item.name not in LEAVE)
    lab.update(replace(found, spec=replace(found.spec, workloads=kept)))


def test_08_rebalancing() -> None:
    walk = Walk("08-workload-rebalancer")
    walk.lab.apply(namespace("s08"))
    walk.go(
        {
            6: lambda lab, _: lab.taint("member3", TAINT),
            8: lambda lab, _: lab.untaint("member3", TAINT),
            11: lambda lab, _: touch(lab, "wr-after"),
            13: lambda lab, _: shorten(lab, "wr-missing"),
            15: lambda lab, _: [lab.delete("WorkloadRebalancer", f"wr-{n}") for n in ("after", "missing", "tainted")],
        },
        by_number(walk, after_2=6, after_4=8, after_8=60.0),
        known,
    )
    assert_agrees(walk, concerns("/s08/", "Rebalancer"), free="/Deployment/", joined=range(6))


# --- 10b: affinity groups, until the graceful eviction times out ------------------------------------------------------


def test_10b_affinity_groups_for_long() -> None:
    walk = Walk("10b-cluster-affinities-long")
    walk.lab.apply(namespace("s10b"))
    walk.go(
        {
            2: lambda lab, _: lab.taint("member4", TAINT),
            3: lambda lab, _: lab.untaint("member4", TAINT),
            4: lambda lab, _: lab.taint("member3", TAINT),
            5: lambda lab, _: lab.untaint("member3", TAINT),
            6: lambda lab, _: [lab.scale(name, 3, "s10b") for name in ("three", "two")],
        },
        by_number(walk, after_6=55.0, after_7=624.9, after_8=625.0),
        # A sixth cluster was there, and is counted in the messages.
        lambda label, path: known(label, path) or "member6" in label or path.startswith("status.conditions"),
    )
    assert_agrees(walk, concerns("/s10b/"), joined=range(2))

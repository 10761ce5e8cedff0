"""Checks 21.2 and 21.3: the learner's plugins in a running scheduler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from karmadalab.api.meta import replace
from karmadalab.lab import Lab
from karmadalab.scheduler import FILTERS, SCORES, Scheduler
from karmadalab.teaching.asking import plugin_asked
from karmadalab.teaching.labs.plugins.judging import check_plugin, judge_score
from karmadalab.teaching.labs.plugins.window import PRICE, Announced, Cheap, Window
from karmadalab.teaching.manifests import ONE_CLUSTER, deployment, policy
from karmadalab.teaching.verdict import Finding

PRICES = {"member1": "30", "member2": "12", "member3": "9"}


def plugged(filter: Any = None, score: Any = None, labels: Mapping[str, Mapping[str, str]] | None = None) -> Lab:
    """A lab with three equal members whose scheduler has a filter, a score, or both, beside Karmada's own.

    Args:
        filter, score: the plugins; None for none.
        labels: the labels of each member at the beginning.
    """
    scheduler = Scheduler(
        filters=[*FILTERS, *([filter] if filter is not None else [])],
        scores=[*SCORES, *([score] if score is not None else [])],
    )
    members = [{"name": f"member{n}", "labels": dict((labels or {}).get(f"member{n}", {}))} for n in (1, 2, 3)]
    return Lab.fake({"members": members}, scheduler=scheduler)


def label(lab: Lab, member: str, key: str, value: str | None) -> Lab:
    """Set a label of a cluster, or take it away (None), and wait a second. Returns the lab."""
    cluster = lab.get("Cluster", member)
    labels = {name: text for name, text in cluster.metadata.labels.items() if name != key}
    labels |= {} if value is None else {key: value}
    lab.update(replace(cluster, metadata=replace(cluster.metadata, labels=labels)))
    return lab.run("1s")


def homes(lab: Lab, workload: str) -> list[str]:
    """On which clusters a workload is, by name."""
    return sorted(lab.placement.get(f"default/{workload}-deployment", {}))


def refusal(lab: Lab, workload: str) -> str:
    """What the scheduler says about a workload that has no place; empty when it has."""
    conditions = lab.get("ResourceBinding", f"{workload}-deployment").status.conditions
    return next((c.message for c in conditions if c.type == "Scheduled" and c.status == "False"), "")


def _deploy(lab: Lab, name: str, placement: Mapping[str, Any] | None = None) -> None:
    lab.apply([deployment(name), policy(name, placement or {})])
    lab.run("5s")


def _told(lab: Lab, *workloads: str) -> dict[str, list[str]]:
    return {name: homes(lab, name) for name in workloads}


# --- 21.2

Step = tuple[str, Callable[[Lab, Window], object]]
STEPS: tuple[Step, ...] = (
    ("web comes", lambda lab, window: _deploy(lab, "web")),
    ("member2 is announced", lambda lab, window: label(lab, "member2", *window)),
    ("late comes", lambda lab, window: _deploy(lab, "late")),
    ("web is scaled to 3", lambda lab, window: (lab.scale("web", 3), lab.run("5s"))),
    ("all are announced", lambda lab, window: [label(lab, name, *window) for name in ("member1", "member3")]),
    ("web is scaled to 4", lambda lab, window: (lab.scale("web", 4), lab.run("5s"))),
    ("last comes", lambda lab, window: _deploy(lab, "last")),
    ("member3 is done", lambda lab, window: (label(lab, "member3", window.key, None), lab.run("5s"))),
)


def judge_filter(plugin: Any, window: Window | None = None) -> Finding | None:
    """Whether a scheduler with the learner's filter goes the same way as one with ours, through eight steps."""
    check_plugin(plugin, "filter")
    chosen = window or Window()
    mine, theirs = plugged(plugin), plugged(Announced(chosen))
    names: list[str] = []
    for step, act in STEPS:
        names += [name for name in ("web", "late", "last") if step.startswith(f"{name} comes")]
        for lab in (mine, theirs):
            with plugin_asked():
                act(lab, chosen)
        if _told(mine, *names) != _told(theirs, *names):
            return Finding(
                f"{step}: with your filter the workloads are on {_told(mine, *names)}; they should be on "
                f"{_told(theirs, *names)}.",
                "the scheduler asks your filter about every cluster, also about those that the workload runs on.",
                "what your filter says about each of the three clusters at this step.",
            )
        if step == "last comes" and "3 cluster(s) " not in refusal(mine, "last"):
            return Finding(
                f"no cluster is left for last, and the scheduler says: {refusal(mine, 'last')}",
                "three clusters are refused for one and the same reason.",
                "the reason that your filter returns.",
            )
    return None


# --- 21.3


def cheapest(score: Any, prices: Mapping[str, str] = PRICES) -> Lab:
    """`web` may run on any one cluster; then member1 becomes the cheapest, web is scaled, and `late` comes."""
    lab = plugged(score=score, labels={member: {PRICE: price} for member, price in prices.items()})
    _deploy(lab, "web", ONE_CLUSTER)
    label(lab, "member1", PRICE, "1")
    lab.scale("web", 3)
    lab.run("5s")
    _deploy(lab, "late", ONE_CLUSTER)
    return lab


def judge_both(plugin: Any) -> Finding | None:
    """A score on paper, and then in a running scheduler."""
    if finding := judge_score(plugin):
        return finding
    for prices in (PRICES, {**PRICES, "member2": "free"}, {**PRICES, "member3": "99"}):
        mine, theirs = (_told(cheapest(score, prices), "web", "late") for score in (plugin, Cheap()))
        if mine != theirs:
            return Finding(
                f"prices {prices}, and then member1 costs 1: with your score the workloads are on {mine}; they should "
                f"be on {theirs}.",
                "a new workload goes to the cheapest cluster, one that runs stays where it is.",
                "the points of the three clusters.",
            )
    return None

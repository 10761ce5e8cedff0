"""Lab 33 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.homecoming import fleet, order, returning, runbook

_RETURNS = Check(
    returning.judge,
    "fourteen kinds of workloads in two fleets, as after a drain in a control plane.",
    (
        "First find out which clusters are allowed at all: the names of `clusterAffinity`, or of the first group of "
        "`clusterAffinities`, or all members.",
        "If home is the only one allowed: with a later group it is gone for good, without one it had nowhere to go and "
        "comes back. Only then ask whether it is divided (and has replicas).",
        "What is left comes home if there is a place: `maxGroups` of the constraint is at least the number of allowed "
        "clusters, or there is no constraint.",
    ),
)

_ORDER = Check(
    order.judge,
    "your order is taken, names nobody in vain, and everybody is home.",
    (
        "Print `lab.placement`: who is not on the home cluster? Only they need an order.",
        "One WorkloadRebalancer may name many workloads: `spec.workloads` is a list. Each has `apiVersion`, `kind`, "
        "`namespace` and `name` of the *workload*, not of its binding.",
        "`apiVersion: apps.karmada.io/v1alpha1`, a `metadata.name` of your choice, and a list made from "
        "`fleet.divided.items()`.",
    ),
)

_RUNBOOK = Check(
    runbook.judge,
    "`shop` is home, and at no moment did fewer replicas serve than it has.",
    (
        "Look at what a single `rebalance` does: how many are stopped at once? That many must serve on top of it.",
        "Have twice as many before you give the order. New replicas take `fleet.startup_s` to serve, so wait.",
        "Scale up, wait, rebalance, wait, scale down.",
    ),
)

LAB = TeachingLab(checks={"33.1": _RETURNS, "33.2": _ORDER, "33.3": _RUNBOOK}, usual=fleet.Fleet(), drawn=fleet.drawn)

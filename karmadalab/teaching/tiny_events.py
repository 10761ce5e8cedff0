"""What the tiny control plane logged, in the words of the whole one: the same figures and numbers for both.

A comparison is worth something only when both sides are measured with the same ruler. `karmadalab.analysis` reads
events; these are they.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karmadalab.teaching.tiny import TinyKarmada

_KEYS = {"NoSchedule": "cluster.karmada.io/not-ready:NoSchedule", "NoExecute": "cluster.karmada.io/not-ready:NoExecute"}


def power_off(plane: TinyKarmada, member: str) -> None:
    """Take the power of a member, and leave a note of it in the log."""
    plane.powered[member] = False
    plane.log.append((plane.now, "fault", member, None, {"power": "off"}))


def power_on(plane: TinyKarmada, member: str) -> None:
    """Give a member its power back, and leave a note of it in the log."""
    plane.powered[member] = True
    plane.log.append((plane.now, "fault", member, {"power": "off"}, None))


def records(plane: TinyKarmada) -> list[dict[str, Any]]:
    """The log as records of a timeline, for `outages`, `show.timeline` and `show.outage_split`."""
    return [
        {"t": t, "kind": kind, "namespace": "", "name": name, "what": what, "detail": detail}
        for t, of, about, old, new in plane.log
        for kind, name, what, detail in _READERS.get(of, _nothing)(about, old or {}, new or {})
    ]


Told = Iterator[tuple[str, str, str, Any]]  # kind, name, what, detail


def _nothing(name: str, old: dict[str, Any], new: dict[str, Any]) -> Told:
    yield from ()


def _fault(name: str, old: dict[str, Any], new: dict[str, Any]) -> Told:
    text = "power off: connections are refused, nothing runs"
    yield (
        ("fault", name, text, {"fault": "power_off"})
        if new
        else ("fault", name, f"healed: {text}", {"healed": "power_off"})
    )


def _cluster(name: str, old: dict[str, Any], new: dict[str, Any]) -> Told:
    if not old:
        yield "Cluster", name, "initial", None
        return
    if old["ready"] != new["ready"]:
        yield "Cluster", name, f"condition Ready {old['ready']} -> {new['ready']}", {"status": str(new["ready"])}
    for effect in sorted(old["taints"].keys() ^ new["taints"].keys()):
        word = "added" if effect in new["taints"] else "removed"
        yield "Cluster", name, f"taint {word} {_KEYS[effect]}", None


def _binding(name: str, old: dict[str, Any], new: dict[str, Any]) -> Told:
    had, has = (dict.fromkeys(b["clusters"], b["replicas"]) if b else {} for b in (old, new))
    if had != has:
        yield "ResourceBinding", f"{name}-deployment", "spec.clusters changed", {"from": had, "to": has}
    before, after = ([{"fromCluster": c} for c in b.get("evicting", ())] or None for b in (old, new))
    if before != after:
        yield "ResourceBinding", f"{name}-deployment", "gracefulEvictionTasks changed", {"from": before, "to": after}


def _work(name: str, old: dict[str, Any], new: dict[str, Any]) -> Told:
    """Pods serve from the report that they do; they are named as a ReplicaSet would name them."""
    workload, _, cluster = name.partition("@")
    for number in range(old.get("ready", 0), new.get("ready", 0)):
        yield f"Pod@{cluster}", f"{workload}-tiny-{number}", "Ready", None
    if not new:
        yield "Work", name, "deleted", None


def _pods(name: str, old: dict[str, Any], new: dict[str, Any]) -> Told:
    workload, _, cluster = name.partition("@")
    for number in range(new.get("replicas", 0), old.get("replicas", 0)):
        yield f"Pod@{cluster}", f"{workload}-tiny-{number}", "deleted", None


_READERS = {"fault": _fault, "Cluster": _cluster, "Binding": _binding, "Work": _work, "Pods": _pods}

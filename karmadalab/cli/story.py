"""A timeline cut down to what fits a terminal: one short line a thing that happened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from karmadalab.api.time import duration
from karmadalab.cli.since import FAULT, HEALED, place_of, with_fault_times
from karmadalab.core.timeline import Event, Timeline

_PREFIX = "cluster.karmada.io/"
_PLANE = "Karmada"


class Line(NamedTuple):
    """One line of the story.

    Attributes:
        t: seconds since the lab began.
        since: time since the fault that it has to do with began, as text; empty where there is none.
        where: the cluster, or `Karmada` for the control plane.
        what: what happened there.
        mood: `fault`, `worse`, `better`, `move` or `plain`, for colours.
    """

    t: float
    since: str
    where: str
    what: str
    mood: str


def story(timeline: Timeline) -> list[Line]:
    """The important events of a run, those that are alike in the same moment and place counted in one line."""
    lines: list[Line] = []
    pods = _Pods()
    for event, fault_s in with_fault_times(timeline.important()):
        since = "" if fault_s is None else f"+{duration(round(event.t - fault_s, 1))}"
        told = None if pods.known_as_lost(event) else _told(event)
        if told is not None:
            lines.append(Line(event.t, since, *told))
        lines += [Line(event.t, since, event.name, "pod lost", "worse")] * pods.lost_by(event)
    return list(_counted(lines))


class _Pods:
    """The ready pods of each member, told as lost when the power goes.

    The records of a member without power say Ready until its kubelet is back to correct them, which is when nobody
    wants to hear of the loss any more.
    """

    def __init__(self) -> None:
        self._ready: dict[str, set[str]] = {}
        self._lost: set[tuple[str, str]] = set()

    def known_as_lost(self, event: Event) -> bool:
        """Note what a pod does; returns whether it is the late news of one that was told as lost."""
        kind, _, member = event.kind.partition("@")
        if kind != "Pod":
            return False
        pod = f"{event.namespace}/{event.name}"
        lost = (member, pod) in self._lost
        self._lost.discard((member, pod))
        if event.what == "Ready":
            self._ready.setdefault(member, set()).add(pod)
        else:
            self._ready.get(member, set()).discard(pod)
        return lost and event.what == "NotReady"

    def lost_by(self, event: Event) -> int:
        """How many pods a fault takes with it: those that were ready when the power went."""
        if event.kind != FAULT or event.detail.get("fault") != "power_off":
            return 0
        pods = {(event.name, pod) for pod in self._ready.get(event.name, ())} - self._lost
        self._lost |= pods
        return len(pods)


def _counted(lines: list[Line]) -> Iterator[Line]:
    """Two pods that become ready at once in one place are `2 pods ready`; other repetitions are left out."""
    counts: dict[Line, int] = {}
    for line in lines:
        counts[line] = counts.get(line, 0) + 1
    for line, count in counts.items():
        if line.what.startswith("pod "):
            what = line.what.removeprefix("pod ")
            yield line._replace(what=f"{count} pod{'s' if count > 1 else ''} {what}")
        else:
            yield line


def _told(event: Event) -> tuple[str, str, str] | None:
    """Where, what and mood of an event; None for what the story leaves out."""
    kind, _, member = event.kind.partition("@")
    if kind == FAULT:
        healed = event.what.startswith(HEALED)
        text = event.what.removeprefix(HEALED).partition(":")[0]
        return event.name, f"FAULT ENDS: {text}" if healed else f"FAULT: {text}", "better" if healed else "fault"
    if kind == "Cluster":
        return _cluster(event)
    if kind.endswith("ResourceBinding"):
        return _binding(event)
    if kind == "Work":
        return _work(event)
    if kind == "Pod":
        words = {"Ready": ("ready", "better"), "NotReady": ("not ready", "worse"), "deleted": ("gone", "plain")}
        what, mood = words.get(event.what, (event.what, "plain"))
        return member, f"pod {what}", mood
    if event.what.startswith("probe of"):
        _, _, answer = event.what.partition(": ")
        return event.name, f"probe: {answer}", "plain"
    return member or _PLANE, f"{event.name}: {kind} {_template(event)}", "plain"


def _template(event: Event) -> str:
    if event.what == "spec.replicas changed":
        return "scaled from {from} to {to}".format(**event.detail)
    return event.what


def _cluster(event: Event) -> tuple[str, str, str]:
    what = event.what.replace(_PREFIX, "")
    if what.startswith("condition Ready") and "->" in what:
        change = what.removeprefix("condition Ready ")
        mood = "better" if change.endswith("True") else "worse"
        return event.name, f"Ready: {change} ({event.detail['reason']})", mood
    return event.name, what, "worse" if what.startswith("taint added") else "better"


def _binding(event: Event) -> tuple[str, str, str] | None:
    name = event.name.rpartition("-")[0]  # a binding is called after its template, and its kind
    if event.what == "spec.clusters changed":
        return _PLANE, f"{name}: placed on {_replicas(event.detail['to'])}", "move"
    if event.what == "gracefulEvictionTasks changed":
        return _tasks(name, event.detail)
    verdict = event.detail["to"] if isinstance(event.detail, dict) else None
    if event.what.startswith("condition Scheduled") and verdict and verdict[0] != "True":
        return _PLANE, f"{name}: {verdict[1]}, {verdict[2]}", "worse"
    return None


def _tasks(name: str, detail: dict[str, Any]) -> tuple[str, str, str] | None:
    had, has = ({task["fromCluster"] for task in detail[key] or ()} for key in ("from", "to"))
    if new := sorted(has - had):
        return _PLANE, f"{name}: eviction from {', '.join(new)} begins", "move"
    if gone := sorted(had - has):
        return _PLANE, f"{name}: eviction from {', '.join(gone)} ends", "move"
    return None  # a task got its time stamp


def _work(event: Event) -> tuple[str, str, str]:
    words = {
        "created": "copy ordered",
        "deletionTimestamp set": "copy to be removed",
        "deleted": "copy removed",
        "manifest replicas changed": "{from} -> {to} replicas ordered",
    }
    what = words[event.what].format(**(event.detail or {})) if "{" in words[event.what] else words[event.what]
    name = event.name.rpartition("-")[0]  # a Work is called after its template, and a hash
    return place_of(event), f"{name}: {what}", "plain"


def _replicas(clusters: dict[str, int]) -> str:
    """`member1 (2), member2 (2)`; kinds without replicas have none to tell."""
    return ", ".join(f"{name} ({count})" if count else name for name, count in clusters.items()) or "no cluster"

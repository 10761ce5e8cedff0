"""What of our run disagrees with a recording, by the rules of the recordings' README."""

from __future__ import annotations

import re
from typing import Any

from karmadalab.core.timeline import Event
from tests.conformance.timelines.milestones import Reader, milestones, placements
from tests.conformance.timelines.recording import CPUS, Recording

_ABSOLUTE = {
    "ready_not_true": 1.0,
    "noschedule_added": 1.0,
    "noexecute_added": 1.0,
    "ready_true": 1.0,
    "noschedule_removed": 1.0,
    "noexecute_removed": 1.0,
    "evicted": 1.6,
    "evicted_last": 1.6,
    "task_timestamped": 1.6,
    "rebalance_triggered": 1.0,
    "rebalanced": 2.5,
}
_AFTER_EVICTION = (
    "rescheduled",
    "new_work_created",
    "replacement_healthy",
    "task_removed",
    "work_deletion_ts",
    "work_gone",
    "old_deployment_gone",
)
_AFTER_EVICTION_S = 2.5

# v1.13's recordings don't have these.
_SINCE_V1_18 = {"evicted_last", "rebalance_triggered", "rebalanced", "new_work_created"}

# The recorder watched each API server on its own, and so has moments up to this much out of order: in R1-b-few the old
# Deployment is gone 20 ms before the task whose end removes it.
_RECORDER_S = 0.05

# Pairs whose order the recordings' README leaves open, beside those that the two runs have at the same moment.
_EITHER_WAY = {
    frozenset(("task_timestamped", "rescheduled")),
    frozenset(("replacement_healthy", "rescheduled")),
    # Within one run (R6) one application's old copy went before the taint and another's after it.
    frozenset(("noexecute_removed", "work_gone")),
    frozenset(("noexecute_removed", "old_deployment_gone")),
}

_EITHER_WAY_V1_18 = _EITHER_WAY | {
    # "It races with the NoSchedule writer; both orders were seen."
    frozenset(("noschedule_added", "noexecute_added")),
    frozenset(("noschedule_removed", "noexecute_removed")),
    # The timestamp and the scheduling come "in either order", and the new Work follows the latter in 20 ms.
    frozenset(("task_timestamped", "new_work_created")),
}


def differences(recording: Recording, actual: dict[str, Any]) -> list[str]:
    """What of our run disagrees with the recording."""
    theirs = {k: v for k, v in recording_milestones(recording).items() if v is not None}
    ours = actual["milestones"]
    limit = theirs.get("recovery_fault") if recording.profile == "v1.13" and recording.letter == "d" else None
    names = [*_ABSOLUTE, *_AFTER_EVICTION]
    if recording.profile == "v1.13":
        names = [name for name in names if name not in _SINCE_V1_18]
    if limit is not None:
        names = [n for n in names if _before(theirs.get(n), limit) and _before(ours.get(n), limit)]
    found = [text for name in names if (text := _compare(name, theirs, ours, recording.end_s))]
    found += _order(names, theirs, ours, _EITHER_WAY if recording.profile == "v1.13" else _EITHER_WAY_V1_18)
    if limit is None or _before(theirs.get("rescheduled"), limit):
        found += _placements(recording, theirs, ours, final=limit is None)
    if recording.profile == "v1.18":
        found += _eviction_queue(theirs, ours) + _purge_mode(theirs, ours) + _divisions(recording, ours)
    return found


def recorded_events(recording: Recording) -> list[Event]:
    """The recording's own events, as those of a lab."""
    found = []
    for row, event in enumerate(recording.data["events"]):
        namespace, _, name = str(event["name"]).rpartition("/")
        found.append(
            Event(
                event["t"],
                event["kind"],
                event.get("namespace") or namespace,
                name,
                event["what"],
                event["detail"],
                row,
            )
        )
    return found


def recording_milestones(recording: Recording) -> dict[str, Any]:
    """The milestones of the file.

    A file of many bindings has gaps among them that its own events fill: in D18rate5 the first replacement was healthy
    at 5.37, and none is noted.
    """
    known = dict(recording.milestones)
    if "evictions" in known:
        read = milestones(Reader(recorded_events(recording), recording.bad, None))
        known |= {name: read.get(name) for name in ("replacement_healthy", "new_work_created") if known[name] is None}
    return known


def _before(moment: float | None, limit: float) -> bool:
    return moment is None or moment < limit


def _compare(name: str, theirs: dict[str, Any], ours: dict[str, Any], end_s: float) -> str | None:
    recorded, here = theirs.get(name), ours.get(name)
    if recorded is None and here is None:
        return None
    if recorded is None:
        return None if here >= end_s - 1.0 else f"{name}: not in the recording, here at {here:.2f}"
    if here is None:
        return f"{name}: recorded at {recorded:.2f}, here never"
    if name in _ABSOLUTE:
        away, allowed = here - recorded, _ABSOLUTE[name]
    else:
        away = (here - ours.get("evicted", 0.0)) - (recorded - theirs.get("evicted", 0.0))
        allowed = _AFTER_EVICTION_S
    return None if abs(away) <= allowed else f"{name}: recorded {recorded:.2f}, here {here:.2f}, {away:+.2f}s"


def _order(names: list[str], theirs: dict[str, Any], ours: dict[str, Any], open_: set[frozenset[str]]) -> list[str]:
    """Milestones that the recording has in one order and our run in the other."""
    both = [name for name in names if name in theirs and name in ours]
    return [
        f"{a} comes after {b}"
        for a in both
        for b in both
        if theirs[a] < theirs[b] - _RECORDER_S and ours[a] > ours[b] and frozenset((a, b)) not in open_
    ]


def _placements(recording: Recording, theirs: dict[str, Any], ours: dict[str, Any], final: bool) -> list[str]:
    found = []
    for name in ("placement_after", *(["final_placement"] if final else [])):
        recorded, here = theirs.get(name), ours.get(name)
        if recorded is not None and here != recorded and not _equally_legal(recording, recorded, here):
            found.append(f"{name}: recorded {recorded}, here {here}")
    return found


def _equally_legal(recording: Recording, recorded: dict[str, int], here: dict[str, int] | None) -> bool:
    """Whether only free capacity used by the other applications of that run made the difference."""
    if here is None or sorted(recorded.values()) != sorted(here.values()):
        return False
    manifest = "".join(recording.data["objects"].values())
    if "staticWeightList" in manifest:
        return False  # free capacity has no part in it
    affinity = re.search(r"clusterNames: \[(.*?)\]", manifest)
    allowed = set(re.split(r",\s*", affinity[1])) if affinity else set(CPUS)
    return set(here) <= allowed


def _purge_mode(theirs: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    modes = theirs.get("purge_mode"), ours.get("purge_mode")
    return [] if modes[0] == modes[1] else [f"purge_mode: recorded {modes[0]}, here {modes[1]}"]


def _eviction_queue(theirs: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """Every binding that a hand-made taint moved, each as the eviction is compared elsewhere."""
    recorded = {item["binding"]: item["t"] for item in theirs.get("evictions") or ()}
    here = {item["binding"]: item["t"] for item in ours.get("evictions") or ()} if recorded else {}
    found = [f"evictions: {name} is only in one of the two" for name in sorted(recorded.keys() ^ here.keys())]
    return found + [
        f"evictions: {name} recorded {recorded[name]:.2f}, here {here[name]:.2f}"
        for name in sorted(recorded.keys() & here.keys())
        if abs(here[name] - recorded[name]) > _ABSOLUTE["evicted"]
    ]


def _divisions(recording: Recording, ours: dict[str, Any]) -> list[str]:
    """Where every binding of run E was put, one placement after the other."""
    if "placements" not in ours:
        return []
    recorded = placements(Reader(recorded_events(recording), recording.bad, None))
    here = ours["placements"]
    return [
        f"placements of {name}: recorded {recorded.get(name)}, here {here.get(name)}"
        for name in sorted(recorded.keys() | here.keys())
        if recorded.get(name) != here.get(name)
    ]

"""`python -m tests.conformance emit timeline FILE`: a recorded failover of a real Karmada, replayed on the fake.

A recording holds the flags, the manifests, the faults and at what beat the real loops fell. The replay gives the same
to a lab, lets it run as long as the recording did, and reads the same milestones off its timeline. Seconds count from
the fault of the recording. A recording of v1.18 is replayed together with the others of its run, which are looked for
in the same folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from karmadalab import Lab
from karmadalab.api.naming import work_name
from karmadalab.core.timeline import Event
from tests.conformance.timelines.comparing import differences
from tests.conformance.timelines.milestones import Reader, evictions, milestones, placements
from tests.conformance.timelines.recording import FLEET, Recording
from tests.conformance.timelines.replay import binding_of, replay, replay_run, replayed
from tests.conformance.timelines.run import Run

__all__ = ["FLEET", "Recording", "differences", "emit_file", "replay"]

_SHARED = ("Cluster", "ClusterTaintPolicy", "WorkloadRebalancer", "fault")


def emit_file(path: Path, profile: str = "") -> dict[str, Any]:
    """Replay a recording; our milestones under its names, and our events in its words.

    Args:
        path: the file.
        profile: not needed, the file knows; the command hands it over for all areas.
    """
    recording = Recording(path)
    if recording.profile == "v1.13":
        run = Run.of(recording)
        lab = replay_run(run)
    else:
        run, lab = replayed(recording)
    events = _events(run, lab, recording)
    before = recording.data["placement_before"]
    reader = Reader(events, recording.bad, before)
    found = {"bad": recording.bad, "before": before, **milestones(reader)}
    if recording.profile == "v1.13":
        found = {name: moment for name, moment in found.items() if name not in ("new_work_created", "purge_mode")}
        found["final_placement"] = {t.name: t.replicas for t in binding_of(lab, recording).spec.clusters}
    else:
        found |= _of_many(recording, reader)
    return {"milestones": found, "placement_before": before, "events": [_plain(event) for event in events]}


def _events(run: Run, lab: Lab, recording: Recording) -> list[Event]:
    """What happened to one application and to the clusters, in the recording's time."""
    offset_s = run.offset_s(recording)
    events = [event._replace(t=round(event.t - offset_s, 6)) for event in lab.timeline]
    if recording.profile == "v1.13":
        return events
    deployments = {e.name for e in events if e.kind == "Deployment" and e.namespace == recording.namespace}
    works = {work_name("Deployment", name, recording.namespace) for name in deployments}
    return [
        event
        for event in events
        if event.namespace == recording.namespace
        or event.kind in _SHARED
        or (event.kind == "Work" and event.name in works)
    ]


def _of_many(recording: Recording, reader: Reader) -> dict[str, Any]:
    """The final placement, and what a file of many bindings has besides."""
    moves = [e for e in reader.bindings("spec.clusters changed") if e.t <= recording.end_s + 1.0]
    if "evictions" in recording.milestones:
        gone = evictions(reader)
        return {"evictions": gone, "evicted_last": gone[-1]["t"] if gone else None}
    if len({e.name for e in moves}) > 1:
        return {"placements": placements(reader), "final_placement": moves[-1].detail["to"]}
    return {"final_placement": moves[-1].detail["to"] if moves else recording.data["placement_before"]}


def _plain(e: Event) -> dict[str, Any]:
    return {"t": e.t, "kind": e.kind, "namespace": e.namespace, "name": e.name, "what": e.what, "detail": e.detail}

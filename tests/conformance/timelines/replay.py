"""A lab goes through what a recording went through."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from karmadalab import Lab, replace
from karmadalab.api.errors import Conflict
from karmadalab.api.naming import fnv32a
from karmadalab.api.work import ResourceBinding, TargetCluster
from karmadalab.controllers.taint_manager import BINDING_NAME
from karmadalab.environments.manifests import read_manifests
from tests.conformance.timelines.recording import FLEET, Recording
from tests.conformance.timelines.run import Pace, Run
from tests.conformance.timelines.script import Script

_SETUP_S = 10.0


def replay(recording: Recording) -> Lab:
    """The lab after the recording's run."""
    return replay_run(Run.of(recording))


def replayed(recording: Recording) -> tuple[Run, Lab]:
    """The recording's run and its lab, which are kept for other recordings of the run."""
    run = Run.of(recording)
    return _replayed(run.base.path, run.pace)


@lru_cache(maxsize=2)  # of each run the two paces
def _replayed(path: Path, pace: Pace) -> tuple[Run, Lab]:
    run = Run(Run.of(Recording(path)).recordings, pace)
    return run, replay_run(run)


def replay_run(run: Run) -> Lab:
    """A lab that went through a run."""
    base = run.base
    start = base.t0 - base.offset_s
    lab = Lab.fake(FLEET, settings=base.settings(), phases=run.phases(), epoch=start)
    if run.profile == "v1.13" and base.letter == "e":
        lab.fault("member4").bad_image("nginx")  # "on member4, pods in namespaces e-* never become Ready"
    _apply_taint_policies(lab, run)
    _meet_conflicts(lab, run)
    early = _apply_workloads(lab, run)
    lab.run(_SETUP_S)
    for recording in early:
        _place(lab, recording)
    Script(lab, run).schedule()
    lab.run(base.offset_s + run.end_s - lab.t)
    return lab


def _meet_conflicts(lab: Lab, run: Run) -> None:
    """Let the first try to evict fail where it failed in the recording: who else wrote just then was chance."""
    admit, waiting = lab.store.admit, set(run.conflicts)

    def admit_or_conflict(operation: str, obj: Any, old: Any) -> Any:
        if lab.trace.actor == BINDING_NAME and obj.metadata.namespace in waiting:
            waiting.discard(obj.metadata.namespace)
            raise Conflict("the object has been modified; please apply your changes to the latest version")
        return obj if admit is None else admit(operation, obj, old)

    lab.store.admit = admit_or_conflict


def _apply_taint_policies(lab: Lab, run: Run) -> None:
    """They are in no recording's manifests, but were seen."""
    specs = {
        event["name"]: event["detail"]
        for recording in run.recordings
        for event in recording.data["events"]
        if event["kind"] == "ClusterTaintPolicy" and event["what"] in ("created", "seen")
    }
    for name, spec in specs.items():
        head = {"apiVersion": "policy.karmada.io/v1alpha1", "kind": "ClusterTaintPolicy", "metadata": {"name": name}}
        lab.apply({**head, "spec": spec})


def _apply_workloads(lab: Lab, run: Run) -> list[Recording]:
    """Apply what was there before the fault, have the rest applied in time; returns the recordings of the former."""
    early: dict[str, Recording] = {}
    late: dict[str, tuple[float, Recording]] = {}
    for recording in run.recordings:
        if recording.namespace in early or recording.namespace in late:
            continue  # a second recording of the same application
        created = _created_at(recording)
        if created is None:
            early[recording.namespace] = recording
        else:
            late[recording.namespace] = (run.offset_s(recording) + created, recording)
    for recording in early.values():
        _apply(lab, recording)
    for at, recording in late.values():
        lab.clock.call_at(lab.clock.epoch + at, _apply, lab, recording)
    return list(early.values())


def _apply(lab: Lab, recording: Recording) -> None:
    for manifests in recording.data["objects"].values():
        for manifest in read_manifests(manifests):
            if recording.letter == "E" and manifest.obj.kind == "Deployment":
                _until_uid_is_odd(lab)
            lab.apply(manifest.written)


def _until_uid_is_odd(lab: Lab) -> None:
    """Use up uids until the next one has an odd hash: ties go by it, and in the recording both were odd."""
    while True:
        (used,) = lab.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "uid"}})
        lab.delete("ConfigMap", "uid")
        uid = used.metadata.uid
        if fnv32a(f"{uid[:-9]}{int(uid[-9:], 16) + 1:09x}") % 2:
            return


def _created_at(recording: Recording) -> float | None:
    """When the application was created, if only during the recording."""
    for fault in recording.faults:
        if "samples created" in fault["what"] or f"new app {recording.namespace} " in fault["what"]:
            return float(fault["t"])
    return None


def _place(lab: Lab, recording: Recording) -> None:
    """Start from the recorded placement, whatever free capacity made of it there."""
    before = recording.data["placement_before"]
    if before is None or "evictions" in recording.milestones:
        return  # there was nothing yet, or the affinity leaves no choice
    binding = binding_of(lab, recording)
    wanted = tuple(TargetCluster(name, count) for name, count in before.items())
    if {t.name: t.replicas for t in binding.spec.clusters} != before:
        lab.update(replace(binding, spec=replace(binding.spec, clusters=wanted)))


def binding_of(lab: Lab, recording: Recording) -> ResourceBinding:
    """The binding that a recording of one application is about."""
    (binding,) = lab.list(ResourceBinding, recording.namespace)
    return binding

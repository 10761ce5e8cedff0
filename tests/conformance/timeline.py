"""Recorded failovers of a real Karmada, replayed on the fake.

A recording holds the flags, the manifests, the faults and at what beat the real loops fell. The replay gives the same
to a lab, lets it run as long as the recording did, and reads the same milestones off its timeline. Seconds count from
the fault of the recording.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

from karmadalab import Lab, Phases, Settings, replace
from karmadalab.api.work import ResourceBinding, TargetCluster
from karmadalab.core.timeline import Event
from karmadalab.environments.faults import Fault

# What the recordings' README says of the members: one node each, member3 in pull mode, pods Ready after 3 s.
CPUS = {"member1": 32, "member2": 24, "member3": 8, "member4": 4, "member5": 16}
FLEET = {
    "members": [
        {
            "name": name,
            "mode": "pull" if name == "member3" else "push",
            "nodes": {"cpu": cpu, "memory": "64Gi", "pods": 110},
            "startup": "3s",
            "shutdown": "1s",
        }
        for name, cpu in CPUS.items()
    ]
}

# From the restart of an API server's process to its first good /readyz: a probe 3.5 s after failed, one 4.1 s after
# did not.
API_SERVER_START_S = 3.8

# From an event to the scheduler's write, on the busy machine of the recordings: measured from 0.02 s to 1.5 s.
SCHEDULER_LATENCY_S = 1.2

_SETTLE_S = 60.0


class Recording:
    """One file.

    Attributes:
        bad: the member whose fault the timeline is about.
        offset_s: the lab's time at the recording's zero; a multiple of all periods, so that beats stay what they are.
    """

    def __init__(self, path: Path) -> None:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as text:
            self.data: dict[str, Any] = json.load(text)
        self.milestones: dict[str, Any] = self.data["milestones"]
        self.bad: str = self.milestones.get("bad") or _member_in(self.data["fault"]["what"])
        self.namespace = _namespace_in("".join(self.data["objects"].values()))
        faults = self.data["fault"].get("all") or [self.data["fault"]]
        self.faults = sorted(faults, key=lambda fault: fault["t"])
        earliest = min(0.0, *(fault["t"] for fault in self.faults))
        self.offset_s = _SETTLE_S + 10.0 * (int(-earliest) // 10 + 1)
        self.end_s = max((event["t"] for event in self.data["events"]), default=0.0)

    def settings(self) -> Settings:
        """The flags that were in effect."""
        flags = {
            key: value for key, value in self.data["flags"]["effective"].items() if key in Settings.__dataclass_fields__
        }
        return Settings().with_flags({**flags, "feature_gates": self._gates()})

    def _gates(self) -> dict[str, bool]:
        command = self.data["flags"].get("set", {}).get("karmada-controller-manager", "")
        found = re.search(r"--feature-gates=(\S+)", command)
        gates = dict(pair.split("=") for pair in found[1].split(",")) if found else {}
        everything = gates.get("AllAlpha") == "true" or gates.get("AllBeta") == "true"
        return {
            "Failover": gates.get("Failover", str(everything).lower()) == "true",
            "GracefulEviction": gates.get("GracefulEviction", "true") == "true",
        }

    def phases(self) -> Phases:
        """When the loops fell, as far as the recording knows."""
        known, milestones = self.data.get("phases", {}), self.milestones
        probes = dict.fromkeys(CPUS, 3.3)
        for member, key in (("member3", "last_lease_renewal"), (self._push_member(), "first_failed_probe")):
            if known.get(key) is not None:
                probes[member] = known[key] % 10
        ticks = self.data.get("internals", {}).get("monitor_ticks_seen_t") or []
        tick = milestones.get("noexecute_added") if milestones.get("ready_not_true") is not None else None
        if tick is None:
            tick = ticks[0] if ticks else milestones.get("ready_not_true") if self.bad == "member3" else 0.0
        # Passes drift by 1.6 ms; the recorded one is the tick at that time, not the first of the run.
        drift_s = 0.0016 * (tick + self.offset_s) / 5.0
        return Phases(
            monitor_s=(tick - drift_s) % 5.0, probe_s=probes, jitter=False, scheduler_latency_s=SCHEDULER_LATENCY_S
        )

    def _push_member(self) -> str:
        return self.bad if self.bad != "member3" else "member1"


def _namespace_in(manifests: str) -> str:
    found = re.search(r"^  namespace: (\S+)$", manifests, re.MULTILINE)
    return found[1] if found else "default"


def _member_in(text: str) -> str:
    found = re.search(r"member\d", text)
    return found[0] if found else "member1"


def replay(recording: Recording) -> Lab:
    """A lab that went through what the recording went through."""
    start = float(recording.data.get("t0_epoch", 0.0)) - recording.offset_s
    lab = Lab.fake(FLEET, settings=recording.settings(), phases=recording.phases(), epoch=start)
    if recording.data["letter"] == "e":  # "on member4, pods in namespaces e-* never become Ready"
        lab.fault("member4").bad_image("nginx")
    for manifest in recording.data["objects"].values():
        lab.apply(manifest)
    lab.run("10s")
    _place(lab, recording)
    _schedule_faults(lab, recording)
    lab.run(recording.offset_s + recording.end_s - lab.t)
    return lab


def _place(lab: Lab, recording: Recording) -> None:
    """Start from the recorded placement, whatever free capacity made of it there."""
    binding = _binding(lab, recording)
    wanted = tuple(TargetCluster(name, count) for name, count in recording.data["placement_before"].items())
    if {t.name: t.replicas for t in binding.spec.clusters} != recording.data["placement_before"]:
        lab.update(replace(binding, spec=replace(binding.spec, clusters=wanted)))


def _binding(lab: Lab, recording: Recording) -> ResourceBinding:
    (binding,) = lab.list(ResourceBinding, recording.namespace)
    return binding


def _schedule_faults(lab: Lab, recording: Recording) -> None:
    acting: dict[str, Fault] = {}
    for fault in recording.faults:
        at, text, member = recording.offset_s + fault["t"], fault["what"], _member_in(fault["what"])
        control = lab.fault(member)
        if "untaint" in text:
            lab.clock.call_at(lab.clock.epoch + at, lab.untaint, member, _taint_in(text))
        elif "taint" in text:
            lab.clock.call_at(lab.clock.epoch + at, lab.taint, member, _taint_in(text))
        elif "controller-manager" in text:
            _process_fault(lab, acting, at, text)
        elif "apiserver" in text:
            _api_server_fault(lab, control, acting, at, text, member)
        elif "agent" in text:
            _agent_fault(lab, control, acting, at, text, member)


def _taint_in(text: str) -> str:
    found = re.search(r"(\S+=\S+?:\w+)", text.replace("(", " ").replace("-)", " "))
    assert found, text
    return found[1]


def _heal_at(lab: Lab, fault: Fault, at: float) -> None:
    lab.clock.call_at(lab.clock.epoch + at, fault.heal)


def _api_server_fault(lab: Lab, control: Any, acting: dict[str, Fault], at: float, text: str, member: str) -> None:
    key = f"{member} apiserver"
    if "SIGKILL" in text:
        acting[key] = control.refuse(at=at)
    elif "SIGSTOP" in text:
        acting[key] = control.hang(at=at)
    elif key in acting:
        _heal_at(lab, acting.pop(key), at + (0.0 if "SIGCONT" in text else API_SERVER_START_S))


def _agent_fault(lab: Lab, control: Any, acting: dict[str, Fault], at: float, text: str, member: str) -> None:
    key = f"{member} agent"
    if "SIGKILL" in text:
        acting[key] = control.stop_agent(at=at)
    elif "SIGSTOP" in text:
        acting[key] = control.freeze_agent(at=at)
    elif key in acting:
        _heal_at(lab, acting.pop(key), at)


def _process_fault(lab: Lab, acting: dict[str, Fault], at: float, text: str) -> None:
    key = "controller-manager"
    if any(word in text for word in ("stop", "SIGKILL", "kill")) and key not in acting:
        acting[key] = lab.fault("karmada-controller-manager").stop(at=at)
    elif key in acting:
        _heal_at(lab, acting.pop(key), at)


# --- reading milestones off a timeline --------------------------------------------------------------------------------


def _first(events: list[Event], since: float, **wanted: Any) -> Event | None:
    for event in events:
        if event.t >= since and all(test(getattr(event, key)) for key, test in wanted.items()):
            return event
    return None


def _is(value: str) -> Any:
    return lambda found: found == value


def _begins(*values: str) -> Any:
    return lambda found: found.startswith(values)


class Reader:
    """The milestones of one run. All moments in seconds after the recording's zero."""

    def __init__(self, events: list[Event], bad: str, before: dict[str, int]) -> None:
        self.events, self.bad, self.before = events, bad, before

    def cluster(self, since: float, *what: str) -> float | None:
        """When the bad member's cluster object first changed so."""
        found = _first(self.events, since, kind=_is("Cluster"), name=_is(self.bad), what=_begins(*what))
        return found.t if found else None

    def bad_work(self, what: str, since: float) -> float | None:
        """When the Work in the bad member's execution namespace changed so."""
        namespace = f"karmada-es-{self.bad}"
        found = _first(self.events, since, kind=_is("Work"), namespace=_is(namespace), what=_is(what))
        return found.t if found else None

    def bindings(self, what: str) -> list[Event]:
        """The binding's changes of that kind, from zero on."""
        return [e for e in self.events if e.kind == "ResourceBinding" and e.what == what and e.t >= 0]


def milestones(reader: Reader) -> dict[str, Any]:
    """The recording's milestones, of our run."""
    bad = reader.bad
    found: dict[str, Any] = {}
    found["ready_not_true"] = reader.cluster(0, "condition Ready True -> ")
    found["noschedule_added"] = reader.cluster(0, *_taints("added", "NoSchedule"))
    found["noexecute_added"] = reader.cluster(0, *_taints("added", "NoExecute"), "taint added maintenance:NoExecute")
    evicted = next(
        (e for e in reader.bindings("spec.clusters changed") if bad in e.detail["from"] and bad not in e.detail["to"]),
        None,
    )
    if evicted is not None:
        found |= _after_eviction(reader, evicted)
    since = found["ready_not_true"]
    if since is not None:
        found["ready_true"] = reader.cluster(since, "condition Ready False -> True", "condition Ready Unknown -> True")
        found["noschedule_removed"] = reader.cluster(since, *_taints("removed", "NoSchedule"))
    if found["noexecute_added"] is not None:
        gone = (*_taints("removed", "NoExecute"), "taint removed maintenance:NoExecute")
        found["noexecute_removed"] = reader.cluster(found["noexecute_added"], *gone)
    return {key: value for key, value in found.items() if value is not None}


def _taints(word: str, effect: str) -> tuple[str, str]:
    return tuple(f"taint {word} cluster.karmada.io/{key}:{effect}" for key in ("not-ready", "unreachable"))


def _after_eviction(reader: Reader, evicted: Event) -> dict[str, Any]:
    bad, t = reader.bad, evicted.t
    found: dict[str, Any] = {"evicted": t, "placement_after": evicted.detail["to"]}
    for event in reader.bindings("spec.clusters changed"):
        gained = {n for n, c in event.detail["to"].items() if c > event.detail["from"].get(n, 0)}
        if event.t >= t and event is not evicted and gained:
            found |= {"rescheduled": event.t, "placement_after": event.detail["to"]}
            new = sorted(set(event.detail["to"]) - set(reader.before))
            found["replacement_healthy"] = _healthy(reader, new, event.t) if new else None
            break
    for event in reader.bindings("gracefulEvictionTasks changed"):
        had, has = ({task["fromCluster"]: task for task in event.detail[key] or ()} for key in ("from", "to"))
        if "creationTimestamp" in has.get(bad, {}) and event.t >= t:
            found.setdefault("task_timestamped", event.t)
        if bad in had and bad not in has and event.t >= t:
            found.setdefault("task_removed", event.t)
    found["work_deletion_ts"] = reader.bad_work("deletionTimestamp set", t)
    found["work_gone"] = reader.bad_work("deleted", t)
    gone = _first(reader.events, t, kind=_is(f"Deployment@{bad}"), what=_is("deleted"))
    found["old_deployment_gone"] = gone.t if gone else None
    return found


def _healthy(reader: Reader, names: list[str], since: float) -> float | None:
    times = []
    for name in names:
        event = next(
            (
                e
                for e in reader.events
                if e.t >= since
                and e.kind == "ResourceBinding"
                and e.what.startswith(f"aggregatedStatus[{name}]")
                and (e.detail["to"] or {}).get("health") == "Healthy"
            ),
            None,
        )
        if event is None:
            return None
        times.append(event.t)
    return max(times)


def emit_file(path: Path, profile: str = "v1.13") -> dict[str, Any]:
    """Replay a recording; our milestones under its names, and our events in its words."""
    recording = Recording(path)
    lab = replay(recording)
    events = [event._replace(t=round(event.t - recording.offset_s, 6)) for event in lab.timeline]
    before = recording.data["placement_before"]
    found = milestones(Reader(events, recording.bad, before))
    final = {t.name: t.replicas for t in _binding(lab, recording).spec.clusters}
    return {
        "milestones": {"bad": recording.bad, "before": before, **found, "final_placement": final},
        "placement_before": before,
        "events": [
            {"t": e.t, "kind": e.kind, "namespace": e.namespace, "name": e.name, "what": e.what, "detail": e.detail}
            for e in events
        ],
    }


# --- comparing --------------------------------------------------------------------------------------------------------

_ABSOLUTE = {
    "ready_not_true": 1.0,
    "noschedule_added": 1.0,
    "noexecute_added": 1.0,
    "ready_true": 1.0,
    "noschedule_removed": 1.0,
    "noexecute_removed": 1.0,
    "evicted": 1.6,
    "task_timestamped": 1.6,
}
_AFTER_EVICTION = (
    "rescheduled",
    "replacement_healthy",
    "task_removed",
    "work_deletion_ts",
    "work_gone",
    "old_deployment_gone",
)
_AFTER_EVICTION_S = 2.5

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


def differences(recording: Recording, actual: dict[str, Any]) -> list[str]:
    """What of our run disagrees with the recording, by the rules of the recordings' README."""
    theirs = {k: v for k, v in recording.milestones.items() if v is not None}
    ours = actual["milestones"]
    limit = theirs.get("recovery_fault") if recording.data["letter"] == "d" else None
    names = [*_ABSOLUTE, *_AFTER_EVICTION]
    if limit is not None:
        names = [n for n in names if _before(theirs.get(n), limit) and _before(ours.get(n), limit)]
    found = [text for name in names if (text := _compare(name, theirs, ours, recording.end_s))]
    found += _order(names, theirs, ours)
    if limit is None or _before(theirs.get("rescheduled"), limit):
        found += _placements(recording, ours, final=limit is None)
    return found


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
        away = (here - ours["evicted"]) - (recorded - theirs["evicted"])
        allowed = _AFTER_EVICTION_S
    return None if abs(away) <= allowed else f"{name}: recorded {recorded:.2f}, here {here:.2f}, {away:+.2f}s"


def _order(names: list[str], theirs: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """Milestones that the recording has in one order and our run in the other."""
    both = [name for name in names if name in theirs and name in ours]
    return [
        f"{a} comes after {b}"
        for a in both
        for b in both
        if theirs[a] < theirs[b] - _RECORDER_S and ours[a] > ours[b] and frozenset((a, b)) not in _EITHER_WAY
    ]


def _placements(recording: Recording, ours: dict[str, Any], final: bool) -> list[str]:
    found = []
    for name in ("placement_after", *(["final_placement"] if final else [])):
        recorded, here = recording.milestones.get(name), ours.get(name)
        if recorded is not None and here != recorded and not _equally_legal(recording, recorded, here):
            found.append(f"{name}: recorded {recorded}, here {here}")
    return found


def _equally_legal(recording: Recording, recorded: dict[str, int], here: dict[str, int] | None) -> bool:
    """Whether only free capacity used by the other applications of that run made the difference."""
    if here is None or sorted(recorded.values()) != sorted(here.values()):
        return False
    manifest = "".join(recording.data["objects"].values())
    affinity = re.search(r"clusterNames: \[(.*?)\]", manifest)
    allowed = set(re.split(r",\s*", affinity[1])) if affinity else set(CPUS)
    return set(here) <= allowed

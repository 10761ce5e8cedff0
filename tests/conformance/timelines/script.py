"""What was done to the control plane and its members during a recording, from its text to calls of the lab."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from karmadalab import Lab
from karmadalab.environments.faults import Fault
from tests.conformance.timelines.recording import member_in
from tests.conformance.timelines.run import Run

# From the restart of an API server's process to its first good /readyz. v1.13: a probe 3.5 s after failed, one 4.1 s
# after did not. v1.18: one 1.4 s after failed (C18), one 2.3 s after did not (B18b).
API_SERVER_START_S = {"v1.13": 3.8, "v1.18": 1.9}


# How recordings say what was done to a process; anything else undoes it.
_FREEZES = re.compile(r"SIGSTOP|frozen|\bhang")
_KILLS = re.compile(r"SIGKILL|SIGTERM|\bkill|\bstopped\b|\bstop\b")


class Script:
    """The deeds of a run, to be done at their time."""

    def __init__(self, lab: Lab, run: Run) -> None:
        self._lab, self._run = lab, run
        self._acting: dict[str, Fault] = {}

    def schedule(self) -> None:
        """Have everything done when its time comes."""
        for fault in self._run.base.faults:
            self._schedule(self._run.base.offset_s + fault["t"], fault["what"])

    def _schedule(self, at: float, text: str) -> None:
        member = member_in(text)
        if "WorkloadRebalancer" in text:
            self._at(at, self._rebalance, text)
        elif "untaint" in text:
            self._at(at, self._lab.untaint, member, _taint_in(text) or self._taint_of_run())
        elif "taint" in text:
            self._at(at, self._lab.taint, member, _taint_in(text))
        elif "controller-manager" in text:
            self._process(at, text)
        elif "apiserver" in text:
            self._api_server(at, text, member)
        elif "agent" in text:
            self._agent(at, text, member)
        elif "scale" in text:
            self._at(at, self._scale, text)

    def _at(self, at: float, call: Callable[..., object], *args: Any) -> None:
        self._lab.clock.call_at(self._lab.clock.epoch + at, call, *args)

    def _api_server(self, at: float, text: str, member: str) -> None:
        key, control = f"{member} apiserver", self._lab.fault(member)
        if _FREEZES.search(text):
            self._acting[key] = control.hang(at=at)
        elif _KILLS.search(text):
            self._acting[key] = control.refuse(at=at)
        elif key in self._acting:
            start_s = 0.0 if "SIGCONT" in text else API_SERVER_START_S[self._run.profile]
            self._at(at + start_s, self._acting.pop(key).heal)

    def _agent(self, at: float, text: str, member: str) -> None:
        key, control = f"{member} agent", self._lab.fault(member)
        if _FREEZES.search(text):
            self._acting[key] = control.freeze_agent(at=at)
        elif _KILLS.search(text):
            self._acting[key] = control.stop_agent(at=at)
        elif key in self._acting:
            self._at(at, self._acting.pop(key).heal)

    def _process(self, at: float, text: str) -> None:
        key, control = "controller-manager", self._lab.fault("karmada-controller-manager")
        if _FREEZES.search(text):
            self._acting[key] = control.freeze(at=at)
        elif _KILLS.search(text):
            self._acting[key] = control.stop(at=at)
        elif key not in self._acting:  # one that was running is started anew
            control.restart(at=at)
        else:
            self._at(at, self._acting.pop(key).heal)

    def _scale(self, text: str) -> None:
        """`scale-up c-static 6->9, ...` names namespaces, `scale w170-scale to 5` a Deployment."""
        there = {recording.namespace for recording in self._run.recordings}
        for namespace, replicas in re.findall(r"(\S+) \d+->(\d+)", text):
            if namespace in there:
                self._lab.scale("nginx", int(replicas), namespace)
        for name, replicas in re.findall(r"scale (\S+) to (\d+)", text):
            self._lab.scale(name, int(replicas), self._run.base.namespace)

    def _rebalance(self, text: str) -> None:
        """Each recording shows of a rebalancer's workloads only its own."""
        workloads: dict[str, dict[str, str]] = {}
        for recording in self._run.recordings:
            for event in recording.data["events"]:
                if event["kind"] == "WorkloadRebalancer" and event["what"] == "created":
                    workloads |= {str(item): item for item in event["detail"]["workloads"]}
        name = "w170" if "w170" in text else "after-recovery"
        manifest = {
            "apiVersion": "apps.karmada.io/v1alpha1",
            "kind": "WorkloadRebalancer",
            "metadata": {"name": name},
            "spec": {"workloads": list(workloads.values())},
        }
        self._lab.apply(manifest)

    def _taint_of_run(self) -> str:
        return next(taint for fault in self._run.base.faults if (taint := _taint_in(fault["what"])))


def _taint_in(text: str) -> str:
    found = re.search(r"(\S+=\S+?:\w+)", text.replace("(", " ").replace("-)", " "))
    return found[1] if found else ""

"""One recording: the flags, the manifests, the faults, and at what beat the real loops fell."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

from karmadalab import Settings
from karmadalab.environments.link import IDLE_CONNECTION_TIMEOUT_S

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

_SETTLE_S = 60.0


class Recording:
    """One file.

    Attributes:
        bad: the member whose fault the timeline is about.
        profile: the release that was recorded.
        t0: the Unix time of the recording's zero.
        offset_s: the lab's time at the recording's zero; a multiple of all periods, so that beats stay what they are.
    """

    def __init__(self, path: Path) -> None:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as text:
            self.data: dict[str, Any] = json.load(text)
        self.path = path
        self.milestones: dict[str, Any] = self.data.get("milestones") or {}
        self.letter: str = self.data.get("letter") or self.data.get("scenario", "").rpartition("/")[2][:1]
        self.bad: str = self.milestones.get("bad") or member_in(self.data["fault"]["what"])
        self.namespace = _namespace_in("".join(self.data["objects"].values()))
        version = str(self.data.get("environment", {}).get("karmada", ""))
        self.profile = "v1.18" if version.startswith("v1.18") else "v1.13"
        faults = self.data["fault"].get("all") or [self.data["fault"]]
        self.faults = sorted(faults, key=lambda fault: fault["t"])
        self.t0 = float(self.data.get("t0_epoch", 0.0))
        earliest = min(0.0, *(fault["t"] for fault in self.faults))
        self.offset_s = _SETTLE_S + 10.0 * (int(-earliest) // 10 + 1)
        self.end_s = max((event["t"] for event in self.data.get("events") or ()), default=0.0)

    def settings(self) -> Settings:
        """The flags that were in effect."""
        effective = self.data["flags"].get("effective") or {}
        flags = {key: value for key, value in effective.items() if key in Settings.__struct_fields__}
        return Settings().with_flags({"profile": self.profile, **flags, "feature_gates": self._gates()})

    def _gates(self) -> dict[str, bool]:
        command = self.data["flags"].get("set", {}).get("karmada-controller-manager", "")
        found = re.search(r"--feature-gates=(\S+)", command)
        gates = dict(pair.split("=") for pair in found[1].split(",")) if found else {}
        everything = gates.get("AllAlpha") == "true" or gates.get("AllBeta") == "true"
        return {
            "Failover": gates.get("Failover", str(everything).lower()) == "true",
            "GracefulEviction": gates.get("GracefulEviction", "true") == "true",
        }

    def beat_s(self) -> dict[str, float]:
        """By member, a probe or a lease renewal that was seen, in seconds after zero."""
        push_member = self.bad if self.bad != "member3" else "member1"
        if self.profile == "v1.13":
            known = self.data.get("phases") or {}
            lease, probe = known.get("last_lease_renewal"), known.get("first_failed_probe")
        else:
            lease, probe = self.milestones["last_lease"], self.milestones["first_failed_probe"]
        beats = {"member3": lease, push_member: probe}
        hit = next((fault["what"] for fault in self.faults if member_in(fault["what"]) == self.bad), "")
        if self.bad == "member3" and "apiserver" in hit and probe is not None:
            beats = {"member3": probe}  # its agent lives and probes it
        elif "apiserver SIGSTOP" in hit and probe is not None:
            # A hanging server is given up this long after it last answered, and it answers on the beat.
            beats[push_member] = probe - IDLE_CONNECTION_TIMEOUT_S
        return {member: beat for member, beat in beats.items() if beat is not None}

    def tick_s(self) -> float | None:
        """A pass of the health monitor that was seen, in seconds after zero."""
        ticks = (self.data.get("internals") or {}).get("monitor_ticks_seen_t") or []
        not_true = self.milestones.get("ready_not_true")
        if self.profile == "v1.13" and not_true is not None and self.milestones.get("noexecute_added") is not None:
            return float(self.milestones["noexecute_added"])
        if ticks:
            return float(ticks[0])
        return not_true if self.bad == "member3" else None


def _namespace_in(manifests: str) -> str:
    found = re.search(r"^  namespace: (\S+)$", manifests, re.MULTILINE)
    return found[1] if found else "default"


def member_in(text: str) -> str:
    """The member that a fault's text is about."""
    found = re.search(r"member\d", text)
    return found[0] if found else "member1"

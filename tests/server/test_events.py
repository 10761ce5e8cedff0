"""What `kubectl describe` shows: the fields of a recorded real Karmada, and Events in its words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from karmadalab.lab import Lab
from karmadalab.server.events import events_of

from .conftest import Kubectl, nginx_lab

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent.parent / "data" / "kubectl-v1.13.json").read_text())
FIELD = re.compile(r"(\s*)([A-Z][\w /-]*?):(\s|$)")


def fields(text: str) -> list[str]:
    """The fields of a description with their indentation, up to its Events."""
    found = (FIELD.match(line) for line in text.partition("\nEvents:")[0].splitlines())
    return [match[1] + match[2] for match in found if match]


def test_a_binding_is_described_as_recorded(reading: Kubectl) -> None:
    """The same Deployment and policy, one minute after they were applied."""
    assert fields(reading("describe", "rb", "nginx-deployment")) == RECORDED["describe"]["rb nginx-deployment"]


def test_a_cluster_is_described_as_recorded(reading: Kubectl) -> None:
    """Which kinds a member serves depends on its Kubernetes; ours have a provider, a region and no local disks."""
    text = reading("describe", "cluster", "member1")
    text = re.sub(r"  API Enablements:.*(?=^  Conditions:)", "", text, flags=re.DOTALL | re.MULTILINE)
    ours = [field for field in fields(text) if field not in ("  Provider", "  Region")]
    assert ours == [field for field in RECORDED["describe"]["cluster member1"] if "Ephemeral" not in field]


def told(lab: Lab) -> dict[tuple[str, str, str], tuple[str, str]]:
    """(kind, reason, who) of each Event -> its type and message."""
    return {
        (event["involvedObject"]["kind"], event["reason"], event["reportingComponent"]): (
            event["type"],
            event["message"],
        )
        for event in events_of(lab.trace, lab.clock.now())
    }


@pytest.mark.parametrize(
    ("kind", "reason", "who", "message"),
    [
        ("Deployment", "ApplyPolicySucceed", "resource-detector", "Apply policy(default/nginx) succeed"),
        (
            "Deployment",
            "AggregateStatusSucceed",
            "resource-binding-status-controller",
            "Update Resource with AggregatedStatus successfully.",
        ),
        (
            "ResourceBinding",
            "ScheduleBindingSucceed",
            "default-scheduler",
            "Binding has been scheduled successfully. Result: {member1:2, member2:2}",
        ),
        ("Work", "WorkDispatching", "execution-controller", "Work is being dispatched to member clusters."),
        (
            "Work",
            "ReflectStatusSucceed",
            "work-status-controller",
            "Reflect status for object(Deployment/default/nginx) succeed.",
        ),
    ],
)
def test_events_have_karmadas_words(kind: str, reason: str, who: str, message: str) -> None:
    assert told(nginx_lab())[kind, reason, who] == ("Normal", message)


def test_an_eviction_is_told_when_it_is_over(lab: Lab) -> None:
    """As recorded: not when the task is made, but when the copy is really taken away."""
    evicted = ("ResourceBinding", "EvictWorkloadFromClusterSucceed", "resource-binding-graceful-eviction-controller")
    lab.fault("member1").power_off()
    lab.run_until(lambda lab: bool(lab.get("ResourceBinding", "nginx-deployment").spec.gracefulEvictionTasks), "15m")
    assert evicted not in told(lab)
    lab.run_until(lambda lab: not lab.get("ResourceBinding", "nginx-deployment").spec.gracefulEvictionTasks, "15m")
    assert told(lab)[evicted] == ("Normal", "Evict from cluster member1 succeed.")

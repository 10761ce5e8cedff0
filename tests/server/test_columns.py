"""What kubectl prints: the columns of the real Karmada v1.13, recorded, and ages in the lab's own time."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from karmadalab.api.scheme import resource_type
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace
from karmadalab.server.columns import age
from karmadalab.server.kinds import by_kind
from karmadalab.server.table import columns_of

from .conftest import Kubectl

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent.parent / "data" / "kubectl-v1.13.json").read_text())
NOT_HERE = {"resourceinterpretercustomization"}  # the lab runs no Lua


def store(world: str = "") -> Store:
    clock = VirtualClock()
    return Store(clock, Trace(clock.now), world)


@pytest.mark.parametrize("name", [name for name in RECORDED["headings"] if name.split()[0] not in NOT_HERE])
def test_headings_are_the_recorded_ones(name: str) -> None:
    words = name.split()
    wide = words[-1] == "wide"
    rt = resource_type(words[1] if words[0] == "member" else words[0])
    kind = by_kind(store("member1" if words[0] == "member" else ""), rt.api_version, rt.kind)
    assert kind is not None
    assert [c.name.upper() for c in columns_of(kind) if wide or not c.wide] == RECORDED["headings"][name]


READ = {
    "clusters": "cluster",
    "clusters -o wide": "cluster wide",
    "rb": "resourcebinding",
    "pp": "propagationpolicy",
    "deploy -o wide": "deploy wide",
    "lease -n karmada-cluster": "lease",
    "work -n karmada-es-member1": "work",
    "events": "events",
    "pods -o wide --context member1": "member pods wide",
    "nodes --context member1": "member nodes",
}


@pytest.mark.parametrize("command", READ)
def test_kubectl_prints_them(reading: Kubectl, command: str) -> None:
    heading = reading("get", *command.split()).splitlines()[0]
    assert re.split(r"\s{2,}", heading.strip()) == RECORDED["headings"][READ[command]]


def test_rows_say_what_the_objects_say(reading: Kubectl) -> None:
    rows = [re.split(r"\s{2,}", line) for line in reading("get", "clusters").splitlines()]
    assert [row[:4] for row in rows[1:]] == [
        [f"member{n}", "v1.32.0", "Pull" if n == 3 else "Push", "True"] for n in range(1, 6)
    ]
    assert reading("get", "rb", "-A").split()[5:9] == ["default", "nginx-deployment", "True", "True"]
    assert re.search(r"nginx\s+4/2\s+4\s+4\s+60s", reading("get", "deploy"))
    assert re.search(r"nginx-\w+\s+Deployment\s+True\s+60s", reading("get", "work", "-n", "karmada-es-member1"))
    assert re.search(r"member3\s+member3\s+6\ds", reading("get", "lease", "-A"))


def test_discovery_is_the_recorded_one(reading: Kubectl) -> None:
    lines = reading("api-resources", "-o", "wide").splitlines()
    starts = [match.start() for match in re.finditer(r"\S+", lines[0])]
    cells = [[line[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)] for line in lines]
    ours = {
        row[0]: dict(
            zip(("shortNames", "apiVersion", "namespaced", "kind", "verbs", "categories"), row[1:], strict=True)
        )
        for row in cells[1:]
    }
    for name, recorded in RECORDED["resources"].items():
        assert {key: ours[name][key] for key in recorded} == recorded


@pytest.mark.parametrize(
    ("length_s", "shown"),
    [
        (0, "0s"),
        (63, "63s"),
        (208, "3m28s"),
        (600, "10m"),
        (7200, "120m"),
        (10800, "3h"),
        (172800, "2d"),
        (-5, "<invalid>"),
    ],
)
def test_ages_are_written_as_kubernetes_writes_them(length_s: float, shown: str) -> None:
    assert age(length_s) == shown

"""Scenario files that make no sense; `test_scenario_rules.py` has the rules of each part."""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.experiments import read_scenario
from tests.worlds import deployment

from .wrong import Wrong


def scenario(**changes: Any) -> object:
    """Read a scenario of two members in which nothing happens."""
    return read_scenario({"about": "nothing", "fleet": ["member1", "member2"], "until": "1m", **changes})


def action(**fields: Any) -> object:
    """Read a scenario with one action."""
    return scenario(actions=[{"at": "1s", **fields}])


SCENARIOS = [
    Wrong(
        "no such file",
        lambda lab: read_scenario("no-such.yaml"),
        BadRequest,
        "no-such.yaml: no such file (looked in <cwd>)",
    ),
    Wrong(
        "no end",
        lambda lab: read_scenario({"about": "x", "fleet": ["a"]}),
        Invalid,
        "scenario: until: required, but missing",
    ),
    Wrong(
        "an end before the beginning",
        lambda lab: scenario(until="-1m"),
        Invalid,
        "scenario: until: a time can't be negative, got -1m; times count from the beginning of the lab",
    ),
    Wrong(
        "no end in a lifetime",
        lambda lab: scenario(until=10**30),
        Invalid,
        "scenario: until: 1e+30 is longer than a hundred years",
    ),
    Wrong(
        "a misspelt part",
        lambda lab: scenario(expects=[]),
        Invalid,
        "scenario: expects: unknown field; did you mean expect?",
    ),
    Wrong(
        "an unknown flag",
        lambda lab: scenario(settings={"failure-threshold": "1s"}),
        Invalid,
        "scenario: settings: there is no flag 'failure-threshold'; did you mean cluster-failure-threshold?",
    ),
    Wrong(
        "an unknown cluster",
        lambda lab: action(fault="power_off", target="member9"),
        Invalid,
        "scenario: actions[0].target: there is no member or process 'member9'; did you mean member2?",
    ),
    Wrong(
        "an unknown fault",
        lambda lab: action(fault="earthquake", target="member1"),
        Invalid,
        "scenario: actions[0].fault: there is no fault 'earthquake'; there are power_off, refuse, hang, silence, "
        "cut_off, slow, lossy, flapping, stop_agent, freeze_agent, bad_image, slow_start, exhaust_capacity, "
        "lose_credentials",
    ),
    Wrong(
        "an action that does nothing",
        lambda lab: action(target="member1"),
        Invalid,
        "scenario: actions[0]: an action says exactly one of fault, heal, restart, apply, scale, delete, taint, "
        "untaint, join, unjoin, cordon, uncordon, load; it has at, target",
    ),
    Wrong(
        "a bad manifest",
        lambda lab: scenario(manifests=[{**deployment(), "kind": None}]),
        Invalid,
        "scenario: manifests: object default/web: kind: required, but missing; write for example kind: Deployment",
    ),
    Wrong(
        "a fleet of none",
        lambda lab: scenario(fleet=[]),
        Invalid,
        "scenario: fleet: members: a fleet needs at least one member",
    ),
]

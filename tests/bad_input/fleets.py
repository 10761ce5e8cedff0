"""Fleets that can't be built."""

from __future__ import annotations

from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.lab import Lab

from .manifests import ITSELF
from .wrong import Wrong

FLEETS = [
    Wrong(
        "no members",
        lambda lab: Lab.fake(members=0),
        BadRequest,
        "members: expected a whole number from 1 to 5000, got 0",
    ),
    Wrong(
        "members in words",
        lambda lab: Lab.fake(members="3"),
        BadRequest,
        "members: expected a whole number from 1 to 5000, got '3'",
    ),
    Wrong(
        "too many members",
        lambda lab: Lab.fake(members=5001),
        BadRequest,
        "members: expected a whole number from 1 to 5000, got 5001",
    ),
    Wrong(
        "more pull members than members",
        lambda lab: Lab.fake(members=2, pull=3),
        BadRequest,
        "pull: expected a whole number from 0 to 2 (the members), got 3",
    ),
    Wrong(
        "a negative number",
        lambda lab: Lab.fake(members=2, pull=-1),
        BadRequest,
        "pull: expected a whole number from 0 to 2 (the members), got -1",
    ),
    Wrong(
        "a fleet and a number",
        lambda lab: Lab.fake([{"name": "a"}], members=2),
        BadRequest,
        "fleet: give either a fleet or a number of members, not both",
    ),
    Wrong("an empty fleet", lambda lab: Lab.fake([]), Invalid, "fleet: members: a fleet needs at least one member"),
    Wrong(
        "a name twice",
        lambda lab: Lab.fake(["a", "a"]),
        Invalid,
        "fleet: members[1].name: 'a' is used twice; every member needs its own name",
    ),
    Wrong(
        "a name with a blank",
        lambda lab: Lab.fake(["Member 1"]),
        Invalid,
        "fleet: members[0].name: 'Member 1' is not a cluster name: lower case letters, digits and inner hyphens",
    ),
    Wrong(
        "a misspelt mode",
        lambda lab: Lab.fake([{"name": "a", "mode": "poll"}]),
        Invalid,
        "fleet: members[0].mode: 'Poll' is not a mode: write push or pull",
    ),
    Wrong(
        "a misspelt field",
        lambda lab: Lab.fake([{"name": "a", "nods": 1}]),
        Invalid,
        "fleet: members[0].nods: unknown field; did you mean nodes?",
    ),
    Wrong(
        "a start that is no time",
        lambda lab: Lab.fake([{"name": "a", "startup": "soon"}]),
        BadRequest,
        "fleet: members[0].startup: 'soon' is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "a start before the beginning",
        lambda lab: Lab.fake([{"name": "a", "startup": "-3s"}]),
        Invalid,
        "fleet: members[0].startup: a length of time can't be negative, got -3s",
    ),
    Wrong(
        "many cpus",
        lambda lab: Lab.fake([{"name": "a", "nodes": {"cpu": "many"}}]),
        Invalid,
        "fleet: members[0].nodes[0].cpu: 'many' is not a quantity: write a number with a suffix such as 100m,"
        " 2, 64Mi or 1G",
    ),
    Wrong(
        "a list that holds itself",
        lambda lab: Lab.fake(ITSELF),
        Invalid,
        "fleet: members[0]: holds itself, and so has no end",
    ),
    Wrong(
        "cpus without bound",
        lambda lab: Lab.fake([{"name": "a", "nodes": {"cpu": "1e999999"}}]),
        Invalid,
        "fleet: members[0].nodes[0].cpu: '1e999999' is not a quantity: write a number with a suffix such as 100m,"
        " 2, 64Mi or 1G",
    ),
    Wrong(
        "nodes without bound",
        lambda lab: Lab.fake([{"name": "a", "nodes": {"count": 200_000}}]),
        Invalid,
        "fleet: members[0].nodes[0].count: expected a whole number up to 5000, got 200000",
    ),
    Wrong(
        "pools without bound",
        lambda lab: Lab.fake([{"name": "a", "nodes": [{"count": 3000}, {"count": 3000}]}]),
        Invalid,
        "fleet: members[0].nodes: expected up to 5000 nodes, got 6000",
    ),
    Wrong(
        "pods without bound",
        lambda lab: Lab.fake([{"name": "a", "nodes": {"pods": 1 << 31}}]),
        Invalid,
        "fleet: members[0].nodes[0].pods: expected a whole number up to 2147483647, got 2147483648",
    ),
    Wrong(
        "less than no node",
        lambda lab: Lab.fake([{"name": "a", "nodes": {"count": -1}}]),
        Invalid,
        "fleet: members[0].nodes[0]: count and pods can't be negative",
    ),
    Wrong(
        "a file that is not there",
        lambda lab: Lab.fake("no-fleet.yaml"),
        BadRequest,
        "no-fleet.yaml: no such file (looked in <cwd>)",
    ),
    Wrong("a number", lambda lab: Lab.fake(7), Invalid, "fleet: a fleet is a mapping with members, not int"),
    Wrong("no members in it", lambda lab: Lab.fake({"name": "x"}), Invalid, "fleet: members: required, but missing"),
    Wrong(
        "a member that is a number",
        lambda lab: Lab.fake([3]),
        Invalid,
        "fleet: members[0]: expected a mapping, got a whole number",
    ),
    Wrong(
        "a taint without effect",
        lambda lab: Lab.fake([{"name": "a", "taints": [{"key": "x"}]}]),
        Invalid,
        "fleet: members[0].taints[0].effect: required, but missing",
    ),
    Wrong(
        "a name that is too long",
        lambda lab: Lab.fake(["m" * 49]),
        Invalid,
        "fleet: members[0].name: 'mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm' is too long: at most 48 "
        "characters",
    ),
    Wrong(
        "a taint with an unknown effect",
        lambda lab: Lab.fake([{"name": "a", "taints": [{"key": "x", "effect": "Nope"}]}]),
        Invalid,
        'Cluster a: spec.taints[0].effect: Unsupported value: "Nope": supported values: "NoSchedule", "NoExecute"',
    ),
]

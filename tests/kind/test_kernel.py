"""Faults on the network in a real kernel: felt by whom they are meant for, and gone without a trace.

The commands are the ones that the engine would run in a node. Needs root, unshare, iproute2 and iptables; netem is a
module that not every kernel has. Where something is missing they are skipped, unless KARMADALAB_KERNEL is set: CI knows
that its machines have it all, and shall hear when that ends.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from karmadalab.environments.kind.measures import _ALREADY, agent_cut_off, filtered, no_pulls, shaped
from karmadalab.environments.kind.state import Measure
from tests.kind.nodes import HOST, KARMADA, NODE, SENT

PROGRAM = Path(__file__).with_name("nodes.py")
ALONE = ("unshare", "--net", "--mount")


@cache
def lacks() -> str:
    """What this machine lacks for rooms of its own; empty when there is nothing."""
    if missing := [name for name in ("unshare", "ip", "iptables", "tc") if not shutil.which(name)]:
        return f"no {', '.join(missing)} on the PATH"
    script = "mount -t tmpfs none /run && ip link add one type veth peer name two && iptables -S"
    done = subprocess.run([*ALONE, "sh", "-c", script], capture_output=True, text=True, check=False)
    return f"no network namespaces with veth and iptables: {done.stderr.strip()}" if done.returncode else ""


@cache
def has_netem() -> bool:
    script = "tc qdisc add dev lo root netem delay 1ms"
    return subprocess.run([*ALONE, "sh", "-c", script], capture_output=True, check=False).returncode == 0


if "KARMADALAB_KERNEL" in os.environ and (missing := lacks() or ("" if has_netem() else "no netem")):
    pytest.fail(f"KARMADALAB_KERNEL says that this machine has what these tests need, but {missing}", pytrace=False)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(lacks()), reason=lacks() or "it lacks nothing")]
needs_netem = pytest.mark.skipif(not lacks() and not has_netem(), reason="this kernel has no netem")

HOST_IN, NODE_IN, POD_OUT, PULL = (
    ("host", NODE, "6443"),  # the control plane calls a push member
    ("node", "127.0.0.1", "6443"),  # the node's own kubelet does
    ("pod", HOST, str(KARMADA)),  # an agent in a pod calls the control plane
    ("node", HOST, "5000"),  # containerd asks a registry
)
PROBES = [HOST_IN, NODE_IN, POD_OUT, PULL]
OPEN, LATE, REFUSED = "open", "TimeoutError", "ConnectionRefusedError"


def tried(measure: Measure) -> dict[str, Any]:
    """The measure's own command lines, without the engine's words before them."""
    argument = json.dumps([measure.do[3:], measure.undo[3:], PROBES])
    done = subprocess.run(
        [*ALONE, sys.executable, str(PROGRAM), argument], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert [met for met, _ in found["before"] + found["after"]] == [OPEN] * 8
    assert found["open connection before"] == "carries"
    assert found["changed"]
    assert found["as before"], "what undoes it undoes exactly it"
    assert any(words in found["undone twice"] for words in _ALREADY), "undoing twice is told from failing"
    return found


@pytest.mark.parametrize(
    ("measure", "met", "open_connection"),
    [
        (filtered("n", "DROP", "api")[0], [LATE, LATE, OPEN, OPEN], LATE),
        (filtered("n", "REJECT", "api")[0], [REFUSED, REFUSED, OPEN, OPEN], "ConnectionResetError"),
        (filtered("n", "DROP", "path", [HOST])[0], [LATE, OPEN, OPEN, OPEN], LATE),
        (filtered("n", "REJECT", "path", [HOST])[0], [REFUSED, OPEN, OPEN, OPEN], "ConnectionResetError"),
        (filtered("n", "DROP", "path", ["172.18.0.9"])[0], [OPEN] * 4, "carries"),
        (agent_cut_off("n", "DROP", (HOST, KARMADA)), [OPEN, OPEN, LATE, OPEN], "carries"),
        (agent_cut_off("n", "REJECT", (HOST, KARMADA)), [OPEN, OPEN, REFUSED, OPEN], "carries"),
        (no_pulls("n", "bad-image"), [OPEN, OPEN, OPEN, REFUSED], "carries"),
    ],
    ids=lambda value: value.what if isinstance(value, Measure) else "",
)
def test_a_rule_is_felt_by_whom_it_is_meant_for_and_gone(
    measure: Measure, met: list[str], open_connection: str
) -> None:
    found = tried(measure)
    assert [what for what, _ in found["during"]] == met
    assert found["open connection"] == open_connection
    assert found["arrived"] == SENT


@needs_netem
def test_a_slow_link_is_as_slow_as_asked_for() -> None:
    found = tried(shaped("n", 0.2, 0.0))
    slow, own, out, pull = (seconds for _, seconds in found["during"])
    for seconds in (slow, out, pull):  # what the node sends waits once: an answer, or the question
        assert 0.2 <= seconds < 0.5
    assert own < 0.1
    assert all(seconds < 0.1 for _, seconds in found["after"])
    assert found["arrived"] == SENT


@needs_netem
def test_a_lossy_link_loses_what_was_asked_for() -> None:
    """Of 500 datagrams 30 % are 150; six standard deviations are 62."""
    found = tried(shaped("n", 0.0, 0.3))
    assert abs(SENT - found["arrived"] - 150) < 62


@needs_netem
def test_a_link_can_be_both() -> None:
    found = tried(shaped("n", 0.1, 0.3))
    assert abs(SENT - found["arrived"] - 150) < 62

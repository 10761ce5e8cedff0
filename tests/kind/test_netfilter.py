"""The packet filter rules in a real kernel: taken, felt, and gone without a trace. Needs root, unshare and iptables."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from karmadalab.environments.kind.measures import Measure, filtered, no_pulls


def usable() -> bool:
    if not shutil.which("iptables") or not shutil.which("unshare"):
        return False
    done = subprocess.run(["unshare", "-n", "iptables", "-S"], capture_output=True, check=False)
    return done.returncode == 0


pytestmark = pytest.mark.skipif(not usable(), reason="no iptables, or no right to use it")

# In a network namespace of its own: rules before, a connection to port 6443 with the rule, rules with it, rules after.
SCRIPT = """
import json, socket, subprocess, sys
do, undo = json.loads(sys.argv[1])
rules = lambda: subprocess.run(["iptables", "-S"], capture_output=True, text=True, check=True).stdout
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
server = socket.create_server(("127.0.0.1", 6443))
def knock():
    try:
        socket.create_connection(("127.0.0.1", 6443), timeout=0.5).close()
    except OSError as error:
        return type(error).__name__
    return "open"
before = rules()
subprocess.run(do, check=True)
met, during = knock(), rules()
subprocess.run(undo, check=True)
print(json.dumps([met, before != during, before == rules(), knock()]))
"""


def tried(measure: Measure) -> list[object]:
    """The measure's own command lines, without the engine's words before them."""
    commands = json.dumps([measure.do[3:], measure.undo[3:]])
    done = subprocess.run(
        ["unshare", "-n", sys.executable, "-c", SCRIPT, commands],
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    found: list[object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("measure", "met"),
    [
        (filtered("n", "DROP", "api")[0], "TimeoutError"),
        (filtered("n", "REJECT", "api")[0], "ConnectionRefusedError"),
        (filtered("n", "DROP", "path", ["172.18.0.1"])[0], "open"),  # loopback is not the host's gateway
        (filtered("n", "REJECT", "path", ["172.18.0.1"])[0], "open"),
        (no_pulls("n", "bad-image"), "open"),
    ],
    ids=lambda value: value.what if isinstance(value, Measure) else value,
)
def test_a_rule_is_taken_felt_and_gone(measure: Measure, met: str) -> None:
    assert tried(measure) == [met, True, True, "open"]

"""`karmadalab kind`: what it prints and what it exits with."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from karmadalab.cli import app
from karmadalab.environments.kind.engine import Engine
from karmadalab.environments.kind.measures import Measures, power_off
from karmadalab.environments.kind.state import FleetFolder, fleets
from tests.kind.conftest import World

FLEET = "environments/kind-three.yaml"


def kind(*args: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["kind", *args])
    return done.exit_code, done.stdout, done.stderr


def test_up_status_down(world: World) -> None:
    code, out, told = kind("up", FLEET)
    assert code == 0
    assert "kubectl --kubeconfig" in out
    assert "member2    Starting control-plane" in told
    code, out, _ = kind("status")
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines()] == [["three", f"member{i}", "ready"] for i in (1, 2, 3)]
    code, out, _ = kind("status", "--json")
    assert [row["phase"] for row in json.loads(out)] == ["ready"] * 3
    code, out, _ = kind("down")
    assert code == 0
    assert out == f"fleet three: deleted {', '.join(f'karmadalab-three-member{i}' for i in (1, 2, 3))}\n"
    assert world.clusters == {}
    assert kind("down")[1].startswith("karmadalab has made no clusters")
    assert kind("status")[1].startswith("karmadalab has made no clusters")


def test_heal_undoes_what_a_killed_lab_left(world: World) -> None:
    kind("up", FLEET)
    node = "karmadalab-three-member1-control-plane"
    measures = Measures(Engine("docker"), FleetFolder("three"))
    measures.set([node], [power_off(node)])
    assert world.clusters["karmadalab-three-member1"] == "exited"
    code, out, _ = kind("heal")  # another process would find the same list
    assert (code, out) == (0, f"fleet three: {node}: power off\n")
    assert world.clusters["karmadalab-three-member1"] == "running"
    assert kind("heal")[1] == "fleet three: nothing was left to undo\n"


def test_a_cluster_that_fails_is_no_wrong_question(world: World) -> None:
    world.plan(**{"karmadalab-three-member2": "create-node-does-not-boot"})
    code, _, told = kind("up", FLEET)
    assert code == 1
    assert "member1, member3 stay up" in told
    assert kind("status", "three")[0] == 1


@pytest.mark.parametrize("args", [("up", "absent.yaml"), ("up", "environments/three-members.yaml"), ("up", FLEET)])
def test_what_makes_no_sense_gets_a_sentence(args: tuple[str, ...], empty_path: object) -> None:
    code, out, told = kind(*args)
    assert (code, out) == (2, "")
    assert told.startswith("karmadalab: ")
    assert "Traceback" not in told


def test_a_fleet_that_nobody_made_is_not_ready_and_there_is_nothing_to_do(world: World) -> None:
    kind("up", FLEET)
    said = "karmadalab has made no clusters for thre (it has made some for three); "
    assert kind("status", "thre")[:2] == (1, said + "karmadalab kind up FILE makes it\n")
    assert kind("down", "thre")[:2] == (0, said + "there is nothing to remove\n")
    assert kind("heal", "thre")[:2] == (0, said + "there is nothing to undo\n")
    assert kind("status", FLEET)[0] == 0
    code, _, told = kind("down", "../three")
    assert (code, told) == (
        2,
        "karmadalab: fleet.name: '../three' is not a cluster name: lower case letters, digits and inner hyphens\n",
    )


def test_a_fleet_whose_state_is_cut_in_half_keeps_no_other_from_going(world: World) -> None:
    kind("up", FLEET)
    kind("up", "environments/kind-one.yaml")
    state = FleetFolder("one").path / "state.json"
    state.write_text(state.read_text()[:40])
    code, out, told = kind("down")
    assert (code, out.split(": ")[0]) == (2, "fleet three")
    assert "one/state.json: not JSON; kind get clusters shows the clusters named after the fleet" in told
    assert set(world.clusters) == {"karmadalab-one-member1"}
    assert "Traceback" not in kind("status")[2]
    assert "Traceback" not in kind("up", "environments/kind-one.yaml")[2]


STAGES = {
    "up, before anything": ("up", "get clusters", "karmadalab kind down pod removes what was begun", []),
    "up, while clusters are made": ("up", "create cluster", "kind up environments/kind-pod.yaml goes on", []),
    "up, while an image is loaded": ("up", "load docker-image", "goes on", ["member1", "member2"]),
    "down": ("down", "delete cluster", "what is left of fleet pod is still known: karmadalab kind down pod", []),
}


@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_at_any_stage_says_how_to_go_on_and_down_leaves_nothing(stage: str, world: World) -> None:
    command, hangs_at, said, ready = STAGES[stage]
    images = ["karmadalab-agent:0.1.0"]
    fleet = "environments/kind-pod.yaml"
    if command == "down":
        world.plan(images=images)
        kind("up", fleet)
    world.plan(hangs_at=hangs_at, images=images)
    before = len(world.log)
    words = [sys.executable, "-c", CTRL_C_IS_HEARD, "kind", command, *([fleet] if command == "up" else [])]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        hanging = ["kind", *hangs_at.split()]
        deadline = time.monotonic() + 30
        while not any(e["argv"][:3] == hanging for e in world.log[before:]) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
    assert process.returncode == 130
    assert told.splitlines()[-1].startswith("karmadalab: interrupted; ")
    assert said in told
    assert "Traceback" not in told
    if ready:
        assert [c.member for c in FleetFolder("pod").read().clusters if c.phase == "ready"] == ready
    world.plan(images=images)
    assert kind("down")[0] == 0
    assert world.clusters == {}
    assert fleets() == []


# A shell starts what runs in the background deaf to SIGINT, and its children inherit that.
CTRL_C_IS_HEARD = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from karmadalab.cli import main
main()
"""

"""`karmadalab kind`: what it prints and what it exits with."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from karmadalab.cli import app
from karmadalab.environments.kind.engine import Engine
from karmadalab.environments.kind.measures import Measures, power_off
from karmadalab.environments.kind.state import FleetFolder
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

"""Fleets that come up, half come up and go down, on a machine whose kind and docker are fakes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from karmadalab.api.errors import BadRequest, KarmadalabError
from karmadalab.environments.kind.errors import NotInstalled, ToolError
from karmadalab.environments.kind.fleet import KindFleet, read_kind_fleet
from karmadalab.environments.kind.progress import Step
from karmadalab.environments.kind.state import FleetFolder, fleets
from karmadalab.environments.kind.updown import Clusters, FleetError, take_down
from tests.kind.conftest import World

ONE, TWO, THREE = (f"karmadalab-test-member{number}" for number in (1, 2, 3))


@pytest.fixture
def fleet() -> KindFleet:
    return read_kind_fleet({"name": "test", "members": ["member1", "member2", {"name": "member3", "mode": "pull"}]})


def phases(fleet: str = "test") -> dict[str, str]:
    return {item.member: item.phase for item in FleetFolder(fleet).read().clusters}


def test_up_makes_every_cluster_and_down_removes_them(fleet: KindFleet, world: World) -> None:
    world.exists("kind", "my-own")
    steps: list[tuple[str, Step]] = []
    clusters = Clusters(fleet, on_step=lambda member, step: steps.append((member, step)))
    clusters.up()
    assert set(world.clusters) == {"kind", "my-own", ONE, TWO, THREE}
    assert phases() == dict.fromkeys(("member1", "member2", "member3"), "ready")
    assert [status.phase for status in clusters.status()] == ["ready"] * 3
    assert ("member2", Step("Starting control-plane", "done")) in steps
    assert clusters.down() == [ONE, TWO, THREE]
    assert set(world.clusters) == {"kind", "my-own"}
    assert fleets() == []
    assert not clusters.folder.path.exists()


def test_nothing_of_the_users_is_touched(fleet: KindFleet, world: World, tmp_path: Path) -> None:
    Clusters(fleet).up()
    created = world.calls("kind", "create")
    assert len(created) == 3
    for argv in created:
        kubeconfig, config = (Path(argv[argv.index(flag) + 1]) for flag in ("--kubeconfig", "--config"))
        assert kubeconfig.is_relative_to(tmp_path / "home")
        assert config.is_relative_to(tmp_path / "home")
        assert "karmadalab.io/fleet: test" in config.read_text()
        assert config.stat().st_mode & 0o077 == 0
        assert argv[argv.index("--name") + 1].startswith("karmadalab-test-"), "KIND_CLUSTER_NAME wins over the file"
    Clusters(fleet).down()
    for argv in world.calls("kind", "delete"):
        assert "--all" not in argv
        assert argv[argv.index("--name") + 1].startswith("karmadalab-test-")
        assert Path(argv[argv.index("--kubeconfig") + 1]).is_relative_to(tmp_path / "home")


def test_the_state_is_written_before_the_first_cluster_is_begun(fleet: KindFleet, world: World) -> None:
    Clusters(fleet).up()
    first = next(entry for entry in world.log if entry["argv"][:2] == ["kind", "create"])
    assert [item["cluster"] for item in first["state"]["clusters"]] == [ONE, TWO, THREE]


def test_up_again_makes_nothing(fleet: KindFleet, world: World) -> None:
    Clusters(fleet).up()
    Clusters(fleet).up()
    assert len(world.calls("kind", "create")) == 3


def test_up_again_makes_what_somebody_deleted(fleet: KindFleet, world: World) -> None:
    Clusters(fleet).up()
    world.exists(ONE, THREE)
    assert [status.phase for status in Clusters(fleet).status()] == ["ready", "gone", "ready"]
    Clusters(fleet).up()
    assert len(world.calls("kind", "create")) == 4
    assert set(world.clusters) == {ONE, TWO, THREE}


@pytest.mark.parametrize(
    ("recording", "said"),
    [
        ("create-unpullable-image", "failed to pull image"),
        ("create-kubeadm-init-fails", "failed to init node with kubeadm"),
        ("create-node-does-not-boot", "could not find a log line"),
    ],
)
def test_one_of_three_fails_and_the_others_stay(recording: str, said: str, fleet: KindFleet, world: World) -> None:
    world.plan(**{TWO: recording})
    with pytest.raises(FleetError, match=r"member1, member3 stay up") as caught:
        Clusters(fleet).up()
    assert list(caught.value.failures) == ["member2"]
    assert said in str(caught.value)
    assert phases() == {"member1": "ready", "member2": "failed", "member3": "ready"}
    status = Clusters(fleet).status()[1]
    assert status.phase == "failed"
    assert said in status.message
    world.plan()
    Clusters(fleet).up()
    assert phases() == dict.fromkeys(("member1", "member2", "member3"), "ready")
    assert len(world.calls("kind", "create")) == 4


def test_a_cluster_that_somebody_made_meanwhile_is_not_ours_to_delete(fleet: KindFleet, world: World) -> None:
    world.plan(**{TWO: "stolen"})
    with pytest.raises(FleetError, match="already exist"):
        Clusters(fleet).up()
    Clusters(fleet).down()
    assert set(world.clusters) == {TWO}


def test_a_cluster_of_the_same_name_that_is_not_ours_stops_up(fleet: KindFleet, world: World) -> None:
    world.exists(TWO)
    with pytest.raises(BadRequest, match=f"a cluster {TWO} that karmadalab did not make"):
        Clusters(fleet).up()
    assert world.calls("kind", "create") == []
    assert Clusters(fleet).down() == []
    assert set(world.clusters) == {TWO}


# A shell starts what runs in the background deaf to SIGINT, and its children inherit that.
UP = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from karmadalab.environments.kind.fleet import read_kind_fleet
from karmadalab.environments.kind.updown import Clusters
Clusters(read_kind_fleet({"name": "test", "members": ["member1", "member2", "member3"]})).up()
"""


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_an_up_that_is_interrupted_or_killed_is_cleared_up_by_down(
    ending: signal.Signals, fleet: KindFleet, world: World
) -> None:
    world.plan(**{TWO: "hang"})
    with subprocess.Popen([sys.executable, "-c", UP], stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 30
        while set(world.clusters) < {ONE, TWO, THREE} and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(process.pid, ending)
        assert process.wait(10) != 0
    [left] = [item for item in FleetFolder("test").read().clusters if item.member == "member2"]
    assert left.phase == "creating"
    assert runs(left.pid) == (ending == signal.SIGKILL), "Ctrl-C ends kind; a kind whose lab was killed goes on"
    world.plan()
    assert [status.phase for status in Clusters(fleet).status()][1] == "creating"
    assert Clusters(fleet).down() == [ONE, TWO, THREE]
    assert not runs(left.pid)
    assert world.clusters == {}
    assert fleets() == []


def runs(pid: int) -> bool:
    """Whether a process is there and not merely waiting to be buried."""
    state = subprocess.run(
        ["/bin/ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return bool(state.strip()) and not state.startswith("Z")


def test_an_up_after_an_interrupted_one_makes_the_half_made_anew(fleet: KindFleet, world: World) -> None:
    clusters = Clusters(fleet)
    clusters.up()
    state = clusters.folder.read().clusters[1]
    clusters.folder.put(type(state)(state.member, state.cluster))  # as if the lab had died while kind was at work
    clusters.up()
    assert [argv[argv.index("--name") + 1] for argv in world.calls("kind", "delete")] == [TWO]
    assert phases() == dict.fromkeys(("member1", "member2", "member3"), "ready")


def test_a_down_that_the_engine_refuses_can_be_repeated(fleet: KindFleet, world: World) -> None:
    Clusters(fleet).up()
    world.plan(engine="-docker-down")
    with pytest.raises(ToolError, match="Is the docker daemon running"):
        Clusters(fleet).down()
    assert len(phases()) == 3
    world.plan()
    assert Clusters(fleet).down() == [ONE, TWO, THREE]


@pytest.mark.parametrize("engine", ["-docker-down", "-docker-down-cli28", "-no-docker-cli"])
def test_without_an_engine_nothing_is_begun(engine: str, fleet: KindFleet, world: World) -> None:
    world.plan(engine=engine)
    with pytest.raises(ToolError, match="failed to list clusters"):
        Clusters(fleet).up()
    assert fleets() == []


def test_without_kind_nothing_is_begun(fleet: KindFleet, empty_path: Path) -> None:
    with pytest.raises(NotInstalled, match="kind is not on the PATH"):
        Clusters(fleet).up()
    assert fleets() == []


def test_a_machine_that_is_too_small_is_told_so_before_anything_starts(fleet: KindFleet, world: World) -> None:
    world.plan(memory=2 << 30)
    with pytest.raises(BadRequest, match="3 nodes of 900Mi need 2700 MiB, the engine has 2048 MiB"):
        Clusters(fleet).up()
    assert world.calls("kind", "create") == []


def test_images_are_loaded_and_a_missing_one_is_named(world: World) -> None:
    fleet = read_kind_fleet({"name": "test", "members": ["member1"], "images": ["nginx:1.27"]})
    world.plan(images=["nginx:1.27"])
    Clusters(fleet).up()
    assert world.calls("kind", "load") == [["kind", "load", "docker-image", "nginx:1.27", "--name", ONE]]
    Clusters(fleet).down()
    world.plan()
    with pytest.raises(FleetError, match="not present locally; way out: pull the image first"):
        Clusters(fleet).up()


def test_of_another_engine_images_are_saved_and_loaded_as_files(world: World, empty_path: Path) -> None:
    """`kind load docker-image` asks Docker, whatever engine runs the nodes."""
    (empty_path / "docker").rename(empty_path / "podman")
    fleet = read_kind_fleet({"name": "test", "members": ["member1"], "images": ["localhost/nginx:1.27"]})
    world.plan(images=["localhost/nginx:1.27"])
    Clusters(fleet).up()
    archive = FleetFolder("test").path / "image.tar"
    assert world.calls("podman", "save") == [["podman", "save", "-o", str(archive), "localhost/nginx:1.27"]]
    assert world.calls("kind", "load") == [["kind", "load", "image-archive", str(archive), "--name", ONE]]
    assert not archive.exists()
    world.plan()
    with pytest.raises(FleetError, match="image not known"):
        Clusters(fleet).up()


def test_a_stopped_node_shows_in_the_status_and_up_starts_it(fleet: KindFleet, world: World) -> None:
    clusters = Clusters(fleet)
    clusters.up()
    clusters.engine.call("stop", f"{TWO}-control-plane")
    assert [status.phase for status in clusters.status()] == ["ready", "stopped", "ready"]
    clusters.up()
    assert [status.phase for status in clusters.status()] == ["ready"] * 3
    assert len(world.calls("kind", "create")) == 3


def test_two_at_once_are_refused(fleet: KindFleet, world: World) -> None:
    folder = FleetFolder("test")
    with folder.locked(), pytest.raises(BadRequest, match="another karmadalab is at work"):
        Clusters(fleet).up()
    Clusters(fleet).up()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"{", "state.json: not JSON; kind get clusters shows"),
        (b'{"clusters": "\xff"}', "state.json: not JSON; kind get clusters shows"),
        (b'{"clusters": [{"member": "a", "cluster": "kind"}]}', "kind is no cluster of fleet test; it is left alone"),
        (b'{"clusters": [{"member": "a"}]}', "cluster"),
        (b'{"faults": [{"node": "x"}]}', r"state.json: faults\[0\].what: required, but missing"),
        (
            b'{"faults": [{"node": "x", "what": "", "do": 5, "undo": []}]}',
            r"state.json: faults\[0\].do: expected a list",
        ),
    ],
)
def test_a_state_changed_by_hand_deletes_nothing(text: bytes, said: str, world: World) -> None:
    world.exists("kind")
    folder = FleetFolder("test")
    folder.write_file(folder.path / "state.json", "")
    (folder.path / "state.json").write_bytes(text)
    with pytest.raises(KarmadalabError, match=said):
        take_down(folder, Clusters(read_kind_fleet({"name": "test", "members": ["a"]})).kind)
    assert set(world.clusters) == {"kind"}


def test_a_home_that_can_not_be_written_names_the_variable(
    fleet: KindFleet, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KARMADALAB_HOME", "/dev/null/home")
    with pytest.raises(BadRequest, match="KARMADALAB_HOME"):
        Clusters(fleet).up()
    assert world.calls("kind", "create") == []

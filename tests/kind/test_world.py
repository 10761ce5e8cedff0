"""Our controllers over members that are reached as kind clusters are: TLS, tokens, the official client."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from karmadalab import Lab, Settings
from karmadalab.api.errors import BadRequest
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.unstructured import Unstructured
from karmadalab.environments.fleet import MemberSpec
from karmadalab.environments.http import calls
from karmadalab.environments.kind import join
from karmadalab.environments.kind.agents import Serve
from karmadalab.environments.kind.measures import Measures
from karmadalab.environments.kind.opening import running_world
from karmadalab.environments.kind.state import FleetFolder
from karmadalab.server import serve_store
from tests.kind.conftest import World
from tests.kind.machines import FakeEngine, Machine, machines
from tests.kind.test_updown import runs

SPEED = 30.0  # lab seconds a second
FLAGS = {
    "failover-eviction-timeout": "40s",
    "default-not-ready-toleration-seconds": 10,
    "default-unreachable-toleration-seconds": 10,
}
Opened = tuple[Lab, dict[str, Machine], FakeEngine]
PUSH, PULL = MemberSpec("member1"), MemberSpec("member3", mode="Pull")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time-outs are real seconds while the lab runs faster."""
    monkeypatch.setattr(calls, "IDLE_CONNECTION_TIMEOUT_S", 2.0)
    monkeypatch.setattr(calls, "HANDSHAKE_TIMEOUT_S", 0.5)


@contextmanager
def lab_over(folder: Path, *specs: MemberSpec, serve: Serve | None = None) -> Iterator[Opened]:
    with machines(*specs, speed=SPEED) as found:
        engine = FakeEngine(found)
        with opened(folder, found, engine, serve) as lab:
            yield lab, found, engine
        assert lab.world.error is None


def opened(folder: Path, found: dict[str, Machine], engine: FakeEngine, serve: Serve | None = None) -> Lab:
    """A lab over machines, running."""
    measures = Measures(engine, FleetFolder("test", folder))
    connections = [machine.connection() for machine in found.values()]
    flags = Settings().with_flags(FLAGS)
    world = running_world(connections, measures, flags, Random(1), strict=True, speed=SPEED, serve=serve)
    return Lab(world, flags, None)


def times(lab: Lab, name: str, *words: str) -> list[float]:
    return [e.t for e in lab.timeline.important() if e.name == name and all(w in str(e) for w in words)]


def test_a_failover_over_a_real_wire(tmp_path: Path) -> None:
    with lab_over(tmp_path, PUSH, MemberSpec("member2"), PULL) as (lab, found, engine):
        store = found["member1"].member.store
        assert store.find("ServiceAccount", "karmada-member1", "karmada-cluster") is not None
        assert store.find("ClusterRoleBinding.rbac.authorization.k8s.io", "karmada-controller-manager:karmada-member1")
        cluster = lab.get("Cluster", "member1")
        assert cluster.spec.secretRef.name == "member1"
        assert cluster.spec.id == store.get("Namespace", "kube-system").metadata.uid
        assert cluster.status.kubernetesVersion.startswith("v1.")
        assert any(e.groupVersion == "apps/v1" for e in cluster.status.apiEnablements)
        assert lab.get("Secret", "member1", "karmada-cluster")["data"]["token"]

        lab.apply("environments/nginx.yaml")
        lab.run("15s")
        assert lab.placement == {"default/nginx-deployment": {"member1": 2, "member2": 2}}
        assert len(lab.member("member1").list("Pod", "default")) == 2
        assert times(lab, "nginx", "Deployment@member1", "created") or lab.timeline

        lab.fault("member1").power_off()
        assert found["member1"].state == "exited"
        lab.run_until(lambda lab: lab.placement["default/nginx-deployment"] == {"member2": 2, "member3": 2}, "150s")
        [down] = times(lab, "member1", "fault", "power off")
        [noticed] = times(lab, "member1", "condition Ready True -> False")
        assert 30 <= noticed - down <= 45
        lab.run_until(lambda lab: bool(lab.member("member3").list("Pod", "default")), "30s")
        lab.run("10s")

        lab.heal()
        assert found["member1"].state == "running"
        lab.run_until(lambda lab: not lab.member("member1").list("Deployment", "default"), "150s")
        assert engine.calls == [("kill", found["member1"].name), ("start", found["member1"].name)]


def test_a_silent_member_keeps_nobody_else_waiting(tmp_path: Path) -> None:
    with lab_over(tmp_path, PUSH, MemberSpec("member2")) as (lab, found, _):
        lab.apply("environments/nginx.yaml")
        lab.run("5s")
        lab.fault("member1").silence()
        assert any("DROP" in rule for rule in found["member1"].rules)
        began = time.monotonic()
        lab.scale("nginx", 3)
        lab.run_until(lambda lab: lab.member("member2").get("Deployment", "nginx").spec["replicas"] == 3, "10s")
        assert time.monotonic() - began < 1.5, "member2 was served while a call to member1 hung"
        lab.run_until(lambda lab: bool(times(lab, "member1", "condition Ready True -> False")), "200s")
        assert times(lab, "member1", "probe of member1: no answer in time")
        assert not times(lab, "member2", "condition Ready True -> False")
        lab.heal()
        assert found["member1"].rules == []


def test_an_agent_that_is_stopped_is_missed_and_one_that_returns_is_believed(tmp_path: Path) -> None:
    with lab_over(tmp_path, PULL) as (lab, found, engine):
        lab.fault("member3").stop_agent()
        lab.run_until(lambda lab: bool(times(lab, "member3", "condition Ready True -> Unknown")), "120s")
        lab.heal()
        lab.run_until(lambda lab: bool(times(lab, "member3", "Unknown -> True")), "120s")
        assert engine.calls == []
        assert found["member3"].state == "running"


def ends(pid: int, within_s: float = 5.0) -> bool:
    """Whether a process that was killed is gone soon; the system needs a moment on a busy machine."""
    last = time.monotonic() + within_s
    while runs(pid) and time.monotonic() < last:
        time.sleep(0.02)
    return not runs(pid)


def test_an_agent_in_a_process_of_its_own_is_killed_for_real(tmp_path: Path) -> None:
    with lab_over(tmp_path, PULL, serve=serve_store) as (lab, _, engine):
        agent = lab.world.agents["member3"]
        first = agent._process.pid
        assert runs(first)
        with pytest.raises(BadRequest, match=r"silence: member3's agent is a process.*agents='here'"):
            lab.fault("member3").silence()
        lab.fault("member3").stop_agent()
        assert ends(first), "a killed process is gone within seconds, if not at once"
        lab.run_until(lambda lab: bool(times(lab, "member3", "condition Ready True -> Unknown")), "120s")
        lab.heal()
        lab.run_until(lambda lab: bool(times(lab, "member3", "Unknown -> True")), "240s")
        second = agent._process.pid
        assert second != first
        assert engine.calls == []
    assert ends(second), "the end of the lab is the end of its processes"


def test_an_exception_heals_and_so_does_the_end(tmp_path: Path) -> None:
    seen: dict[str, Machine] = {}

    def break_and_fall() -> None:
        with lab_over(tmp_path, PUSH) as (lab, found, _):
            seen.update(found)
            lab.fault("member1").freeze()
            assert found["member1"].state == "paused"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_and_fall()
    assert seen["member1"].state == "running"
    assert FleetFolder("test", tmp_path).read().faults == ()


LEFT_OPEN = """
import atexit, sys
from pathlib import Path
from tests.kind import test_world
from tests.kind.machines import machines
with machines(test_world.PUSH, speed=test_world.SPEED) as found:
    engine = test_world.FakeEngine(found)
    atexit.register(lambda: print(engine.calls))  # runs last
    lab = test_world.opened(Path(sys.argv[1]), found, engine)
    lab.fault("member1").freeze()
    {end}
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", ["sys.exit()", "1 / 0"])
def test_a_python_that_ends_with_a_lab_open_heals_first(end: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", LEFT_OPEN.format(end=end), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    node = "karmadalab-test-member1-control-plane"
    assert done.stdout == f"[('pause', '{node}'), ('unpause', '{node}')]\n", done.stderr
    assert ("ZeroDivisionError" in done.stderr) == (end == "1 / 0")
    assert FleetFolder("test", tmp_path).read().faults == ()


def test_leaving_takes_the_account_away(tmp_path: Path) -> None:
    with lab_over(tmp_path, PUSH) as (lab, found, _):
        lab.run("5s")
        lab.unjoin("member1")
        lab.run_until(lambda lab: lab.find("Cluster", "member1") is None, "60s")
        assert lab.members == []
        assert lab.find("Secret", "member1", "karmada-cluster") is None
        store = found["member1"].member.store
        deadline = time.monotonic() + 5
        while store.find("ServiceAccount", "karmada-member1", "karmada-cluster") and time.monotonic() < deadline:
            time.sleep(0.01)
        assert store.find("ServiceAccount", "karmada-member1", "karmada-cluster") is None
        assert store.find("ClusterRole.rbac.authorization.k8s.io", "karmada-controller-manager:karmada-member1") is None
        lab.join("member1")
        lab.run_until(lambda lab: lab.get("Cluster", "member1").status.kubernetesVersion != "", "60s")


def test_what_an_earlier_lab_left_is_swept_away_and_nothing_else(tmp_path: Path) -> None:
    with machines(PUSH, speed=SPEED) as found:
        store = found["member1"].member.store
        with store.clock.taken():
            for name, labels in (("theirs", {}), ("ours", {"karmada.io/managed": "true"})):
                metadata = ObjectMeta(name=name, namespace="kube-system", labels=labels)
                store.create(Unstructured("v1", "ConfigMap", metadata, {"data": {"colour": "red"}}))
        assert join.sweep(found["member1"].connection().admin) == 1
        left = [obj.metadata.name for obj in store.list("ConfigMap", "kube-system")]
        assert "theirs" in left
        assert "ours" not in left


def test_what_only_a_fake_can_do_is_refused(tmp_path: Path) -> None:
    with lab_over(tmp_path, PUSH) as (lab, _, engine):
        with pytest.raises(BadRequest, match=r"slow_start exists only in Lab\.fake"):
            lab.fault("member1").slow_start("1m")
        with pytest.raises(BadRequest, match="is no cluster of the fleet: member1"):
            lab.join("member9")
        lab.check()
        assert engine.calls == []


def test_without_docker_a_sentence_says_what_the_doctor_found(empty_path: Path) -> None:
    with pytest.raises(BadRequest) as caught:
        Lab.kind()
    assert "karmadalab doctor: Lab.fake can be used; kind mode can't yet: engine, kind" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_clusters_a_sentence_says_how_to_make_them(world: World) -> None:
    with pytest.raises(BadRequest, match=r"member1 is absent.*karmadalab kind up environments/kind-three\.yaml"):
        Lab.kind("environments/kind-three.yaml")

"""On real kind clusters: `make test-kind`. What the other tests do with stand-ins, once for real.

Makes the fleet of environments/kind-three.yaml in a folder of its own and removes it again, so that neither the user's
clusters nor a fleet they have made are touched. Says how long each step took.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from karmadalab import Lab, Settings
from karmadalab.environments.files import load_yaml
from karmadalab.environments.kind.fleet import KindFleet, read_kind_fleet
from karmadalab.environments.kind.progress import Step
from karmadalab.environments.kind.running import run as run_program
from karmadalab.environments.kind.tool import successful
from karmadalab.environments.kind.updown import Clusters
from tests.lessons import ROOT, run

pytestmark = [pytest.mark.kind, pytest.mark.slow]

IMAGE = "karmadalab-agent:test"
THREE = load_yaml(ROOT / "environments" / "kind-three.yaml")
FLEET = read_kind_fleet({**THREE, "name": "three", "agent_image": IMAGE})  # the name that the lessons know it by
FLAGS = Settings(
    failover_eviction_timeout="60s", default_not_ready_toleration_seconds=30, default_unreachable_toleration_seconds=30
)


@contextmanager
def step(what: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    print(f"\n{time.monotonic() - began:7.1f} s  {what}", end="", flush=True)


def tell(member: str, told: Step) -> None:
    print(f"\n           {member}: {told}", end="", flush=True)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KindFleet]:
    """The clusters, for all tests of this module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KARMADALAB_HOME", str(tmp_path_factory.mktemp("home")))
        clusters = Clusters(FLEET, on_step=tell)
        with step(f"build {IMAGE}"):
            dockerfile = str(ROOT / "environments" / "agent.Dockerfile")
            successful(
                run_program(clusters.engine.program, "build", "-t", IMAGE, "-f", dockerfile, str(ROOT), timeout_s=600.0)
            )
        before = set(clusters.kind.clusters())
        try:
            with step("up"):
                clusters.up()
            with step("up again, with nothing to do"):
                clusters.up()
            yield clusters.fleet
        finally:
            with step("down"):
                clusters.down()
        assert set(clusters.kind.clusters()) == before


@pytest.fixture
def lab(fleet: KindFleet) -> Iterator[Lab]:
    with step("join and settle"):
        opened = Lab.kind(FLEET, settings=FLAGS, seed=Random(0).randrange(100), strict=True)
    with opened as found:
        yield found
        for name in ("nginx",):
            if found.find("Deployment", name) is not None:
                found.delete("Deployment", name)
        found.run_until(lambda lab: not any(lab.member(m).find("Deployment", "nginx") for m in lab.members), "5m")
        for member in found.members:
            found.unjoin(member)
        found.run_until(lambda lab: not lab.list("Cluster"), "5m")


def replacement(lab: Lab, victim: str) -> bool:
    clusters = lab.placement["default/nginx-deployment"]
    pods = [pod for name in clusters for pod in lab.member(name).list("Pod", "default")]
    ready = [
        p for p in pods if any(c["type"] == "Ready" and c["status"] == "True" for c in p.status.get("conditions", ()))
    ]
    return victim not in clusters and len(clusters) == 2 and len(ready) >= 4


def placed(lab: Lab) -> None:
    lab.apply(ROOT / "environments" / "nginx.yaml")
    with step("first pods are ready"):
        lab.run_until(lambda lab: replacement(lab, ""), "5m")


def test_a_push_member_loses_its_power_and_after_it_a_pull_member(lab: Lab) -> None:
    """The first failover moves a copy to the third member, whatever its mode; the second takes it from there."""
    placed(lab)
    [spare] = set(lab.members) - set(lab.placement["default/nginx-deployment"])
    assert spare == "member3", "the scheduler prefers by name, and member3 pulls"
    for victim in ("member1", spare):
        lab.fault(victim).power_off()
        with step(f"{victim} lost its power: the replacement is ready"):
            lab.run_until(lambda lab, victim=victim: replacement(lab, victim), "6m")
        lab.heal()
        with step(f"{victim} is back and Ready"):
            lab.run_until(lambda lab, victim=victim: "Ready=True" in repr(lab.get("Cluster", victim)), "5m")


def test_a_push_member_falls_silent(lab: Lab) -> None:
    placed(lab)
    lab.fault("member1").silence()
    with step("member1 is silent: noticed"):
        lab.run_until(lambda lab: "Ready=False" in repr(lab.get("Cluster", "member1")), "3m")
    lab.heal()
    with step("member1 is heard again"):
        lab.run_until(lambda lab: "Ready=True" in repr(lab.get("Cluster", "member1")), "3m")


def test_the_agent_of_a_pull_member_is_stopped(lab: Lab) -> None:
    lab.fault("member3").stop_agent()
    with step("member3's agent stopped: the lease is missed"):
        lab.run_until(lambda lab: "Ready=Unknown" in repr(lab.get("Cluster", "member3")), "3m")
    lab.heal()
    with step("member3's agent is back"):
        lab.run_until(lambda lab: "Ready=True" in repr(lab.get("Cluster", "member3")), "3m")


def test_the_agent_of_a_pull_member_is_a_pod(fleet: KindFleet) -> None:
    """It is stopped, cut off and frozen where it runs, and each time believed again when it is back."""

    def is_ready(state: str) -> Callable[[Lab], bool]:
        return lambda lab: f"Ready={state}" in repr(lab.get("Cluster", "member3"))

    with step("join and settle, the agent in a pod"), pytest.warns(UserWarning, match="not only on loopback"):
        opened = Lab.kind(fleet, settings=FLAGS, agents="pod", listen="gateway", strict=True)
    with opened as lab:
        for fault in ("stop_agent", "silence", "freeze_agent"):
            getattr(lab.fault("member3"), fault)()
            with step(f"{fault}: the lease is missed"):
                lab.run_until(is_ready("Unknown"), "3m")
            lab.heal()
            with step("healed"):
                lab.run_until(is_ready("True"), "5m")


@pytest.mark.parametrize("name", ["90_the_same_on_kind", "91_predicted_and_observed"])
def test_the_lessons_about_kind(name: str, fleet: KindFleet, tmp_path: Path) -> None:
    with step(f"lesson {name}"):
        run(ROOT / "notebooks" / f"{name}.ipynb", tmp_path / f"{name}.ipynb", {"WORLD": "kind"})

"""A control plane, a member and its agent, each in a process of its own: freeze one, and see what the lab foretold."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from karmadalab.api.errors import Unreachable
from karmadalab.environments.http.lab_time import clock_of
from karmadalab.environments.kind.official import OfficialTransport
from karmadalab.environments.observe import Observation
from karmadalab.lab import Lab
from karmadalab.server import serve
from tests.worlds import deployment, policy

from .conftest import eventually
from .processes import Api, Process, running, start

pytest.importorskip("kubernetes", reason="the kind extra is not installed")

FLAGS = {
    "cluster-status-update-frequency": "2s",
    "cluster-lease-duration": "8s",
    "cluster-monitor-period": "1s",
    "cluster-monitor-grace-period": "8s",
    "cluster-failure-threshold": "4s",
    "cluster-success-threshold": "4s",
    "failover-eviction-timeout": "5s",
    "default-unreachable-toleration-seconds": "3",
    "default-not-ready-toleration-seconds": "3",
}
SET = [word for flag, value in FLAGS.items() for word in ("--set", f"{flag}={value}")]
# First the member with the agent, then another: where it runs before and after is no matter of chance.
AFFINITIES = [
    {"affinityName": "first", "clusterNames": ["member3"]},
    {"affinityName": "backup", "clusterNames": ["member2"]},
]
MANIFESTS = [deployment(), policy(clusterAffinities=AFFINITIES)]
STORY = ("condition Ready", "taint ", "gracefulEvictionTasks", "spec.clusters", "schedulerObservingAffinityName")


def story(timeline: Any) -> list[str]:
    """The failover's steps without their times: what the health monitor, the taints and the binding went through."""
    told = [
        event for event in timeline if event.kind in ("Cluster", "ResourceBinding") and event.what.startswith(STORY)
    ]
    steps = [f"{event.kind} {event.name}: {event.text}" for event in told]
    return [step for number, step in enumerate(steps) if number == 0 or step != steps[number - 1]]


def foretold() -> list[str]:
    """The same in a virtual lab."""
    lab = Lab.fake(members=3, pull=1, settings=FLAGS, seed=1)
    lab.apply(MANIFESTS)
    lab.run("20s")
    began = lab.t
    lab.fault("member3").freeze_agent()
    lab.run("30s")
    return story([event for event in lab.timeline if event.t >= began])


@pytest.mark.slow
def test_a_frozen_agent_fails_over_as_foretold(tmp_path: Path) -> None:
    (plane := tmp_path / "plane").mkdir()
    (near := tmp_path / "member").mkdir()
    (tmp_path / "fleet.yaml").write_text("members: [member1, member2]\n")
    karmada, member = str(plane / "kubeconfig"), str(near / "kubeconfig")
    with ExitStack() as stack:

        def run(folder: Path, *args: str) -> Process:
            return stack.enter_context(running(folder, *args))

        run(plane, "serve", str(tmp_path / "fleet.yaml"), "--speed", "5", "--folder", str(plane), *SET)
        run(near, "member", "member3", "--karmada", karmada, "--folder", str(near))
        agent = run(plane, "agent", "--member", "member3", "--karmada", karmada, "--kubeconfig", member, *SET)
        with Lab.observe(karmada) as seen:
            eventually(lambda: ready(seen, "member3") == "True")
            api = Api(plane / "kubeconfig")
            for manifest, path in zip(MANIFESTS, (DEPLOYMENTS, POLICIES), strict=True):
                assert api("POST", path, manifest)[0] == 201
            eventually(lambda: clusters(seen) == ["member3"] and healthy(seen))
            began = seen.t
            agent.popen.send_signal(signal.SIGSTOP)
            eventually(lambda: clusters(seen) == ["member2"] and not tasks(seen))
            happened = story([event for event in seen.timeline if event.t >= began])
            agent.popen.send_signal(signal.SIGCONT)
            eventually(lambda: ready(seen, "member3") == "True")
            api.close()
    assert happened == foretold()
    assert any("gracefulEvictionTasks" in step for step in happened)


@pytest.mark.slow
def test_a_killed_control_plane_and_a_killed_member_are_found_again(tmp_path: Path) -> None:
    """The agent knows only two kubeconfigs: who starts again in the same folder is there."""
    (plane := tmp_path / "plane").mkdir()
    (near := tmp_path / "member").mkdir()
    karmada, member = str(plane / "kubeconfig"), str(near / "kubeconfig")
    (tmp_path / "fleet.yaml").write_text("members: [member1]\n")
    serving = ("serve", str(tmp_path / "fleet.yaml"), "--speed", "5", "--folder", str(plane), *SET)
    keeping = (*serving, "--data", str(tmp_path / "objects.db"))
    with ExitStack() as stack:
        first = stack.enter_context(running(plane, *keeping))
        there = stack.enter_context(running(near, "member", "member3", "--karmada", karmada, "--folder", str(near)))
        stack.enter_context(
            running(plane, "agent", "--member", "member3", "--karmada", karmada, "--kubeconfig", member, *SET)
        )
        eventually(lambda: condition_of(karmada, "member3") == "True")
        first.kill()
        stack.enter_context(running(plane, *keeping))
        before = renewed(karmada)
        eventually(lambda: renewed(karmada) > before)
        there.kill()
        eventually(lambda: condition_of(karmada, "member3") == "False")
        stack.enter_context(running(near, "member", "member3", "--karmada", karmada, "--folder", str(near)))
        eventually(lambda: condition_of(karmada, "member3") == "True")


def asked(kubeconfig: str, path: str) -> Any:
    api = Api(Path(kubeconfig))
    try:
        return api("GET", path)[1]
    finally:
        api.close()


def condition_of(kubeconfig: str, name: str) -> str:
    found = asked(kubeconfig, f"/apis/cluster.karmada.io/v1alpha1/clusters/{name}")
    conditions = found.get("status", {}).get("conditions", [])
    return next((c["status"] for c in conditions if c["type"] == "Ready"), "")


def renewed(kubeconfig: str) -> str:
    path = "/apis/coordination.k8s.io/v1/namespaces/karmada-cluster/leases/member3"
    return str(asked(kubeconfig, path)["spec"]["renewTime"])


DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
POLICIES = "/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies"


def ready(seen: Observation, name: str) -> str:
    found = seen.now.find("Cluster", name)
    return next((c.status for c in found.status.conditions if c.type == "Ready"), "") if found is not None else ""


def binding(seen: Observation) -> Any:
    return seen.now.find("ResourceBinding", "web-deployment")


def clusters(seen: Observation) -> list[str]:
    found = binding(seen)
    return [target.name for target in found.spec.clusters] if found is not None else []


def tasks(seen: Observation) -> bool:
    return bool(binding(seen).spec.gracefulEvictionTasks)


def healthy(seen: Observation) -> bool:
    return [item.health for item in binding(seen).status.aggregatedStatus] == ["Healthy"]


def test_an_observer_records_what_the_lab_did_and_writes_nothing(tmp_path: Path) -> None:
    lab = Lab.fake(members=3, seed=1)
    lab.apply(MANIFESTS)
    lab.run("20s")
    with serve(lab) as served, Lab.observe(served.kubeconfig) as seen:
        rows, began = len(lab.trace), lab.t
        assert [c.metadata.name for c in seen.now.list("Cluster")] == ["member1", "member2", "member3"]
        lab.fault("member3").power_off()
        lab.run("15m")
        for kind in ("Cluster", "ResourceBinding"):  # each kind has a watch of its own; between them there is no order
            expected = story([event for event in lab.timeline if event.t >= began and event.kind == kind])
            eventually(lambda: story([e for e in seen.timeline if e.kind == kind]) == expected)  # noqa: B023
            assert expected
        assert [row for row in lab.trace.rows[rows:] if row.actor == "user" and row.version] == []


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_when_told_to(ending: signal.Signals) -> None:
    """As Ctrl-C does, also for whoever was started in the background, where a shell makes it deaf to that."""
    command = [sys.executable, "-c", _HEARING, "serve", "--speed", "10"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as popen:
        assert popen.stdout is not None
        line = next(line for line in popen.stdout if line.startswith("export KUBECONFIG="))
        kubeconfig = Path(line.strip().partition("=")[2])
        next(popen.stdout)
        assert kubeconfig.exists()
        popen.send_signal(ending)
        _, said = popen.communicate(timeout=20)
    assert (popen.returncode, said.splitlines()[-1]) == (0, "ended")
    assert not kubeconfig.parent.exists(), "the folder was its own"


_HEARING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from karmadalab.cli import main
main()
"""


def test_an_agent_needs_its_control_plane(tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text("{}")
    with pytest.raises(AssertionError, match="ended with 2"):
        start(
            tmp_path, "agent", "--member", "m", "--karmada", str(tmp_path / "no"), "--kubeconfig", str(tmp_path / "no")
        )


def test_who_joins_is_told_which_end_does_not_answer(tmp_path: Path) -> None:
    with Lab.fake(members=1) as lab, lab.serve(folder=tmp_path) as served:
        pass
    with pytest.raises(Unreachable, match=rf"^{served.address}: connection refused; is it running, and is this its"):
        clock_of(OfficialTransport(served.kubeconfig))

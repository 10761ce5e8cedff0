"""The agent of a pull member as a pod in it: exactly these objects, felt on a real wire, and gone afterwards."""

from __future__ import annotations

import base64
import json
import os
import shlex
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from karmadalab import Lab, Settings
from karmadalab.api.errors import BadRequest
from karmadalab.core.member import ClientFailed
from karmadalab.environments.fleet import MemberSpec
from karmadalab.environments.http.transport import PlainTransport
from karmadalab.environments.kind import agent_pod
from karmadalab.environments.kind import world as kind_world
from karmadalab.environments.kind.agents import PodAgents
from karmadalab.environments.kind.engine import Node
from karmadalab.environments.kind.fleet import read_kind_fleet
from karmadalab.environments.kind.listening import LOOPBACK, Listening, listening
from karmadalab.environments.kind.measures import Measures, agent_cut_off, agent_frozen
from karmadalab.environments.kind.official import OfficialTransport
from karmadalab.environments.kind.opening import running_world
from karmadalab.environments.kind.state import FleetFolder
from karmadalab.environments.kind.updown import Clusters, FleetError
from karmadalab.server import serve_store
from tests.kind.conftest import World
from tests.kind.machines import FakeEngine, Machine, machines
from tests.kind.pods import PodRunner

SPEED = 30.0
IMAGE = "karmadalab-agent:0.1.0"
PULL = MemberSpec("member2", mode="Pull")
NAMES = {
    ("Namespace", "", "karmada-system"),
    ("ServiceAccount", "karmada-system", "karmada-agent-sa"),
    ("ClusterRole", "", "karmada-agent"),
    ("ClusterRoleBinding", "", "karmada-agent"),
    ("Secret", "karmada-system", "karmada-kubeconfig"),
    ("Deployment", "karmada-system", "karmada-agent"),
}
Opened = tuple[Lab, Machine, FakeEngine, PodRunner]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that does not come shall not take two minutes to fail."""
    monkeypatch.setattr(kind_world, "SETTLE_S", 30.0)


@contextmanager
def lab_with_a_pod(folder: Path, *others: MemberSpec, where: Listening | None = None) -> Iterator[Opened]:
    with machines(*others, PULL, speed=SPEED) as found:
        machine = found["member2"]
        pods = PodRunner(machine, folder / "pod")
        engine = FakeEngine(found)
        flags = Settings().with_flags({"cluster-status-update-frequency": "5s"})
        world = running_world(
            [each.connection() for each in found.values()],
            Measures(engine, FleetFolder("test", folder)),
            flags,
            Random(1),
            strict=True,
            speed=SPEED,
            serve=serve_store,
            image=IMAGE,
            where=where or Listening(LOOPBACK, "localhost"),
        )
        try:
            with Lab(world, flags, None) as lab:
                yield lab, machine, engine, pods
            assert world.error is None
        finally:
            pods.stop()


def there(machine: Machine) -> set[tuple[str, str, str]]:
    store = machine.member.store
    suffix = {
        "Deployment": ".apps",
        "ClusterRole": ".rbac.authorization.k8s.io",
        "ClusterRoleBinding": ".rbac.authorization.k8s.io",
    }
    kinds = sorted({kind for kind, _, _ in NAMES})
    found = {
        (kind, o.metadata.namespace, o.metadata.name) for kind in kinds for o in store.list(kind + suffix.get(kind, ""))
    }
    return found & NAMES


def soon(holds: Callable[[], bool], within_s: float = 10.0) -> bool:
    end = time.monotonic() + within_s
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def ready(lab: Lab, state: str) -> Callable[[Lab], bool]:
    return lambda lab: f"Ready={state}" in repr(lab.get("Cluster", "member2"))


@pytest.mark.slow
def test_it_reports_carries_out_and_is_missed_when_it_is_stopped(tmp_path: Path) -> None:
    with lab_with_a_pod(tmp_path, MemberSpec("member1")) as (lab, machine, engine, pods):
        assert there(machine) == NAMES
        [command] = pods.started
        assert command == [
            *("python", "-m", "karmadalab", "agent", "--member", "member2"),
            *("--karmada", "/etc/karmada/kubeconfig", "--set", "cluster-status-update-frequency=5s"),
        ]
        lab.apply("environments/nginx.yaml")
        lab.run_until(lambda lab: lab.placement == {"default/nginx-deployment": {"member1": 2, "member2": 2}}, "5m")
        lab.run_until(lambda lab: len(lab.member("member2").list("Pod", "default")) == 2, "5m")
        assert not [e for e in lab.timeline if "karmada-agent" in e.name], "the agent is no workload of the lab's"

        lab.fault("member2").stop_agent()
        assert soon(lambda: pods.process is None)
        lab.run_until(ready(lab, "Unknown"), "5m")
        lab.heal()
        lab.run_until(ready(lab, "True"), "10m")
        assert pods.process is not None
        assert len(pods.started) == 2
        assert engine.calls == []

        lab.unjoin("member2")
        lab.run_until(lambda lab: lab.find("Cluster", "member2") is None, "5m")
        assert soon(lambda: not there(machine))
        assert pods.process is None
        with pytest.raises(BadRequest, match="member2 is a member in Pull mode, not Push"):
            lab.join({"name": "member2", "region": "eu"})
        lab.join("member2")
        lab.run_until(ready(lab, "True"), "10m")
        assert there(machine) == NAMES
    assert soon(lambda: there(machine) <= {("Namespace", "", "karmada-system")}), (
        "the end of the lab takes away what it made"
    )
    assert pods.process is None


def test_faults_act_in_the_node(tmp_path: Path) -> None:
    """With a name for an address there is nothing that a packet filter could match."""
    with lab_with_a_pod(tmp_path) as (lab, machine, engine, _):
        with pytest.raises(BadRequest, match="calls the control plane by a name, and packets have addresses"):
            lab.fault("member2").silence()
        node = machine.name
        lab.fault("member2").freeze_agent()
        lab.fault("member2").slow("2s")
        netem = ("tc", "qdisc", "add", "dev", "eth0", "root", "netem", "delay", "2000ms")
        assert engine.calls == [agent_frozen(node, "karmada-agent").do, ("exec", "--privileged", node, *netem)]
        engine.calls.clear()
        lab.heal()
        assert agent_frozen(node, "karmada-agent").undo in engine.calls
        engine.calls.clear()
        lab.fault("member2").power_off()
        assert lab.world.agents["member2"].running, "a pod goes with its machine, nobody has to stop it"
        assert engine.calls == [("kill", node)]
        lab.heal()
        assert engine.calls[-1] == ("start", node)


def test_the_objects() -> None:
    objects = agent_pod.agent_objects("member2", IMAGE, "a kubeconfig", ("--set", "x=1"))
    named = {(o["kind"], o["metadata"].get("namespace", ""), o["metadata"]["name"]) for o in objects}
    assert named == NAMES
    *_, role, binding, secret, deployment = objects
    assert role["rules"] == [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        {"nonResourceURLs": ["*"], "verbs": ["get"]},
    ]
    assert binding["roleRef"] == {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": "karmada-agent",
    }
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": "karmada-agent-sa", "namespace": "karmada-system"}
    ]
    assert base64.b64decode(secret["data"]["kubeconfig"]) == b"a kubeconfig"
    spec = deployment["spec"]
    assert (spec["replicas"], spec["strategy"]) == (0, {"type": "Recreate"})
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"] == {"app": "karmada-agent"}
    pod = spec["template"]["spec"]
    assert pod["serviceAccountName"] == "karmada-agent-sa"
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 65532,
        "runAsGroup": 65532,
        "fsGroup": 65532,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert pod["volumes"] == [
        {"name": "karmada-kubeconfig", "secret": {"secretName": "karmada-kubeconfig", "defaultMode": 0o440}},
        {"name": "tmp", "emptyDir": {}},
    ]
    [container] = pod["containers"]
    assert (container["image"], container["imagePullPolicy"]) == (IMAGE, "IfNotPresent")
    assert container["args"] == ["--member", "member2", "--karmada", "/etc/karmada/kubeconfig", "--set", "x=1"]
    assert [m["mountPath"] for m in container["volumeMounts"]] == ["/etc/karmada", "/tmp"]


def test_what_a_killed_lab_left_is_replaced(tmp_path: Path) -> None:
    """Above all its Secret: the token in it opens a server that is gone."""
    with machines(PULL, speed=SPEED) as found:
        machine = found["member2"]
        admin = machine.connection().admin
        for kubeconfig in ("old", "new"):
            pod = agent_pod.AgentPod("member2", admin, agent_pod.agent_objects("member2", IMAGE, kubeconfig))
            pod.make()
        secret = machine.member.store.get("Secret", "karmada-kubeconfig", "karmada-system")
        assert base64.b64decode(secret["data"]["kubeconfig"]) == b"new"
        pod.start()
        store = machine.member.store
        assert soon(lambda: store.get("Deployment.apps", "karmada-agent", "karmada-system").spec["replicas"] == 1)
        pod.leave()
        assert soon(lambda: not there(machine))
        pod.leave()
        assert repr(pod) == "<AgentPod karmada-agent@member2 running>"


def test_a_lab_without_pods_takes_away_those_of_a_killed_one(tmp_path: Path) -> None:
    with machines(PULL, speed=SPEED) as found:
        machine = found["member2"]
        agent_pod.AgentPod(
            "member2", machine.connection().admin, agent_pod.agent_objects("member2", IMAGE, "old")
        ).make()
        flags, measures = Settings(), Measures(FakeEngine(found), FleetFolder("test", tmp_path))
        with Lab(running_world([machine.connection()], measures, flags, Random(1), speed=SPEED), flags, None):
            assert not {kind for kind, *_ in there(machine)} & {"Secret", "Deployment"}


def test_a_member_out_of_reach_is_told_when_it_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_pod, "_RETRY_S", 0.05)
    with machines(PULL, speed=SPEED) as found:
        machine = found["member2"]
        way = machine.connection().with_token(machine.token)  # through the machine's gate
        pod = agent_pod.AgentPod("member2", way, agent_pod.agent_objects("member2", IMAGE, "a kubeconfig"))
        pod.make()
        machine.state = "exited"
        pod.start()
        assert soon(lambda: pod.problem is not None)
        assert repr(pod) == "<AgentPod karmada-agent@member2 running, not yet so: connection refused>"
        assert pod.pods() == "karmada-agent@member2: connection refused"
        machine.state = "running"
        store = machine.member.store
        assert soon(lambda: store.get("Deployment.apps", "karmada-agent", "karmada-system").spec["replicas"] == 1)
        assert soon(lambda: pod.problem is None)
        machine.state = "exited"
        pod.leave()  # nobody answers, and nobody waits


def test_why_it_does_not_report_is_what_its_pod_says() -> None:
    waiting = {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}
    status = {"containerStatuses": [{"state": waiting}]}
    assert agent_pod._told({"metadata": {"name": "a-1"}, "status": status}) == "a-1: ErrImagePull, no such image"
    assert (
        agent_pod._told({"metadata": {"name": "a-1"}, "status": {"containerStatuses": [{"state": {"running": {}}}]}})
        == ""
    )


GATEWAYS = ["172.18.0.1"]


@pytest.mark.parametrize(
    ("listen", "host", "known_as", "is_open", "is_address"),
    [
        ("gateway", "172.18.0.1", "172.18.0.1", True, True),
        ("0.0.0.0", "0.0.0.0", "172.18.0.1", True, True),
        ("192.168.1.7", "192.168.1.7", "192.168.1.7", True, True),
        ("host.docker.internal", "127.0.0.1", "host.docker.internal", False, False),
    ],
)
def test_where_it_listens(listen: str, host: str, known_as: str, is_open: bool, is_address: bool) -> None:
    found = listening(listen, GATEWAYS)
    assert found == (host, known_as)
    assert (found.is_open, found.is_address) == (is_open, is_address)


@pytest.mark.parametrize(
    ("listen", "gateways", "said"),
    [
        ("", GATEWAYS, "a pod can't reach this machine's loopback, so say where to listen: listen='gateway'"),
        ("gateway", [], "the engine names no gateway"),
        ("127.0.0.1", GATEWAYS, r"a pod can't reach 127\.0\.0\.1"),
        ("gatway", GATEWAYS, "'gatway' is neither an address nor a name"),
        ("a b.c", GATEWAYS, "neither an address nor a name"),
    ],
)
def test_where_it_can_not_listen(listen: str, gateways: list[str], said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        listening(listen, gateways)


def test_listening_elsewhere_is_said(tmp_path: Path) -> None:
    where = Listening("0.0.0.0", "127.0.0.1")  # as `listen="0.0.0.0"`, if the gateway were loopback
    opened = lab_with_a_pod(tmp_path, where=where)
    with pytest.warns(UserWarning, match=r"the control plane listens on 0\.0\.0\.0, port \d+, not only on loopback"):
        lab, machine, engine, _ = opened.__enter__()
    try:
        assert [row for row in lab.trace.rows if "not only on loopback" in str(row)]
        agents = lab.world.processes
        assert isinstance(agents, PodAgents)
        address, port = agents.way
        lab.fault("member2").silence()
        assert engine.calls == [agent_cut_off(machine.name, "DROP", (address, port)).do]
        assert engine.calls[0][3:] == (
            *("iptables", "-w", "5", "-I", "FORWARD", "-d", "127.0.0.1", "-p", "tcp", "--dport", str(port)),
            *("-m", "comment", "--comment", "karmadalab:agent", "-j", "DROP"),
        )
        lab.heal()
        assert engine.calls[1][6:] == ("-D", *engine.calls[0][7:])
        assert machine.rules == []
    finally:
        opened.__exit__(None, None, None)


def test_the_certificate_holds_for_the_name_that_containers_use(tmp_path: Path) -> None:
    with Lab.live(members=1) as lab, serve_store(lab.store, "karmada-apiserver", known_as="localhost") as served:
        assert served.address == f"https://localhost:{served.port}"
        answer = PlainTransport.from_kubeconfig(served.kubeconfig).request("GET", "/version", {}, None, 5.0)
        assert answer.code == 200
        trust = ssl.create_default_context(cafile=str(served.folder / "server.crt"))
        with pytest.raises(urllib.error.HTTPError, match="401"):  # TLS is content also with the address
            urllib.request.urlopen(f"https://127.0.0.1:{served.port}/version", context=trust, timeout=5)


def test_the_agent_without_a_kubeconfig_must_be_in_a_pod(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(Exception, match="there is no kubeconfig, and this is no pod of Kubernetes"):
        OfficialTransport(None)


@pytest.mark.parametrize(
    "part",
    [
        {"clusters": [{"name": "a", "cluster": {"server": 5}}]},
        {"clusters": [{"name": "a", "cluster": 5}]},
        {"clusters": [5]},
        {"users": [5]},
        {"users": 5},
        {"contexts": [5]},
    ],
    ids=str,
)
@pytest.mark.parametrize("token", ["", "another"])
def test_a_kubeconfig_with_parts_of_the_wrong_type_is_named(tmp_path: Path, part: dict[str, Any], token: str) -> None:
    config = {
        "current-context": "a",
        "clusters": [{"name": "a", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "u"}}],
    }
    file = tmp_path / "config"
    file.write_text(json.dumps({**config, **part}))
    with pytest.raises(ClientFailed, match=f"^{file} can't be used: a part of it has the wrong type"):
        OfficialTransport(file, token)


@pytest.mark.parametrize(
    ("fleet", "options", "said"),
    [
        ("kind-three", {"agents": "pods"}, "write 'here', 'process' or 'pod', not 'pods'"),
        ("kind-three", {"agents": "pod", "listen": "gateway"}, "fleet three names no agent_image"),
        ("kind-three", {"listen": "gateway"}, "only agents='pod' need"),
        ("kind-pod", {"agents": "pod"}, "say where to listen"),
        ("kind-pod", {"agents": "pod", "listen": "gatway"}, "neither an address nor a name"),
        ("kind-pod", {"agents": "pod", "listen": "gateway"}, "member1 is absent"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_happens(
    fleet: str, options: dict[str, Any], said: str, world: World
) -> None:
    with pytest.raises(BadRequest, match=said):
        Lab.kind(f"environments/{fleet}.yaml", **options)
    assert world.calls("kind", "create") == []


def test_up_loads_the_image_into_pull_members_each_time_and_down_leaves_nothing(world: World) -> None:
    fleet = read_kind_fleet("environments/kind-pod.yaml")
    load = ["kind", "load", "docker-image", IMAGE, "--name", "karmadalab-pod-member2"]
    with pytest.raises(FleetError, match="not present locally; way out: pull the image first"):
        Clusters(fleet).up()
    world.plan(images=[IMAGE])
    Clusters(fleet).up()
    assert world.calls("kind", "load") == [load, load], "it may have been built anew"
    Clusters(fleet).down()
    assert world.clusters == {}


def test_the_dockerfile_copies_what_its_context_has() -> None:
    lines = Path("environments/agent.Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = {name for line in lines if line.startswith("COPY ") for name in line.split()[1:-1]}
    ignored = Path(".dockerignore").read_text(encoding="utf-8").splitlines()
    assert copied == {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert all(Path(name).exists() for name in copied)
    assert lines[-1] == f"ENTRYPOINT {str(list(agent_pod.COMMAND)).replace(chr(39), chr(34))}"


def test_the_agents_process_is_stopped_and_goes_on(tmp_path: Path) -> None:
    """The very shell line that runs in the node, with a `crictl` that knows one container."""
    with subprocess.Popen(["/bin/sleep", "30"]) as process:
        crictl = tmp_path / "crictl"
        crictl.write_text(
            f"#!/bin/sh\ncase $1 in ps) [ $4 = '^karmada-agent$' ] && echo abc;; *) echo {process.pid};; esac\n"
        )
        crictl.chmod(0o755)
        env = {"PATH": f"{tmp_path}{os.pathsep}/bin"}
        state = lambda: Path(f"/proc/{process.pid}/stat").read_text().split()[2]  # noqa: E731
        measure = agent_frozen(Node("n", "running", (), ()).name, "karmada-agent")
        for argv, met in ((measure.do, "T"), (measure.undo, "S")):
            subprocess.run(argv[3:], env=env, check=True)
            assert soon(lambda met=met: state() == met), shlex.join(argv)
        process.kill()

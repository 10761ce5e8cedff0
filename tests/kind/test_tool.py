"""Every recorded call of kind, made through the wrapper: the same arguments, the same answer, an error with advice."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karmadalab.environments.kind import running
from karmadalab.environments.kind.engine import Engine
from karmadalab.environments.kind.errors import NotInstalled, TimedOut, ToolError, own_words
from karmadalab.environments.kind.running import run
from karmadalab.environments.kind.tool import Creation, Kind, finish, successful
from tests.kind.conftest import TRANSCRIPTS

FAKE = "localhost:5999/kindest/node:"
NONE, KC = f"{FAKE}v0.0.0", "WORKDIR/kc"
Recorded = Callable[[str], None]


def create(**fields: Any) -> Callable[[Kind], Any]:
    return lambda kind: kind.create(Creation(kubeconfig=KC, **fields)).stdout


def plainly(*words: str, stdin: str = "") -> Callable[[Kind], Any]:
    """Calls the wrapper has no method for."""
    return lambda kind: successful(run(*words, stdin=stdin)).stdout


HELP = plainly("kind", "--help")
CALLS: dict[str, Callable[[Kind], Any]] = {
    "create-already-exists": create(name="member1", image=f"{FAKE}fake"),
    "create-bad-field": create(config="cfg/bad-field.yaml"),
    "create-bad-name": create(name="Member_1!", image=NONE),
    "create-bad-role": create(config="cfg/bad-role.yaml", image=NONE),
    "create-bad-version": create(config="cfg/bad-version.yaml"),
    "create-bad-yaml": create(config="cfg/bad-yaml.yaml"),
    "create-cluster-help": plainly("kind", "create", "cluster", "--help"),
    "create-config-stdin-bad": plainly(
        "kind",
        "create",
        "cluster",
        "--config",
        "-",
        "--kubeconfig",
        KC,
        stdin="kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nfoo: 1\n",
    ),
    "create-docker-down": create(name="member1", image=NONE),
    "create-docker-down-cli28": create(name="member1", image=NONE),
    "create-kubeadm-init-fails": create(name="member3", image=f"{FAKE}failinit"),
    "create-kubeadm-init-fails-retain": create(name="member3", image=f"{FAKE}failinit", retain=True),
    "create-missing-config": create(config="cfg/absent.yaml"),
    "create-no-control-plane": create(config="cfg/no-cp.yaml", image=NONE),
    "create-no-docker-cli": create(name="member1", image=NONE),
    "create-node-does-not-boot": create(name="member4", image=f"{FAKE}noboot"),
    "create-success": create(config="cfg/ok2.yaml", image=f"{FAKE}fake", wait="20s"),
    "create-success-second": create(name="member2", image=f"{FAKE}fake"),
    "create-unpullable-image": create(config="cfg/ok.yaml", image=NONE),
    "create-unpullable-image-verbose": plainly(
        "kind", "create", "cluster", "--config", "cfg/ok.yaml", "--image", NONE, "--kubeconfig", KC, "-v", "1"
    ),
    "create-wait-unpullable": plainly(
        "kind",
        "create",
        "cluster",
        "--name",
        "member2",
        "--wait",
        "30s",
        "--image",
        NONE,
        "--kubeconfig",
        KC,
        "--quiet",
    ),
    "delete-after-retain": lambda kind: kind.delete("member3", KC),
    "delete-cluster-missing": lambda kind: kind.delete("member1", KC),
    "delete-clusters-all": plainly("kind", "delete", "clusters", "--all", "--kubeconfig", KC),
    "delete-clusters-all-none": plainly("kind", "delete", "clusters", "--all", "--kubeconfig", KC),
    "delete-docker-down": lambda kind: kind.delete("member1", KC),
    "delete-docker-down-cli28": lambda kind: kind.delete("member1", KC),
    "delete-member2": lambda kind: kind.delete("member2", KC),
    "delete-no-docker-cli": lambda kind: kind.delete("member1", KC),
    "export-kubeconfig-member2": lambda kind: kind.export_kubeconfig("member2", "WORKDIR/kc2"),
    "export-kubeconfig-missing": lambda kind: kind.export_kubeconfig("member1", KC),
    "export-logs-missing": lambda kind: kind.export_logs("member1", "WORKDIR/logs"),
    "get-clusters-after-retain": Kind.clusters,
    "get-clusters-docker-down": Kind.clusters,
    "get-clusters-docker-down-cli28": Kind.clusters,
    "get-clusters-help": plainly("kind", "get", "clusters", "--help"),
    "get-clusters-no-docker-cli": Kind.clusters,
    "get-clusters-none": Kind.clusters,
    "get-clusters-one": Kind.clusters,
    "get-clusters-two": Kind.clusters,
    "get-kubeconfig-internal-member1": lambda kind: kind.kubeconfig("member1", internal=True),
    "get-kubeconfig-member1": lambda kind: kind.kubeconfig("member1"),
    "get-kubeconfig-missing": lambda kind: kind.kubeconfig("member1"),
    "get-kubeconfig-no-docker-cli": lambda kind: kind.kubeconfig("member1"),
    "get-nodes-all": Kind.nodes,
    "get-nodes-all-none": Kind.nodes,
    "get-nodes-docker-down": lambda kind: kind.nodes("member1"),
    "get-nodes-member1": lambda kind: kind.nodes("member1"),
    "get-nodes-none": lambda kind: kind.nodes("member1"),
    "help": HELP,
    "load-image-missing-cluster": lambda kind: kind.load_image("nginx:1.27", "member1"),
    "load-image-missing-image": lambda kind: kind.load_image("nginx:1.27", "member1"),
    "no-args": plainly("kind"),
    "unknown-command": plainly("kind", "frobnicate"),
    "unknown-flag": plainly("kind", "get", "clusters", "-o", "json"),
    "version": Kind.version,
    "version-quiet": plainly("kind", "version", "-q"),
}

# What the typed calls return for those that succeed; for the others the recorded text itself.
RESULTS: dict[str, Any] = {
    "delete-after-retain": True,
    "delete-cluster-missing": False,
    "delete-member2": True,
    "export-kubeconfig-member2": None,
    "get-clusters-after-retain": ["member3"],
    "get-clusters-none": [],
    "get-clusters-one": ["member1"],
    "get-clusters-two": ["member1", "member2"],
    "get-nodes-all": ["member1-control-plane", "member1-worker", "member2-control-plane"],
    "get-nodes-all-none": [],
    "get-nodes-member1": ["member1-control-plane", "member1-worker"],
    "get-nodes-none": [],
    "version": (0, 31, 0),
}

# A few words of kind's own message, and of the way out, for every recorded failure.
FAILURES: dict[str, tuple[str, str]] = {
    "create-already-exists": ('node(s) already exist for a cluster with the name "member1"', "kind delete cluster"),
    "create-bad-field": ("line 3: field nodez not found in type v1alpha4.Cluster", "correct the kind config file"),
    "create-bad-name": ("'Member_1!' is not a valid cluster name", "lower case letters"),
    "create-bad-role": ('"master" is not a valid node role', "correct the kind config file"),
    "create-bad-version": ("unknown apiVersion: kind.x-k8s.io/v1alpha9", "correct the kind config file"),
    "create-bad-yaml": ("yaml: line 1: did not find expected ',' or ']'", "correct the kind config file"),
    "create-config-stdin-bad": ("line 3: field foo not found", "correct the kind config file"),
    "create-docker-down": ("Is the docker daemon running?", "start Docker Desktop"),
    "create-docker-down-cli28": ("Is the docker daemon running?", "start Docker Desktop"),
    "create-kubeadm-init-fails": ("could not initialize a Kubernetes cluster", "memory or disk"),
    "create-kubeadm-init-fails-retain": ("could not initialize a Kubernetes cluster", "memory or disk"),
    "create-missing-config": ("open cfg/absent.yaml: no such file or directory", "correct the kind config file"),
    "create-no-control-plane": ("must have at least one control-plane node", "correct the kind config file"),
    "create-no-docker-cli": ('exec: "docker": executable file not found in $PATH', "install Docker"),
    "create-node-does-not-boot": ("could not find a log line that matches", "inotify limits or cgroups"),
    "create-unpullable-image": ("failed to pull image", "docker pull it by hand"),
    "create-unpullable-image-verbose": (
        "dial tcp 127.0.0.1:5999: connect: connection refused",
        "docker pull it by hand",
    ),
    "create-wait-unpullable": ("it said nothing and exited with 1", "karmadalab doctor"),
    "delete-docker-down": ('failed to delete cluster "member1": error listing nodes', "start Docker Desktop"),
    "delete-docker-down-cli28": ("unix:///var/run/docker.sock", "start Docker Desktop"),
    "delete-no-docker-cli": ("executable file not found in $PATH", "install Docker"),
    "export-kubeconfig-missing": ("could not locate any control plane nodes", "karmadalab kind status"),
    "export-logs-missing": ('unknown cluster "member1"', "karmadalab kind status"),
    "get-clusters-docker-down": ("failed to list clusters", "start Docker Desktop"),
    "get-clusters-docker-down-cli28": ("failed to list clusters", "start Docker Desktop"),
    "get-clusters-no-docker-cli": ("failed to list clusters", "install Docker"),
    "get-kubeconfig-missing": ("could not locate any control plane nodes", "karmadalab kind status"),
    "get-kubeconfig-no-docker-cli": ("failed to list nodes", "install Docker"),
    "get-nodes-docker-down": ("failed to list nodes", "start Docker Desktop"),
    "load-image-missing-cluster": ('image: "nginx:1.27" not present locally', "docker pull IMAGE"),
    "load-image-missing-image": ('image: "nginx:1.27" not present locally', "docker pull IMAGE"),
    "unknown-command": ('unknown command "frobnicate"', "older or newer"),
    "unknown-flag": ("unknown shorthand flag", "older or newer"),
}


def transcript(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((TRANSCRIPTS / f"{name}.json").read_text(encoding="utf-8"))
    return data


def test_every_recording_is_replayed() -> None:
    names = {path.stem for path in TRANSCRIPTS.glob("*.json")}
    assert set(CALLS) == names
    assert set(FAILURES) == {name for name in names if transcript(name)["returncode"]}


@pytest.mark.parametrize("name", sorted(set(CALLS) - set(FAILURES)))
def test_a_call_that_succeeds_returns_what_was_recorded(name: str, recorded: Recorded) -> None:
    recorded(name)
    assert CALLS[name](Kind()) == RESULTS.get(name, transcript(name)["stdout"])


@pytest.mark.parametrize("name", sorted(FAILURES))
def test_a_call_that_fails_says_why_and_what_to_do(name: str, recorded: Recorded) -> None:
    recorded(name)
    with pytest.raises(ToolError) as caught:
        CALLS[name](Kind())
    said, advice = FAILURES[name]
    error = caught.value
    assert said in error.message
    assert advice in error.way_out
    assert (error.output.exit_code, error.output.stderr) == (1, transcript(name)["stderr"])
    assert "\n" not in str(error)
    assert "KernelVersion" not in str(error), "the engine's dump of itself helps nobody"


def test_another_command_line_is_no_match(recorded: Recorded) -> None:
    recorded("get-nodes-member1")
    with pytest.raises(ToolError, match="recorded as"):
        Kind().nodes("member2")


def test_lines_of_progress_arrive_while_it_works(recorded: Recorded) -> None:
    recorded("create-success-second")
    lines: list[str] = []
    finish(Kind().start_create(Creation("member2", image=f"{FAKE}fake", kubeconfig=KC), lines.append))
    assert lines[0] == 'Creating cluster "member2" ...'
    assert len(lines) == len(transcript("create-success-second")["stderr"].splitlines())


def test_a_call_that_hangs_is_ended_with_all_it_started(empty_path: Path) -> None:
    """The shell's child holds the pipe open: killing only the shell would leave us waiting for it."""
    (empty_path / "kind").write_text("#!/bin/sh\necho ' • Ensuring node image' >&2\n/bin/sleep 30\n")
    (empty_path / "kind").chmod(0o755)
    began = time.monotonic()
    with pytest.raises(TimedOut, match=r"not done after 0\.3 s and stopped; the last it said: • Ensuring node image"):
        Kind(timeout_s=0.3).clusters()
    assert time.monotonic() - began < 5


def test_without_kind_it_says_how_to_get_it(empty_path: Path) -> None:
    with pytest.raises(
        NotInstalled,
        match=r"kind is not on the PATH; way out: install it .*kind\.sigs\.k8s\.io.*; karmadalab doctor lists all",
    ):
        Kind().clusters()


def test_on_windows_it_says_what_to_do(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "os", type("os", (), {"name": "nt"}))
    with pytest.raises(NotInstalled, match="WSL 2"):
        running.sh_library()


def test_without_sh_it_names_the_extra(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sh", None)
    with pytest.raises(NotInstalled, match=r"pip install 'karmadalab\[kind\]'"):
        running.sh_library()


ANSWERS = {"docker": "Docker version 28.2.2", "nerdctl": "nerdctl version 2.0.2", "podman": "podman version 5.4.0"}


@pytest.mark.parametrize(
    ("installed", "variable", "taken"),
    [
        (("docker", "podman"), "", "docker"),
        (("podman", "nerdctl"), "", "nerdctl"),
        (("podman",), "", "podman"),
        (("docker", "podman"), "podman", "podman"),
        (("docker",), "finch", "finch"),
    ],
)
def test_the_engine_is_the_one_that_kind_takes(
    installed: tuple[str, ...], variable: str, taken: str, empty_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for program in installed:
        (empty_path / program).write_text(f"#!/bin/sh\necho {ANSWERS[program]}\n")
        (empty_path / program).chmod(0o755)
    if variable:
        monkeypatch.setenv("KIND_EXPERIMENTAL_PROVIDER", variable)
    assert Engine.found().program == taken


def test_without_an_engine_it_says_how_to_get_one(empty_path: Path) -> None:
    with pytest.raises(NotInstalled, match="install Docker"):
        Engine.found()


def test_own_words_of_a_program_that_is_not_kind() -> None:
    assert (
        own_words("Error response from daemon: No such container: a\n")
        == "Error response from daemon: No such container: a"
    )

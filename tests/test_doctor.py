"""The doctor: right on a machine with nothing installed, one line a finding, each with its fix."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from karmadalab.environments.doctor import doctor, machine, programs, python
from karmadalab.environments.doctor.findings import NOTE, OK, PROBLEM, Finding
from karmadalab.environments.doctor.machine import Kernel
from tests.kind.conftest import empty_path, world  # noqa: F401 - fixtures

GIB = 1 << 30


def run_doctor(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """In an environment with nothing but what is given."""
    command = [sys.executable, "-m", "karmadalab", "doctor", *args]
    return subprocess.run(
        command, capture_output=True, text=True, env={"PYTHONUTF8": "1", **env}, timeout=60, check=False
    )


@pytest.mark.parametrize(
    "env",
    [{"PATH": ""}, {"PATH": "/nowhere", "HOME": "/dev/null/home"}, {"HOME": "/nowhere/home", "PATH": ""}],
    ids=["empty PATH and no HOME", "a HOME that can't be written", "a HOME that is not there"],
)
def test_it_is_right_on_a_machine_with_nothing(env: dict[str, str]) -> None:
    done = run_doctor("--json", **env)
    assert (done.returncode, done.stderr) == (1, "")
    findings = [Finding(**item) for item in json.loads(done.stdout)]
    by_check = {finding.check: finding for finding in findings}
    assert by_check["python"].level == OK
    assert by_check["engine"].text.startswith("no container engine found")
    assert "install Docker" in by_check["engine"].fix
    assert by_check["kind"].level == PROBLEM
    assert "kind.sigs.k8s.io" in by_check["kind"].fix
    assert by_check["kubectl"].level == NOTE
    assert not [f for f in findings if f.text.startswith("could not be checked")]
    assert [f for f in findings if f.level == PROBLEM and not f.fix] == []
    if env.get("HOME") == "/dev/null/home":
        assert by_check["folder"].level == PROBLEM
        assert "KARMADALAB_HOME" in by_check["folder"].fix


def test_the_lines_are_for_people() -> None:
    done = run_doctor(PATH="")
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert all(line.split()[0] in (OK, NOTE, PROBLEM) for line in lines[: lines.index("")])
    assert lines[-1].startswith("Lab.fake can be used; kind mode can't yet: engine, kind")


KERNELS = {
    "a laptop": (Kernel(16 * GIB, 9 * GIB, None, 0, 1 << 20, 1024, 2, ("cpu", "memory", "pids")), {}),
    "little memory": (Kernel(3 * GIB, GIB), {"memory": PROBLEM}),
    "just enough memory": (Kernel(4 * GIB, 3 * GIB), {"memory": NOTE}),
    "a small container on a big host": (Kernel(64 * GIB, 60 * GIB, limit=GIB), {"memory": PROBLEM}),
    "Ubuntu's inotify limits": (Kernel(watches=65536, instances=128), {"inotify": NOTE}),
    "small inotify limits": (Kernel(watches=8192, instances=128), {"inotify": PROBLEM}),
    "control groups 1": (Kernel(cgroup=1), {"cgroup": NOTE}),
    "control groups that are not delegated": (Kernel(cgroup=2, controllers=("memory", "pids")), {"cgroup": PROBLEM}),
    "swap": (Kernel(swap=GIB), {"swap": NOTE}),
    "not Linux": (Kernel(), {"memory": NOTE, "inotify": NOTE, "cgroup": NOTE}),
}


@pytest.mark.parametrize("case", KERNELS)
def test_kernels(case: str) -> None:
    kernel, levels = KERNELS[case]
    for name in ("memory", "inotify", "cgroup", "swap"):
        finding = getattr(machine, name)(kernel)
        if name in levels or case in ("a laptop", "not Linux"):
            assert finding.level == levels.get(name, OK), finding
        assert finding.level != PROBLEM or finding.fix


def test_the_kernels_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "proc/sys/fs/inotify").mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text("MemTotal: 2097152 kB\nMemAvailable: 1048576 kB\nSwapTotal: 0 kB\n")
    (tmp_path / "proc/sys/fs/inotify/max_user_watches").write_text("8192\n")
    (tmp_path / "proc/sys/fs/inotify/max_user_instances").write_text("128\n")
    (tmp_path / "sys").mkdir()
    (tmp_path / "sys/cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    (tmp_path / "sys/memory.max").write_text("max\n")
    kernel = Kernel.read(tmp_path / "proc", tmp_path / "sys")
    assert kernel == Kernel(2 * GIB, GIB, None, 0, 8192, 128, 2, ("cpuset", "cpu", "io", "memory", "pids"))
    assert Kernel.read(tmp_path / "nothing", tmp_path / "nothing") == Kernel()


@pytest.mark.parametrize(
    ("env", "level"),
    [
        ({}, OK),
        ({"HTTPS_PROXY": "http://user:secret@proxy:3128"}, PROBLEM),
        ({"https_proxy": "http://proxy:3128", "no_proxy": "localhost, 127.0.0.1"}, NOTE),
        ({"ALL_PROXY": "socks5://proxy", "NO_PROXY": "*"}, NOTE),
    ],
)
def test_proxies(env: dict[str, str], level: str) -> None:
    finding = machine.proxies(env)
    assert finding.level == level
    assert "secret" not in str(finding)


def test_a_machine_with_all_of_it(world: object, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(programs, "kind", lambda: Finding("kind", OK, "v0.31.0"))
    for name in machine._PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    kernel, _ = KERNELS["a laptop"]
    findings = doctor.examine(kernel)
    engine = [finding for finding in findings if finding.check == "engine"]
    assert [f.level for f in engine] == [OK, OK, OK]
    assert "docker" in engine[0].text
    assert "16.0 GiB" in engine[1].text
    assert "systemd, version 2" in engine[2].text


@pytest.mark.parametrize(
    ("answer", "level", "said"),
    [
        ("kind v0.31.0 go1.27.3 linux/amd64", OK, "v0.31.0"),
        ("kind v0.24.0 go1.22.6 linux/amd64", NOTE, "v0.24.0"),
        ("kind v0.11.1 go1.16.4 linux/amd64", PROBLEM, "v0.11.1 is too old"),
        ("kind, the game", PROBLEM, "no version in"),
    ],
)
def test_versions_of_kind(answer: str, level: str, said: str, empty_path: Path) -> None:  # noqa: F811
    (empty_path / "kind").write_text(f"#!/bin/sh\necho '{answer}'\n")
    (empty_path / "kind").chmod(0o755)
    finding = programs.kind()
    assert (finding.level, said in finding.text) == (level, True)


def test_podman_says_the_same_in_other_words() -> None:
    info = {"host": {"memTotal": 2 * GIB, "cgroupManager": "systemd", "cgroupVersion": "v1"}}
    assert [finding.level for finding in programs.engine_details(info)] == [NOTE, NOTE]


def test_an_engine_that_does_not_answer(empty_path: Path) -> None:  # noqa: F811
    said = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"
    script = f"#!/bin/sh\n[ $1 = -v ] && echo 'Docker version 28.2.2' && exit\necho '{said}' >&2\nexit 1\n"
    (empty_path / "docker").write_text(script)
    (empty_path / "docker").chmod(0o755)
    [finding] = programs.engine()[0]
    assert (finding.level, finding.text) == (PROBLEM, said)
    assert "start Docker" in finding.fix


def test_a_check_that_breaks_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "ports", lambda: 1 / 0)
    findings = doctor.examine(Kernel())
    assert findings[-1].text == "could not be checked (ZeroDivisionError: division by zero)"
    assert len(findings) > 10

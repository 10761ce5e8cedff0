"""karmadalab as processes of its own, started, killed and frozen by tests."""

from __future__ import annotations

import json
import os
import signal
import ssl
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ruamel.yaml import YAML


@dataclass
class Process:
    """A running `karmadalab serve`, `member` or `agent`."""

    popen: subprocess.Popen[str]
    kubeconfig: Path

    def kill(self) -> None:
        """SIGKILL: no chance to say goodbye."""
        self.popen.kill()
        self.popen.wait(10)
        if self.popen.stdout is not None:
            self.popen.stdout.close()


def start(folder: Path, *args: str) -> Process:
    """Start one and wait until it says how to reach it."""
    command = [sys.executable, "-m", "karmadalab", *args]
    popen = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert popen.stdout is not None
    said = []
    for line in popen.stdout:
        said.append(line)
        if line.startswith(("export KUBECACHEDIR", "running")):
            return Process(popen, folder / "kubeconfig")
    popen.stdout.close()
    raise AssertionError(f"{command} ended with {popen.wait(10)}: {said}")


# Imports once, then forks a control plane for each line that it reads: starting Python twenty times is most of the time
# that a test of twenty deaths would take.
_NURSERY = """
import os, sys
from pathlib import Path
import cryptography.x509, uvicorn, karmadalab.server
from karmadalab.cli.serve import serve_lab
fleet, data, folder = map(Path, sys.argv[1:])
while sys.stdin.readline():
    child = os.fork()
    if not child:
        serve_lab(fleet, 1.0, 0, {}, data=data, folder=folder)
    print("child", child, flush=True)
    os.waitpid(child, 0)
    print("dead", flush=True)
"""


@contextmanager
def nursery(fleet: Path, data: Path, folder: Path) -> Iterator[Nursery]:
    """Control planes on one file, one after the other."""
    command = [sys.executable, "-c", _NURSERY, str(fleet), str(data), str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
    ) as popen:
        found = Nursery(popen)
        try:
            yield found
        finally:
            found.kill()


class Nursery:
    """Makes control planes and kills them."""

    def __init__(self, popen: subprocess.Popen[str]) -> None:
        self._popen, self._child = popen, 0

    def start(self) -> None:
        """A new one, until it says how to reach it."""
        assert self._popen.stdin is not None
        self._popen.stdin.write("\n")
        child = self._until("child")
        self._child = int(child.split()[1])
        self._until("export KUBECACHEDIR")

    def kill(self) -> None:
        """SIGKILL, and wait until it is dead."""
        if self._child:
            os.kill(self._child, signal.SIGKILL)
            self._child = 0
            self._until("dead")

    def _until(self, word: str) -> str:
        assert self._popen.stdout is not None
        for line in self._popen.stdout:
            if line.startswith(word):
                return line
        raise AssertionError(f"it ended with {self._popen.wait(10)} before it said {word!r}")


@contextmanager
def running(folder: Path, *args: str) -> Iterator[Process]:
    """One that is gone at the end of the block, whatever happens in it."""
    process = start(folder, *args)
    try:
        yield process
    finally:
        if process.popen.poll() is None:
            process.kill()


class Api:
    """An API server by its kubeconfig, over one connection."""

    def __init__(self, kubeconfig: Path) -> None:
        config = YAML(typ="safe").load(kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        context = ssl.create_default_context(cadata=b64decode(cluster["certificate-authority-data"]).decode())
        self._headers = {"Authorization": f"Bearer {config['users'][0]['user']['token']}"}
        where = urlsplit(cluster["server"])
        self._connection = HTTPSConnection(where.hostname or "", where.port, timeout=10, context=context)

    def __call__(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json"
    ) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body)
        self._connection.request(method, path, data, {**self._headers, "Content-Type": content_type})
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def close(self) -> None:
        self._connection.close()

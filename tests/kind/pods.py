"""What a kubelet does for the agent's Deployment, on a machine without containers: its command runs as a process.

The command line, the environment and the files are the ones that the manifests say, at other places: Kubernetes' own
paths (the service account's token, the mounted Secret) lie in a folder of the test.
"""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from karmadalab.environments.kind import agent_pod
from tests.kind.machines import Machine

# The official client has the paths of a pod's account as constants.
AS_IN_A_POD = """
import sys
from kubernetes.config import incluster_config
folder, sys.argv = sys.argv[1], ["karmadalab", *sys.argv[2:]]
incluster_config.SERVICE_TOKEN_FILENAME = f"{folder}/token"
incluster_config.SERVICE_CERT_FILENAME = f"{folder}/ca.crt"
from karmadalab.cli import main
main()
"""


class PodRunner:
    """Runs the agent of one machine's cluster, for as long as its Deployment wants one."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self._machine, self._folder = machine, folder
        self.process: subprocess.Popen[bytes] | None = None
        self.started: list[list[str]] = []
        self._account("account", machine.token, (machine.served.folder / "server.crt").read_bytes())
        machine.member.store.watch("Deployment.apps", self._hear)

    def _account(self, name: str, token: str, authority: bytes) -> None:
        (self._folder / name).mkdir(parents=True)
        (self._folder / name / "token").write_text(token)
        (self._folder / name / "ca.crt").write_bytes(authority)

    def _hear(self, event: str, old: Any, new: Any) -> None:
        if (new.metadata.namespace, new.metadata.name) != (agent_pod.NAMESPACE, agent_pod.AGENT):
            return
        wanted = event != "DELETED" and new.spec.get("replicas", 1) > 0
        if wanted and self.process is None:
            self._start(new.spec["template"]["spec"])
        elif not wanted:
            self.stop()

    def _start(self, pod: dict[str, Any]) -> None:
        [container] = pod["containers"]
        places = {mount["mountPath"]: self._mounted(pod, mount["name"]) for mount in container["volumeMounts"]}
        assert container["command"] == ["python", "-m", "karmadalab", "agent"]
        args = [_placed(arg, places) for arg in container["args"]]
        env = {
            **os.environ,
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": str(self._machine.port),
        }
        command = [sys.executable, "-c", AS_IN_A_POD, str(self._folder / "account"), "agent", *args]
        self.started.append(container["command"] + container["args"])
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)

    def _mounted(self, pod: dict[str, Any], name: str) -> Path:
        """A volume's content, in a folder of its own."""
        place = self._folder / name
        place.mkdir(exist_ok=True)
        [volume] = [v for v in pod["volumes"] if v["name"] == name]
        if "secret" in volume:
            store = self._machine.member.store
            for key, value in store.get("Secret", volume["secret"]["secretName"], agent_pod.NAMESPACE)["data"].items():
                (place / key).write_bytes(base64.b64decode(value))
        return place

    def send(self, with_signal: signal.Signals) -> None:
        """What `kill` in the node does."""
        if self.process is not None:
            self.process.send_signal(with_signal)

    def stop(self) -> None:
        """The grace period is short."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def _placed(arg: str, places: dict[str, Path]) -> str:
    """An argument that names a file in a mounted volume, with that file's place on this machine."""
    found = next((path for path in places if arg.startswith(f"{path}/")), None)
    return arg if found is None else str(places[found]) + arg.removeprefix(found)

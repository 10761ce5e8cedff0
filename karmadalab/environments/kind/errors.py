"""What kind and the engines say when they fail, and the way out of it.

kind's messages are precise about what failed and silent about what to do. Each known message is matched to one sentence
of advice; unknown ones are passed on whole.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from karmadalab.api.errors import KarmadalabError

if TYPE_CHECKING:
    from karmadalab.environments.kind.running import Output

DOCTOR = "karmadalab doctor looks for the cause"

_INSTALL = {
    "kind": "install it (https://kind.sigs.k8s.io, `go install sigs.k8s.io/kind@v0.31.0` or `brew install kind`)",
    "docker": "install Docker (https://docs.docker.com/get-docker), Podman or nerdctl",
    "kubectl": "install it (https://kubernetes.io/docs/tasks/tools)",
}

# Searched in this order, for a message may hold several: the first that fits is nearest to the cause.
_WAYS_OUT: tuple[tuple[str, str], ...] = (
    (r"executable file not found in \$PATH", f"no container engine is installed: {_INSTALL['docker']}"),
    (r"permission denied.*docker", "your user may not use Docker: sudo usermod -aG docker $USER, then log in again"),
    (
        r"Cannot connect to the Docker daemon|Cannot connect to Podman|cannot access containerd socket",
        "the engine does not answer: start Docker Desktop, or sudo systemctl start docker (podman machine start)",
    ),
    (
        r"node\(s\) already exist",
        "a cluster of that name is there already: kind delete cluster --name NAME if it is not needed",
    ),
    (r"is not a valid cluster name", "use lower case letters, digits, dots and hyphens"),
    (
        r"failed to pull image",
        "check the image's name and the way to its registry (proxy?), or docker pull it by hand first",
    ),
    (
        r"could not find a log line that matches",
        "the node did not boot; usually inotify limits or cgroups: karmadalab doctor checks both",
    ),
    (
        r"failed to init node with kubeadm|failed to join node with kubeadm",
        "Kubernetes did not come up in the node; usually memory or disk: karmadalab doctor, or keep the node with "
        "retain and read kind export logs",
    ),
    (r"not present locally", "pull the image first: docker pull IMAGE"),
    (r"could not locate any control plane nodes|unknown cluster", "there is no such cluster: karmadalab kind status"),
    (
        r"unable to decode config|unknown apiVersion|could not determine kind|not a valid node role|"
        r"must have at least one control-plane|error reading file",
        "correct the kind config file; karmadalab kind up checks it before anything starts",
    ),
    (r"unknown (shorthand )?flag|unknown command", "this kind is older or newer than the one karmadalab knows (v0.31)"),
    (r"too many open files", "raise fs.inotify.max_user_instances and max_user_watches; " + DOCTOR),
    (r"no space left on device", "free disk space: docker system df, docker system prune"),
    (r"port is already allocated|address already in use", "another program has the port: choose another apiServerPort"),
)


def way_out(text: str) -> str:
    """The advice for a message.

    >>> way_out('image: "nginx:1.27" not present locally')
    'pull the image first: docker pull IMAGE'
    """
    return next((advice for pattern, advice in _WAYS_OUT if re.search(pattern, text)), DOCTOR)


def own_words(stderr: str) -> str:
    """What a program itself gave as its error: on one line, without progress and without dumped JSON.

    >>> own_words('Deleting cluster "a" ...\\nERROR: failed: exit status 1\\n\\nCommand Output: {"a":1}\\nno daemon\\n')
    'failed: exit status 1: no daemon'
    """
    _, found, text = stderr.rpartition("ERROR: ")
    message, _, output = (text if found else stderr).partition("\n\nCommand Output:")
    output = output.partition("\nStack Trace:")[0]  # with -v 1
    said = [line.strip() for line in output.splitlines() if line.strip() and not line.lstrip().startswith("{")]
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return ": ".join([" ".join(lines), *said[-1:]]).removesuffix(": ")


class ToolError(KarmadalabError):
    """A program that failed.

    Attributes:
        output: what it was called with and what it said, whole.
        message: its own words.
        way_out: what to do about it.
    """

    def __init__(self, output: Output, message: str = "", advice: str = "") -> None:
        self.output = output
        self.message = message or own_words(output.stderr) or f"it said nothing and exited with {output.exit_code}"
        self.way_out = advice or way_out(output.stderr)
        super().__init__(f"{' '.join(output.argv)}: {self.message}; way out: {self.way_out}")


class TimedOut(ToolError):
    """A program that took too long and was killed."""

    def __init__(self, output: Output, timeout_s: float) -> None:
        last = output.stderr.strip().splitlines()[-1:]
        said = f"; the last it said: {last[0].strip()}" if last else ""
        advice = f"allow more time if the machine is slow or an image is still being pulled; {DOCTOR}"
        super().__init__(output, f"not done after {timeout_s:g} s and stopped{said}", advice)


class NotInstalled(KarmadalabError):
    """A program or a library that is not there.

    Attributes:
        program: which, empty for a library.
    """

    def __init__(self, message: str, program: str = "") -> None:
        self.program = program
        super().__init__(f"{message}; way out: {_missing(program)}" if program else message)


def _missing(program: str) -> str:
    install = _INSTALL.get(program)
    return f"{install}; karmadalab doctor lists all that is missing" if install else DOCTOR

"""karmada-agent as a pod in its member, where a real fleet has it.

It reaches its own API server by its service account, and the control plane by a kubeconfig in a Secret. The names are
those of Karmada's chart: namespace karmada-system, service account karmada-agent-sa, Secret karmada-kubeconfig,
Deployment karmada-agent. What befalls the machine befalls the pod with it: no fault has to say so.

Not modelled: an agent with fewer rights in the control plane than the lab itself has.
"""

from __future__ import annotations

import base64
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from karmadalab.api.errors import KarmadalabError
from karmadalab.api.scheme import resource_type
from karmadalab.environments.http import paths
from karmadalab.environments.http.transport import Transport
from karmadalab.environments.kind.objects import all_rights, call, make, plain_object, take_away

NAMESPACE, AGENT = "karmada-system", "karmada-agent"
ACCOUNT, SECRET, KUBECONFIG = "karmada-agent-sa", "karmada-kubeconfig", "kubeconfig"
MOUNT = "/etc/karmada"
COMMAND = ("python", "-m", "karmadalab", "agent")
_USER = 65532  # nobody in particular, as in images without a distribution
_RETRY_S, _GOODBYE_S = 1.0, 5.0


def agent_objects(member: str, image: str, kubeconfig: str, flags: Sequence[str] = ()) -> list[dict[str, Any]]:
    """What a member gets for its agent, in the order in which it is made; nothing runs before it is scaled up.

    Args:
        member: whose agent it is.
        image: with karmadalab in it; see environments/agent.Dockerfile.
        kubeconfig: of the control plane, as text.
        flags: further arguments of `karmadalab agent`.
    """
    encoded = base64.b64encode(kubeconfig.encode()).decode()
    return [
        plain_object("v1", "Namespace", NAMESPACE),
        plain_object("v1", "ServiceAccount", ACCOUNT, NAMESPACE),
        *all_rights(AGENT, ACCOUNT, NAMESPACE),
        {**plain_object("v1", "Secret", SECRET, NAMESPACE), "type": "Opaque", "data": {KUBECONFIG: encoded}},
        _deployment(member, image, flags),
    ]


def _deployment(member: str, image: str, flags: Sequence[str]) -> dict[str, Any]:
    labels = {"app": AGENT}
    template = {"metadata": {"labels": labels}, "spec": _pod(member, image, flags)}
    spec = {
        "replicas": 0,
        "strategy": {"type": "Recreate"},  # never two agents at once
        "selector": {"matchLabels": labels},
        "template": template,
    }
    return {**plain_object("apps/v1", "Deployment", AGENT, NAMESPACE), "spec": spec}


def _pod(member: str, image: str, flags: Sequence[str]) -> dict[str, Any]:
    container = {
        "name": AGENT,
        "image": image,
        "imagePullPolicy": "IfNotPresent",  # `up` has loaded it; for :latest the default would be to pull
        "command": list(COMMAND),
        "args": ["--member", member, "--karmada", f"{MOUNT}/{KUBECONFIG}", *flags],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [
            {"name": SECRET, "mountPath": MOUNT, "readOnly": True},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 # the official client writes certificates there
        ],
    }
    return {
        "serviceAccountName": ACCOUNT,
        "terminationGracePeriodSeconds": 1,  # stopping it is meant to be sudden
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "runAsGroup": _USER,
            "fsGroup": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        # Also where `exhaust_capacity` has cordoned the nodes: that is about workloads.
        "tolerations": [{"operator": "Exists", "effect": "NoSchedule"}],
        "containers": [container],
        "volumes": [
            {"name": SECRET, "secret": {"secretName": SECRET, "defaultMode": 0o440}},
            {"name": "tmp", "emptyDir": {}},
        ],
    }


def sweep(admin: Transport) -> None:
    """Take away the agent of a lab that was killed, and its Secret, whose token opens nothing any more."""
    secret, deployment = ("v1", "Secret", SECRET), ("apps/v1", "Deployment", AGENT)
    take_away(admin, [plain_object(*what, NAMESPACE) for what in (secret, deployment)])


class AgentPod:
    """One agent, with the handles of a process: `start` and `stop` scale its Deployment to one and to none.

    The member may be out of reach when it is to start or stop, after a power cut say; then this is tried again each
    second, in a thread of its own, until the last word is carried out.

    Args:
        member: whose.
        admin: the way to the member with all rights.
        objects: what to make there; see `agent_objects`.
    """

    def __init__(self, member: str, admin: Transport, objects: Sequence[dict[str, Any]]) -> None:
        self.name = f"{AGENT}@{member}"
        self.running = self.paused = False
        self.problem: KarmadalabError | None = None
        self._admin, self._objects = admin, objects
        self._scale = paths.item(resource_type("Deployment"), AGENT, NAMESPACE, "scale")
        self._changed = threading.Condition()
        self._wanted = self._done = 0
        self._left = False
        self._thread: threading.Thread | None = None

    def make(self) -> None:
        """Make its objects, in place of what an earlier lab left. Raises `Unreachable`, `ApiError`, `BadRequest`."""
        sweep(self._admin)
        make(self._admin, self._objects)
        self._thread = threading.Thread(target=self._work, name=self.name, daemon=True)
        self._thread.start()

    def start(self) -> None:
        """Let it run, with nothing in memory."""
        self.running = True
        self._want(1)

    def stop(self) -> None:
        """End it: the kubelet kills it a second after it asked."""
        self.running = self.paused = False
        self._want(0)

    def pause(self) -> None:
        """It stands still; that is done in its node, see `measures.agent_frozen`."""
        self.paused = True

    def resume(self) -> None:
        """It goes on."""
        self.paused = False

    def leave(self) -> None:
        """Take away what was made. A member that does not answer keeps it, until the next lab or `kind down`."""
        with self._changed:
            self._left = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(_GOODBYE_S)
        with suppress(KarmadalabError):
            take_away(self._admin, self._objects, _GOODBYE_S)

    def pods(self) -> str:
        """What its pods say of themselves, to tell why it does not report."""
        try:
            found = call(self._admin, "GET", paths.collection(resource_type("Pod"), NAMESPACE), None, _GOODBYE_S)
        except KarmadalabError as error:
            return f"{self.name}: {error}"
        return "; ".join(filter(None, map(_told, found.get("items") or ()))) or f"{self.name}: no pod of it is there"

    def _want(self, replicas: int) -> None:
        with self._changed:
            self._wanted = replicas
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._left or self._wanted != self._done)
                if self._left:
                    return
                wanted = self._wanted
            try:
                body = {**plain_object("autoscaling/v1", "Scale", AGENT, NAMESPACE), "spec": {"replicas": wanted}}
                call(self._admin, "PUT", self._scale, body)
            except KarmadalabError as error:
                self.problem = error
                with self._changed:
                    self._changed.wait(_RETRY_S)
            else:
                self.problem, self._done = None, wanted

    def __repr__(self) -> str:
        state = "frozen" if self.paused else "running" if self.running else "stopped"
        problem = f", not yet so: {self.problem}" if self.problem else ""
        return f"<AgentPod {self.name} {state}{problem}>"


def _told(pod: dict[str, Any]) -> str:
    """`karmada-agent-xyz: ErrImagePull, ...` for a pod that waits; empty for one that runs."""
    name, statuses = pod["metadata"]["name"], (pod.get("status") or {}).get("containerStatuses") or ()
    waiting = [state for s in statuses if (state := (s.get("state") or {}).get("waiting"))]
    told = [f"{state.get('reason', 'waiting')}, {state.get('message', 'no message')}" for state in waiting]
    return f"{name}: {'; '.join(told)}" if told else ""

"""What is done to real machines for a fault, each with what undoes exactly that.

A fault of the lab is turned into measures on node containers: stop this one, insert that packet filter rule. Every
measure is written to the fleet's state before it is taken and struck off after it was undone, so that a lab that was
killed leaves a list behind (`karmadalab kind heal`). Undoing twice is no error: a rule that is gone was gone with its
node.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from karmadalab.api.errors import KarmadalabError
from karmadalab.core.clock import stopwatch
from karmadalab.environments.kind.engine import Engine
from karmadalab.environments.kind.errors import ToolError
from karmadalab.environments.kind.state import FleetFolder, FleetState, Measure

API_SERVER_PORT = "6443"
_API_SERVER_START_S = 60.0
_PID = "--output go-template --template '{{.info.pid}}'"
INTERFACE = "eth0"  # kind gives every node one, on the engine's network

# What the programs answer when there is nothing left to undo.
_ALREADY = (
    "does a matching rule exist",
    "Bad rule",
    "Cannot delete qdisc with handle of zero",
    "Invalid argument",
    "is not paused",
    "No such container",
    "no such container",
)


def power_off(node: str) -> Measure:
    """The machine loses power: nothing in it gets to say goodbye."""
    return Measure(node, "power off", ("kill", node), ("start", node), kind="power")


def freeze(node: str) -> Measure:
    """All of the machine's processes stand still."""
    return Measure(node, "freeze", ("pause", node), ("unpause", node), kind="pause")


def filtered(node: str, action: str, tag: str, sources: Sequence[str] = ()) -> list[Measure]:
    """Packets to the node's API server are dropped, or refused.

    Args:
        action: `DROP` or `REJECT`.
        tag: a word that tells this rule from all others, in its comment.
        sources: only those from these addresses that come from outside; empty means all, the node's own too.
    """
    measures = []
    for source in sources or ("",):
        where = ("-i", INTERFACE, "-s", source) if source else ()
        rule = ("INPUT", *where, "-p", "tcp", "--dport", API_SERVER_PORT, *_verdict(action, tag))
        what = f"{action} to the API server" + (f" from {source}" if source else "")
        measures.append(_rule(node, what, rule))
    return measures


def agent_cut_off(node: str, action: str, way: tuple[str, int]) -> Measure:
    """What pods of the node send to the control plane is dropped, or refused.

    Args:
        way: the control plane's address and port.
    """
    address, port = way
    rule = ("FORWARD", "-d", address, "-p", "tcp", "--dport", str(port), *_verdict(action, "agent"))
    return _rule(node, f"{action} from pods to {address}:{port}", rule)


def agent_frozen(node: str, container: str) -> Measure:
    """The agent's container stands still: SIGSTOP for its process, as the node sees it.

    Where the agent runs on another node there is nothing to stop. A node that loses power forgets it.
    """
    find = f"for id in $(crictl ps --quiet --name '^{container}$'); do kill -SIGNAL $(crictl inspect {_PID} $id); done"
    do, undo = (_inside(node, "sh", "-c", find.replace("SIGNAL", sent)) for sent in ("STOP", "CONT"))
    return Measure(node, "agent frozen", do, undo, volatile=True)


def no_pulls(node: str, tag: str) -> Measure:
    """No image gets into the node: what its containerd asks of registries is refused."""
    ports = ("-p", "tcp", "-m", "multiport", "--dports", "80,443,5000")
    return _rule(node, "no image can be pulled", ("OUTPUT", "-o", INTERFACE, *ports, *_verdict("REJECT", tag)))


def without_image(node: str, image: str) -> Measure:
    """The node forgets an image. It comes back when it is pulled again, so there is nothing to undo."""
    return Measure(node, f"image {image} removed", _inside(node, "crictl", "rmi", image), ())


def shaped(node: str, latency_s: float, loss: float) -> Measure:
    """What the node sends is late, or lost."""
    netem = (*(("delay", f"{latency_s * 1000:g}ms") if latency_s else ()), *(("loss", f"{loss:.4%}") if loss else ()))
    add = _inside(node, "tc", "qdisc", "add", "dev", INTERFACE, "root", "netem", *netem)
    delete = _inside(node, "tc", "qdisc", "del", "dev", INTERFACE, "root", "netem")
    return Measure(node, f"netem {' '.join(netem)}", add, delete, volatile=True)


def cordoned(node: str, control_plane: str) -> Measure:
    """The node takes no new pods."""
    kubectl = ("kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf")
    do, undo = (_inside(control_plane, *kubectl, verb, node) for verb in ("cordon", "uncordon"))
    return Measure(control_plane, f"{node} cordoned", do, undo, patience_s=_API_SERVER_START_S)


def _verdict(action: str, tag: str) -> tuple[str, ...]:
    """What becomes of a packet, with a comment that tells our rule from all others."""
    answer = ("--reject-with", "tcp-reset") if action == "REJECT" else ()
    return ("-m", "comment", "--comment", f"karmadalab:{tag}", "-j", action, *answer)


def _inside(node: str, *words: str) -> tuple[str, ...]:
    return ("exec", "--privileged", node, *words)


def _rule(node: str, what: str, rule: tuple[str, ...]) -> Measure:
    """-w: kube-proxy and the CNI hold the same lock for moments."""
    do = _inside(node, "iptables", "-w", "5", "-I", *rule)
    return Measure(node, what, do, _inside(node, "iptables", "-w", "5", "-D", *rule), volatile=True)


class UndoFailed(KarmadalabError):
    """Some measures could not be undone; they are still on the list."""


class Measures:
    """The measures that are in force on a fleet.

    Args:
        engine: runs the node containers.
        folder: where the list is kept.
    """

    def __init__(self, engine: Engine, folder: FleetFolder) -> None:
        self._engine, self.folder = engine, folder
        self.taken: list[Measure] = [*folder.read().faults]

    def set(self, nodes: Iterable[str], wanted: Sequence[Measure]) -> None:
        """Undo what is not wanted any more on some nodes, then take what is wanted and not in force.

        Raises:
            ToolError: the engine refused; what was taken is on the list.
            UndoFailed: as `undo`.
        """
        ours = set(nodes)
        stays_off = {m.node for m in self.taken if m.kind == "power" and m in wanted}
        self.undo(lambda m: m.node in ours and m not in wanted and (m.node not in stays_off or m.kind != "inside"))
        off = {m.node for m in self.taken if m.kind == "power"}
        for measure in sorted(wanted, key=lambda m: m.kind != "inside"):  # a node that is off can't be entered
            if measure in self.taken or (measure.node in off and measure.kind == "inside"):
                continue
            self._note([*self.taken, measure])  # first, so that a crash between the two leaves it on the list
            self._engine.call(*measure.do)
            if measure.kind == "power":
                self._note([m for m in self.taken if m.node != measure.node or not m.volatile])

    def undo(self, which: Callable[[Measure], bool] = lambda measure: True) -> None:
        """Undo measures, power first, for a node that is off can't be entered.

        Raises:
            UndoFailed: with every message; all others were undone.
        """
        failures = []
        for measure in sorted(filter(which, self.taken), key=lambda m: m.kind == "inside"):
            try:
                self._undo(measure)
            except KarmadalabError as error:
                failures.append(f"{measure.node}, {measure.what}: {error}")
                continue
            self._note([m for m in self.taken if m is not measure])
        if failures:
            raise UndoFailed(f"not undone: {'; '.join(failures)}. karmadalab kind heal tries again")

    def _undo(self, measure: Measure) -> None:
        end = stopwatch() + measure.patience_s
        while measure.undo:
            try:
                self._engine.call(*measure.undo)
            except ToolError as error:
                if any(words in error.output.stderr for words in _ALREADY):
                    return
                if stopwatch() >= end:
                    raise
                time.sleep(1.0)
            else:
                return

    def _note(self, taken: list[Measure]) -> None:
        self.taken = taken
        state = self.folder.read()
        self.folder.write(FleetState(state.clusters, tuple(taken)))

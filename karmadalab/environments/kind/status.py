"""How the clusters of a fleet are: what the state says, held against what kind and the engine say."""

from __future__ import annotations

from typing import NamedTuple

from karmadalab.environments.kind.engine import Engine
from karmadalab.environments.kind.state import CREATING, READY, ClusterState, FleetFolder
from karmadalab.environments.kind.tool import Kind

ABSENT, GONE, STOPPED = "absent", "gone", "stopped"


class MemberStatus(NamedTuple):
    """How a member cluster is.

    Attributes:
        phase: `ready`, `creating` (begun and not finished), `failed`, `absent` (never begun), `gone` (deleted by
            somebody else) or `stopped` (a node does not run).
        nodes: its node containers with their state, in the engine's words.
    """

    member: str
    cluster: str
    phase: str = ABSENT
    nodes: dict[str, str] = {}
    kubeconfig: str = ""
    message: str = ""


def status_of(folder: FleetFolder, kind: Kind, engine: Engine | None = None) -> list[MemberStatus]:
    """How each cluster is that was begun for a fleet. Raises as `Kind` and `Engine` do."""
    begun = folder.read().clusters
    if not begun:
        return []
    existing = set(kind.clusters())
    engine = engine or Engine.found()
    return [_status(item, item.cluster in existing, folder, engine) for item in begun]


def _status(item: ClusterState, exists: bool, folder: FleetFolder, engine: Engine) -> MemberStatus:
    nodes = {node.name: node.state for node in engine.nodes(item.cluster)} if exists else {}
    phase = item.phase
    if phase == READY and not nodes:
        phase = GONE
    elif phase == READY and any(state != "running" for state in nodes.values()):
        phase = STOPPED
    kubeconfig = "" if phase in (CREATING, GONE) else str(folder.kubeconfig(item.member))
    return MemberStatus(item.member, item.cluster, phase, nodes, kubeconfig, item.message)

"""From a fleet file to a world of real clusters: what must be up is up, or a sentence says what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.core.settings import Settings
from karmadalab.core.trace import Trace
from karmadalab.core.wall_clock import WallClock
from karmadalab.environments.control_plane import ControlPlane
from karmadalab.environments.fleet import Fleet
from karmadalab.environments.kind.agents import Agents, PodAgents, ProcessAgents, Serve
from karmadalab.environments.kind.connection import Connection
from karmadalab.environments.kind.engine import Engine, Node
from karmadalab.environments.kind.errors import NotInstalled, ToolError
from karmadalab.environments.kind.fleet import KindFleet, KindMember, member_spec, read_kind_fleet
from karmadalab.environments.kind.listening import NEAR, Listening, listening
from karmadalab.environments.kind.measures import Measures
from karmadalab.environments.kind.official import OfficialTransport
from karmadalab.environments.kind.state import READY
from karmadalab.environments.kind.status import STOPPED
from karmadalab.environments.kind.updown import Clusters
from karmadalab.environments.kind.world import KindWorld
from karmadalab.environments.phases import Phases

_USABLE = (READY, STOPPED)  # a node that an earlier lab switched off is switched on again


HERE, PROCESS, POD = "here", "process", "pod"


def open_world(
    fleet: Any,
    settings: Settings,
    rng: Random,
    *,
    agents: str = HERE,
    listen: str = "",
    serve: Serve | None = None,
    strict: bool = False,
    **options: Any,
) -> KindWorld:
    """A running world; see `Lab.kind`.

    Args:
        serve: what serves a store, for agents outside this process.
    """
    clusters = Clusters(read_kind_fleet(fleet))
    _check_agents(clusters.fleet, agents, listen)
    _must_be_up(clusters, fleet)
    measures = Measures(clusters.engine, clusters.folder)
    connections = [_connection(clusters, member) for member in clusters.fleet.members]
    if agents != HERE:
        options["serve"] = serve
    if agents == POD:
        gateways = [gateway for node in connections[0].nodes() for gateway in node.gateways]
        options |= {"image": clusters.fleet.agent_image, "where": listening(listen, gateways)}
    return running_world(connections, measures, settings, rng, strict=strict, **options)


def _check_agents(fleet: KindFleet, agents: str, listen: str) -> None:
    """What was asked for makes sense, as far as that can be told before any cluster is looked at."""
    if agents not in (HERE, PROCESS, POD):
        raise BadRequest(f"agents: write {HERE!r}, {PROCESS!r} or {POD!r}, not {agents!r}")
    if agents != POD and listen:
        raise BadRequest(f"listen: only agents={POD!r} need the control plane to listen elsewhere; leave it out")
    if agents == POD and not fleet.agent_image:
        raise BadRequest(
            f"agents={POD!r}: fleet {fleet.name} names no agent_image, as environments/kind-pod.yaml does; build one "
            "with environments/agent.Dockerfile"
        )
    if agents == POD:
        listening(listen, ["192.0.2.1"])  # any gateway will do to find a bad word


def running_world(
    connections: Sequence[Connection],
    measures: Measures,
    settings: Settings,
    rng: Random,
    *,
    strict: bool = False,
    speed: float = 1.0,
    serve: Serve | None = None,
    image: str = "",
    where: Listening = NEAR,
    **options: Any,
) -> KindWorld:
    """A control plane over members that can be reached, started.

    Args:
        speed: lab seconds for each real second; real clusters live at 1.
        serve: what serves a store, for agents in processes of their own; without it agents run here.
        image: what agents in pods run; without it they are processes.
        where: where the control plane listens for agents.
    """
    clock = WallClock(speed=speed)
    trace = Trace(clock.now)
    fleet = Fleet(tuple(connection.spec for connection in connections))
    phases = Phases.drawn(fleet, rng, settings.cluster_monitor_period, settings.cluster_status_update_frequency)
    plane = ControlPlane(clock, trace, settings, phases, rng, strict=strict, **options)
    agents: Agents | None = None
    if serve is not None and image:
        agents = PodAgents(serve, plane.store, settings, measures.folder, where, image)
    elif serve is not None:
        agents = ProcessAgents(serve, plane.store, settings, measures.folder)
    world = KindWorld(plane, connections, measures, rng, agents)
    world.start()
    return world


def _must_be_up(clusters: Clusters, source: Any) -> None:
    name = source if isinstance(source, (str, Path)) else "FILE"
    try:
        clusters.kind.clusters()  # where nothing was made yet, the status asks nobody
        statuses = clusters.status()
    except (NotInstalled, ToolError) as error:
        raise BadRequest(f"Lab.kind: {error}. {_diagnosis()} Lab.fake needs none of this") from None
    if missing := [f"{status.member} is {status.phase}" for status in statuses if status.phase not in _USABLE]:
        raise BadRequest(f"Lab.kind: {', '.join(missing)}; make the clusters first: karmadalab kind up {name}")


def _diagnosis() -> str:
    from karmadalab.environments.doctor.doctor import examine, verdict

    return f"karmadalab doctor: {verdict(examine())}"


def _connection(clusters: Clusters, member: KindMember) -> Connection:
    kubeconfig = clusters.folder.kubeconfig(member.name)
    admin = OfficialTransport(kubeconfig)
    cluster, engine = clusters.fleet.cluster_name(member.name), clusters.engine
    return Connection(
        member_spec(member),
        admin,
        lambda token: OfficialTransport(kubeconfig, token),
        lambda: control_plane_first(engine, cluster),
        admin.server,
        kubeconfig,
    )


def control_plane_first(engine: Engine, cluster: str) -> list[Node]:
    """The node containers of a cluster; the API server is in the first."""
    return sorted(engine.nodes(cluster), key=lambda node: (not node.name.endswith("-control-plane"), node.name))

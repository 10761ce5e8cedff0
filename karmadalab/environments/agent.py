"""A pull-mode agent in a process of its own: the same controllers, with HTTP on both sides.

In a real fleet karmada-agent runs inside the member and only it opens connections: it fetches Works, carries them out,
and its lease is the cluster's heartbeat. Kill it, stop it (SIGSTOP) or start it again, and the control plane sees what
it would see then. The controllers can't tell that they are not in the control plane's own process.

Not modelled: leader election between several agents of one cluster.
"""

from __future__ import annotations

from random import Random

from karmadalab.api.cluster import PULL, Cluster, ClusterSpec
from karmadalab.api.errors import BadRequest
from karmadalab.api.meta import ObjectMeta
from karmadalab.core.manager import Manager
from karmadalab.core.settings import Settings
from karmadalab.core.trace import Trace
from karmadalab.core.wall_clock import WallClock
from karmadalab.environments.control_plane import ControlPlane
from karmadalab.environments.http.client import HttpClient
from karmadalab.environments.http.lab_time import clock_of
from karmadalab.environments.http.member import HttpMember, server_version
from karmadalab.environments.http.transport import Transport
from karmadalab.environments.phases import Phases


class Agent:
    """karmada-agent.

    Args:
        name: the cluster.
        karmada: the way to the control plane.
        member: the way to the cluster's own API server.
        settings: Karmada's flags.
        rng: for the jitter of heartbeats.

    Raises:
        Unreachable, ApiError: one of the two does not answer, or refuses.
        BadRequest: the cluster is registered in push mode.
    """

    def __init__(self, name: str, karmada: Transport, member: Transport, settings: Settings, rng: Random) -> None:
        self.clock: WallClock = clock_of(karmada)
        self.trace = Trace(self.clock.now)
        self._karmada = HttpClient(f"agent@{name} -> karmada", karmada, self.clock, self.trace)
        self._member = HttpMember(name, member, self.clock, self.trace, server_version(member), "agent")
        # It brings the controllers along, and a store that stays empty: the objects are the control plane's.
        plane = ControlPlane(self.clock, self.trace, settings, Phases(), rng, strict=False)
        self.clock.begin()
        self._register(name, str(getattr(member, "server", "")))
        self.manager: Manager = plane.agent(name, self._karmada, self._member)

    def _register(self, name: str, endpoint: str) -> None:
        """Make the Cluster, as an agent does that runs for the first time."""
        cluster = self._karmada.find(Cluster, name)
        if cluster is None:
            spec = ClusterSpec(syncMode=PULL, id=f"{name}-id", apiEndpoint=endpoint)
            self._karmada.create(Cluster(metadata=ObjectMeta(name=name), spec=spec))
        elif cluster.spec.syncMode != PULL:
            raise BadRequest(f"cluster {name} is registered in {cluster.spec.syncMode} mode; an agent needs Pull")

    def run(self) -> None:
        """Work until somebody ends the process."""
        with self.clock.taken():
            self.manager.start()
        try:
            while True:
                self.clock.step()
        finally:
            self.close()

    def close(self) -> None:
        """End the controllers and the connections."""
        with self.clock.taken():
            self.manager.stop()
        self._karmada.close()
        self._member.close()

    def __repr__(self) -> str:
        return f"<Agent {self.manager!r}>"

"""A real member cluster, with the parts that a simulated one has, and what must be so before it joins."""

from __future__ import annotations

import threading
from random import Random

from karmadalab.api.cluster import PULL
from karmadalab.api.errors import BadRequest, KarmadalabError
from karmadalab.core.clock import real_time
from karmadalab.environments.control_plane import ControlPlane
from karmadalab.environments.fleet import MemberSpec
from karmadalab.environments.http.client import HttpClient
from karmadalab.environments.http.member import HttpMember, server_version
from karmadalab.environments.kind.connection import Connection
from karmadalab.environments.link import Link

SETTLE_S = 120.0  # how long a machine may take to answer, and a member to be Ready


class KindMember:
    """A real member, with the parts that a simulated one has.

    Attributes:
        store: its objects, as the control plane's client sees them.
        from_control_plane, from_agent: the member as each caller sees it.
        uplink: the way of its agent to the control plane.
        let_go: as a simulated member's.
    """

    def __init__(self, connection: Connection, token: str, version: str, plane: ControlPlane, rng: Random) -> None:
        self.connection, self.spec = connection, connection.spec
        name, clock, trace = self.spec.name, plane.clock, plane.trace
        caller = "agent" if self.pulls else "karmada"
        member = HttpMember(name, connection.with_token(token), clock, trace, version, caller)
        self.from_control_plane = self.from_agent = member
        self.store: HttpClient = member.client
        self.uplink = Link(f"agent@{name} -> karmada", clock, trace, rng)
        self.nodes = tuple(connection.nodes())
        self.let_go: set[str] = set()

    @property
    def pulls(self) -> bool:
        """Whether an agent reports, rather than the control plane reaching in."""
        return self.spec.mode == PULL

    def __repr__(self) -> str:
        return f"<KindMember {self.spec.name} {self.spec.mode} {self.connection.endpoint}>"


def as_in_the_fleet(spec: MemberSpec, known: MemberSpec) -> MemberSpec:
    """What joins: a bare name means the member as the fleet has it. Raises `BadRequest` for another mode."""
    if spec == MemberSpec(spec.name):
        return known
    if spec.mode != known.mode:
        raise BadRequest(
            f"join: {spec.name} is a member in {known.mode} mode, not {spec.mode}; the fleet's file says which mode a "
            f'member has, and lab.join("{spec.name}") takes it so'
        )
    return spec


def wait_for_answer(connection: Connection) -> None:
    """A machine that was only just switched on takes half a minute until its API server answers.

    Raises:
        BadRequest: it does not answer for two minutes.
    """
    end = real_time() + SETTLE_S
    while True:
        try:
            server_version(connection.admin, timeout_s=5.0)
        except KarmadalabError as error:
            if real_time() > end:
                raise BadRequest(
                    f"{connection.spec.name} at {connection.endpoint}: {error} for {SETTLE_S:g} s; "
                    "karmadalab kind status shows its nodes, karmadalab kind up starts those that are off"
                ) from None
            threading.Event().wait(1.0)
        else:
            return

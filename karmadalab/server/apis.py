"""Which API servers stand behind one address: a lab's control plane and its members, or a single one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from karmadalab.api.errors import Unreachable
from karmadalab.environments.link import UP, Link
from karmadalab.environments.member import SimulatedMember
from karmadalab.lab import Lab
from karmadalab.server.api import Api, Way


class LabApis:
    """The API servers of a lab: the control plane's, and those of the members there are at the moment."""

    def __init__(self, lab: Lab, loop: asyncio.AbstractEventLoop) -> None:
        self._lab, self._loop = lab, loop
        self._members: dict[str, Way] = {}
        self._control_plane = Api(lab.store, loop, way=self._way)
        for name in lab.world.members:
            self._way(name)

    def find(self, name: str) -> Api | None:
        """A member's; the control plane's without a name."""
        way = self._way(name) if name else None
        return self._control_plane if not name else way.api if way is not None else None

    def all(self) -> list[Api]:
        """The control plane's, and those of all members that have been there."""
        return [self._control_plane, *(way.api for way in self._members.values())]

    def _way(self, name: str) -> Way | None:
        member = self._lab.world.members.get(name)
        way = self._members.get(name)
        if not isinstance(member, SimulatedMember):  # a real cluster has an API server of its own
            return None
        if way is None or way.api.store is not member.store:  # a cluster that left and came back is another one
            api = Api(member.store, self._loop, _gate(member.from_agent.link), kubernetes=member.spec.kubernetes)
            way = self._members[name] = Way(api, member.from_control_plane.link.cross)
        return way


class OneApi:
    """A single API server."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def find(self, name: str) -> Api | None:
        """It has no name."""
        return None if name else self._api

    def all(self) -> list[Api]:
        """Just the one."""
        return [self._api]


def _gate(link: Link) -> Callable[[], None]:
    """What a request to a member's API server meets when that is down."""

    def is_up() -> None:
        if link.state != UP:
            what = "connection refused" if link.state != "silent" else "no answer in time"
            raise Unreachable(f"{link.name.partition(' -> ')[2]}: its API server is down ({what}); a fault acts on it")

    return is_up

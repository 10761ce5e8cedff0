"""Where the control plane listens for agents that run in containers.

A lab's server listens on loopback, which a container can't reach. Whoever wants agents in pods says where else: on this
machine's own address in the engine's network (`gateway`, on Linux), on another of its addresses, or nowhere else, where
an engine in a virtual machine passes on what is sent to a name of its own (`host.docker.internal`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import ip_address
from typing import NamedTuple

from karmadalab.api.errors import BadRequest

GATEWAY, LOOPBACK = "gateway", "127.0.0.1"
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")  # with a dot: no mistyped word
_CHOICE = (
    "listen='gateway' (Linux: this machine's address in the engine's network), an address of this machine, or "
    "listen='host.docker.internal' (Docker Desktop, which passes it on to loopback)"
)


class Listening(NamedTuple):
    """Where the server listens, and how containers call it.

    Attributes:
        host: an address of this machine.
        known_as: an address or a name that containers reach.
    """

    host: str = LOOPBACK
    known_as: str = LOOPBACK

    @property
    def is_open(self) -> bool:
        """Whether others than this machine's own programs may knock."""
        return not ip_address(self.host).is_loopback

    @property
    def is_address(self) -> bool:
        """Whether packets to it can be told by their address, as faults on the way must."""
        return _address(self.known_as)


NEAR = Listening()


def listening(listen: str, gateways: Sequence[str]) -> Listening:
    """Where to listen for containers.

    >>> listening("gateway", ["172.18.0.1"])
    Listening(host='172.18.0.1', known_as='172.18.0.1')
    >>> listening("host.docker.internal", ["172.18.0.1"])
    Listening(host='127.0.0.1', known_as='host.docker.internal')

    Args:
        listen: what was asked for.
        gateways: this machine's addresses in the engine's network.

    Raises:
        BadRequest: nothing was asked for, or what containers can't reach.
    """
    if not listen:
        raise BadRequest(f"agents='pod': a pod can't reach this machine's loopback, so say where to listen: {_CHOICE}")
    if listen == GATEWAY or listen == "0.0.0.0":  # noqa: S104 # asked for in so many words
        if not gateways:
            raise BadRequest("listen: the engine names no gateway of its network; write an address of this machine")
        return Listening(gateways[0] if listen == GATEWAY else listen, gateways[0])
    if _address(listen):
        if ip_address(listen).is_loopback:
            raise BadRequest(f"listen: a pod can't reach {listen}, this machine's loopback; write {_CHOICE}")
        return Listening(listen, listen)
    if not _NAME.fullmatch(listen):
        raise BadRequest(f"listen: {listen!r} is neither an address nor a name; write {_CHOICE}")
    return Listening(LOOPBACK, listen)


def _address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True

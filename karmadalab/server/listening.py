"""Where a server listens: at the address that its clients know already, if it can be had.

Whoever starts again in a folder is looked for at the port in its kubeconfig. While the server before is still there, a
second one would write its own port over that, and the first would be lost to everybody who comes later; so it is
refused. Another program at the port is no such thing: then it is a new port, and a new kubeconfig.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path

from karmadalab.api.errors import BadRequest, KarmadalabError
from karmadalab.environments.http.transport import PlainTransport

_ANSWER_S = 2.0


def check_alone(folder: Path, kubeconfig: Path, port: int) -> None:
    """The server that wrote a folder's kubeconfig has ended.

    Raises:
        BadRequest: it answers, by the certificate that only it has.
    """
    try:
        PlainTransport.from_kubeconfig(kubeconfig, connect_timeout_s=_ANSWER_S).request(
            "GET", "/version", {}, None, _ANSWER_S
        )
    except KarmadalabError:
        return
    raise BadRequest(f"{folder}: the server of this folder still runs at port {port}; end it, or choose another folder")


def listen(host: str, port: int, before: int) -> socket.socket:
    """Listen at a port, or where it was before, if any will do and that one is free.

    Raises:
        BadRequest: the port is taken, or is none.
    """
    if port == 0 and before:
        with suppress(BadRequest):
            return _listen(host, before)
    return _listen(host, port)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        found = socket.create_server((host, port), family=family, backlog=256)
        # Connections inherit it. asyncio sets it only on sockets that were made with IPPROTO_TCP; without it the second
        # part of every answer waits 40 ms for the client's delayed acknowledgement of the first.
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (OSError, OverflowError) as error:
        raise BadRequest(
            f"port {port}: can't listen on {host}: {error}; choose another, or 0 for any free one"
        ) from None
    return found

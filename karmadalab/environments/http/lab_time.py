"""What time it is in the lab at the other end.

A live lab may run ten times as fast as the real world. Whoever joins it from another process must agree on the time, or
heartbeats come too late by a factor of ten. The lab's server says in `/version`; a real API server does not, and there
real time counts.
"""

from __future__ import annotations

from karmadalab.api.errors import Unreachable
from karmadalab.core.wall_clock import WallClock
from karmadalab.environments.http.refusal import refusal
from karmadalab.environments.http.transport import Transport

_TIMEOUT_S = 10.0


def clock_of(transport: Transport) -> WallClock:
    """A clock that shows what the other end's shows and goes as fast; it is not begun yet.

    Raises:
        Unreachable, ApiError: the other end does not answer, or refuses.
    """
    try:
        answer = transport.request("GET", "/version", {}, None, _TIMEOUT_S)
    except Unreachable as error:
        server = getattr(transport, "server", "the API server")
        raise Unreachable(f"{server}: {error}; is it running, and is this its kubeconfig?") from None
    if answer.code >= 400 or not isinstance(answer.data, dict):
        raise refusal(answer, "/version")
    lab = answer.data.get("lab")
    if not isinstance(lab, dict):
        return WallClock()
    return WallClock(float(lab["time"]), float(lab["speed"]) or 1.0)

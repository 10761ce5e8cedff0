"""How a member cluster is reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from karmadalab.environments.fleet import MemberSpec
from karmadalab.environments.http.transport import Transport
from karmadalab.environments.kind.engine import Node


class Connection(NamedTuple):
    """How a member cluster is reached.

    Attributes:
        spec: the member as the fleet has it.
        admin: the way with the kubeconfig's own rights, to join.
        with_token: the way with a service account's token.
        nodes: says which node containers there are, the control plane's first.
        endpoint: the API server's address.
        kubeconfig: the file that says so, for an agent's process.
    """

    spec: MemberSpec
    admin: Transport
    with_token: Callable[[str], Transport]
    nodes: Callable[[], Sequence[Node]]
    endpoint: str
    kubeconfig: Path

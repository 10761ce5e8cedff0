"""What a scenario does to its fleet as a whole: clusters join, are cordoned, leave; load comes and goes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from karmadalab.api.errors import Invalid
from karmadalab.api.meta import Data, replace
from karmadalab.environments.fleet import Fleet, read_fleet
from karmadalab.experiments.words import Length, known, named
from karmadalab.lab import Lab


def with_joiners(fleet: Fleet, actions: Iterable[Any], where: str) -> Fleet:
    """The fleet with those who join on the way, so that later lines may name them.

    Raises:
        Invalid: one who joins can't.
    """
    members = fleet.members
    for index, item in enumerate(actions):
        if isinstance(item, dict) and "join" in item:
            [member] = read_fleet([item["join"]], f"{where}[{index}].join").members
            if all(member.name != other.name for other in members):
                members = (*members, member)
    return replace(fleet, members=members)


class JoinAction(Data):
    """A cluster joins: a name, or a mapping with the fields of a fleet's member."""

    at: Length
    join: Any
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """It is described as a member of a fleet is."""
        read_fleet([self.join], f"{where}.join")

    def act(self, lab: Lab, base: Path) -> None:
        """Let it join."""
        lab.join(self.join)


class LeaveAction(Data):
    """A cluster leaves, as with `karmadactl unjoin`."""

    at: Length
    unjoin: str
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The cluster exists."""
        known(self.unjoin, [member.name for member in fleet.members], f"{where}.unjoin", "cluster")

    def act(self, lab: Lab, base: Path) -> None:
        """Let it leave."""
        lab.unjoin(self.unjoin)


class CordonAction(Data):
    """A cluster takes no new workloads."""

    at: Length
    cordon: str
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The cluster exists."""
        known(self.cordon, [member.name for member in fleet.members], f"{where}.cordon", "cluster")

    def act(self, lab: Lab, base: Path) -> None:
        """Cordon it."""
        lab.cordon(self.cordon)


class UncordonAction(Data):
    """A cluster takes new workloads again."""

    at: Length
    uncordon: str
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The cluster exists."""
        known(self.uncordon, [member.name for member in fleet.members], f"{where}.uncordon", "cluster")

    def act(self, lab: Lab, base: Path) -> None:
        """Uncordon it."""
        lab.uncordon(self.uncordon)


class LoadAction(Data):
    """Requests arrive at a workload: `{load: deployment/web, requests: 200}`, each of `cpu` milliseconds of a core."""

    at: Length
    load: str
    requests: float
    cpu: float = 10.0
    member: str = ""
    name: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The kind exists, the numbers could be."""
        named(self.load, f"{where}.load")
        if self.member:
            known(self.member, [member.name for member in fleet.members], f"{where}.member", "member")
        for field in ("requests", "cpu"):
            if getattr(self, field) < 0:
                raise Invalid(f"{where}.{field}: can't be negative, got {getattr(self, field):g}")

    def act(self, lab: Lab, base: Path) -> None:
        """Put it on."""
        what = named(self.load, "load")
        lab.load(what.name, self.requests, cpu_ms=self.cpu, member=self.member, namespace=what.namespace)


ACTIONS: dict[str, type[Any]] = {
    "join": JoinAction,
    "unjoin": LeaveAction,
    "cordon": CordonAction,
    "uncordon": UncordonAction,
    "load": LoadAction,
}

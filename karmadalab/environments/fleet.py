"""Fleets as data: how many members, how they are synchronised, what they can hold, how fast they start things."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from karmadalab.api.cluster import PULL, PUSH, Quantity
from karmadalab.api.codec import convert
from karmadalab.api.errors import BadRequest, Invalid, shortly
from karmadalab.api.meta import Data, Taint
from karmadalab.api.quantity import milli
from karmadalab.api.time import seconds
from karmadalab.environments.files import load_yaml
from karmadalab.environments.plain import FILE_BYTES, plain

MAX_MEMBERS = 5000
MAX_NODES = 5000  # of a member: what Kubernetes is tested with
MAX_PODS = (1 << 31) - 1
_NAME_LENGTH = 48


class NodePool(Data):
    """Equal nodes of one member."""

    count: int = 1
    cpu: Quantity = "8"
    memory: Quantity = "64Gi"
    pods: int = 110


class MemberSpec(Data):
    """One member of a fleet.

    Attributes:
        mode: `Push` (the control plane reaches in) or `Pull` (an agent inside reports).
        startup: how long a pod takes from its node to Ready.
        shutdown: how long a pod takes to end.
    """

    name: str
    mode: str = PUSH
    region: str = ""
    zone: str = ""
    provider: str = ""
    labels: dict[str, str] = {}
    taints: tuple[Taint, ...] = ()
    nodes: tuple[NodePool, ...] = (NodePool(),)
    startup: str | float = "3s"
    shutdown: str | float = "1s"
    kubernetes: str = "v1.32.0"


class Fleet(Data):
    """The members of a lab."""

    members: tuple[MemberSpec, ...]
    name: str = ""


def fleet_of(members: int, pull: int = 0) -> Fleet:
    """A fleet of equal members `member1` ..., the last `pull` of them in pull mode.

    Raises:
        BadRequest: a number that makes no fleet.
    """
    if isinstance(members, bool) or not isinstance(members, int) or not 1 <= members <= MAX_MEMBERS:
        raise BadRequest(f"members: expected a whole number from 1 to {MAX_MEMBERS}, got {members!r}")
    if isinstance(pull, bool) or not isinstance(pull, int) or not 0 <= pull <= members:
        raise BadRequest(f"pull: expected a whole number from 0 to {members} (the members), got {pull!r}")
    modes = [PUSH] * (members - pull) + [PULL] * pull
    return Fleet(members=tuple(MemberSpec(name=f"member{i}", mode=mode) for i, mode in enumerate(modes, 1)))


def read_fleet(source: Any, where: str = "fleet") -> Fleet:
    """A fleet from a file, a mapping or a list of members, checked.

    Raises:
        Invalid: what is wrong, and where.
        BadRequest: the file can't be read.
    """
    if isinstance(source, Fleet):
        return checked(source, where)
    if isinstance(source, (str, Path)):
        data = load_yaml(source)
        if isinstance(data, dict) and isinstance(data.get("fleet"), str):  # a scenario that names a fleet beside it
            return read_fleet(Path(source).parent / data["fleet"])
        return read_fleet(data, str(source))
    if isinstance(source, list):
        source = {"members": source}
    if isinstance(source, dict) and "fleet" in source and "members" not in source:
        source = source["fleet"]  # a scenario file: its fleet is what is meant
        return read_fleet(source, where)
    if not isinstance(source, dict):
        raise Invalid(f"{where}: a fleet is a mapping with members, not {type(source).__name__}")
    return checked(convert(_plain_modes(plain(source, where, FILE_BYTES)), Fleet, where), where)


def _plain_modes(source: dict[str, Any]) -> dict[str, Any]:
    """Allow `mode: pull`, a single `nodes` mapping and bare member names."""
    members = source.get("members")
    if not isinstance(members, list):
        return source
    plain = []
    for item in members:
        member = {"name": item} if isinstance(item, str) else item
        if isinstance(member, dict):
            member = dict(member)
            if isinstance(member.get("mode"), str):
                member["mode"] = member["mode"].capitalize()
            if isinstance(member.get("nodes"), dict):
                member["nodes"] = [member["nodes"]]
        plain.append(member)
    return {**source, "members": plain}


def checked(fleet: Fleet, where: str = "fleet") -> Fleet:
    """The fleet itself, if it can be built.

    Raises:
        Invalid: a name used twice, a mode that does not exist, a node without room, ...
    """
    if not fleet.members:
        raise Invalid(f"{where}: members: a fleet needs at least one member")
    seen: set[str] = set()
    for index, member in enumerate(fleet.members):
        path = f"{where}: members[{index}]"
        check_name(path, member.name, seen)
        seen.add(member.name)
        if member.mode not in (PUSH, PULL):
            raise Invalid(f"{path}.mode: {member.mode!r} is not a mode: write push or pull")
        for field in ("startup", "shutdown"):
            if seconds(getattr(member, field), f"{path}.{field}") < 0:
                raise Invalid(f"{path}.{field}: a length of time can't be negative, got {getattr(member, field)}")
        for number, pool in enumerate(member.nodes):
            _check_pool(f"{path}.nodes[{number}]", pool)
        if (count := sum(pool.count for pool in member.nodes)) > MAX_NODES:
            raise Invalid(f"{path}.nodes: expected up to {MAX_NODES} nodes, got {count}")
    return fleet


def check_name(path: str, name: str, seen: set[str]) -> None:
    """Raise `Invalid` unless it can name a cluster and is not among those seen."""
    if name in seen:
        raise Invalid(f"{path}.name: {name!r} is used twice; every member needs its own name")
    allowed = name and all(char.isascii() and (char.islower() or char.isdigit() or char == "-") for char in name)
    if not allowed or name[0] == "-" or name[-1] == "-":
        raise Invalid(f"{path}.name: {name!r} is not a cluster name: lower case letters, digits and inner hyphens")
    if len(name) > _NAME_LENGTH:
        raise Invalid(f"{path}.name: {name!r} is too long: at most {_NAME_LENGTH} characters")


def _check_pool(path: str, pool: NodePool) -> None:
    if pool.count < 0 or pool.pods < 0:
        raise Invalid(f"{path}: count and pods can't be negative")
    for field, most in (("count", MAX_NODES), ("pods", MAX_PODS)):
        if getattr(pool, field) > most:
            raise Invalid(f"{path}.{field}: expected a whole number up to {most}, got {shortly(getattr(pool, field))}")
    for field in ("cpu", "memory"):
        try:
            amount = milli(getattr(pool, field))
        except BadRequest as error:
            raise Invalid(f"{path}.{field}: {error}") from None
        if amount < 0:
            raise Invalid(f"{path}.{field}: can't be negative, got {getattr(pool, field)}")

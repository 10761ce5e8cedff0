"""Fleets of kind clusters as data: the members, what each node needs, and the kind config file of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from karmadalab.api.cluster import PULL, PUSH, Quantity
from karmadalab.api.codec import convert
from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.api.meta import Data, Taint, replace
from karmadalab.api.quantity import milli
from karmadalab.api.time import seconds
from karmadalab.environments.files import load_yaml
from karmadalab.environments.fleet import Fleet, MemberSpec, check_name
from karmadalab.environments.kind.config import API_VERSION, WORKER, ClusterConfig, Node, read_config

MAX_MEMBERS = 5  # five clusters of one node want 5 to 6 GiB of memory
PREFIX = "karmadalab"
FLEET_LABEL, MEMBER_LABEL = "karmadalab.io/fleet", "karmadalab.io/member"
_CLUSTER_NAME_LENGTH = 49  # "-control-plane" follows, and a host name ends at 63


class KindMember(Data):
    """One member cluster.

    Attributes:
        name: the member's name in Karmada.
        mode: `Push` (the control plane reaches in) or `Pull` (an agent reports).
        image: its node image, the fleet's by default.
        workers: how many worker nodes beside the control-plane node.
        config: a kind config file for everything else, beside the fleet file; excludes `workers`.
    """

    name: str
    mode: str = PUSH
    region: str = ""
    zone: str = ""
    provider: str = "kind"
    labels: dict[str, str] = {}
    taints: tuple[Taint, ...] = ()
    image: str = ""
    workers: int = 0
    config: str = ""


class KindFleet(Data):
    """The members of a lab on kind.

    Attributes:
        image: the node image; empty for the one the installed kind was built with.
        wait: how long kind waits for each control plane to be Ready.
        memory: what one node needs; `up` refuses to start what the engine has no room for.
        images: images of the local engine to copy into every member, so that pods start without a registry.
        agent_image: an image of the local engine with karmadalab in it (environments/agent.Dockerfile), copied into the
            members in pull mode, so that their agents can run there as pods.
        configs: the kind config of each member, made by `read_kind_fleet`.
    """

    members: tuple[KindMember, ...]
    name: str = ""
    image: str = ""
    wait: str | float = "5m"
    memory: Quantity = "900Mi"
    images: tuple[str, ...] = ()
    agent_image: str = ""
    configs: tuple[ClusterConfig, ...] = ()

    def cluster_name(self, member: str) -> str:
        """What kind calls a member's cluster: with our prefix and the fleet's name, so that it can't be the user's."""
        return f"{PREFIX}-{self.name}-{member}"

    def images_of(self, member: str) -> tuple[str, ...]:
        """The images to copy into a member."""
        mode = next(m.mode for m in self.members if m.name == member)
        own = (self.agent_image,) if self.agent_image and mode == PULL else ()
        return (*self.images, *own)

    @property
    def nodes(self) -> int:
        """How many node containers it is."""
        return sum(len(config.nodes) for config in self.configs)


def read_kind_fleet(source: Any, where: str = "") -> KindFleet:
    """A fleet from a file or a mapping, with every kind config in it checked.

    Raises:
        BadRequest: a file can't be read.
        Invalid: what is wrong, and where.
    """
    if isinstance(source, KindFleet):
        return source
    folder, default_name = Path(), "lab"
    if isinstance(source, (str, Path)):
        where = where or str(source)
        folder, default_name = Path(source).parent, Path(source).stem.removeprefix("kind-")
        source = load_yaml(source)
    where = where or "kind fleet"
    if not isinstance(source, dict):
        raise Invalid(f"{where}: a fleet is a mapping with members, not {type(source).__name__}")
    if "configs" in source:
        raise Invalid(f"{where}: configs: name a kind config file in members[i].config instead")
    fleet = convert(_with_modes(source), KindFleet, where)
    path = (
        where
        if fleet.name
        else f"{where}: the file's own name names the fleet; rename it, or write name: into it; fleet"
    )
    fleet = replace(fleet, name=fleet.name or default_name)
    check_name(path, fleet.name, set())
    _check(fleet, where)
    return replace(fleet, configs=tuple(_config(fleet, member, folder, where) for member in fleet.members))


def member_spec(member: KindMember) -> MemberSpec:
    """The member as the control plane registers it."""
    return MemberSpec(
        name=member.name,
        mode=member.mode,
        region=member.region,
        zone=member.zone,
        provider=member.provider,
        labels=member.labels,
        taints=member.taints,
    )


def twin(source: Any) -> Fleet:
    """The fleet with simulated members: same names, modes and places, to try on the fake what is meant for kind.

    Raises:
        BadRequest, Invalid: as `read_kind_fleet`.
    """
    return Fleet(members=tuple(member_spec(member) for member in read_kind_fleet(source).members))


def _with_modes(source: dict[str, Any]) -> dict[str, Any]:
    """Allow `mode: pull` and bare member names."""
    members = source.get("members")
    if not isinstance(members, list):
        return source
    named = [{"name": item} if isinstance(item, str) else item for item in members]
    return {**source, "members": [_capitalised(item) if isinstance(item, dict) else item for item in named]}


def _capitalised(member: dict[str, Any]) -> dict[str, Any]:
    mode = member.get("mode")
    return {**member, "mode": mode.capitalize()} if isinstance(mode, str) else member


def _check(fleet: KindFleet, where: str) -> None:
    if not 1 <= len(fleet.members) <= MAX_MEMBERS:
        raise Invalid(f"{where}: members: a kind fleet has 1 to {MAX_MEMBERS}, not {len(fleet.members)}")
    if seconds(fleet.wait, f"{where}: wait") < 0:
        raise Invalid(f"{where}: wait: a length of time can't be negative, got {fleet.wait}")
    try:
        milli(fleet.memory)
    except BadRequest as error:
        raise Invalid(f"{where}: memory: {error}") from None
    seen: set[str] = set()
    for index, member in enumerate(fleet.members):
        path = f"{where}: members[{index}]"
        check_name(path, member.name, seen)
        seen.add(member.name)
        _check_member(member, path)
        if len(name := fleet.cluster_name(member.name)) > _CLUSTER_NAME_LENGTH:
            raise Invalid(f"{path}.name: {name} is too long for a host name: at most {_CLUSTER_NAME_LENGTH} characters")


def _check_member(member: KindMember, path: str) -> None:
    if member.mode not in (PUSH, PULL):
        raise Invalid(f"{path}.mode: {member.mode!r} is not a mode: write push or pull")
    if not 0 <= member.workers <= 3:
        raise Invalid(f"{path}.workers: expected 0 to 3, got {member.workers}")
    if member.config and member.workers:
        raise Invalid(f"{path}: give workers or a config file, not both; the file lists its nodes itself")


def _config(fleet: KindFleet, member: KindMember, folder: Path, where: str) -> ClusterConfig:
    """The member's kind config: its own file or the plain one, with our name and labels."""
    if member.config:
        config = read_config(folder / member.config)
        if config.networking.ipFamily != "ipv4":
            raise Invalid(f"{where}: {member.config}: networking.ipFamily: faults on the network know only ipv4")
    else:
        nodes = (Node(), *(Node(role=WORKER) for _ in range(member.workers)))
        config = ClusterConfig(kind="Cluster", apiVersion=API_VERSION, nodes=nodes)
    ours = {FLEET_LABEL: fleet.name, MEMBER_LABEL: member.name}
    labelled = tuple(replace(node, labels={**node.labels, **ours}) for node in config.nodes)
    return replace(config, name=fleet.cluster_name(member.name), nodes=labelled)

"""kind's cluster files (kind.x-k8s.io/v1alpha4), read strictly before anything starts.

kind itself refuses a bad file only when it comes to it, which in a fleet is after other clusters are up. The rules here
are kind's: unknown fields, roles, at least one control plane, ports, IP families.
"""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from typing import Any

import msgspec

from karmadalab.api.codec import convert
from karmadalab.api.errors import Invalid
from karmadalab.api.meta import Data
from karmadalab.environments.files import load_yaml

API_VERSION = "kind.x-k8s.io/v1alpha4"
CONTROL_PLANE, WORKER = "control-plane", "worker"

_FAMILIES = ("ipv4", "ipv6", "dual")
_PROXY_MODES = ("iptables", "nftables", "ipvs", "none")
_PROTOCOLS = ("TCP", "UDP", "SCTP")
_PROPAGATIONS = ("None", "HostToContainer", "Bidirectional")


class Mount(Data):
    """A folder of the host, or of the engine's virtual machine, in the node."""

    containerPath: str
    hostPath: str
    readOnly: bool = False
    selinuxRelabel: bool = False
    propagation: str = "None"


class PortMapping(Data):
    """A port of the node on the host."""

    containerPort: int
    hostPort: int = 0
    listenAddress: str = ""
    protocol: str = "TCP"


class JSONPatch(Data):
    """An RFC 6902 patch of a generated kubeadm document."""

    kind: str
    patch: str
    group: str = ""
    version: str = ""


class Node(Data):
    """One node container."""

    role: str = CONTROL_PLANE
    image: str = ""
    labels: dict[str, str] = {}
    extraMounts: tuple[Mount, ...] = ()
    extraPortMappings: tuple[PortMapping, ...] = ()
    kubeadmConfigPatches: tuple[str, ...] = ()
    kubeadmConfigPatchesJSON6902: tuple[JSONPatch, ...] = ()
    gpus: str = ""


class Networking(Data):
    """Addresses of the cluster."""

    ipFamily: str = "ipv4"
    apiServerPort: int = 0
    apiServerAddress: str = ""
    podSubnet: str = ""
    serviceSubnet: str = ""
    disableDefaultCNI: bool = False
    kubeProxyMode: str = "iptables"
    dnsSearch: tuple[str, ...] | None = None


class ClusterConfig(Data):
    """A kind cluster file. `nodes` left out means one control-plane node, which then also runs workloads."""

    kind: str
    apiVersion: str
    name: str = ""
    nodes: tuple[Node, ...] = (Node(),)
    networking: Networking = Networking()
    featureGates: dict[str, bool] = {}
    runtimeConfig: dict[str, str] = {}
    kubeadmConfigPatches: tuple[str, ...] = ()
    kubeadmConfigPatchesJSON6902: tuple[JSONPatch, ...] = ()
    containerdConfigPatches: tuple[str, ...] = ()
    containerdConfigPatchesJSON6902: tuple[str, ...] = ()


def read_config(source: str | Path | dict[str, Any], where: str = "") -> ClusterConfig:
    """A cluster file, checked.

    Args:
        source: a path or what a YAML reader returned.
        where: how to name it in errors; the path by default.

    Raises:
        BadRequest: the file can't be read.
        Invalid: what kind would refuse, with the path in the file and the way out.
    """
    where = where or (str(source) if isinstance(source, (str, Path)) else "kind config")
    data = load_yaml(source) if isinstance(source, (str, Path)) else source
    if not isinstance(data, dict):
        raise Invalid(f"{where}: a kind config is a mapping with kind and apiVersion, not {type(data).__name__}")
    if data.get("kind") != "Cluster" or data.get("apiVersion") != API_VERSION:
        given = f"kind: {data.get('kind')}, apiVersion: {data.get('apiVersion')}"
        raise Invalid(f"{where}: write kind: Cluster and apiVersion: {API_VERSION}, not {given}")
    return checked(convert(data, ClusterConfig, where), where)


def checked(config: ClusterConfig, where: str) -> ClusterConfig:
    """The config itself. Raises `Invalid` for what kind would refuse."""
    if not any(node.role == CONTROL_PLANE for node in config.nodes):
        raise Invalid(f"{where}: nodes: at least one needs role: {CONTROL_PLANE}")
    for index, node in enumerate(config.nodes):
        _check_node(node, f"{where}: nodes[{index}]")
    network, path = config.networking, f"{where}: networking"
    _one_of(network.ipFamily, _FAMILIES, f"{path}.ipFamily")
    _one_of(network.kubeProxyMode, _PROXY_MODES, f"{path}.kubeProxyMode")
    _check_port(network.apiServerPort, f"{path}.apiServerPort")
    _check_address(network.apiServerAddress, f"{path}.apiServerAddress")
    return config


def plain_config(config: ClusterConfig) -> dict[str, Any]:
    """A config as what a YAML writer takes."""
    data: dict[str, Any] = msgspec.to_builtins(config)
    return data


def _check_node(node: Node, path: str) -> None:
    _one_of(node.role, (CONTROL_PLANE, WORKER), f"{path}.role")
    for number, mount in enumerate(node.extraMounts):
        _one_of(mount.propagation, _PROPAGATIONS, f"{path}.extraMounts[{number}].propagation")
    for number, mapping in enumerate(node.extraPortMappings):
        at = f"{path}.extraPortMappings[{number}]"
        _one_of(mapping.protocol, _PROTOCOLS, f"{at}.protocol")
        _check_port(mapping.hostPort, f"{at}.hostPort")
        _check_address(mapping.listenAddress, f"{at}.listenAddress")
        if not 1 <= mapping.containerPort <= 65535:
            raise Invalid(f"{at}.containerPort: {mapping.containerPort} is no port: write 1 to 65535")


def _one_of(value: str, allowed: tuple[str, ...], path: str) -> None:
    if value not in allowed:
        raise Invalid(f"{path}: {value!r} is not one of {', '.join(allowed)}")


def _check_port(port: int, path: str) -> None:
    if not -1 <= port <= 65535:
        raise Invalid(f"{path}: {port} is no port: write 1 to 65535, or 0 to let kind choose one that is free")


def _check_address(address: str, path: str) -> None:
    try:
        if address:
            ip_address(address)
    except ValueError:
        raise Invalid(f"{path}: {address!r} is not an IP address") from None

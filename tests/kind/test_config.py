"""Fleet files and kind config files: what is wrong is said before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karmadalab.api.errors import Invalid, KarmadalabError
from karmadalab.environments.kind.config import plain_config, read_config
from karmadalab.environments.kind.fleet import read_kind_fleet

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIGS = ROOT / "tests" / "data" / "kind" / "configs"


@pytest.mark.parametrize("path", sorted((ROOT / "environments").glob("kind-*.yaml")), ids=lambda path: path.stem)
def test_the_fleets_that_come_with_the_lab(path: Path) -> None:
    fleet = read_kind_fleet(path)
    assert 1 <= len(fleet.members) <= 5
    assert [config.name for config in fleet.configs] == [f"karmadalab-{fleet.name}-{m.name}" for m in fleet.members]


# The config files that the real kind refused, in its words and in ours.
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bad-field", "nodez"),
        ("bad-role", r"nodes\[0\]\.role|at least one needs role: control-plane"),
        ("bad-version", "apiVersion: kind.x-k8s.io/v1alpha4, not"),
        ("bad-yaml", "not YAML at line"),
        ("no-cp", "at least one needs role: control-plane"),
        ("absent", "no such file"),
    ],
)
def test_what_kind_refused_we_refuse(name: str, said: str) -> None:
    with pytest.raises(KarmadalabError, match=said):
        read_config(CONFIGS / f"{name}.yaml")


def test_what_kind_took_we_take() -> None:
    assert [node.role for node in read_config(CONFIGS / "ok.yaml").nodes] == ["control-plane", "worker"]


def config(**fields: Any) -> dict[str, Any]:
    return {"kind": "Cluster", "apiVersion": "kind.x-k8s.io/v1alpha4", **fields}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"nodes": [{"extraPortMappings": [{"containerPort": 0}]}]}, r"containerPort: 0 is no port"),
        ({"nodes": [{"extraPortMappings": [{"containerPort": 80, "hostPort": 70000}]}]}, "hostPort: 70000 is no port"),
        ({"nodes": [{"extraPortMappings": [{"containerPort": 80, "protocol": "tcp"}]}]}, "not one of TCP, UDP, SCTP"),
        ({"nodes": [{"extraMounts": [{"containerPath": "/a"}]}]}, "hostPath"),
        ({"nodes": [{"extraMounts": [{"containerPath": "/a", "hostPath": "/b", "propagation": "x"}]}]}, "propagation"),
        ({"networking": {"apiServerAddress": "here"}}, "'here' is not an IP address"),
        ({"networking": {"ipFamily": "ipv5"}}, "not one of ipv4, ipv6, dual"),
        ({"nodes": "one"}, "nodes"),
    ],
)
def test_bad_configs(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(Invalid, match=said):
        read_config(config(**fields))


@pytest.mark.parametrize(
    ("fleet", "said"),
    [
        ([], "a fleet is a mapping"),
        ({"members": []}, "1 to 5, not 0"),
        ({"members": [f"m{i}" for i in range(6)]}, "1 to 5, not 6"),
        ({"members": ["a", "a"]}, "used twice"),
        ({"members": ["A_"]}, "not a cluster name"),
        ({"name": "Mine", "members": ["a"]}, "'Mine' is not a cluster name"),
        ({"members": [{"name": "a", "mode": "both"}]}, "write push or pull"),
        ({"members": [{"name": "a", "workers": 9}]}, "expected 0 to 3"),
        ({"members": ["a" * 48]}, "too long for a host name"),
        ({"members": ["a"], "wait": "soon"}, "wait"),
        ({"members": ["a"], "memory": "lots"}, "memory"),
        ({"members": ["a"], "nodez": 1}, "nodez"),
        ({"members": [{"name": "a", "config": "absent.yaml"}]}, "no such file"),
        ({"members": [{"name": "a", "config": "x.yaml", "workers": 1}]}, "not both"),
    ],
)
def test_bad_fleets(fleet: Any, said: str) -> None:
    with pytest.raises(KarmadalabError, match=said):
        read_kind_fleet(fleet)


def test_a_file_whose_name_can_not_name_a_fleet(tmp_path: Path) -> None:
    path = tmp_path / "kind-My Fleet.yaml"
    path.write_text("members: [a]\n")
    with pytest.raises(Invalid, match=r"rename it, or write name: into it; fleet\.name: 'My Fleet' is not"):
        read_kind_fleet(path)
    path.write_text("name: mine\nmembers: [a]\n")
    assert read_kind_fleet(path).name == "mine"


def test_a_member_with_its_own_config_keeps_it_and_gets_our_name_and_labels(tmp_path: Path) -> None:
    (tmp_path / "kind-mine.yaml").write_text("members:\n- {name: a, config: a.kind.yaml}\n- {name: b, workers: 2}\n")
    (tmp_path / "a.kind.yaml").write_text(
        "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nname: theirs\nnodes:\n- role: control-plane\n"
        "  labels: {rack: r1}\n- role: worker\nfeatureGates: {Some: true}\n"
    )
    fleet = read_kind_fleet(tmp_path / "kind-mine.yaml")
    written = plain_config(fleet.configs[0])
    assert written["name"] == "karmadalab-mine-a"
    assert written["featureGates"] == {"Some": True}
    assert written["nodes"][0]["labels"] == {"rack": "r1", "karmadalab.io/fleet": "mine", "karmadalab.io/member": "a"}
    assert read_config(written) == fleet.configs[0]
    assert fleet.nodes == 5

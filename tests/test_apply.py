"""What `lab.apply` does to what is there: all of a batch or nothing, and nothing that others wrote."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab.api.codec import decode
from karmadalab.api.errors import Conflict
from karmadalab.environments.manifests import in_namespace
from karmadalab.lab import Lab

from .worlds import deployment, policy


def test_a_batch_is_stored_before_a_controller_sees_any_of_it() -> None:
    """Else what a controller makes of the policy is newer than the Deployment at hand, and half a batch is stored."""
    lab = Lab.fake(members=2)
    lab.apply(deployment())
    lab.run("1m")
    scaled = lab.get("Deployment", "web").with_spec(replicas=7)
    lab.apply([policy(), scaled])
    assert lab.get("Deployment", "web").spec["replicas"] == 7
    assert lab.run("1m").get("ResourceBinding", "web-deployment").spec.replicas == 7


def test_of_a_batch_with_an_old_version_nothing_is_stored() -> None:
    lab = Lab.fake(members=2)
    lab.apply(deployment())
    old = lab.get("Deployment", "web").with_spec(replicas=7)
    lab.scale("web", 3)
    with pytest.raises(Conflict, match="leave resourceVersion out"):
        lab.apply([policy(), old])
    assert lab.find("PropagationPolicy", "web") is None


def config_map(**data: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": data}


def test_what_was_applied_is_forgotten_with_the_object() -> None:
    lab = Lab.fake(members=1)
    lab.apply(config_map(a="1", b="2"))
    lab.delete("ConfigMap", "settings")
    lab.store.create(in_namespace(decode(config_map(a="1", b="2"))))
    lab.apply(config_map(a="3"))
    assert lab.get("ConfigMap", "settings")["data"] == {"a": "3", "b": "2"}

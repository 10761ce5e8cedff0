"""Names are Karmada's to the letter."""

from __future__ import annotations

import doctest

from karmadalab.api import naming
from tests.conformance import naming as recorded
from tests.conformance.agreement import disagreements


def test_every_recorded_name_agrees() -> None:
    assert disagreements(recorded, "karmada-v1.13/naming.jsonl.gz") == []


def test_docstrings_tell_the_truth() -> None:
    assert doctest.testmod(naming).failed == 0


def test_a_work_is_called_the_same_in_every_execution_namespace_but_not_for_another_kind() -> None:
    deployment, service = (naming.work_name(kind, "nginx", "default") for kind in ("Deployment", "Service"))
    assert deployment != service
    assert deployment == naming.work_name("Deployment", "nginx", "default")


def test_colons_which_only_rbac_names_have_become_dots() -> None:
    assert naming.binding_name("ClusterRole", "system:admin") == "system.admin-clusterrole"
    assert naming.work_name("ClusterRole", "system:admin").startswith("system.admin-")

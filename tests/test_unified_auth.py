"""Who may be impersonated in members: the rules of a role, and what follows when roles come and go."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

from karmadalab import Lab
from karmadalab.api.cluster import Cluster
from karmadalab.api.codec import decode
from karmadalab.api.meta import replace
from karmadalab.controllers import unified_auth
from karmadalab.controllers.unified_auth import impersonation_rules, opens

PROXY = {"apiGroups": ["cluster.karmada.io"], "resources": ["clusters/proxy"], "verbs": ["*"]}
SEARCH = {"apiGroups": ["search.karmada.io"], "resources": ["proxying/proxy"], "verbs": ["get"]}
RBAC = "rbac.authorization.k8s.io"
IMPERSONATOR = f"ClusterRole.{RBAC}"


def role(*rules: dict[str, Any], name: str = "proxy") -> Any:
    return decode({"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": [*rules]})


def binding(*subjects: tuple[str, str], name: str = "proxy", kind: str = "ClusterRole") -> Any:
    head = {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": f"to-{name}"}}
    named = [{"kind": each, "name": who} for each, who in subjects]
    return decode({**head, "subjects": named, "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name}})


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        pytest.param(PROXY, True, id="the proxy of all clusters"),
        pytest.param({**PROXY, "resourceNames": ["member1"]}, True, id="the proxy of this cluster"),
        pytest.param({**PROXY, "resourceNames": ["member2"]}, False, id="the proxy of another cluster"),
        pytest.param({**PROXY, "apiGroups": ["*"], "resources": ["*"]}, True, id="everything"),
        pytest.param({**PROXY, "resources": ["*/proxy"]}, True, id="every proxy"),
        pytest.param({**PROXY, "resources": ["clusters"]}, False, id="clusters, but not their proxy"),
        pytest.param({**PROXY, "apiGroups": ["apps"]}, False, id="another group"),
        pytest.param(SEARCH, True, id="the proxy of the search"),
        pytest.param({**SEARCH, "resourceNames": ["x"]}, True, id="the search asks for no cluster"),
        pytest.param({}, False, id="a rule that says nothing"),
    ],
)
def test_which_rule_opens_the_way_to_a_cluster(rule: dict[str, Any], expected: bool) -> None:
    assert opens(role(rule), "member1") is expected


def test_subjects_are_listed_once_by_kind_and_name_and_only_those_of_roles_that_open() -> None:
    subjects = [("User", "zoe"), ("User", "ann"), ("Group", "ops"), ("ServiceAccount", "bot"), ("Robot", "r2")]
    roles = [role(PROXY), role(SEARCH, name="search"), role(name="closed")]
    bindings = [
        binding(*subjects),
        binding(("User", "ann"), name="search"),
        binding(("User", "eve"), name="closed"),
        binding(("User", "max"), kind="Role"),
    ]
    head = {"verbs": ["impersonate"], "apiGroups": [""]}
    assert impersonation_rules("member1", roles, bindings) == [
        {**head, "resources": ["users"], "resourceNames": ["ann", "zoe"]},
        {**head, "resources": ["serviceaccounts"], "resourceNames": ["bot"]},
        {**head, "resources": ["groups"], "resourceNames": ["ops"]},
    ]


def named(lab: Lab, member: str) -> list[str] | None:
    """Who may be impersonated in a member; None without a role."""
    found = lab.world.member(member).store.find(IMPERSONATOR, "karmada-impersonator")
    return None if found is None else [name for rule in found.get("rules") or () for name in rule["resourceNames"]]


def test_rights_follow_roles_and_their_bindings_and_go_with_the_cluster() -> None:
    lab = Lab.fake(members=2, pull=1, seed=1, settings={"controllers": "*,unifiedAuth"}).run("1m")
    assert (named(lab, "member1"), named(lab, "member2")) == ([], [])
    lab.store.create(role({**PROXY, "resourceNames": ["member1"]}))
    lab.store.create(binding(("User", "ann")))
    assert (named(lab.run("5s"), "member1"), named(lab, "member2")) == (["ann"], [])
    lab.store.delete(IMPERSONATOR, "proxy")
    assert named(lab.run("5s"), "member1") == []
    lab.unjoin("member1")
    assert named(lab.run("1m"), "member1") is None
    lab.check()


def test_a_cluster_without_an_account_to_act_with_gets_no_rights() -> None:
    lab = Lab.fake(members=1, seed=1)
    cluster = lab.get("Cluster", "member1")
    bare = replace(cluster, metadata=replace(cluster.metadata, name="bare"))
    lab.store.create(replace(bare, spec=replace(bare.spec, id="other", impersonatorSecretRef=None)))
    controller = unified_auth.UnifiedAuthController(lab.store)
    for found in lab.store.list(Cluster):
        controller.reconcile(unified_auth.Request("", found.metadata.name))
    owners = {o.name for w in lab.store.list("Work.work.karmada.io") for o in w.metadata.ownerReferences}
    assert owners == {"member1"}


def test_a_lab_does_without_unless_it_is_asked_for() -> None:
    assert named(Lab.fake(members=1, seed=1).run("1m"), "member1") is None


def test_docstrings_tell_the_truth() -> None:
    assert doctest.testmod(unified_auth).failed == 0

"""unified-auth-controller: who may reach into members through the control plane may be impersonated there.

A user of Karmada's cluster proxy has no account in a member. Karmada goes in with an account of its own, the
impersonator, and acts in the user's name; the member must allow it that, for these users and no others. So whoever is
granted `clusters/proxy` (or `proxying/proxy`) by a ClusterRoleBinding is listed in a ClusterRole
`karmada-impersonator`, which two Works bring to each cluster with an impersonation secret. A change of a cluster
wakes nobody.

On in Karmada; here only with `--controllers=*,unifiedAuth`, since nobody in a lab asks for permission.

Mirrors pkg/controllers/unifiedauth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karmadalab.api.cluster import Cluster, execution_namespace
from karmadalab.api.meta import ObjectMeta, OwnerReference
from karmadalab.api.naming import service_account_name, work_name
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import EXECUTION_FINALIZER, Work, WorkloadTemplate, WorkSpec
from karmadalab.core.client import ADDED
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.queue import Request
from karmadalab.core.store import Store
from karmadalab.interpreter.manifest import marked
from karmadalab.interpreter.works import write_work

NAME = "unified-auth-controller"

RBAC = "rbac.authorization.k8s.io"
ROLE, ROLE_BINDING = f"ClusterRole.{RBAC}", f"ClusterRoleBinding.{RBAC}"
IMPERSONATOR = service_account_name("impersonator")

# The kinds of subjects, and what an impersonation rule calls them.
_SUBJECTS = {"User": "users", "ServiceAccount": "serviceaccounts", "Group": "groups"}

Rule = dict[str, Any]


# --- decisions --------------------------------------------------------------------------------------------------------


def grants(rule: Rule, group: str, resource: str) -> bool:
    """Whether a rule is about a subresource, by name or by a wildcard.

    >>> grants({"apiGroups": ["*"], "resources": ["*/proxy"]}, "cluster.karmada.io", "clusters/proxy")
    True
    """
    anything = {resource, "*", f"*/{resource.partition('/')[2]}"}
    return bool({group, "*"} & {*(rule.get("apiGroups") or ())} and anything & {*(rule.get("resources") or ())})


def opens(role: Unstructured, cluster: str) -> bool:
    """Whether a role lets its bearers through the proxy to a cluster."""
    for rule in role.get("rules") or ():
        names = rule.get("resourceNames") or ()
        if grants(rule, "cluster.karmada.io", "clusters/proxy") and (not names or cluster in names):
            return True
        if grants(rule, "search.karmada.io", "proxying/proxy"):
            return True
    return False


def impersonation_rules(cluster: str, roles: Iterable[Unstructured], bindings: Iterable[Unstructured]) -> list[Rule]:
    """Whom Karmada may act for in a cluster: one rule for users, one for accounts, one for groups."""
    names = {role.metadata.name for role in roles if opens(role, cluster)}
    found: dict[str, set[str]] = {resource: set() for resource in _SUBJECTS.values()}
    for binding in bindings:
        reference = binding.get("roleRef") or {}
        if reference.get("kind") == "ClusterRole" and reference.get("name") in names:
            for subject in binding.get("subjects") or ():
                if subject.get("kind") in _SUBJECTS:
                    found[_SUBJECTS[subject["kind"]]].add(subject.get("name", ""))
    return [
        {"verbs": ["impersonate"], "apiGroups": [""], "resources": [resource], "resourceNames": sorted(subjects)}
        for resource, subjects in found.items()
        if subjects
    ]


def works_for(cluster: Cluster, rules: list[Rule]) -> list[Work]:
    """The two Works: the role, and its binding to the impersonator's account."""
    secret = cluster.spec.impersonatorSecretRef
    account = {"kind": "ServiceAccount", "name": IMPERSONATOR, "namespace": secret.namespace if secret else ""}
    reference = {"apiGroup": RBAC, "kind": "ClusterRole", "name": IMPERSONATOR}
    return [
        _work(cluster, "ClusterRole", {"rules": rules}),
        _work(cluster, "ClusterRoleBinding", {"subjects": [account], "roleRef": reference}),
    ]


def _work(cluster: Cluster, kind: str, body: dict[str, Any]) -> Work:
    meta = cluster.metadata
    owner = OwnerReference(
        cluster.apiVersion, cluster.kind, meta.name, meta.uid, controller=True, blockOwnerDeletion=True
    )
    metadata = ObjectMeta(
        name=work_name(kind, IMPERSONATOR),
        namespace=execution_namespace(meta.name),
        finalizers=(EXECUTION_FINALIZER,),
        ownerReferences=(owner,),
    )
    manifest = {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": {"name": IMPERSONATOR}, **body}
    manifest = marked(manifest, ObjectMeta(), metadata, {"karmada.io/system": "true"}, {})
    return Work(metadata=metadata, spec=WorkSpec(workload=WorkloadTemplate((manifest,))))


# --- the controller ---------------------------------------------------------------------------------------------------


class UnifiedAuthController:
    """The reconciler."""

    name = NAME

    def __init__(self, store: Store) -> None:
        self._store = store

    def watches(self) -> Sequence[Watch]:
        """Clusters that join, and roles and their bindings that open the proxy."""
        return [
            Watch(self._store, Cluster, self._cluster_event),
            Watch(self._store, ROLE, self._role_event),
            Watch(self._store, ROLE_BINDING, self._binding_event),
        ]

    @staticmethod
    def _cluster_event(event: str, old: Any, new: Any) -> Iterable[Request]:
        return [Request("", new.metadata.name)] if event == ADDED else ()

    def _role_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        names = [cluster.metadata.name for cluster in self._store.list(Cluster)]
        return [Request("", name) for name in names if opens(new, name) or (old is not None and opens(old, name))]

    def _binding_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        reference = new.get("roleRef") or {}
        role = self._store.find(ROLE, reference.get("name", "")) if reference.get("kind") == "ClusterRole" else None
        return self._role_event(event, None, role) if role is not None else ()

    def reconcile(self, request: Request) -> Result:
        """Write the Works of a cluster. Raises `Retry` while older ones are being deleted."""
        cluster: Cluster | None = self._store.find(Cluster, request.name)
        if cluster is None or cluster.metadata.deletionTimestamp is not None:
            return DONE  # its Works go with their owner
        if cluster.spec.impersonatorSecretRef is None:
            return DONE  # there is no account to act with
        rules = impersonation_rules(request.name, self._store.list(ROLE), self._store.list(ROLE_BINDING))
        for work in works_for(cluster, rules):
            write_work(self._store, work)
        return DONE

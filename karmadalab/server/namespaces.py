"""The namespaces that an API server has from the beginning: kubectl users look for `default`.

Inside the lab a namespace need not be there for an object to be in it (see docs/decisions.md), and most lessons have
none. A store that is served gets what a real API server makes when it starts and, in the control plane, what the
installation of Karmada adds. Three of them can't be deleted, for everything would go with them.
"""

from __future__ import annotations

from karmadalab.api.errors import Forbidden
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.store import Store
from karmadalab.core.trace import API_SERVER

NAMESPACE = "Namespace"
_FIRST = ("default", "kube-node-lease", "kube-public", "kube-system")
_KARMADA = ("karmada-cluster", "karmada-system")
_FOR_EVER = ("default", "kube-public", "kube-system")


def make_first_namespaces(store: Store) -> None:
    """Create those that are not there yet; the caller has the turn."""
    with store.trace.acting(API_SERVER, None):
        for name in (*_FIRST, *(() if store.world else _KARMADA)):
            if store.find(NAMESPACE, name) is None:
                store.create(Unstructured("v1", NAMESPACE, ObjectMeta(name=name)))


def check_may_go(kind: str, name: str) -> None:
    """Raises `Forbidden` for a namespace that no API server gives up."""
    if kind == NAMESPACE and name in _FOR_EVER:
        raise Forbidden(f'namespaces "{name}" is forbidden: this namespace may not be deleted')

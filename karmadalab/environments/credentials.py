"""Lost credentials: the Secret that the control plane makes a push member's client with is gone, and comes back.

The member is well and its API server answers, but nobody in the control plane can ask it anything. Karmada says
`StatusCollectionFailed`: v1.13 at the next probe, v1.18 after the failure threshold like any other failure.
"""

from __future__ import annotations

from karmadalab.api.cluster import Cluster
from karmadalab.api.meta import replace
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.store import Store


class Credentials:
    """What was taken, so that it can be given back.

    Args:
        store: the control plane's.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._taken: dict[str, Unstructured] = {}

    def set_lost(self, name: str, lost: bool) -> None:
        """Take a cluster's Secret, or give it back; nothing happens where that is done already."""
        if lost and name not in self._taken:
            self._take(name)
        elif not lost and name in self._taken:
            self._give_back(name)

    def _take(self, name: str) -> None:
        cluster = self._store.find(Cluster, name)
        at = cluster.spec.secretRef if cluster is not None else None
        secret = self._store.find("Secret", at.name, at.namespace) if at is not None else None
        if secret is not None:
            self._taken[name] = secret
            self._store.delete("Secret", secret.metadata.name, secret.metadata.namespace)

    def _give_back(self, name: str) -> None:
        """A cluster that has left meanwhile needs none, and somebody may have made a new one."""
        secret = self._taken.pop(name)
        meta = secret.metadata
        if self._store.find(Cluster, name) is None or self._store.find("Secret", meta.name, meta.namespace) is not None:
            return
        kept = replace(meta, uid="", resourceVersion="", creationTimestamp=None, generation=0)
        self._store.create(replace(secret, metadata=kept))

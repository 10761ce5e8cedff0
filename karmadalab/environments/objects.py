"""Writing to a control plane as a person does with kubectl and karmadactl: apply, scale, taint, cordon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karmadalab.api.cluster import Cluster
from karmadalab.api.errors import BadRequest, shortly
from karmadalab.api.meta import Resource, Taint, replace
from karmadalab.api.scheme import resource_type
from karmadalab.api.taints import with_taints
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.workload_rules import scaled
from karmadalab.core.clock import VirtualClock, in_turn
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace
from karmadalab.core.view import View, split_name
from karmadalab.environments.manifests import Manifest, Manifests, applied, in_namespace, read_manifests
from karmadalab.webhook import warnings_for

_UNSCHEDULABLE = "cluster.karmada.io/unschedulable"
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")

Remembered = dict[str, Mapping[str, Any]]  # by uid: an object that takes a gone one's name was never applied


class Objects(View):
    """The objects of a control plane, to read and to write.

    Args:
        store, clock, trace: the control plane's.
    """

    def __init__(self, store: Store, clock: VirtualClock, trace: Trace) -> None:
        super().__init__(store, "karmada-apiserver")
        self.store, self.clock, self.trace = store, clock, trace
        self._last_applied: Remembered = {}

    @in_turn
    def apply(self, manifests: Manifests) -> list[Any]:
        """Create or update objects, as `kubectl apply` does.

        Args:
            manifests: a file, a YAML text, a manifest, an object, or a list of these. All are checked first; nothing
                is stored when one is refused. All are stored before a controller acts on any of them. An object that
                was read is written back whole, as by `update`.

        Returns:
            the objects as stored.

        Raises:
            Invalid, BadRequest: what is wrong, and where.
        """
        given = sorted(map(in_namespace, read_manifests(manifests)), key=_rank)
        if len(given) > 1:
            self._rehearse(given)
        stored = [_put(self.store, self._last_applied, manifest) for manifest in given]
        for obj in stored:
            self._warn(obj)
        self.clock.run_until(self.clock.now())  # what follows at once has happened when apply returns
        return stored

    def _rehearse(self, given: list[Manifest]) -> None:
        """Apply all to a copy of the store, so that a later one that is refused leaves no earlier one behind."""
        copy, remembered = self.store.copy(), dict(self._last_applied)
        for manifest in given:
            _put(copy, remembered, manifest)

    def _warn(self, stored: Any) -> None:
        meta = stored.metadata
        for warning in warnings_for(stored):
            self.trace.note(stored.GROUP_KIND, meta.name, f"warning: {warning}", namespace=meta.namespace)

    @in_turn
    def update(self, obj: Any) -> Any:
        """Write back an object that was read and changed with `karmadalab.replace`.

        Raises:
            BadRequest: it is no object.
            Conflict: somebody wrote it in between.
        """
        if not isinstance(obj, (Resource, Unstructured)):
            raise BadRequest(
                f"update: expected an object that was read, got {shortly(obj)}; a manifest goes to lab.apply"
            )
        stored = self.store.update(obj)
        self.clock.run_until(self.clock.now())
        return stored

    @in_turn
    def delete(self, kind: str | type[Resource], name: str, namespace: str = "default") -> None:
        """Delete an object; what it owns follows. Raises `NotFound`."""
        rt = resource_type(kind)
        self.store.delete(rt.group_kind, name, namespace if rt.namespaced else "")
        self.clock.run_until(self.clock.now())

    def scale(self, name: str, replicas: int, namespace: str = "default", kind: str = "Deployment") -> Any:
        """Give a workload, `nginx` or `deployment/nginx`, another number of replicas."""
        if not isinstance(name, str) or "/" in name:
            kind, namespace, name = split_name(name, namespace)
        if isinstance(replicas, bool) or not isinstance(replicas, int) or replicas < 0:
            raise BadRequest(f"replicas: expected a whole number of 0 or more, got {replicas!r}")
        return self.update(scaled(self.get(kind, name, namespace), replicas))

    def taint(self, cluster: str, taint: str) -> Any:
        """Taint a cluster: `lab.taint("member1", "maintenance=true:NoExecute")`."""
        found = self.get(Cluster, cluster)
        return self.update(_tainted(found, [_taint(taint)], [], self.clock.now()))

    def untaint(self, cluster: str, taint: str) -> Any:
        """Remove a taint, named by `key:effect` or as it was given."""
        found = self.get(Cluster, cluster)
        return self.update(_tainted(found, [], [_taint(taint)], self.clock.now()))

    def cordon(self, cluster: str) -> Any:
        """Let no new workload go to a cluster, as `karmadactl cordon` does."""
        found = self.get(Cluster, cluster)
        taints = [taint for taint in found.spec.taints if taint.key != _UNSCHEDULABLE]
        cordoned = (*taints, Taint(key=_UNSCHEDULABLE, effect="NoSchedule"))
        return self.update(replace(found, spec=replace(found.spec, taints=cordoned)))

    def uncordon(self, cluster: str) -> Any:
        """Let workloads go there again."""
        return self.untaint(cluster, f"{_UNSCHEDULABLE}:NoSchedule")


def _put(store: Store, remembered: Remembered, manifest: Manifest) -> Any:
    obj = manifest.obj
    old = store.find(obj.GROUP_KIND, obj.metadata.name, obj.metadata.namespace)
    last = {} if old is None else remembered.get(old.metadata.uid, {})
    stored = store.create(obj) if old is None else store.update(applied(manifest, old, last))
    if not manifest.was_read:
        remembered[stored.metadata.uid] = manifest.written  # kubectl keeps it in an annotation
    return stored


def _rank(manifest: Manifest) -> bool:
    """Namespaces first, as kubectl sorts them."""
    return bool(manifest.obj.kind != "Namespace")


def _taint(text: str) -> Taint:
    head, _, effect = text.rpartition(":") if isinstance(text, str) else ("", "", "")
    key, _, value = head.partition("=")
    if not key or effect not in _EFFECTS:
        raise BadRequest(f"taint: write key=value:effect with one of {', '.join(_EFFECTS)}, not {text!r}")
    return Taint(key=key, value=value, effect=effect)


def _tainted(cluster: Cluster, add: list[Taint], remove: list[Taint], now: float) -> Cluster:
    return replace(cluster, spec=replace(cluster.spec, taints=with_taints(cluster.spec.taints, add, remove, now)))

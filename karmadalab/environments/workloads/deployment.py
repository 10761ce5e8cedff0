"""deployment-controller: a ReplicaSet for each revision of the pod template, and a rollout from one to the next.

Not modelled: pausing, `minReadySeconds`, the progress deadline, proportional scaling in mid-rollout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karmadalab.api.codec import to_json
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.naming import fnv32a, safe_encode
from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import ADDED, DELETED
from karmadalab.environments.workloads.pods import POD, owned_by, owner_of
from karmadalab.environments.workloads.replica_set import REPLICA_SET
from karmadalab.environments.workloads.rollout import Scale, fence_posts, new_replicas, old_replicas
from karmadalab.environments.workloads.site import Site

ACTOR = "deployment-controller"
DEPLOYMENT = "Deployment.apps"
HASH_LABEL = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"


def template_hash(deployment: Unstructured) -> str:
    """Which revision of its pod template a Deployment is at, in Kubernetes' way of writing it."""
    return safe_encode(str(fnv32a(to_json(deployment.spec.get("template") or {}))))


class Deployments:
    """The controller."""

    def __init__(self, site: Site) -> None:
        self._site, self._store = site, site.store
        self._store.watch(DEPLOYMENT, self._event)
        self._store.watch(REPLICA_SET, self._replica_set_event)
        self._store.watch(POD, self._pod_event)

    def _event(self, event: str, old: Any, new: Any) -> None:
        if event == ADDED or (event != DELETED and old.metadata.generation != new.metadata.generation):
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, new.metadata.name)

    def _replica_set_event(self, event: str, old: Any, new: Any) -> None:
        owner = owner_of(new, "Deployment")
        if owner is not None and event != ADDED:
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, owner.name)

    def _pod_event(self, event: str, old: Any, new: Any) -> None:
        """The last old pod is gone: a Deployment that recreates waits for that."""
        owner = owner_of(new, "ReplicaSet") if event == DELETED else None
        if (
            owner is not None
            and (found := self._store.find(REPLICA_SET, owner.name, new.metadata.namespace)) is not None
        ):
            self._replica_set_event(event, found, found)

    def resync(self) -> None:
        """Look at all of them."""
        for found in self._store.list(DEPLOYMENT):
            self._site.soon(ACTOR, self._sync, found.metadata.namespace, found.metadata.name)

    def _sync(self, namespace: str, name: str) -> None:
        found = self._store.find(DEPLOYMENT, name, namespace)
        if found is None:
            return
        revision = template_hash(found)
        owned = sorted(self._site.owned(REPLICA_SET, found.metadata.uid), key=_revision)
        old = [item for item in owned if item.metadata.labels.get(HASH_LABEL) != revision]
        new = next((item for item in owned if item.metadata.labels.get(HASH_LABEL) == revision), None)
        if new is None:
            new = self._create(found, revision, old)
        elif owned and _revision(new) < _revision(owned[-1]):
            new = self._store.update(_with_revision(new, _revision(owned[-1]) + 1))  # back to an earlier revision
        self._roll(found, new, old)
        self._clean_up(found, old)
        self._count(namespace, name, new.metadata.name)

    # --- replica sets

    def _create(self, found: Unstructured, revision: str, old: Sequence[Unstructured]) -> Unstructured:
        template = found.spec.get("template") or {}
        meta = template.get("metadata") or {}
        labels = {**(meta.get("labels") or {}), HASH_LABEL: revision}
        selector = (found.spec.get("selector") or {}).get("matchLabels") or {}
        spec = {
            "replicas": self._allowed(found, Scale("", 0), old),
            "selector": {"matchLabels": {**selector, HASH_LABEL: revision}},
            "template": {**template, "metadata": {**meta, "labels": labels}},
        }
        number = _revision(old[-1]) + 1 if old else 1
        metadata = ObjectMeta(
            name=f"{found.metadata.name}-{revision}",
            namespace=found.metadata.namespace,
            labels=labels,
            annotations={REVISION: str(number)},
            ownerReferences=owned_by(found),
        )
        created: Unstructured = self._store.create(Unstructured("apps/v1", "ReplicaSet", metadata, {"spec": spec}))
        return created

    def _allowed(self, found: Unstructured, new: Scale, old: Sequence[Unstructured]) -> int:
        wanted: int = found.spec.get("replicas", 1)
        if _recreates(found):
            left = any(self._site.owned(POD, item.metadata.uid) for item in old)
            return new.replicas if left else wanted
        surge, _ = fence_posts(found.spec.get("strategy") or {}, wanted)
        return new_replicas(wanted, surge, new, [_scale(item) for item in old if item.spec.get("replicas", 0)])

    def _roll(self, found: Unstructured, new: Unstructured, old: Sequence[Unstructured]) -> None:
        """One step: the new revision grows, or else old ones shrink."""
        wanted: int = found.spec.get("replicas", 1)
        scale = _scale(new)
        allowed = self._allowed(found, scale, old)
        if allowed != scale.replicas:
            self._store.update(new.with_spec(replicas=allowed))
            return
        if _recreates(found):
            kept = [0] * len(old)
        else:
            _, unavailable = fence_posts(found.spec.get("strategy") or {}, wanted)
            kept = old_replicas(wanted, unavailable, scale, [_scale(item) for item in old])
        for item, replicas in zip(old, kept, strict=True):
            if replicas != item.spec.get("replicas"):
                self._store.update(item.with_spec(replicas=replicas))

    def _clean_up(self, found: Unstructured, old: Sequence[Unstructured]) -> None:
        """Forget the oldest revisions beyond the limit."""
        idle = [item for item in old if not item.spec.get("replicas") and not item.status.get("replicas")]
        for item in idle[: max(0, len(idle) - found.spec.get("revisionHistoryLimit", 10))]:
            self._store.delete(REPLICA_SET, item.metadata.name, item.metadata.namespace)

    # --- status

    def _count(self, namespace: str, name: str, new_name: str) -> None:
        found = self._store.get(DEPLOYMENT, name, namespace)
        owned = self._site.owned(REPLICA_SET, found.metadata.uid)
        new = next(item for item in owned if item.metadata.name == new_name)
        if found.metadata.annotations.get(REVISION) != new.metadata.annotations[REVISION]:
            found = self._store.update(_with_revision(found, _revision(new)))
        status = deployment_status(found, new, owned, self._site.clock.now())
        if status != found.status:
            self._store.update_status(found.with_status(status))


def deployment_status(
    found: Unstructured, new: Unstructured, owned: Sequence[Unstructured], now: float
) -> dict[str, Any]:
    """The status of a Deployment, counted from the statuses of its ReplicaSets."""
    available = _sum(owned, "availableReplicas")
    counts = {
        "observedGeneration": found.metadata.generation,
        "replicas": _sum(owned, "replicas"),
        "updatedReplicas": new.status.get("replicas", 0),
        "readyReplicas": _sum(owned, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(0, sum(item.spec.get("replicas", 0) for item in owned) - available),
    }
    status: dict[str, Any] = {key: value for key, value in counts.items() if value}
    status["conditions"] = _conditions(found, new.metadata.name, counts, now)
    return status


def _conditions(found: Unstructured, new: str, counts: dict[str, int], now: float) -> list[dict[str, Any]]:
    wanted = found.spec.get("replicas", 1)
    _, unavailable = fence_posts(found.spec.get("strategy") or {}, wanted)
    before = {item["type"]: item for item in found.status.get("conditions") or ()}
    if counts["availableReplicas"] >= wanted - unavailable:
        serves = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    else:
        serves = ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    done = counts["updatedReplicas"] == counts["replicas"] == counts["availableReplicas"] == wanted
    rests = before.get("Progressing", {}).get("reason") == "NewReplicaSetAvailable"
    if done or (
        rests and counts["updatedReplicas"] == counts["replicas"] and f'"{new}"' in before["Progressing"]["message"]
    ):
        moves = ("True", "NewReplicaSetAvailable", f'ReplicaSet "{new}" has successfully progressed.')
    elif before:
        moves = ("True", "ReplicaSetUpdated", f'ReplicaSet "{new}" is progressing.')
    else:
        moves = ("True", "NewReplicaSetCreated", f'Created new replica set "{new}"')
    return [_condition("Available", serves, before, now), _condition("Progressing", moves, before, now)]


def _condition(type_: str, said: tuple[str, str, str], before: dict[str, Any], now: float) -> dict[str, Any]:
    status, reason, message = said
    old = before.get(type_, {})
    if (old.get("status"), old.get("reason"), old.get("message")) == said:
        return dict(old)
    stamp = str(Time(now))
    since = old["lastTransitionTime"] if old.get("status") == status else stamp
    texts = {"reason": reason, "message": message}
    return {"type": type_, "status": status, "lastUpdateTime": stamp, "lastTransitionTime": since, **texts}


def _scale(item: Unstructured) -> Scale:
    return Scale(item.metadata.name, item.spec.get("replicas", 0), item.status.get("availableReplicas", 0))


def _sum(owned: Sequence[Unstructured], field: str) -> int:
    return sum(item.status.get(field, 0) for item in owned)


def _recreates(found: Unstructured) -> bool:
    return (found.spec.get("strategy") or {}).get("type") == "Recreate"


def _revision(item: Unstructured) -> int:
    return int(item.metadata.annotations.get(REVISION, 0))


def _with_revision(item: Unstructured, number: int) -> Unstructured:
    annotations = {**item.metadata.annotations, REVISION: str(number)}
    return replace(item, metadata=replace(item.metadata, annotations=annotations))

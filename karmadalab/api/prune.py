"""What is taken out of a template before it travels to a member, and what is noted in it so that it can be taken back.

A stored object carries what belongs to its own API server: ids, versions, owners, a cluster IP, a Job's generated
selector. In a member these would be refused or, worse, believed. Karmada prunes twice, when the binding controller
builds a Work and in the Work's webhook; both use this module (`pkg/resourceinterpreter/default/native/prune`).

Manifests are plain dicts here, as in a Work. Nothing is changed in place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karmadalab.api.work import MANAGED_ANNOTATIONS_ANNOTATION, MANAGED_LABELS_ANNOTATION

Manifest = dict[str, Any]

_METADATA = (
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "finalizers",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
)
_GENERATED_JOB_LABELS = (
    "controller-uid",
    "batch.kubernetes.io/controller-uid",
    "job-name",
    "batch.kubernetes.io/job-name",
)


def prune(manifest: Manifest) -> Manifest:
    """The manifest without what its own API server added.

    >>> prune({"kind": "ConfigMap", "metadata": {"name": "a", "uid": "1"}, "status": {}})
    {'kind': 'ConfigMap', 'metadata': {'name': 'a'}}
    """
    pruned = _without(manifest, "status")
    pruned["metadata"] = _without(manifest.get("metadata") or {}, *_METADATA)
    kind = (str(manifest.get("apiVersion", "")).rpartition("/")[0], manifest.get("kind"))
    kind_pruner = _PRUNERS.get(kind)
    return kind_pruner(pruned) if kind_pruner else pruned


def record_managed_keys(manifest: Manifest) -> Manifest:
    """The manifest with lists of its label and annotation keys, by which stale keys are later removed in members."""
    meta = manifest.get("metadata") or {}
    annotations = {**(meta.get("annotations") or {})}
    annotations[MANAGED_LABELS_ANNOTATION] = ",".join(sorted(meta.get("labels") or ()))
    keys = {*annotations, MANAGED_ANNOTATIONS_ANNOTATION}
    annotations[MANAGED_ANNOTATIONS_ANNOTATION] = ",".join(sorted(keys))
    return {**manifest, "metadata": {**meta, "annotations": annotations}}


def _without(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


def _without_annotations(manifest: Manifest, *keys: str) -> Manifest:
    meta = manifest["metadata"]
    if not meta.get("annotations"):
        return manifest
    return {**manifest, "metadata": {**meta, "annotations": _without(meta["annotations"], *keys)}}


def _prune_deployment(manifest: Manifest) -> Manifest:
    revision = "deployment.kubernetes.io/revision"
    return _without_annotations(manifest, revision, f"{revision}-history")


def _prune_job(manifest: Manifest) -> Manifest:
    """A finished Job that cleans itself up in a member would be created there again, so the time to live goes too."""
    spec = _without(manifest.get("spec") or {}, "ttlSecondsAfterFinished")
    if not spec.get("manualSelector"):
        for path in (("selector", "matchLabels"), ("template", "metadata", "labels")):
            spec = _without_at(spec, path, _GENERATED_JOB_LABELS)
    return {**manifest, "spec": spec}


def _without_at(data: dict[str, Any], path: tuple[str, ...], keys: tuple[str, ...]) -> dict[str, Any]:
    """`data` without keys of the dict at a path, which need not exist."""
    if not path:
        return _without(data, *keys)
    inner = data.get(path[0])
    return {**data, path[0]: _without_at(inner, path[1:], keys)} if inner else data


def _prune_service(manifest: Manifest) -> Manifest:
    spec = manifest.get("spec") or {}
    headless = spec.get("clusterIP") == "None"
    return manifest if headless or not spec else {**manifest, "spec": _without(spec, "clusterIP", "clusterIPs")}


def _prune_service_account(manifest: Manifest) -> Manifest:
    if not manifest.get("secrets"):
        return manifest
    token = f"{manifest['metadata'].get('name')}-token-"
    return {**manifest, "secrets": [s for s in manifest["secrets"] if not str(s.get("name", "")).startswith(token)]}


def _prune_secret(manifest: Manifest) -> Manifest:
    if manifest.get("type") != "kubernetes.io/service-account-token":
        return manifest
    return _without_annotations({**manifest, "data": None}, "kubernetes.io/service-account.uid")


def _prune_volume_claim(manifest: Manifest) -> Manifest:
    return _without_annotations(manifest, "volume.kubernetes.io/selected-node")


_PRUNERS: dict[tuple[str, Any], Callable[[Manifest], Manifest]] = {
    ("apps", "Deployment"): _prune_deployment,
    ("batch", "Job"): _prune_job,
    ("", "Service"): _prune_service,
    ("", "ServiceAccount"): _prune_service_account,
    ("", "Secret"): _prune_secret,
    ("", "PersistentVolumeClaim"): _prune_volume_claim,
}

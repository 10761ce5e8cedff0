"""What of a template travels to a member, and what Karmada writes on it so that it finds its way back."""

from __future__ import annotations

from typing import Any

from karmadalab.api.codec import to_dict
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.prune import prune, record_managed_keys
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import (
    MANAGED_LABEL,
    TEMPLATE_GENERATION_ANNOTATION,
    TEMPLATE_UID_ANNOTATION,
    WORK_NAME_ANNOTATION,
    WORK_NAMESPACE_ANNOTATION,
)


def pruned(template: Unstructured) -> Unstructured:
    """The template without what belongs to the control plane's copy alone: identity, history, owners, status."""
    manifest = prune(to_dict(template))
    meta = manifest.pop("metadata")
    kept = ObjectMeta(
        name=meta.get("name", ""),
        generateName=meta.get("generateName", ""),
        namespace=meta.get("namespace", ""),
        labels=meta.get("labels") or {},
        annotations=meta.get("annotations") or {},
    )
    return Unstructured(manifest.pop("apiVersion"), manifest.pop("kind"), kept, manifest)


def marked(
    manifest: dict[str, Any],
    template: ObjectMeta,
    work: ObjectMeta,
    labels: dict[str, str],
    annotations: dict[str, str],
) -> dict[str, Any]:
    """The manifest with Karmada's labels and annotations, and the lists of what Karmada manages on it.

    Those lists are how a later update knows which keys in the member were Karmada's and may be deleted.

    Args:
        manifest: what the overrides left, plain data.
        template: the metadata of what it was made of.
        work: the metadata of the Work it goes into.
    """
    meta = manifest["metadata"]
    labels = {**(meta.get("labels") or {}), **labels, MANAGED_LABEL: "true"}
    marks = {
        **(meta.get("annotations") or {}),
        **annotations,
        WORK_NAME_ANNOTATION: work.name,
        WORK_NAMESPACE_ANNOTATION: work.namespace,
        TEMPLATE_UID_ANNOTATION: template.uid,
    }
    if template.generation > 0:
        marks[TEMPLATE_GENERATION_ANNOTATION] = str(template.generation)
    return record_managed_keys({**manifest, "metadata": {**meta, "labels": labels, "annotations": marks}})

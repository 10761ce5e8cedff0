"""What of a template travels to a member, and what Karmada writes on it so that it finds its way back."""

from __future__ import annotations

from typing import Any

from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import (
    MANAGED_ANNOTATIONS_ANNOTATION,
    MANAGED_LABEL,
    MANAGED_LABELS_ANNOTATION,
    TEMPLATE_GENERATION_ANNOTATION,
    TEMPLATE_UID_ANNOTATION,
    WORK_NAME_ANNOTATION,
    WORK_NAMESPACE_ANNOTATION,
)

_DEPLOYMENT_ANNOTATIONS = ("deployment.kubernetes.io/revision", "deployment.kubernetes.io/revision-history")
_JOB_LABELS = (
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "job-name",
)


def pruned(template: Unstructured) -> Unstructured:
    """The template without what belongs to the control plane's copy alone: identity, history, owners, status."""
    meta = template.metadata
    kept = ObjectMeta(
        name=meta.name,
        generateName=meta.generateName,
        namespace=meta.namespace,
        labels=meta.labels,
        annotations=meta.annotations,
    )
    body = {key: value for key, value in template.body.items() if key != "status"}
    slim = Unstructured(template.apiVersion, template.kind, kept, body)
    prune = _PRUNE.get(template.GROUP_KIND)
    return prune(slim) if prune else slim


def _prune_deployment(deployment: Unstructured) -> Unstructured:
    annotations = {k: v for k, v in deployment.metadata.annotations.items() if k not in _DEPLOYMENT_ANNOTATIONS}
    return replace(deployment, metadata=replace(deployment.metadata, annotations=annotations))


def _prune_job(job: Unstructured) -> Unstructured:
    """Each member generates its own selector; the time to live would delete the Job under Karmada's hands."""
    spec = {key: value for key, value in job.spec.items() if key != "ttlSecondsAfterFinished"}
    if not spec.get("manualSelector"):
        spec.pop("selector", None)
        spec = _without_template_labels(spec, _JOB_LABELS)
    return job.with_body(spec=spec)


def _without_template_labels(spec: dict[str, Any], labels: tuple[str, ...]) -> dict[str, Any]:
    template = spec.get("template") or {}
    meta = template.get("metadata") or {}
    if "labels" not in meta:
        return spec
    kept = {key: value for key, value in meta["labels"].items() if key not in labels}
    return {**spec, "template": {**template, "metadata": {**meta, "labels": kept}}}


def _prune_service(service: Unstructured) -> Unstructured:
    if service.spec.get("clusterIP") == "None":
        return service
    return service.with_body(spec={k: v for k, v in service.spec.items() if k not in ("clusterIP", "clusterIPs")})


def _prune_service_account(account: Unstructured) -> Unstructured:
    secrets = account.get("secrets")
    if not secrets:
        return account
    prefix = f"{account.metadata.name}-token-"
    return account.with_body(secrets=[s for s in secrets if not str(s.get("name", "")).startswith(prefix)])


def _prune_secret(secret: Unstructured) -> Unstructured:
    if secret.get("type") != "kubernetes.io/service-account-token":
        return secret
    annotations = {k: v for k, v in secret.metadata.annotations.items() if k != "kubernetes.io/service-account.uid"}
    return replace(secret, metadata=replace(secret.metadata, annotations=annotations)).with_body(data=None)


def _prune_claim(claim: Unstructured) -> Unstructured:
    annotations = {k: v for k, v in claim.metadata.annotations.items() if k != "volume.kubernetes.io/selected-node"}
    return replace(claim, metadata=replace(claim.metadata, annotations=annotations))


_PRUNE = {
    "Deployment.apps": _prune_deployment,
    "Job.batch": _prune_job,
    "Service": _prune_service,
    "ServiceAccount": _prune_service_account,
    "Secret": _prune_secret,
    "PersistentVolumeClaim": _prune_claim,
}


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
    own = {*marks, MANAGED_LABELS_ANNOTATION, MANAGED_ANNOTATIONS_ANNOTATION}
    marks[MANAGED_ANNOTATIONS_ANNOTATION] = ",".join(sorted(own))
    marks[MANAGED_LABELS_ANNOTATION] = ",".join(sorted(labels))
    return {**manifest, "metadata": {**meta, "labels": labels, "annotations": marks}}

"""Which fields of a member's copy survive when Karmada writes its own version over it.

Members fill in fields of their own: cluster IPs, node names, volume bindings, tokens. An update that left them out
would be refused by the member's API server, or would undo the work of its controllers.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.meta import replace
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import RETAIN_REPLICAS_LABEL

_TOKEN_SECRET = "kubernetes.io/service-account-token"  # noqa: S105 - a type, not a secret
_SECRET_UID_ANNOTATION = "kubernetes.io/service-account.uid"  # noqa: S105 - nor is this


def retain_replicas(desired: Unstructured, observed: Unstructured) -> Unstructured:
    """Deployment: the label `retain-replicas` leaves scaling to the member."""
    if desired.metadata.labels.get(RETAIN_REPLICAS_LABEL) != "true" or "replicas" not in observed.spec:
        return desired
    return desired.with_spec(replicas=observed.spec["replicas"])


def retain_pod(desired: Unstructured, observed: Unstructured) -> Unstructured:
    """Pod: where it runs, as whom, and with which volumes."""
    spec = {name: value for name, value in desired.spec.items() if name not in _POD_FIELDS}
    spec |= {name: observed.spec[name] for name in _POD_FIELDS if observed.spec.get(name)}
    for containers in ("containers", "initContainers"):
        if containers in spec:
            spec[containers] = _with_volume_mounts(spec[containers], observed.spec.get(containers) or ())
    return desired.with_body(spec=spec)


_POD_FIELDS = ("nodeName", "serviceAccountName", "volumes")


def _with_volume_mounts(desired: list[dict[str, Any]], observed: Any) -> list[dict[str, Any]]:
    mounts = {container.get("name"): container.get("volumeMounts") for container in observed}
    return [
        {**container, "volumeMounts": mounts[container.get("name")]} if container.get("name") in mounts else container
        for container in desired
    ]


def retain_service(desired: Unstructured, observed: Unstructured) -> Unstructured:
    """Service: the cluster IP and the node port for health checks, unless they are unset in the member."""
    kept = {name: observed.spec[name] for name in ("clusterIP", "healthCheckNodePort") if observed.spec.get(name)}
    return desired.with_spec(**kept) if kept else desired


def retain_service_account(desired: Unstructured, observed: Unstructured) -> Unstructured:
    """ServiceAccount: token secrets that the member added, after those of the template."""
    return desired.with_body(secrets=_merged_by_name(desired, observed, "secrets"))


def retain_service_account_and_pull_secrets(desired: Unstructured, observed: Unstructured) -> Unstructured:
    """ServiceAccount, from v1.18 on: the secrets for pulling images, too."""
    pull_secrets = _merged_by_name(desired, observed, "imagePullSecrets")
    return retain_service_account(desired, observed).with_body(imagePullSecrets=pull_secrets)


def _merged_by_name(desired: Unstructured, observed: Unstructured, field: str) -> list[dict[str, Any]] | None:
    own = list(desired.get(field) or ())
    names = {secret.get("name") for secret in own}
    return [*own, *(secret for secret in observed.get(field) or () if secret.get("name") not in names)] or None


def retain_volume_claim(desired: Unstructured, observed: Unstructured) -> Unstructured:
    """PersistentVolumeClaim: the volume it is bound to."""
    volume = observed.spec.get("volumeName")
    return desired.with_spec(volumeName=volume) if volume else desired


def retain_volume(desired: Unstructured, observed: Unstructured) -> Unstructured:
    """PersistentVolume: the claim it is bound to."""
    claim = observed.spec.get("claimRef")
    return desired.with_spec(claimRef=claim) if claim else desired


def retain_job(desired: Unstructured, observed: Unstructured) -> Unstructured:
    """Job: the selector and labels that the member generated."""
    selector = (observed.spec.get("selector") or {}).get("matchLabels")
    labels = ((observed.spec.get("template") or {}).get("metadata") or {}).get("labels")
    spec = dict(desired.spec)
    if selector is not None:
        spec["selector"] = {**(spec.get("selector") or {}), "matchLabels": selector}
    if labels is not None:
        template = spec.get("template") or {}
        spec["template"] = {**template, "metadata": {**(template.get("metadata") or {}), "labels": labels}}
    return desired.with_body(spec=spec)


def retain_secret(desired: Unstructured, observed: Unstructured) -> Unstructured:
    """Secret: the token of a service account is the member's own."""
    if desired.get("type") != _TOKEN_SECRET:
        return desired
    if observed.get("data") is not None:
        desired = desired.with_body(data=observed["data"])
    uid = observed.metadata.annotations.get(_SECRET_UID_ANNOTATION)
    if uid is None:
        return desired
    annotations = {**desired.metadata.annotations, _SECRET_UID_ANNOTATION: uid}
    return replace(desired, metadata=replace(desired.metadata, annotations=annotations))

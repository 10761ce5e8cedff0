"""What a template refers to and therefore needs in the same cluster (`propagateDeps`).

Names come from everywhere a pod spec can name a Secret, ConfigMap, claim or service account. The claims that a
StatefulSet makes from its own `volumeClaimTemplates` are no dependencies: the member's controller creates them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from karmadalab.api.errors import FieldError, Invalid
from karmadalab.api.meta import LabelSelector
from karmadalab.api.naming import derived_service_name
from karmadalab.api.unstructured import Unstructured
from karmadalab.interpreter.hooks import Dependency
from karmadalab.interpreter.replicas import pod_template

PodSpec = dict[str, Any]

# Where a volume source names a Secret: its kind -> the path below it.
_VOLUME_SECRETS: dict[str, tuple[str, ...]] = {
    "azureFile": ("secretName",),
    "cephfs": ("secretRef", "name"),
    "cinder": ("secretRef", "name"),
    "flexVolume": ("secretRef", "name"),
    "rbd": ("secretRef", "name"),
    "secret": ("secretName",),
    "scaleIO": ("secretRef", "name"),
    "iscsi": ("secretRef", "name"),
    "storageos": ("secretRef", "name"),
    "csi": ("nodePublishSecretRef", "name"),
}


def pod_template_dependencies(obj: Unstructured) -> tuple[Dependency, ...]:
    """Deployment, DaemonSet, Job: what the pod template names."""
    return _sorted(_pod_dependencies(pod_template(obj), obj.metadata.namespace))


def cron_job_dependencies(obj: Unstructured) -> tuple[Dependency, ...]:
    """CronJob: what the pod template of its job template names."""
    job = (obj.spec.get("jobTemplate") or {}).get("spec") or {}
    return _sorted(_pod_dependencies((job.get("template") or {}).get("spec") or {}, obj.metadata.namespace))


def pod_dependencies(obj: Unstructured) -> tuple[Dependency, ...]:
    """Pod: what it names itself."""
    return _sorted(_pod_dependencies(obj.spec, obj.metadata.namespace))


def stateful_set_dependencies(obj: Unstructured) -> tuple[Dependency, ...]:
    """StatefulSet: as the pod template, without the claims of `volumeClaimTemplates`."""
    own = {(claim.get("metadata") or {}).get("name") for claim in obj.spec.get("volumeClaimTemplates") or ()}
    found = _pod_dependencies(pod_template(obj), obj.metadata.namespace)
    return _sorted(d for d in found if d.kind != "PersistentVolumeClaim" or d.name not in own)


def ingress_dependencies(obj: Unstructured) -> tuple[Dependency, ...]:
    """Ingress: the Secrets with its certificates."""
    names = (tls.get("secretName") for tls in obj.spec.get("tls") or ())
    return _sorted(Dependency("v1", "Secret", obj.metadata.namespace, name) for name in names if name)


def ingress_dependencies_with_unnamed(obj: Unstructured) -> tuple[Dependency, ...]:
    """Ingress (v1.18): a certificate without a name is an error, not something to pass over.

    Raises:
        Invalid: an entry of `tls` names no Secret.
    """
    for index, tls in enumerate(obj.spec.get("tls") or ()):
        if not tls.get("secretName"):
            reference = {"apiVersion": "v1", "kind": "Secret", "namespace": obj.metadata.namespace}
            detail = "dependency can not leave name and labelSelector all empty"
            error = FieldError("FieldValueInvalid", f"dependencies[{index}]", detail, reference)
            raise Invalid(f"{obj!r}: {error}", (error,))
    return ingress_dependencies(obj)


def service_import_dependencies(obj: Any) -> tuple[Dependency, ...]:
    """ServiceImport: the derived Service and the EndpointSlices collected for it."""
    meta = obj.metadata
    derived = derived_service_name(meta.name)
    slices = LabelSelector(matchLabels={"kubernetes.io/service-name": derived})
    return (
        Dependency("v1", "Service", meta.namespace, derived),
        Dependency("discovery.k8s.io/v1", "EndpointSlice", meta.namespace, label_selector=slices),
    )


def _sorted(found: Iterable[Dependency]) -> tuple[Dependency, ...]:
    return tuple(sorted(set(found), key=lambda d: (d.kind, d.name)))


def _pod_dependencies(pod: PodSpec, namespace: str) -> Iterator[Dependency]:
    named = {
        "ConfigMap": _config_map_names(pod),
        "Secret": _secret_names(pod),
        "PersistentVolumeClaim": _claim_names(pod),
        "ServiceAccount": _service_account_names(pod),
    }
    for kind, names in named.items():
        for name in names:
            if name:
                yield Dependency("v1", kind, namespace, name)


def _config_map_names(pod: PodSpec) -> Iterator[Any]:
    yield from _environment_names(pod, "configMapKeyRef", "configMapRef")
    for volume in pod.get("volumes") or ():
        yield _at(volume, "configMap", "name")
        yield from (_at(source, "configMap", "name") for source in _projections(volume))


def _secret_names(pod: PodSpec) -> Iterator[Any]:
    yield from (ref.get("name") for ref in pod.get("imagePullSecrets") or ())
    yield from _environment_names(pod, "secretKeyRef", "secretRef")
    for volume in pod.get("volumes") or ():
        yield from (_at(volume, source, *path) for source, path in _VOLUME_SECRETS.items())
        yield from (_at(source, "secret", "name") for source in _projections(volume))


def _claim_names(pod: PodSpec) -> Iterator[Any]:
    return (_at(volume, "persistentVolumeClaim", "claimName") for volume in pod.get("volumes") or ())


def _service_account_names(pod: PodSpec) -> Iterator[Any]:
    name = pod.get("serviceAccountName")
    if name != "default":  # every namespace has this one
        yield name


def _environment_names(pod: PodSpec, key_ref: str, env_from: str) -> Iterator[Any]:
    containers = [
        *(pod.get("containers") or ()),
        *(pod.get("initContainers") or ()),
        *(pod.get("ephemeralContainers") or ()),
    ]
    for container in containers:
        yield from (_at(source, env_from, "name") for source in container.get("envFrom") or ())
        yield from (_at(env, "valueFrom", key_ref, "name") for env in container.get("env") or ())


def _projections(volume: dict[str, Any]) -> list[dict[str, Any]]:
    return (volume.get("projected") or {}).get("sources") or []


def _at(data: dict[str, Any], *path: str) -> Any:
    for part in path:
        data = data.get(part) or {}
    return data or None

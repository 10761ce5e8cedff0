"""What registering a simulated member leaves in the control plane: its Cluster and the Secrets to reach it with."""

from __future__ import annotations

from karmadalab.api.cluster import Cluster, ClusterSpec, LocalSecretReference
from karmadalab.api.errors import BadRequest
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.naming import impersonation_secret_name
from karmadalab.api.time import seconds
from karmadalab.api.unstructured import Unstructured
from karmadalab.environments.fleet import MemberSpec

CREDENTIALS = "karmada-cluster"  # the namespace of clusters' Secrets and Leases


def check_same_machines(was: MemberSpec, spec: MemberSpec) -> None:
    """That a member that comes back is what it was.

    Raises:
        BadRequest: it has other machines, or another mode.
    """
    for field in ("mode", "nodes", "startup", "shutdown", "kubernetes"):
        before, now = getattr(was, field), getattr(spec, field)
        if before != now and (field not in ("startup", "shutdown") or seconds(before) != seconds(now)):
            shown = f"; it was {was.mode}, not {spec.mode}" if field == "mode" else ""
            raise BadRequest(
                f"join: {spec.name} has left and can come back only as it was, with the same {field}{shown}: "
                f'lab.join("{spec.name}") takes it as it was; another cluster needs another name'
            )


def cluster_object(spec: MemberSpec) -> Cluster:
    """The Cluster that joining makes."""
    return Cluster(
        metadata=ObjectMeta(name=spec.name, labels=spec.labels),
        spec=ClusterSpec(
            syncMode=spec.mode,
            id=f"{spec.name}-id",
            apiEndpoint=f"https://{spec.name}.example:6443",
            provider=spec.provider,
            region=spec.region,
            zone=spec.zone,
            taints=spec.taints,
            secretRef=LocalSecretReference(CREDENTIALS, spec.name),
            impersonatorSecretRef=LocalSecretReference(CREDENTIALS, impersonation_secret_name(spec.name)),
        ),
    )


def credentials(name: str) -> list[Unstructured]:
    """The Secrets that joining leaves in the control plane: how to reach a cluster, and how to act there for users."""
    labels = {"karmada.io/system": "true"}
    metas = [
        ObjectMeta(name=each, namespace=CREDENTIALS, labels=labels) for each in (impersonation_secret_name(name), name)
    ]
    return [Unstructured("v1", "Secret", meta, {"type": "Opaque", "data": {"token": "simulated"}}) for meta in metas]

"""Joining a real member, and leaving it again, as `karmadactl join` and `unjoin` do.

The control plane gets a service account of its own in the member, and works with its token: what it may do there can be
seen and taken away in the member. Mirrors pkg/util/credential.go and pkg/karmadactl/{join,unjoin}.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from typing import Any

from karmadalab.api.cluster import LEASE_NAMESPACE, Cluster, ClusterSpec, LocalSecretReference
from karmadalab.api.codec import decode
from karmadalab.api.errors import BadRequest, NotFound
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.scheme import resource_type
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import MANAGED_LABEL
from karmadalab.core.clock import stopwatch
from karmadalab.core.store import Store
from karmadalab.environments.fleet import MemberSpec
from karmadalab.environments.http import paths
from karmadalab.environments.http.refusal import refusal
from karmadalab.environments.http.transport import Transport
from karmadalab.environments.kind.objects import (
    POLL_S,
    SYSTEM_LABEL,
    TIMEOUT_S,
    all_rights,
    call,
    make,
    plain_object,
    take_away,
)

NAMESPACE = LEASE_NAMESPACE  # karmada-cluster: also where the member keeps the control plane's account
_SWEPT = ("Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job", "Service", "Ingress", "ConfigMap", "Secret")


def account(member: str) -> str:
    """The service account that the control plane uses in a member."""
    return f"karmada-{member}"


def objects(member: str) -> Iterator[dict[str, Any]]:
    """What a member gets, in the order in which it is made."""
    yield plain_object("v1", "Namespace", NAMESPACE)
    for name in (account(member), "karmada-impersonator"):
        yield plain_object("v1", "ServiceAccount", name, NAMESPACE)
        secret = plain_object("v1", "Secret", name, NAMESPACE)
        secret["metadata"]["annotations"] = {"kubernetes.io/service-account.name": name}
        yield {**secret, "type": "kubernetes.io/service-account-token"}
    yield from all_rights(f"karmada-controller-manager:{account(member)}", account(member), NAMESPACE)


def grant(transport: Transport, member: str, timeout_s: float = TIMEOUT_S) -> str:
    """Make the control plane's account in a member; returns its token. Doing it again is no error.

    Raises:
        Unreachable, ApiError: the member does not answer, or refuses.
        BadRequest: it gave out no token in time.
    """
    make(transport, objects(member), timeout_s)
    return _token(transport, account(member), timeout_s)


def revoke(transport: Transport, member: str) -> None:
    """Take away what `grant` made; what is gone already is no error."""
    take_away(transport, objects(member))


def sweep(transport: Transport) -> int:
    """Delete what the control plane of an earlier lab left in a member; returns how many objects that were.

    A control plane that ends tells nobody, and the next one knows nothing of what it had placed. The clusters are the
    lab's own, so what carries Karmada's mark in them is, too.
    """
    deleted = 0
    for kind in _SWEPT:
        rt = resource_type(kind)
        answer = transport.request(
            "GET", paths.collection(rt), {"labelSelector": f"{MANAGED_LABEL}=true"}, None, TIMEOUT_S
        )
        if answer.code >= 400:
            raise refusal(answer, rt.plural)
        for found in answer.data.get("items") or ():
            meta = found["metadata"]
            path = paths.item(rt, meta["name"], meta.get("namespace", ""))
            try:
                call(transport, "DELETE", path, {"propagationPolicy": "Background"})
            except NotFound:
                continue
            deleted += 1
    return deleted


def cluster_id(transport: Transport) -> str:
    """What tells a cluster from all others: the uid of its kube-system namespace."""
    path = paths.item(resource_type("Namespace"), "kube-system")
    return str(call(transport, "GET", path, None)["metadata"]["uid"])


def register(store: Store, spec: MemberSpec, endpoint: str, token: str, uid: str) -> None:
    """Make the Cluster, and the secrets it refers to, in the control plane.

    Raises:
        BadRequest: that cluster has joined under another name.
    """
    twin = next((c for c in store.list(Cluster) if c.spec.id == uid and c.metadata.name != spec.name), None)
    if twin is not None:
        raise BadRequest(f"{spec.name}: this cluster has joined already, as {twin.metadata.name}")
    for obj in (
        Unstructured("v1", "Namespace", ObjectMeta(name=NAMESPACE, labels=SYSTEM_LABEL)),
        _secret(spec.name, token),
        _secret(f"{spec.name}-impersonator", ""),
        Cluster(
            metadata=ObjectMeta(name=spec.name, labels=spec.labels),
            spec=ClusterSpec(
                syncMode=spec.mode,
                id=uid,
                apiEndpoint=endpoint,
                secretRef=LocalSecretReference(NAMESPACE, spec.name),
                impersonatorSecretRef=LocalSecretReference(NAMESPACE, f"{spec.name}-impersonator"),
                provider=spec.provider,
                region=spec.region,
                zone=spec.zone,
                taints=spec.taints,
            ),
        ),
    ):
        if store.find(obj.GROUP_KIND, obj.metadata.name, obj.metadata.namespace) is None:
            store.create(obj)


def forget(store: Store, member: str) -> None:
    """Remove a member's secrets from the control plane; its Cluster goes the ordinary way."""
    for name in (member, f"{member}-impersonator"):
        if store.find("Secret", name, NAMESPACE) is not None:
            store.delete("Secret", name, NAMESPACE)


def _token(transport: Transport, name: str, timeout_s: float) -> str:
    path = paths.item(resource_type("Secret"), name, NAMESPACE)
    deadline = stopwatch() + timeout_s
    while True:
        data = (call(transport, "GET", path, None).get("data") or {}).get("token")
        if data:
            return base64.b64decode(data).decode()
        if stopwatch() > deadline:
            why = "is the member's controller manager well?"
            raise BadRequest(f"secret {NAMESPACE}/{name}: no token after {timeout_s:g} s; {why}")
        time.sleep(POLL_S)


def _secret(name: str, token: str) -> Any:
    """A secret of the control plane. The token is kept as Kubernetes keeps it, in base64."""
    data = {"token": base64.b64encode(token.encode()).decode()} if token else {}
    metadata = {"name": name, "namespace": NAMESPACE, "labels": dict(SYSTEM_LABEL)}
    return decode({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data})

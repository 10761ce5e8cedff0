"""Cluster: Karmada's aggregated API server looks after this kind itself, there is no webhook.

It clears the status of a new cluster, fills in and straightens its resource models, checks, and only then moves `zone`
into `zones` and stamps NoExecute taints (`pkg/registry/cluster/strategy.go`).
"""

from __future__ import annotations

from karmadalab.api.cluster import (
    PULL,
    PUSH,
    Cluster,
    ClusterSpec,
    ClusterStatus,
    LocalSecretReference,
)
from karmadalab.api.codec import plain
from karmadalab.api.errors import FieldError
from karmadalab.api.meta import NO_EXECUTE, NO_SCHEDULE, Taint, replace
from karmadalab.api.time import Time
from karmadalab.webhook.resource_models import DEFAULT_MODELS, standardized, validate_models
from karmadalab.webhook.rules import (
    Errors,
    check_cluster_name,
    check_label_value,
    check_qualified_name,
    duplicate,
    invalid,
    invalid_each,
    not_supported,
    required,
)
from karmadalab.webhook.urls import UrlError, not_an_address, parse_url

_TAINT_EFFECTS = (NO_SCHEDULE, NO_EXECUTE)
_ENDPOINT_FORM = "; desired format: hostname, hostname:port, IP or IP:port"


def prepare_cluster(cluster: Cluster, create: bool, resource_modeling: bool) -> Cluster:
    """Before the check: a new cluster has no status, and its resource models cover all sizes without a gap.

    Args:
        cluster: as the user wrote it.
        create: whether it is being created.
        resource_modeling: the gate `CustomizedClusterResourceModeling`.
    """
    if create:
        cluster = replace(cluster, status=ClusterStatus())
    if not resource_modeling:
        return cluster
    models = cluster.spec.resourceModels
    wanted = standardized(models) if models else DEFAULT_MODELS if create else models
    return cluster if wanted == models else replace(cluster, spec=replace(cluster.spec, resourceModels=wanted))


def canonicalize_cluster(cluster: Cluster, now: float) -> Cluster:
    """After the check: the deprecated `zone` moves into `zones`, and NoExecute taints say since when they are there."""
    spec = cluster.spec
    if spec.zone and not spec.zones:
        spec = replace(spec, zone="", zones=(spec.zone,))
    if any(taint.effect == NO_EXECUTE and taint.timeAdded is None for taint in spec.taints):
        spec = replace(spec, taints=tuple(_stamped(taint, now) for taint in spec.taints))
    return cluster if spec is cluster.spec else replace(cluster, spec=spec)


def _stamped(taint: Taint, now: float) -> Taint:
    return replace(taint, timeAdded=Time(now)) if taint.effect == NO_EXECUTE and taint.timeAdded is None else taint


def validate_cluster(cluster: Cluster) -> Errors:
    """`ValidateCluster`: the name, and everything in `spec`."""
    name, spec = cluster.metadata.name, cluster.spec
    if name:
        errors = invalid_each("metadata.name", name, check_cluster_name(name))
    else:
        errors = [required("metadata.name", "name or generateName is required")]
    errors += _validate_sync_mode(spec.syncMode)
    errors += _validate_endpoint(spec.apiEndpoint) if spec.apiEndpoint else []
    errors += _validate_secret_ref(spec.secretRef, "spec.secretRef")
    errors += _validate_secret_ref(spec.impersonatorSecretRef, "spec.impersonatorSecretRef")
    errors += _validate_proxy_url(spec.proxyURL) if spec.proxyURL else []
    errors += invalid_each("spec.provider", spec.provider, check_label_value(spec.provider))
    errors += invalid_each("spec.region", spec.region, check_label_value(spec.region))
    errors += _validate_zones(spec)
    errors += _validate_taints(spec.taints)
    return errors + validate_models(spec.resourceModels)


def _validate_sync_mode(mode: str) -> Errors:
    errors = [] if mode else [required("spec.syncMode")]
    return errors if mode in (PULL, PUSH) else [*errors, not_supported("spec.syncMode", mode, (PULL, PUSH))]


def _validate_endpoint(endpoint: str) -> Errors:
    path = "spec.apiEndpoint"
    try:
        url = parse_url(endpoint)
    except UrlError as error:
        return [invalid(path, endpoint, f"apiEndpoint must be a valid URL: {error}{_ENDPOINT_FORM}")]
    errors: Errors = []
    if not url.host:
        errors.append(invalid(path, url.host, f"host must be provided{_ENDPOINT_FORM}"))
    return errors + not_an_address(url, path)


def _validate_proxy_url(proxy: str) -> Errors:
    try:
        scheme = parse_url(proxy).scheme
    except UrlError as error:
        return [invalid("spec.proxyURL", proxy, f"apiEndpoint must be a valid URL: {error}")]  # the name is Karmada's
    if scheme in ("http", "https", "socks5"):
        return []
    return [invalid("spec.proxyURL", proxy, f'unsupported scheme "{scheme}", must be http, https, or socks5')]


def _validate_secret_ref(ref: LocalSecretReference | None, path: str) -> Errors:
    if ref is None:
        return []
    errors = [] if ref.namespace else [required(f"{path}.namespace")]
    return errors if ref.name else [*errors, required(f"{path}.name")]


def _validate_zones(spec: ClusterSpec) -> Errors:
    if spec.zone and spec.zones:  # the doubled path is Karmada's
        return [FieldError("FieldValueTypeInvalid", "spec.spec", "Zone and Zones cannot co-exist", plain(spec))]
    errors = invalid_each("spec.Zone", spec.zone, check_label_value(spec.zone))
    for zone in spec.zones:
        errors += invalid_each("spec.Zones", zone, check_label_value(zone))
    return errors


def _validate_taints(taints: tuple[Taint, ...]) -> Errors:
    errors: Errors = []
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        path = f"spec.taints[{index}]"
        errors += invalid_each(f"{path}.key", taint.key, check_qualified_name(taint.key))
        errors += invalid_each(f"{path}.value", taint.value, check_label_value(taint.value))
        if not taint.effect:
            errors.append(required(f"{path}.effect"))
        elif taint.effect not in _TAINT_EFFECTS:
            errors.append(not_supported(f"{path}.effect", taint.effect, _TAINT_EFFECTS))
        if (taint.key, taint.effect) in seen:
            errors.append(duplicate(path, taint, "taints must be unique by key and effect pair"))
        seen.add((taint.key, taint.effect))
    return errors

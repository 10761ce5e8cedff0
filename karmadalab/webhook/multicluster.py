"""MultiClusterService and MultiClusterIngress."""

from __future__ import annotations

from karmadalab.api.multicluster import (
    CROSS_CLUSTER,
    LOAD_BALANCER,
    ClusterSelector,
    ExposurePort,
    MultiClusterIngress,
    MultiClusterService,
)
from karmadalab.webhook.rules import (
    Errors,
    check_cluster_name,
    check_dns_1035_label,
    check_dns_label,
    duplicate,
    invalid,
    invalid_each,
    required,
)


def validate_multi_cluster_service(service: MultiClusterService, old: MultiClusterService | None) -> Errors:
    """Names, ports, clusters; the way of exposure never changes."""
    spec, name = service.spec, service.metadata.name
    errors: Errors = []
    if old is not None and old.spec.types != spec.types:
        errors.append(invalid("spec.types", old.spec.types, "MultiClusterService types are immutable"))
    errors += invalid_each("metadata.name", name, check_dns_1035_label(name))
    errors += _validate_ports(spec.ports)
    for index, exposure in enumerate(spec.types):
        if exposure not in (CROSS_CLUSTER, LOAD_BALANCER):
            errors.append(invalid(f"spec.types[{index}]", exposure, "ExposureType Error"))
    if len(spec.types) > 1:
        detail = "MultiClusterService types should not contain more than one type"
        errors.append(invalid("spec.types", spec.types, detail))
    errors += _validate_clusters(spec.providerClusters, "spec.range.providerClusters")
    return errors + _validate_clusters(spec.consumerClusters, "spec.range.consumerClusters")


def _validate_ports(ports: tuple[ExposurePort, ...]) -> Errors:
    errors: Errors = []
    names: set[str] = set()
    for index, port in enumerate(ports):
        path = f"spec.ports[{index}]"
        if not port.name and len(ports) > 1:
            errors.append(required(f"{path}.name"))
        elif port.name:
            errors += invalid_each(f"{path}.name", port.name, check_dns_label(port.name))
            if port.name in names:
                errors.append(duplicate(f"{path}.name", port.name))
            names.add(port.name)
        if not 1 <= port.port <= 65535:
            errors.append(invalid(f"{path}.port", port.port, "must be between 1 and 65535, inclusive"))
    return errors


def _validate_clusters(clusters: tuple[ClusterSelector, ...], path: str) -> Errors:
    errors: Errors = []
    for index, cluster in enumerate(clusters):
        errors += invalid_each(f"{path}[{index}]", cluster.name, check_cluster_name(cluster.name))
    return errors


def validate_multi_cluster_ingress(ingress: MultiClusterIngress) -> Errors:
    """Something must answer: a default backend, or rules. The rules themselves are not looked at here."""
    if ingress.spec.defaultBackend or ingress.spec.rules:
        return []
    return [invalid("spec", ingress.spec.rules, "either `defaultBackend` or `rules` must be specified")]

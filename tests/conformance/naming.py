"""Names: every generator on the recorded inputs, compared exactly."""

from __future__ import annotations

from typing import Any

from karmadalab.api import naming
from karmadalab.api.cluster import cluster_of_namespace, execution_namespace


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """All names of one recorded input."""
    given = case["input"]
    kind, name, namespace, cluster = given["kind"], given["name"], given["namespace"], given["cluster"]
    return {
        "bindingName": naming.binding_name(kind, name),
        "bindingReferenceKey": naming.binding_reference_key(namespace, name),
        "clusterNameOfExecutionSpace": _cluster_of(given["executionSpace"]),
        "derivedServiceName": naming.derived_service_name(name),
        "endpointSliceName": naming.endpoint_slice_name(cluster, name),
        "estimatorDeploymentName": naming.estimator_name(cluster),
        "estimatorServiceName": naming.estimator_name(cluster),
        "executionSpaceName": execution_namespace(cluster),
        "impersonationSecretName": naming.impersonation_secret_name(cluster),
        "namespacedKey": naming.namespaced_key(namespace, name),
        "policyName": naming.policy_name(namespace, name, given["gvk"]),
        "reservedNamespace": naming.is_reserved_namespace(given["maybeReserved"]),
        "roleName": naming.role_name(naming.service_account_name(cluster)),
        "serviceAccountName": naming.service_account_name(cluster),
        "workName": naming.work_name(kind, name, namespace),
    }


def _cluster_of(namespace: str) -> dict[str, Any]:
    """Karmada tells a foreign namespace (an error) from the bare prefix (an empty name); we return None for both."""
    is_execution_space = namespace.startswith("karmada-es-")
    error = None if is_execution_space else "the execution space name is in wrong format"
    return {"error": error, "name": cluster_of_namespace(namespace) or ""}


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """One line a name that differs."""
    expected = case["expected"].items()
    return [f"{key}: {actual.get(key)!r} instead of {name!r}" for key, name in expected if actual.get(key) != name]

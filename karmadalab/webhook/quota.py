"""FederatedResourceQuota: no cluster is given more than there is in all."""

from __future__ import annotations

from karmadalab.api.cluster import Quantity
from karmadalab.api.errors import Bare, FieldError
from karmadalab.api.quantity import milli
from karmadalab.api.quota import FederatedResourceQuota, FederatedResourceQuotaSpec
from karmadalab.webhook.rules import Errors, check_cluster_name, check_qualified_name, invalid, invalid_each

# What Kubernetes counts in a quota, besides names with a slash and the prefixes below.
_QUOTA_RESOURCES = frozenset(
    (
        "cpu",
        "memory",
        "ephemeral-storage",
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "persistentvolumeclaims",
        "configmaps",
        "services.nodeports",
        "services.loadbalancers",
        "requests.cpu",
        "requests.memory",
        "requests.storage",
        "requests.ephemeral-storage",
        "limits.cpu",
        "limits.memory",
        "limits.ephemeral-storage",
    )
)


def validate_federated_resource_quota(quota: FederatedResourceQuota) -> Errors:
    """The amounts one by one, then against each other."""
    spec = quota.spec
    errors = _validate_amounts(spec.overall, "spec.overall")
    for index, assignment in enumerate(spec.staticAssignments):
        path, name = f"spec.staticAssignments[{index}]", assignment.clusterName
        errors += invalid_each(f"{path}.clusterName", name, check_cluster_name(name))
        errors += _validate_amounts(assignment.hard, f"{path}.hard")
    return errors + _validate_sums(spec)


def _validate_amounts(amounts: dict[str, Quantity], path: str) -> Errors:
    errors: Errors = []
    for name, amount in amounts.items():
        where = f"{path}[{name}]"
        errors += invalid_each(where, name, check_qualified_name(name))
        if "/" not in name and name not in _QUOTA_RESOURCES and not name.startswith("hugepages-"):
            errors.append(invalid(where, name, "must be a standard resource for quota"))
        if milli(amount) < 0:
            errors.append(invalid(where, str(amount), "must be greater than or equal to 0"))
    return errors


def _validate_sums(spec: FederatedResourceQuotaSpec) -> Errors:
    errors: Errors = []
    for name, overall in spec.overall.items():
        assigned = sum(milli(a.hard[name]) for a in spec.staticAssignments if name in a.hard)
        if milli(overall) < assigned:
            errors.append(invalid(f"spec.overall[{name}]", str(overall), "overall is less than assignments"))
    for index, assignment in enumerate(spec.staticAssignments):
        for name in assignment.hard:
            if name not in spec.overall:
                errors.append(_not_in_overall(f"spec.staticAssignments[{index}].hard[{name}]", name))
    return errors


def _not_in_overall(path: str, name: str) -> FieldError:
    detail = "assignment resourceName is not exist in overall"
    return FieldError("FieldValueInvalid", path, detail, Bare(name))

"""What every write passes before it is stored: schema defaults, mutating webhook, validating webhook.

In a real fleet three servers take part: the API server (schema), karmada-webhook and, for clusters, Karmada's
aggregated API server. Here they are one callable that the store asks. Kinds without rules pass untouched.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from karmadalab.api.cluster import Cluster
from karmadalab.api.errors import Denied, Forbidden, Invalid
from karmadalab.api.multicluster import MULTI_CLUSTER_SERVICE_ID_LABEL
from karmadalab.api.naming import namespaced_key
from karmadalab.api.scheme import AnyObject
from karmadalab.webhook import (
    autoscaling,
    cluster,
    cron_autoscaling,
    deletion,
    interpreter_config,
    multicluster,
    override,
    policy,
    quota,
    schema,
    v1_18,
    work,
)
from karmadalab.webhook.rules import Errors
from karmadalab.webhook.schema_rules import validate_schema

CREATE, UPDATE, DELETE = "CREATE", "UPDATE", "DELETE"


class Admission(msgspec.Struct, frozen=True):
    """Karmada's admission with its parameters.

    Args:
        new_id: makes a permanent id; the caller owns the randomness.
        now: tells the time, seconds since 1970, for the stamps of taints.
        default_not_ready_toleration_seconds: the webhook's flag; None adds no toleration, as in v1.18.
        default_unreachable_toleration_seconds: the same for unreachable clusters.
        resource_modeling: the gate `CustomizedClusterResourceModeling`.
        allow_no_execute_taint_policy: v1.18's flag that lets a ClusterTaintPolicy add NoExecute taints.
        profile: the Karmada release to follow.
    """

    new_id: Callable[[], str]
    now: Callable[[], float]
    default_not_ready_toleration_seconds: int | None = 300
    default_unreachable_toleration_seconds: int | None = 300
    resource_modeling: bool = True
    allow_no_execute_taint_policy: bool = False
    profile: str = "v1.13"

    @property
    def is_v1_18(self) -> bool:
        """Whether the newer release is followed."""
        return self.profile == v1_18.PROFILE

    def admit(self, operation: str, obj: AnyObject, old: AnyObject | None = None) -> AnyObject:
        """The object as it will be stored.

        Args:
            operation: `CREATE`, `UPDATE` or `DELETE`.
            obj: what was sent; for a deletion, what is stored.
            old: what is stored, None on creation.

        Raises:
            Invalid: the object breaks rules of its schema (or is a bad cluster); `errors` lists them.
            Denied: it breaks rules of Karmada's webhook; a kind of `Invalid`, too.
            Forbidden: the change or the deletion is not allowed.
        """
        if operation == DELETE:
            if deletion.is_protected(obj):
                raise Forbidden(_denial(obj, "resourcedeletionprotection", deletion.PROTECTED))
            return obj
        mutated = self.mutate(operation, obj)
        errors = validate_schema(mutated, self.profile)
        if errors:
            raise Invalid(f"{_name_of(obj)}: {aggregate(errors)}", tuple(errors))
        self._deny(operation, mutated, old)
        return self.canonicalize(mutated)

    def _deny(self, operation: str, obj: AnyObject, old: AnyObject | None) -> None:
        """Refuse in the name of the webhook, or of the aggregated API server, that does so in a real fleet."""
        try:
            errors = self.validate(operation, obj, old)
        except Forbidden as error:
            raise Forbidden(_denial(obj, obj.kind.lower(), str(error))) from None
        if errors and isinstance(obj, Cluster):
            raise Invalid(f"{_name_of(obj)}: {aggregate(errors)}", tuple(errors))
        if errors:
            raise Denied(_denial(obj, obj.kind.lower(), aggregate(errors)), tuple(errors))

    def mutate(self, operation: str, obj: AnyObject, defaults: bool = True) -> Any:
        """Schema defaults (unless `defaults` is off), then those of the mutating webhook."""
        mutator = _MUTATORS.get(obj.GROUP_KIND)
        defaulter = _DEFAULTERS.get(obj.GROUP_KIND) if defaults else None
        if defaulter:
            obj = defaulter(obj, self.profile)
        return mutator(self, obj, operation == CREATE) if mutator else obj

    def validate(self, operation: str, obj: AnyObject, old: AnyObject | None) -> Errors:
        """The rules that the object breaks.

        Raises:
            Forbidden: a field was changed that never changes.
        """
        refuse = _REFUSE_CHANGE.get(obj.GROUP_KIND)
        if refuse:
            refuse(obj, old if operation == UPDATE else None)
        return self.findings(operation, obj, old)

    def findings(self, operation: str, obj: AnyObject, old: AnyObject | None) -> Errors:
        """What is wrong with the object itself, whether or not it may be changed like this."""
        validator = _VALIDATORS.get(obj.GROUP_KIND)
        errors = validator(self, obj, old if operation == UPDATE else None) if validator else []
        return v1_18.reworded(errors) if errors and self.is_v1_18 else errors

    def canonicalize(self, obj: AnyObject) -> AnyObject:
        """What happens after validation: clusters are brought into one form."""
        return cluster.canonicalize_cluster(obj, self.now()) if isinstance(obj, Cluster) else obj


def _name_of(obj: AnyObject) -> str:
    return f"{obj.kind} {namespaced_key(obj.metadata.namespace, obj.metadata.name or '(no name)')}"


def _denial(obj: AnyObject, webhook: str, text: str) -> str:
    return f'{_name_of(obj)}: admission webhook "{webhook}.karmada.io" denied the request: {text}'


def aggregate(errors: Errors) -> str:
    """Several findings as one text, `[a, b]`, as Go's `ToAggregate` prints them."""
    texts = list(dict.fromkeys(map(str, errors)))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _mutate_policy(admission: Admission, obj: Any, create: bool) -> Any:
    return policy.mutate_propagation_policy(
        obj,
        create,
        admission.default_not_ready_toleration_seconds,
        admission.default_unreachable_toleration_seconds,
        admission.new_id,
    )


_DEFAULTERS: dict[str, Callable[[Any, str], Any]] = {
    "PropagationPolicy.policy.karmada.io": schema.default_policy,
    "ClusterPropagationPolicy.policy.karmada.io": schema.default_policy,
    "ResourceBinding.work.karmada.io": schema.default_binding,
    "ClusterResourceBinding.work.karmada.io": schema.default_binding,
    "CronFederatedHPA.autoscaling.karmada.io": lambda obj, profile: cron_autoscaling.default_cron_federated_hpa(obj),
}

_MUTATORS: dict[str, Callable[[Admission, Any, bool], Any]] = {
    "PropagationPolicy.policy.karmada.io": _mutate_policy,
    "ClusterPropagationPolicy.policy.karmada.io": _mutate_policy,
    "OverridePolicy.policy.karmada.io": lambda a, obj, create: override.mutate_override_policy(obj),
    "ResourceBinding.work.karmada.io": lambda a, obj, create: work.mutate_binding(obj, a.new_id),
    "ClusterResourceBinding.work.karmada.io": lambda a, obj, create: work.mutate_binding(obj, a.new_id),
    "Work.work.karmada.io": lambda a, obj, create: work.mutate_work(obj, a.new_id, a.is_v1_18),
    "FederatedHPA.autoscaling.karmada.io": lambda a, obj, create: autoscaling.mutate_federated_hpa(obj),
    "MultiClusterService.networking.karmada.io": lambda a, obj, create: work.with_id(
        obj, MULTI_CLUSTER_SERVICE_ID_LABEL, a.new_id
    ),
    "Cluster.cluster.karmada.io": lambda a, obj, create: cluster.prepare_cluster(obj, create, a.resource_modeling),
}


_REFUSE_CHANGE: dict[str, Callable[[Any, Any], None]] = {
    "PropagationPolicy.policy.karmada.io": policy.refuse_change,
    "ClusterPropagationPolicy.policy.karmada.io": policy.refuse_change,
}


def _validate_policy(admission: Admission, obj: Any, old: Any) -> Errors:
    errors = policy.validate_propagation_spec(obj.spec)
    return errors + v1_18.validate_policy_additions(obj) if admission.is_v1_18 else errors


def _validate_override(admission: Admission, obj: Any, old: Any) -> Errors:
    errors = override.validate_override_policy(obj)
    return errors + v1_18.validate_override_additions(obj) if admission.is_v1_18 else errors


_VALIDATORS: dict[str, Callable[[Admission, Any, Any], Errors]] = {
    "PropagationPolicy.policy.karmada.io": _validate_policy,
    "ClusterPropagationPolicy.policy.karmada.io": _validate_policy,
    "OverridePolicy.policy.karmada.io": _validate_override,
    "ClusterOverridePolicy.policy.karmada.io": _validate_override,
    "ClusterTaintPolicy.policy.karmada.io": lambda a, obj, old: (
        v1_18.validate_cluster_taint_policy(obj, a.allow_no_execute_taint_policy)
        if a.is_v1_18
        else v1_18.refuse_taint_policy()
    ),
    "FederatedResourceQuota.policy.karmada.io": lambda a, obj, old: quota.validate_federated_resource_quota(obj),
    "FederatedHPA.autoscaling.karmada.io": lambda a, obj, old: autoscaling.validate_federated_hpa(obj),
    "CronFederatedHPA.autoscaling.karmada.io": lambda a, obj, old: cron_autoscaling.validate_cron_federated_hpa(obj),
    "MultiClusterService.networking.karmada.io": lambda a, obj, old: multicluster.validate_multi_cluster_service(
        obj, old
    ),
    "MultiClusterIngress.networking.karmada.io": lambda a, obj, old: multicluster.validate_multi_cluster_ingress(obj),
    "ResourceInterpreterWebhookConfiguration.config.karmada.io": lambda a, obj, old: (
        interpreter_config.validate_interpreter_webhooks(obj, a.is_v1_18)
    ),
    "Cluster.cluster.karmada.io": lambda a, obj, old: cluster.validate_cluster(obj),
}

"""resource-detector: which policy does a template follow, and what binding comes of it?

A user writes a Deployment and, somewhere, a policy that selects it. The detector brings the two together: it finds the
best policy, marks the template as claimed by it and writes a binding with the policy's placement. A claimed template
keeps its policy even when a better one appears; one without a policy waits until one comes.

Mirrors pkg/detector. Preemption and lazy activation follow the policies' own fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from karmadalab.api.cluster import EXECUTION_NAMESPACE_PREFIX
from karmadalab.api.meta import ObjectMeta, OwnerReference, replace, selector_matches
from karmadalab.api.naming import binding_name
from karmadalab.api.policy import (
    CLUSTER_PROPAGATION_POLICY_FINALIZER,
    CLUSTER_PROPAGATION_POLICY_ID_LABEL,
    CLUSTER_PROPAGATION_POLICY_NAME_ANNOTATION,
    PROPAGATION_POLICY_FINALIZER,
    PROPAGATION_POLICY_ID_LABEL,
    PROPAGATION_POLICY_NAME_ANNOTATION,
    PROPAGATION_POLICY_NAMESPACE_ANNOTATION,
    AnyPropagationPolicy,
    ClusterOverridePolicy,
    ClusterPropagationPolicy,
    OverridePolicy,
    PropagationPolicy,
    ResourceSelector,
)
from karmadalab.api.unstructured import Unstructured, group_kind
from karmadalab.api.work import (
    BINDING_FINALIZER,
    BINDING_KINDS,
    CLAIMED_BY_LABEL,
    AnyBinding,
    ClusterResourceBinding,
    ObjectReference,
    ResourceBinding,
    ResourceBindingSpec,
)
from karmadalab.core.controller import DONE, Manager, Request, Result, Retry, Watch
from karmadalab.core.store import Store
from karmadalab.interpreter import Interpreter

NAME = "resource-detector"

MISMATCH, MATCHES_ALL, MATCHES_LABELS, MATCHES_NAME = 0, 1, 2, 3

_OWN_GROUPS = ("cluster", "policy", "work", "config", "networking", "autoscaling", "remedy", "apps")
_RESERVED_NAMESPACES = ("karmada-system", "karmada-cluster")
_CLAIM_LABELS = (PROPAGATION_POLICY_ID_LABEL, CLUSTER_PROPAGATION_POLICY_ID_LABEL)
_CLAIM_ANNOTATIONS = (
    PROPAGATION_POLICY_NAMESPACE_ANNOTATION,
    PROPAGATION_POLICY_NAME_ANNOTATION,
    CLUSTER_PROPAGATION_POLICY_NAME_ANNOTATION,
)


# --- decisions -----------------------------------------------------------------------------------------------------------


def selector_priority(obj: Unstructured, selector: ResourceSelector) -> int:
    """How specifically a selector means an object: by name, by labels, by kind alone, or not at all.

    A selector with a name ignores its labels. An empty label selector matches everything, and counts as labels.
    """
    if (selector.apiVersion, selector.kind) != (obj.apiVersion, obj.kind):
        return MISMATCH
    meta = obj.metadata
    if selector.namespace and selector.namespace != meta.namespace:
        return MISMATCH
    if selector.name:
        return MATCHES_NAME if selector.name == meta.name else MISMATCH
    if selector.labelSelector is None:
        return MATCHES_ALL
    return MATCHES_LABELS if selector_matches(selector.labelSelector, meta.labels) else MISMATCH


def policy_priority(obj: Unstructured, policy: AnyPropagationPolicy) -> int:
    """The best of the policy's selectors."""
    return max((selector_priority(obj, s) for s in policy.spec.resourceSelectors), default=MISMATCH)


def best_policy(obj: Unstructured, policies: Iterable[AnyPropagationPolicy]) -> AnyPropagationPolicy | None:
    """The policy an unclaimed object follows: explicit priority, then the better selector, then the smaller name."""
    matching = [
        (-(policy.spec.priority or 0), -implicit, policy.metadata.name, policy)
        for policy in policies
        if policy.metadata.deletionTimestamp is None and (implicit := policy_priority(obj, policy))
    ]
    return min(matching, key=lambda item: item[:3])[3] if matching else None


def claim_of(policy: AnyPropagationPolicy) -> tuple[dict[str, str], dict[str, str]]:
    """The labels and annotations that mark a template, or a binding, as a policy's."""
    meta = policy.metadata
    if isinstance(policy, PropagationPolicy):
        return (
            {PROPAGATION_POLICY_ID_LABEL: meta.labels.get(PROPAGATION_POLICY_ID_LABEL, "")},
            {
                PROPAGATION_POLICY_NAMESPACE_ANNOTATION: meta.namespace,
                PROPAGATION_POLICY_NAME_ANNOTATION: meta.name,
            },
        )
    return (
        {CLUSTER_PROPAGATION_POLICY_ID_LABEL: meta.labels.get(CLUSTER_PROPAGATION_POLICY_ID_LABEL, "")},
        {CLUSTER_PROPAGATION_POLICY_NAME_ANNOTATION: meta.name},
    )


def claimed(meta: ObjectMeta, policy: AnyPropagationPolicy) -> ObjectMeta:
    """Metadata marked as this policy's and no other's."""
    labels, annotations = claim_of(policy)
    plain = unclaimed(meta)
    return replace(plain, labels={**plain.labels, **labels}, annotations={**plain.annotations, **annotations})


def unclaimed(meta: ObjectMeta) -> ObjectMeta:
    """Metadata without any policy's mark."""
    return replace(
        meta,
        labels={key: value for key, value in meta.labels.items() if key not in _CLAIM_LABELS},
        annotations={key: value for key, value in meta.annotations.items() if key not in _CLAIM_ANNOTATIONS},
    )


def spec_from_policy(spec: ResourceBindingSpec, policy: AnyPropagationPolicy) -> ResourceBindingSpec:
    """A binding's spec with everything the policy decides; what others decide (clusters, tasks) stays."""
    source = policy.spec
    return replace(
        spec,
        propagateDeps=source.propagateDeps,
        placement=source.placement,
        schedulerName=source.schedulerName,
        failover=source.failover,
        conflictResolution=source.conflictResolution,
        preserveResourcesOnDeletion=source.preserveResourcesOnDeletion,
        suspension=source.suspension,
    )


def content_changed(old: Unstructured, new: Unstructured) -> bool:
    """Whether an update of a template is more than a new status or version."""
    mine = {key: value for key, value in new.body.items() if key != "status"}
    theirs = {key: value for key, value in old.body.items() if key != "status"}
    if mine != theirs:
        return True
    blank = {"resourceVersion": "", "managedFields": (), "generation": 0}
    return replace(old.metadata, **blank) != replace(new.metadata, **blank)


# --- the controller --------------------------------------------------------------------------------------------------------


class ResourceDetector:
    """The reconciler. Its requests are templates, named by kind as well.

    Args:
        manager, store, interpreter: the control plane's.
        template_kinds: the kinds that may be propagated, as store names.
    """

    name = NAME

    def __init__(self, manager: Manager, store: Store, interpreter: Interpreter, template_kinds: Sequence[str]) -> None:
        self._store = store
        self._interpreter = interpreter
        self._manager = manager
        self._kinds = list(template_kinds)
        self._waiting: set[Request] = set()
        settings = manager.settings
        patterns = [p.strip() for p in settings.skipped_propagating_namespaces.split(",") if p.strip()]
        self._skipped_namespaces = [re.compile(pattern) for pattern in patterns]
        self._skipped_apis = {api.strip() for api in re.split("[;,]", settings.skipped_propagating_apis) if api.strip()}
        self._now: Callable[[], float] = manager.clock.now

    def watches(self) -> Sequence[Watch]:
        """Templates of every kind, and policies."""
        templates = [Watch(self._store, kind, self._template_event) for kind in self._kinds]
        policies = [Watch(self._store, kind, self._policy_event) for kind in (PropagationPolicy, ClusterPropagationPolicy)]
        return [*templates, *policies]

    def watch_kind(self, kind: str) -> None:
        """Propagate one more kind from now on (a custom resource)."""
        if kind not in self._kinds:
            self._kinds.append(kind)
            self._manager.watch(NAME, Watch(self._store, kind, self._template_event))

    # --- what wakes it

    def _template_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        if self._is_skipped(new):
            return ()
        if old is not None and event != "DELETED" and not content_changed(old, new):
            return ()
        return (Request(new.metadata.namespace, new.metadata.name, new.GROUP_KIND),)

    def _is_skipped(self, obj: Unstructured) -> bool:
        group = obj.apiVersion.rpartition("/")[0]
        if group.partition(".")[0] in _OWN_GROUPS and group.endswith(".karmada.io"):
            return True
        if obj.kind in ("Event", "Lease") or {group, obj.apiVersion} & self._skipped_apis:
            return True
        namespace = obj.metadata.name if obj.kind == "Namespace" else obj.metadata.namespace
        if namespace.startswith(EXECUTION_NAMESPACE_PREFIX) or namespace in _RESERVED_NAMESPACES:
            return True
        return any(pattern.fullmatch(namespace) for pattern in self._skipped_namespaces)

    def _policy_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        """A policy concerns what it has claimed and what waits for one like it."""
        if event != "DELETED" and old is not None and old.metadata.generation == new.metadata.generation:
            return
        yield Request(new.metadata.namespace, new.metadata.name, new.GROUP_KIND)
        for request in self._claimed_requests(new):
            yield request
        for request in sorted(self._waiting):
            template = self._store.find(request.kind, request.name, request.namespace)
            if template is not None and event != "DELETED" and policy_priority(template, new):
                yield request

    def _claimed_requests(self, policy: AnyPropagationPolicy) -> Iterable[Request]:
        labels, _ = claim_of(policy)
        for kind in BINDING_KINDS:
            for binding in self._store.list(kind):
                if labels.items() <= binding.metadata.labels.items():
                    resource = binding.spec.resource
                    yield Request(resource.namespace, resource.name, group_kind(resource.apiVersion, resource.kind))

    # --- what it does

    def reconcile(self, request: Request) -> Result:
        """Bring a template, or a policy, to its binding."""
        if request.kind in (PropagationPolicy.GROUP_KIND, ClusterPropagationPolicy.GROUP_KIND):
            return self._reconcile_policy(request)
        template = self._store.find(request.kind, request.name, request.namespace)
        if template is None:
            self._waiting.discard(request)
            return DONE  # its binding goes with its owner
        if template.metadata.deletionTimestamp is not None or CLAIMED_BY_LABEL in template.metadata.labels:
            return DONE
        policy = self._policy_for(template)
        if policy is None:
            return self._wait(request)
        self._waiting.discard(request)
        self._check_overrides(policy)
        self._apply(template, policy)
        return DONE

    def _wait(self, request: Request) -> Result:
        """No policy: the first time is an error, so that a policy about to arrive is not missed."""
        if request in self._waiting:
            return DONE
        self._waiting.add(request)
        raise Retry(f"no policy matches {request.kind.partition('.')[0]} {request}")

    def _policy_for(self, template: Unstructured) -> AnyPropagationPolicy | None:
        claimer = self._claimer(template)
        if claimer is not None:
            if claimer.metadata.deletionTimestamp is not None:
                raise Retry(f"policy {claimer.metadata.name} is being deleted")
            return claimer
        namespace = template.metadata.namespace
        own = best_policy(template, self._store.list(PropagationPolicy, namespace)) if namespace else None
        return own or best_policy(template, self._store.list(ClusterPropagationPolicy))

    def _claimer(self, template: Unstructured) -> AnyPropagationPolicy | None:
        """The policy that the template is marked as claimed by, if that policy still is there."""
        meta = template.metadata
        if policy_id := meta.labels.get(PROPAGATION_POLICY_ID_LABEL):
            name = meta.annotations.get(PROPAGATION_POLICY_NAME_ANNOTATION, "")
            namespace = meta.annotations.get(PROPAGATION_POLICY_NAMESPACE_ANNOTATION, "")
            policy = self._store.find(PropagationPolicy, name, namespace)
            return policy if policy and policy.metadata.labels.get(PROPAGATION_POLICY_ID_LABEL) == policy_id else None
        if policy_id := meta.labels.get(CLUSTER_PROPAGATION_POLICY_ID_LABEL):
            name = meta.annotations.get(CLUSTER_PROPAGATION_POLICY_NAME_ANNOTATION, "")
            found = self._store.find(ClusterPropagationPolicy, name)
            known = found and found.metadata.labels.get(CLUSTER_PROPAGATION_POLICY_ID_LABEL) == policy_id
            return found if known else None
        return None

    def _check_overrides(self, policy: AnyPropagationPolicy) -> None:
        kind = OverridePolicy if isinstance(policy, PropagationPolicy) else ClusterOverridePolicy
        for name in policy.spec.dependentOverrides:
            if self._store.find(kind, name, policy.metadata.namespace) is None:
                raise Retry(f"waiting for dependent overrides: {name} of policy {policy.metadata.name} does not exist yet")

    def _apply(self, template: Unstructured, policy: AnyPropagationPolicy) -> None:
        marked = claimed(template.metadata, policy)
        if marked != template.metadata:
            template = self._store.update(replace(template, metadata=marked))
        binding = self.binding_for(template, policy)
        meta = binding.metadata
        old = self._store.find(type(binding), meta.name, meta.namespace)
        if old is None:
            self._store.create(binding)
            return
        owner = next((o.uid for o in old.metadata.ownerReferences if o.controller), None)
        if owner is not None and owner != template.metadata.uid:
            raise Retry(f"{old.kind} {meta.name} belongs to another object of that name, which is being collected")
        plain = unclaimed(old.metadata)
        spec = spec_from_policy(old.spec, policy)
        spec = replace(
            spec,
            resource=binding.spec.resource,
            replicas=binding.spec.replicas,
            replicaRequirements=binding.spec.replicaRequirements,
        )
        merged = replace(
            plain,
            labels={**plain.labels, **meta.labels},
            annotations={**plain.annotations, **meta.annotations},
            finalizers=old.metadata.finalizers or meta.finalizers,
            ownerReferences=meta.ownerReferences,
        )
        self._store.update(replace(old, metadata=merged, spec=spec))

    def binding_for(self, template: Unstructured, policy: AnyPropagationPolicy) -> AnyBinding:
        """The binding a template gets, before anything is scheduled."""
        meta = template.metadata
        labels, annotations = claim_of(policy)
        replicas, requirements = 0, None
        if self._interpreter.hook_enabled(template.GROUP_KIND, "get_replicas"):
            replicas, requirements = self._interpreter.get_replicas(template)
        owner = OwnerReference(
            template.apiVersion, template.kind, meta.name, meta.uid, controller=True, blockOwnerDeletion=True
        )
        reference = ObjectReference(
            template.apiVersion, template.kind, meta.namespace, meta.name, meta.uid, meta.resourceVersion
        )
        spec = ResourceBindingSpec(resource=reference, replicas=replicas, replicaRequirements=requirements)
        kind: type[AnyBinding] = ResourceBinding if meta.namespace else ClusterResourceBinding
        return kind(
            metadata=ObjectMeta(
                name=binding_name(template.kind, meta.name),
                namespace=meta.namespace,
                labels=labels,
                annotations=annotations,
                finalizers=(BINDING_FINALIZER,),
                ownerReferences=(owner,),
            ),
            spec=spec_from_policy(spec, policy),
        )

    # --- policies

    def _reconcile_policy(self, request: Request) -> Result:
        kind = PropagationPolicy if request.kind == PropagationPolicy.GROUP_KIND else ClusterPropagationPolicy
        policy: AnyPropagationPolicy | None = self._store.find(kind, request.name, request.namespace)
        if policy is None or policy.metadata.deletionTimestamp is None:
            if policy is not None:
                self._release_unselected(policy)
            return DONE
        self._release(policy, self._claimed_requests(policy))
        ours = (PROPAGATION_POLICY_FINALIZER, CLUSTER_PROPAGATION_POLICY_FINALIZER)
        finalizers = tuple(f for f in policy.metadata.finalizers if f not in ours)
        if finalizers != policy.metadata.finalizers:
            self._store.update(replace(policy, metadata=replace(policy.metadata, finalizers=finalizers)))
        return DONE

    def _release_unselected(self, policy: AnyPropagationPolicy) -> None:
        """What the policy claimed but no longer selects loses its mark; its workloads stay where they are."""
        gone = []
        for request in self._claimed_requests(policy):
            template = self._store.find(request.kind, request.name, request.namespace)
            if template is not None and not policy_priority(template, policy):
                gone.append(request)
        self._release(policy, gone)

    def _release(self, policy: AnyPropagationPolicy, requests: Iterable[Request]) -> None:
        for request in list(requests):
            name = binding_name(request.kind.partition(".")[0], request.name)
            kind = ResourceBinding if request.namespace else ClusterResourceBinding
            binding = self._store.find(kind, name, request.namespace)
            template = self._store.find(request.kind, request.name, request.namespace)
            for obj in (binding, template):
                if obj is not None and unclaimed(obj.metadata) != obj.metadata:
                    self._store.update(replace(obj, metadata=unclaimed(obj.metadata)))

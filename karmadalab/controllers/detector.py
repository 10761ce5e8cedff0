"""resource-detector: which policy does a template follow, and what binding comes of it?

A user writes a Deployment and, somewhere, a policy that selects it. The detector brings the two together: it finds the
best policy, marks the template as claimed by it and writes a binding with the policy's placement. A claimed template
keeps its policy even when a better one appears; one without a policy waits until one comes.

Mirrors pkg/detector/detector.go. `api.claims` says which policy, `api.bindings` which binding; what policies do when
they themselves change is the policy controller's part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from karmadalab.api.bindings import belongs_to_another, binding_of, rebound
from karmadalab.api.claims import (
    Claim,
    PolicyRule,
    claim_in,
    policy_for,
    unclaimed,
)
from karmadalab.api.cluster import EXECUTION_NAMESPACE_PREFIX
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.override import ClusterOverridePolicy, OverridePolicy
from karmadalab.api.policy import LAZY, AnyPropagationPolicy, ClusterPropagationPolicy, PropagationPolicy
from karmadalab.api.selection import match_priority
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import (
    CLAIMED_BY_LABEL,
    AnyBinding,
)
from karmadalab.core.claims import held_by, holdings, let_go, take
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store
from karmadalab.interpreter import Interpreter

NAME = "resource-detector"

DISCOVERY_S = 30.0  # fixed in Karmada's code
DEFINITION = "CustomResourceDefinition.apiextensions.k8s.io"

_OWN_GROUPS = ("cluster", "policy", "work", "config", "networking", "autoscaling", "remedy", "apps")
_RESERVED_NAMESPACES = ("karmada-system", "karmada-cluster")


# --- decisions --------------------------------------------------------------------------------------------------------


def skipped_apis(flag: str) -> set[str]:
    """What `--skipped-propagating-apis` names: groups, versions of a group, and kinds of a version.

    >>> sorted(skipped_apis("batch; apps/v1;networking.k8s.io/v1/Ingress,IngressClass;v1/Event"))
    ['apps/v1', 'batch', 'networking.k8s.io/v1/Ingress', 'networking.k8s.io/v1/IngressClass', 'v1/Event']
    """
    found = set()
    for token in flag.split(";"):
        first, *more = (part.strip() for part in token.split(","))
        version, slash, _ = first.rpartition("/")
        found |= {first, *(f"{version}{slash}{kind}" for kind in more)}
    return found - {""}


def content_changed(old: Unstructured, new: Unstructured) -> bool:
    """Whether an update of a template is more than a new status or version."""
    mine = {key: value for key, value in new.body.items() if key != "status"}
    theirs = {key: value for key, value in old.body.items() if key != "status"}
    return mine != theirs or _plain(old.metadata) != _plain(new.metadata)


def only_claims_changed(old: Unstructured, new: Unstructured) -> bool:
    """Whether an update of a template is nothing but Karmada's own marks."""
    return old.body == new.body and _plain(unclaimed(old.metadata)) == _plain(unclaimed(new.metadata))


def _plain(meta: ObjectMeta) -> ObjectMeta:
    return replace(meta, resourceVersion="", managedFields=(), generation=0)


# --- the controller ---------------------------------------------------------------------------------------------------


class ResourceDetector:
    """The reconciler. Its requests are templates, named by kind as well.

    Args:
        manager, store, interpreter: the control plane's.
        template_kinds: the kinds that may be propagated, as store names.

    Attributes:
        choose: which policy an unclaimed template follows; students bring their own.
    """

    name = NAME

    def __init__(self, manager: Manager, store: Store, interpreter: Interpreter, template_kinds: Sequence[str]) -> None:
        self._store = store
        self._interpreter = interpreter
        self._manager = manager
        self.choose: PolicyRule = policy_for
        self._kinds = list(template_kinds)
        self._waiting: set[Request] = set()
        self._by_user: set[Request] = set()  # what somebody other than Karmada changed
        self._grouped = manager.settings.feature_gates.get("WorkloadAffinity", False)
        self._late_version = manager.settings.profile != "v1.13"
        settings = manager.settings
        patterns = [p.strip() for p in settings.skipped_propagating_namespaces.split(",") if p.strip()]
        self._skipped_namespaces = [re.compile(pattern) for pattern in patterns]
        manager.every(DISCOVERY_S, self.discover)
        self._skipped_apis = skipped_apis(settings.skipped_propagating_apis)

    def watches(self) -> Sequence[Watch]:
        """Templates of every kind, and policies."""
        templates = [Watch(self._store, kind, self._template_event) for kind in self._kinds]
        policies = [
            Watch(self._store, kind, self._policy_event) for kind in (PropagationPolicy, ClusterPropagationPolicy)
        ]
        return [*templates, *policies]

    def discover(self) -> None:
        """Propagate the kinds that a CustomResourceDefinition has brought, from now on."""
        for definition in self._store.list(DEFINITION):
            names, group = definition.spec.get("names") or {}, definition.spec.get("group")
            kind = f"{names.get('kind')}.{group}"
            if kind not in self._kinds:
                self._kinds.append(kind)
                self._manager.watch(NAME, Watch(self._store, kind, self._template_event))

    # --- what wakes it

    def _template_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        if self._is_skipped(new):
            return ()
        if old is not None and event != "DELETED" and not content_changed(old, new):
            return ()
        request = Request(new.metadata.namespace, new.metadata.name, new.GROUP_KIND)
        if old is None or not only_claims_changed(old, new):
            self._by_user.add(request)
        return (request,)

    def _is_skipped(self, obj: Unstructured) -> bool:
        group = obj.apiVersion.rpartition("/")[0]
        if group.partition(".")[0] in _OWN_GROUPS and group.endswith(".karmada.io"):
            return True
        named = {group, obj.apiVersion, f"{obj.apiVersion}/{obj.kind}"}
        if obj.kind in ("Event", "Lease") or named & self._skipped_apis:
            return True
        namespace = obj.metadata.name if obj.kind == "Namespace" else obj.metadata.namespace
        if namespace.startswith(EXECUTION_NAMESPACE_PREFIX) or namespace in _RESERVED_NAMESPACES:
            return True
        return any(pattern.fullmatch(namespace) for pattern in self._skipped_namespaces)

    def _policy_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        """A policy concerns what it has claimed and what waits for one like it."""
        if event != "DELETED" and old is not None and old.metadata.generation == new.metadata.generation:
            return
        yield from holdings(self._store, new)
        for request in sorted(self._waiting):
            template = self._store.find(request.kind, request.name, request.namespace)
            if template is not None and event != "DELETED" and match_priority(template, new.spec.resourceSelectors):
                yield request

    # --- what it does

    def reconcile(self, request: Request) -> Result:
        """Bring a template to its binding."""
        self.propagate(request, by_karmada=request not in self._by_user)
        self._by_user.discard(request)
        return DONE

    def is_waiting(self, request: Request) -> bool:
        """Whether a template waits for a policy."""
        return request in self._waiting

    def propagate(self, request: Request, by_karmada: bool) -> None:
        """Bring a template to its binding.

        Args:
            by_karmada: whether only Karmada changed something; a lazy policy then leaves the binding as it is.

        Raises:
            Retry: there is no policy, for the first time; or what the policy depends on is not there yet.
        """
        template = self._store.find(request.kind, request.name, request.namespace)
        if template is None:
            self._waiting.discard(request)
            return  # its binding goes with its owner
        if template.metadata.deletionTimestamp is not None or CLAIMED_BY_LABEL in template.metadata.labels:
            return
        claim = claim_in(template.metadata)
        if claim is not None:
            self._follow(template, claim, by_karmada)
            return
        policy = self._match(template)
        if policy is None:
            self._wait(request)
            return
        self._waiting.discard(request)
        self._apply(template, policy, by_karmada)

    def _wait(self, request: Request) -> None:
        """No policy: the first time is an error, so that a policy about to arrive is not missed."""
        if request not in self._waiting:
            self._waiting.add(request)
            raise Retry("no matched propagation policy")

    def _match(self, template: Unstructured) -> AnyPropagationPolicy | None:
        namespace = template.metadata.namespace
        own = self._store.list(PropagationPolicy, namespace) if namespace else []
        return self.choose(template, [*own, *self._store.list(ClusterPropagationPolicy)])

    def _follow(self, template: Unstructured, claim: Claim, by_karmada: bool) -> None:
        """Apply the policy that holds the template. When it is gone, take its marks off what it held.

        A policy that no longer selects the template is left to its own events, which take the marks off.
        """
        policy: AnyPropagationPolicy | None = self._store.find(claim.kind, claim.name, claim.namespace)
        if policy is None:
            let_go(self._store, held_by(self._store, claim.kind, claim.id))
        elif policy.metadata.deletionTimestamp is not None:
            meta = policy.metadata
            raise Retry(f"policy({meta.namespace}/{meta.name}) is being deleted")
        elif match_priority(template, policy.spec.resourceSelectors):
            self._apply(template, policy, by_karmada)

    def _check_overrides(self, policy: AnyPropagationPolicy) -> None:
        kind = OverridePolicy if isinstance(policy, PropagationPolicy) else ClusterOverridePolicy
        for name in policy.spec.dependentOverrides:
            if self._store.find(kind, name, policy.metadata.namespace) is None:
                raise Retry("waiting for dependent overrides")

    def _apply(self, template: Unstructured, policy: AnyPropagationPolicy, by_karmada: bool) -> None:
        self._check_overrides(policy)
        marked = take(self._store, template, policy)
        if by_karmada and policy.spec.activationPreference == LAZY:
            return
        # v1.13 builds the binding of the template as it was before it was marked, and so notes the older version.
        self._write_binding(marked if self._late_version else template, policy)

    def _write_binding(self, template: Unstructured, policy: AnyPropagationPolicy) -> None:
        binding = self._binding_for(template, policy)
        meta = binding.metadata
        old = self._store.find(type(binding), meta.name, meta.namespace)
        if old is None:
            self._store.create(binding)
            return
        if belongs_to_another(old, template.metadata.uid):
            raise Retry(
                "failed to update binding due to different owner reference UID, will try again later after binding is "
                "garbage collected, see https://github.com/karmada-io/karmada/issues/2090"
            )
        self._store.update(rebound(old, binding, policy))

    def _binding_for(self, template: Unstructured, policy: AnyPropagationPolicy) -> AnyBinding:
        replicas, requirements = 0, None
        if self._interpreter.hook_enabled(template.GROUP_KIND, "get_replicas"):
            replicas, requirements = self._interpreter.get_replicas(template)
        return binding_of(template, policy, replicas, requirements, grouped=self._grouped)

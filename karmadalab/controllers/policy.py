"""propagation-policy-controller: what a policy does to the templates that are marked, when it changes or goes.

A policy that no longer selects a template takes its mark off, one that is deleted takes all its marks off; what it has
propagated stays where it is and may find another policy. One with `preemption: Always` takes what it names from weaker
policies, if the gate `PropagationPolicyPreemption` is on.

Mirrors the policy half of pkg/detector (detector.go, preemption.go). Binding anew what it holds is the detector's part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karmadalab.api.claims import claim_in, explicit_priority, may_preempt
from karmadalab.api.meta import replace
from karmadalab.api.policy import (
    CLUSTER_PROPAGATION_POLICY_FINALIZER,
    PREEMPT_ALWAYS,
    PROPAGATION_POLICY_FINALIZER,
    AnyPropagationPolicy,
    ClusterPropagationPolicy,
    PropagationPolicy,
)
from karmadalab.api.selection import match_priority
from karmadalab.api.unstructured import group_kind
from karmadalab.core.claims import holdings, let_go, take
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "propagation-policy-controller"

_FINALIZERS = (PROPAGATION_POLICY_FINALIZER, CLUSTER_PROPAGATION_POLICY_FINALIZER)


class PolicyController:
    """The reconciler, for policies of both kinds."""

    name = NAME

    def __init__(self, manager: Manager, store: Store) -> None:
        self._store = store
        self._may_preempt = manager.settings.gate("PropagationPolicyPreemption")

    def watches(self) -> Sequence[Watch]:
        """Policies whose spec changed."""
        return [Watch(self._store, kind, self._policy_event) for kind in (PropagationPolicy, ClusterPropagationPolicy)]

    def _policy_event(self, event: str, old: Any, new: Any) -> Iterable[Request]:
        if event == "DELETED" or (old is not None and old.metadata.generation == new.metadata.generation):
            return
        yield _request(new)
        if old is not None and explicit_priority(new) < explicit_priority(old):
            yield from map(_request, self._preemptors(new))

    def _preemptors(self, lowered: AnyPropagationPolicy) -> list[AnyPropagationPolicy]:
        """The policies that may now take from one whose priority was lowered, the highest priority first."""
        rivals = self._store.list(type(lowered), lowered.metadata.namespace or None) if self._may_preempt else []
        able = [p for p in rivals if p.spec.preemption == PREEMPT_ALWAYS and may_preempt(p, lowered)]
        return sorted(able, key=lambda policy: (-explicit_priority(policy), policy.metadata.name))

    def reconcile(self, request: Request) -> Result:
        """Let go of what the policy doesn't select any more, of everything when it goes, and take what it may."""
        kind = PropagationPolicy if request.kind == PropagationPolicy.GROUP_KIND else ClusterPropagationPolicy
        policy: AnyPropagationPolicy | None = self._store.find(kind, request.name, request.namespace)
        if policy is None:
            return DONE
        if policy.metadata.deletionTimestamp is None:
            let_go(self._store, self._unselected(policy))
            self.preempt(policy)
            return DONE
        let_go(self._store, holdings(self._store, policy))
        finalizers = tuple(f for f in policy.metadata.finalizers if f not in _FINALIZERS)
        if finalizers != policy.metadata.finalizers:
            self._store.update(replace(policy, metadata=replace(policy.metadata, finalizers=finalizers)))
        return DONE

    def _unselected(self, policy: AnyPropagationPolicy) -> list[Request]:
        gone = []
        for request in holdings(self._store, policy):
            template = self._store.find(request.kind, request.name, request.namespace)
            if template is not None and not match_priority(template, policy.spec.resourceSelectors):
                gone.append(request)
        return gone

    def preempt(self, policy: AnyPropagationPolicy) -> None:
        """Take what the policy names from weaker policies, when it may."""
        if not self._may_preempt or policy.spec.preemption != PREEMPT_ALWAYS:
            return
        for selector in policy.spec.resourceSelectors:
            kind = group_kind(selector.apiVersion, selector.kind)
            template = self._store.find(kind, selector.name, selector.namespace)
            claim = claim_in(template.metadata) if template is not None else None
            holder = self._store.find(claim.kind, claim.name, claim.namespace) if claim is not None else None
            if template is not None and holder is not None and may_preempt(policy, holder):
                take(self._store, template, policy)


def _request(policy: AnyPropagationPolicy) -> Request:
    return Request(policy.metadata.namespace, policy.metadata.name, policy.GROUP_KIND)

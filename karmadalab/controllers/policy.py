"""propagation-policy-controller: what a policy does to the templates that are marked, when it changes or goes.

A policy that no longer selects a template takes its mark off, one that is deleted takes all its marks off; what it has
propagated stays where it is and may find another policy. One with `preemption: Always` takes what it names from weaker
policies, if the gate `PropagationPolicyPreemption` is on.

Mirrors the policy half of pkg/detector (detector.go, preemption.go). Binding anew what it holds is the detector's part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karmadalab.api.claims import Claim, claim_in, explicit_priority, may_preempt
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
from karmadalab.core.controller import DONE, Result, Retry, Watch
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
            yield from map(_request, self._preemptors(new, explicit_priority(old)))

    def _preemptors(self, lowered: AnyPropagationPolicy, before: int) -> list[AnyPropagationPolicy]:
        """The policies that may now take from one whose priority was lowered, and could not before.

        The highest priority comes first. Those that were above it already have taken what they may.
        """
        rivals = self._store.list(type(lowered), lowered.metadata.namespace or None) if self._may_preempt else []
        passed = [p for p in rivals if explicit_priority(lowered) < explicit_priority(p) < before]
        able = [policy for policy in passed if policy.spec.preemption == PREEMPT_ALWAYS]
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
        """Take what the policy names from weaker policies, when it may.

        Raises:
            Retry: a template's holder is not there, so nobody knows whether it is weaker.
        """
        if not self._may_preempt or policy.spec.preemption != PREEMPT_ALWAYS:
            return
        for selector in policy.spec.resourceSelectors:
            kind = group_kind(selector.apiVersion, selector.kind)
            template = self._store.find(kind, selector.name, selector.namespace)
            if template is None or template.metadata.deletionTimestamp is not None:
                continue
            claim = claim_in(template.metadata)
            if claim is not None and self._is_weaker(claim, policy):
                take(self._store, template, policy)

    def _is_weaker(self, claim: Claim, policy: AnyPropagationPolicy) -> bool:
        if claim.kind is ClusterPropagationPolicy and isinstance(policy, PropagationPolicy):
            return True  # whichever it is, also one that is gone
        if not isinstance(policy, claim.kind):
            return False
        holder = self._store.find(claim.kind, claim.name, claim.namespace)
        if holder is None:
            raise Retry(f'{claim.kind.__name__} "{claim.name}" not found')
        return may_preempt(policy, holder)


def _request(policy: AnyPropagationPolicy) -> Request:
    return Request(policy.metadata.namespace, policy.metadata.name, policy.GROUP_KIND)

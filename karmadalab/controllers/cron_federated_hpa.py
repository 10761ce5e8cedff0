"""cronFederatedHPA-controller: replicas by the clock.

Each rule is a schedule of its own. When one is due, the target's replicas are set, or the bounds of a FederatedHPA, and
the outcome goes into the rule's history, the newest first. A run that changes nothing counts as a success as well.

Mirrors pkg/controllers/cronfederatedhpa. The scheduler's time zone is UTC where a rule names none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karmadalab.api.autoscaling import (
    CronFederatedHPA,
    CronFederatedHPARule,
    CronFederatedHPAStatus,
    CrossVersionObjectReference,
    ExecutionHistory,
    FailedExecution,
    FederatedHPA,
    SuccessfulExecution,
)
from karmadalab.api.cron import Cron
from karmadalab.api.errors import KarmadalabError, NotFound
from karmadalab.api.meta import replace
from karmadalab.api.scheme import resource_type
from karmadalab.api.time import Time
from karmadalab.api.unstructured import group_kind
from karmadalab.api.workload_rules import scaled
from karmadalab.core.controller import DONE, Result, Watch, on_spec_change
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store

NAME = "cronFederatedHPA-controller"
_LIMIT = 3

Run = SuccessfulExecution | FailedExecution


# --- decisions -------------------------------------------------------------------------------------------------------


def next_run(rule: CronFederatedHPARule, after: float) -> float | None:
    """When a rule runs next, Unix seconds; None when it is suspended or never does."""
    if rule.suspend:
        return None
    return Cron.parse(rule.schedule).next(after, rule.timeZone or "UTC")


def histories_for(
    rules: Sequence[CronFederatedHPARule], known: Sequence[ExecutionHistory], now: float
) -> tuple[ExecutionHistory, ...]:
    """A history a rule, in the order in which they came; those of rules that are gone are dropped."""
    by_name = {history.ruleName: history for history in known}
    wanted = {rule.name: rule for rule in rules}
    names = [*(name for name in by_name if name in wanted), *(name for name in wanted if name not in by_name)]
    found = []
    for name in names:
        moment = next_run(wanted[name], now)
        history = by_name.get(name, ExecutionHistory(ruleName=name))
        found.append(replace(history, nextExecutionTime=None if moment is None else Time(moment)))
    return tuple(found)


def recorded(history: ExecutionHistory, rule: CronFederatedHPARule, run: Run) -> ExecutionHistory:
    """A history with one more run in front, within the rule's limits."""
    if isinstance(run, SuccessfulExecution):
        kept = _LIMIT if rule.successfulHistoryLimit is None else rule.successfulHistoryLimit
        return replace(history, successfulExecutions=(run, *history.successfulExecutions)[:kept])
    kept = _LIMIT if rule.failedHistoryLimit is None else rule.failedHistoryLimit
    return replace(history, failedExecutions=(run, *history.failedExecutions)[:kept])


# --- the controller --------------------------------------------------------------------------------------------------


class CronFederatedHPAController:
    """The reconciler. Its memory is when each rule is due; a restart starts the schedules anew."""

    name = NAME

    def __init__(self, manager: Manager, store: Store) -> None:
        self._store = store
        self._now: Callable[[], float] = manager.clock.now
        self._due: dict[Request, dict[CronFederatedHPARule, float]] = {}

    def watches(self) -> Sequence[Watch]:
        """Schedules whose spec changed."""
        return [Watch(self._store, CronFederatedHPA, on_spec_change)]

    def reconcile(self, request: Request) -> Result:
        """Run the rules that are due, write the histories, and come back for the next one."""
        cron: CronFederatedHPA | None = self._store.find(CronFederatedHPA, request.name, request.namespace)
        if cron is None or cron.metadata.deletionTimestamp is not None:
            self._due.pop(request, None)
            return DONE
        now = self._now()
        before = self._due.get(request, {})
        runs = {
            rule.name: self._run(cron, rule, before[rule])
            for rule in cron.spec.rules
            if before.get(rule, now + 1) <= now
        }
        self._due[request] = due = _schedule(cron.spec.rules, before, now)
        histories = histories_for(cron.spec.rules, cron.status.executionHistories, now)
        by_name = {rule.name: rule for rule in cron.spec.rules}
        histories = tuple(
            recorded(item, by_name[item.ruleName], runs[item.ruleName]) if item.ruleName in runs else item
            for item in histories
        )
        self._store.update_status(replace(cron, status=CronFederatedHPAStatus(histories)))
        return Result(min(due.values()) - now) if due else DONE

    # --- running a rule

    def _run(self, cron: CronFederatedHPA, rule: CronFederatedHPARule, due: float) -> Run:
        """Do what a rule says. Returns what to write into its history."""
        planned, now = Time(due), Time(self._now())
        reference, namespace = cron.spec.scaleTargetRef, cron.metadata.namespace
        try:
            if reference.apiVersion.startswith("autoscaling.karmada.io/"):
                self._set_bounds(reference, namespace, rule)
                most, least = rule.targetMaxReplicas, rule.targetMinReplicas
                return SuccessfulExecution(planned, now, appliedMaxReplicas=most, appliedMinReplicas=least)
            self._set_replicas(reference, namespace, rule.targetReplicas or 0)
            return SuccessfulExecution(planned, now, appliedReplicas=rule.targetReplicas)
        except KarmadalabError as error:
            return FailedExecution(planned, now, message=str(error))

    def _set_replicas(self, reference: CrossVersionObjectReference, namespace: str, replicas: int) -> None:
        kind = group_kind(reference.apiVersion, reference.kind)
        target = self._store.find(kind, reference.name, namespace)
        if target is None:
            group = reference.apiVersion.rpartition("/")[0]
            plural = resource_type(kind).plural
            raise NotFound(f'{plural}{f".{group}" if group else ""} "{reference.name}" not found')
        self._store.update(scaled(target, replicas))

    def _set_bounds(self, reference: CrossVersionObjectReference, namespace: str, rule: CronFederatedHPARule) -> None:
        target: FederatedHPA | None = self._store.find(FederatedHPA, reference.name, namespace)
        if target is None:
            raise NotFound(f'federatedhpas.autoscaling.karmada.io "{reference.name}" not found')
        spec = target.spec
        if rule.targetMinReplicas is not None:
            spec = replace(spec, minReplicas=rule.targetMinReplicas)
        if rule.targetMaxReplicas is not None:
            spec = replace(spec, maxReplicas=rule.targetMaxReplicas)
        self._store.update(replace(target, spec=spec))


def _schedule(
    rules: Sequence[CronFederatedHPARule], before: dict[CronFederatedHPARule, float], now: float
) -> dict[CronFederatedHPARule, float]:
    """When each rule is due next; one that has not come yet stays as it is."""
    due = {}
    for rule in rules:
        moment = before[rule] if before.get(rule, now) > now else next_run(rule, now)
        if moment is not None:
            due[rule] = moment
    return due

"""What a row of the trace says as Events: reasons, reporters and messages as a real Karmada v1.13 leaves them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from karmadalab.api.cluster import Cluster, execution_namespace
from karmadalab.api.meta import condition
from karmadalab.api.policy import PROPAGATION_POLICY_NAME_ANNOTATION, PROPAGATION_POLICY_NAMESPACE_ANNOTATION
from karmadalab.api.work import ResourceBinding, Work
from karmadalab.core.trace import CREATE

_NORMAL, _WARNING = "Normal", "Warning"

Said = tuple[str, str, str, str]  # type, reason, who, message


def _cluster(old: Any, new: Any, verb: str) -> Iterator[Said]:
    name = new.metadata.name
    who = "cluster-controller"
    if verb == CREATE:
        space = execution_namespace(name)
        yield _NORMAL, "CreateExecutionSpaceSucceed", who, f"Created execution space({space}) for cluster({name})."
        return
    if old.spec.taints != new.spec.taints:
        yield _NORMAL, "TaintClusterSucceed", who, f"Taint cluster succeed: {_taints(new)}."
    before, after = (condition(obj.status.conditions, "Ready") for obj in (old, new))
    if after is not None and after.status != "True" and (before is None or before.status != after.status):
        yield _WARNING, after.reason, "cluster-status-controller", after.message


def _taints(cluster: Cluster) -> str:
    if not cluster.spec.taints:
        return "cluster now does not have taints"
    listed = " ".join(f"{{Key:{taint.key},Effect:{taint.effect}}}" for taint in cluster.spec.taints)
    return f"cluster now has taints([{listed}])"


def _binding(old: Any, new: Any, verb: str) -> Iterator[Said]:
    where = f"{new.metadata.namespace}/{new.metadata.name}"
    if old is None:
        return
    if old.spec.clusters != new.spec.clusters and new.spec.clusters:
        result = ", ".join(f"{target.name}:{target.replicas}" for target in new.spec.clusters)
        message = f"Binding has been scheduled successfully. Result: {{{result}}}"
        yield _NORMAL, "ScheduleBindingSucceed", "default-scheduler", message
    still = {task.fromCluster for task in new.spec.gracefulEvictionTasks}
    for task in old.spec.gracefulEvictionTasks:
        if task.fromCluster not in still:
            message = f"Evict from cluster {task.fromCluster} succeed."
            yield _NORMAL, "EvictWorkloadFromClusterSucceed", "resource-binding-graceful-eviction-controller", message
    scheduled = condition(new.status.conditions, "Scheduled")
    if (
        scheduled is not None
        and scheduled.status == "False"
        and scheduled != condition(old.status.conditions, "Scheduled")
    ):
        yield _WARNING, "ScheduleBindingFailed", "default-scheduler", scheduled.message
    if old.status.aggregatedStatus != new.status.aggregatedStatus:
        message = f"Update ResourceBinding({where}) with AggregatedStatus successfully."
        yield _NORMAL, "AggregateStatusSucceed", "resource-binding-status-controller", message


def _work(old: Any, new: Any, verb: str) -> Iterator[Said]:
    for type_, tell in (("Dispatching", _dispatching), ("Applied", _applied)):
        before = None if old is None else condition(old.status.conditions, type_)
        after = condition(new.status.conditions, type_)
        if after is not None and (before is None or before.status != after.status):
            yield tell(new, after)
    known = {} if old is None else {item.identifier: item for item in old.status.manifestStatuses}
    for item in new.status.manifestStatuses:
        yield from _reported(known.get(item.identifier), item)


def _dispatching(work: Work, found: Any) -> Said:
    return _NORMAL, "WorkDispatching", "execution-controller", found.message


def _applied(work: Work, found: Any) -> Said:
    where = f"{work.metadata.namespace}/{work.metadata.name}"
    if found.status != "True":
        return _WARNING, "SyncFailed", "execution-controller", found.message
    cluster = work.metadata.namespace.removeprefix("karmada-es-")
    message = f"Sync work({where}) to cluster({cluster}) successful."
    return _NORMAL, "SyncSucceed", "execution-controller", message


def _reported(before: Any, item: Any) -> Iterator[Said]:
    """What a member says of an object."""
    about = f"object({item.identifier.kind}/{item.identifier.namespace}/{item.identifier.name})"
    if before is None or before.status != item.status:
        message = f"Reflect status for {about} succeed."
        yield _NORMAL, "ReflectStatusSucceed", "work-status-controller", message
    if item.health in _HEALTHS and (before is None or before.health != item.health):
        message = f"Interpret health of {about} as {_HEALTHS[item.health]}."
        yield _NORMAL, "InterpretHealthSucceed", "work-status-controller", message


def _template(old: Any, new: Any, verb: str) -> Iterator[Said]:
    annotations = new.metadata.annotations
    policy = [annotations.get(key) for key in _CLAIM]
    if all(policy) and (old is None or [old.metadata.annotations.get(key) for key in _CLAIM] != policy):
        yield _NORMAL, "ApplyPolicySucceed", "resource-detector", f"Apply policy({'/'.join(map(str, policy))}) succeed"
    if old is not None and old.status != new.status:
        message = "Update Resource with AggregatedStatus successfully."
        yield _NORMAL, "AggregateStatusSucceed", "resource-binding-status-controller", message


_CLAIM = (PROPAGATION_POLICY_NAMESPACE_ANNOTATION, PROPAGATION_POLICY_NAME_ANNOTATION)
_HEALTHS = {"Healthy": "healthy", "Unhealthy": "unhealthy"}
_TEMPLATES = ("Deployment.apps", "StatefulSet.apps", "DaemonSet.apps", "Job.batch", "Service", "ConfigMap", "Secret")

# The kinds that Events are about -> what a write to one says.
TELLERS: dict[str, Callable[[Any, Any, str], Iterator[Said]]] = {
    Cluster.GROUP_KIND: _cluster,
    ResourceBinding.GROUP_KIND: _binding,
    Work.GROUP_KIND: _work,
    **dict.fromkeys(_TEMPLATES, _template),
}

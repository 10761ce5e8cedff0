"""cluster-status-controller: ask a cluster how it is, and don't believe the answer too soon.

One lost packet must not move a workload, so a change between ready and not ready is published only after it has been
observed for a threshold (`--cluster-failure-threshold`, `--cluster-success-threshold`). The price is symmetrical: a
dead cluster looks alive for half a minute, and a recovered one looks dead for as long. In push mode this runs in the
control plane; in pull mode the same code runs in the agent, which also starts the heartbeat.

Mirrors pkg/controllers/status/cluster_status_controller.go and cluster_condition_cache.go. Observations are remembered
in memory only: after a restart the first one is published at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from karmadalab.api.cluster import (
    CLUSTER_FINALIZER,
    COMPLETE_API_ENABLEMENTS,
    READY,
    Cluster,
    ClusterStatus,
    ready_condition,
)
from karmadalab.api.errors import Unreachable
from karmadalab.api.meta import Condition, Data, replace, set_condition
from karmadalab.core.client import Client
from karmadalab.core.controller import DONE, Result, Retry, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.member import ClientFailed, MemberCluster, Members
from karmadalab.core.queue import Request
from karmadalab.interpreter.resources import node_summary, resource_summary

NAME = "cluster-status-controller"

CLUSTER_READY, CLUSTER_NOT_READY, CLUSTER_NOT_REACHABLE = "ClusterReady", "ClusterNotReady", "ClusterNotReachable"
STATUS_COLLECTION_FAILED = "StatusCollectionFailed"

_FINALIZER_REQUEUE_S = 0.1


# --- decisions --------------------------------------------------------------------------------------------------------


def ready_from_probe(online: bool, healthy: bool) -> Condition:
    """The Ready condition that one probe would give, without threshold."""
    if not online:
        return Condition(READY, "False", CLUSTER_NOT_REACHABLE, "cluster is not reachable")
    if not healthy:
        message = "cluster is reachable but health endpoint responded without ok"
        return Condition(READY, "False", CLUSTER_NOT_READY, message)
    return Condition(READY, "True", CLUSTER_READY, "cluster is healthy and ready to accept workloads")


class Probe(NamedTuple):
    """One look at a cluster.

    Attributes:
        condition: the Ready condition it would give, without threshold.
        online: whether the cluster answers at all.
        healthy: whether it says it is well.
        answer: what it said, in words.
    """

    condition: Condition
    online: bool
    healthy: bool
    answer: str


@cache  # a fleet probes thousands of times and gets a handful of answers
def probe_of_code(code: int) -> Probe:
    """A look that got an HTTP answer. What is not a 2xx counts as no answer; "not ready" needs another 2xx than 200.

    >>> [probe_of_code(code).condition.reason for code in (500, 302, 202)]
    ['ClusterNotReachable', 'ClusterNotReachable', 'ClusterNotReady']
    """
    online, healthy = 200 <= code < 300, code == 200
    return Probe(ready_from_probe(online, healthy), online, healthy, "ok" if healthy else f"HTTP {code}")


def probe_without_client(why: str) -> Probe:
    """A look that could not be taken: the credentials for the cluster are missing or broken."""
    message = f"failed to create a ClusterClient: {why}"
    return Probe(Condition(READY, "False", STATUS_COLLECTION_FAILED, message), False, False, message)


def probed(member: MemberCluster) -> Probe:
    """Ask a member how it is: `/readyz`, and `/healthz` only where there is no `/readyz`."""
    try:
        code = member.get_code("/readyz")
        return probe_of_code(member.get_code("/healthz") if code == 404 else code)
    except Unreachable as error:
        return Probe(ready_from_probe(False, False), False, False, str(error).partition(": ")[2])


class Observation(Data):
    """What is remembered of a cluster between probes.

    Attributes:
        status: the Ready status observed last, published or not.
        since: when the observed status last changed, in Unix seconds; minus infinity for the first.
    """

    status: str
    since: float


ThresholdFilter = Callable[
    [Observation | None, Condition, Condition | None, float, float, float], tuple[Observation, Condition]
]


def threshold_adjusted(
    saved: Observation | None,
    observed: Condition,
    published: Condition | None,
    now: float,
    failure_threshold_s: float,
    success_threshold_s: float,
) -> tuple[Observation, Condition]:
    """What to remember and what to publish after a probe.

    The first observation ever is published as it is. A change between True and not-True is held back until the
    observation has lasted for the threshold; meanwhile the published condition stays whole, its reason and message
    too. The comparison is with what is published, by whomever.

    Args:
        saved: what was remembered, None at first.
        observed: this probe's condition.
        published: the condition in the API, None when there is none.
        now: Unix seconds.

    >>> down = Observation("False", since=0.0)
    >>> up, bad = ready_from_probe(True, True), ready_from_probe(False, False)
    >>> [threshold_adjusted(down, bad, up, now, 30, 30)[1].status for now in (29.0, 30.0)]
    ['True', 'False']
    """
    if saved is None:
        return Observation(observed.status, float("-inf")), observed
    if published is None:
        return saved, observed
    if saved.status != observed.status:
        saved = Observation(observed.status, now)
    is_up, was_up = observed.status == "True", published.status == "True"
    threshold_s = success_threshold_s if is_up else failure_threshold_s
    if is_up != was_up and now < saved.since + threshold_s:
        return saved, published
    return saved, observed


def api_enablements_condition(count: int) -> Condition:
    """The CompleteAPIEnablements condition; an empty list is as good as none."""
    if count:
        message = "collected complete APIEnablements from the cluster"
        return Condition(COMPLETE_API_ENABLEMENTS, "True", "Complete", message)
    return Condition(COMPLETE_API_ENABLEMENTS, "False", "Empty", "collected empty APIEnablements from the cluster")


# --- the controller ---------------------------------------------------------------------------------------------------


class ClusterStatusController:
    """The reconciler.

    Args:
        manager: the process: the controller manager for push clusters, an agent for its own.
        client: the control plane, near or behind the agent's link.
        members: the clusters this process asks.
        on_healthy: called when a cluster was found healthy and is published as ready (the agent starts its lease then).
        adjust: the threshold filter; students bring their own.
        first_pass_s: seconds until the first probe; a process that was restarted lists everything before.

    Attributes:
        probe: how a member is asked; students bring their own.
    """

    name = NAME

    def __init__(
        self,
        manager: Manager,
        client: Client,
        members: Members,
        on_healthy: Callable[[str], None] | None = None,
        adjust: ThresholdFilter = threshold_adjusted,
        first_pass_s: float = 0.0,
    ) -> None:
        self._begins_at = manager.clock.now() + first_pass_s
        self._client = client
        self._members = members
        self._settings = manager.settings
        self._trace = manager.trace
        self._now: Callable[[], float] = manager.clock.now
        self._on_healthy = on_healthy
        self._adjust = adjust
        self.probe: Callable[[MemberCluster], Probe] = probed
        self._hasty = manager.settings.profile == "v1.13"  # a client that can't be built knows no threshold there
        self._observations: dict[str, Observation] = {}
        self._noticed: dict[str, tuple[str, int]] = {}  # the last answer and the row that recorded it
        self._collected: dict[str, tuple[object, dict[str, Any]]] = {}

    def watches(self) -> Sequence[Watch]:
        """Clusters, when their spec changes."""
        return [Watch(self._client, Cluster, self._cluster_event)]

    def _cluster_event(self, event: str, old: Any, new: Any) -> Sequence[Request]:
        if old is not None and event != "DELETED" and old.metadata.generation == new.metadata.generation:
            return ()
        return (Request("", new.metadata.name),)

    def reconcile(self, request: Request) -> Result:
        """Probe a cluster, publish what the threshold lets through, and come again after the update frequency."""
        name = request.name
        if self._now() < self._begins_at:
            return Result(self._begins_at - self._now())
        member, failure = self._reach(name)
        if member is None and not failure:
            return DONE
        cluster = self._client.find(Cluster, name)
        if cluster is None:
            for memory in (self._observations, self._noticed, self._collected):
                memory.pop(name, None)
            return DONE
        if CLUSTER_FINALIZER not in cluster.metadata.finalizers:
            return Result(_FINALIZER_REQUEUE_S)
        probe = self.probe(member) if member is not None else probe_without_client(failure)
        if self._noticed.get(name, ("",))[0] != probe.answer:
            self._noticed[name] = probe.answer, self._trace.note(NAME, name, f"probe of {name}: {probe.answer}")
        ready = probe.condition if failure and self._hasty else self._adjusted(cluster, probe.condition)
        collects = member is not None and probe.healthy and ready.status == "True"
        self._publish(cluster, member if collects else None, ready)
        return Result(self._settings.cluster_status_update_frequency)

    def _reach(self, name: str) -> tuple[MemberCluster | None, str]:
        """The member, or why there is no client for it; neither when another process asks it."""
        try:
            return self._members.reach(name), ""
        except ClientFailed as error:
            return None, str(error)

    def _adjusted(self, cluster: Cluster, observed: Condition) -> Condition:
        settings, name = self._settings, cluster.metadata.name
        self._observations[name], ready = self._adjust(
            self._observations.get(name),
            observed,
            ready_condition(cluster),
            self._now(),
            settings.cluster_failure_threshold,
            settings.cluster_success_threshold,
        )
        return ready

    def _publish(self, cluster: Cluster, member: MemberCluster | None, ready: Condition) -> None:
        """Write the condition, and with it what `member`, if given, says about itself."""
        name = cluster.metadata.name
        status = cluster.status
        if member is not None:
            if self._on_healthy is not None:
                self._on_healthy(name)
            status = self._collect(cluster, member)
        conditions = set_condition(status.conditions, ready, self._now())
        if conditions is not status.conditions:
            status = replace(status, conditions=conditions)
        if status == cluster.status:
            return
        if ready_condition(cluster) != ready:
            self._trace.cause = self._noticed[name][1]
        try:
            self._client.update_status(replace(cluster, status=status))
        except Unreachable as error:
            raise Retry(f"status of {name} can't be posted: {error}") from None

    def _collect(self, cluster: Cluster, member: MemberCluster) -> ClusterStatus:
        """The status with everything that was asked of the member; computed anew only when the member changed."""
        key = (member.client.version, cluster.spec.resourceModels, cluster.status.conditions)
        known = self._collected.get(cluster.metadata.name)
        if known is not None and known[0] == key:
            return replace(cluster.status, **known[1])
        enablements = member.api_enablements()
        nodes, pods = member.client.list("Node"), member.client.list("Pod")
        models = cluster.spec.resourceModels if self._settings.gate("CustomizedClusterResourceModeling") else ()
        collected = {
            "kubernetesVersion": member.kubernetes_version,
            "apiEnablements": enablements,
            "nodeSummary": node_summary(nodes),
            "resourceSummary": resource_summary(nodes, pods, models),
            "conditions": set_condition(
                cluster.status.conditions, api_enablements_condition(len(enablements)), self._now()
            ),
        }
        self._collected[cluster.metadata.name] = key, collected
        return replace(cluster.status, **collected)

"""job-controller: pods that run to their end, `parallelism` at a time, until `completions` have succeeded.

Not modelled: failures and back-off, deadlines, indexed completion, suspension.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import ADDED, DELETED
from karmadalab.environments.workloads.pods import (
    POD,
    SUCCEEDED,
    first_to_go,
    is_finished,
    is_leaving,
    is_ready,
    owner_of,
    pod_of,
)
from karmadalab.environments.workloads.site import Site

ACTOR = "job-controller"
JOB = "Job.batch"


def pods_to_run(parallelism: int, completions: int | None, active: int, succeeded: int) -> int:
    """How many pods of a Job should run now.

    Without `completions` the first success ends the creating, and those that run are left to come to their end.

    >>> pods_to_run(4, 6, 4, 3), pods_to_run(2, None, 0, 0), pods_to_run(3, None, 2, 1)
    (3, 2, 2)
    """
    if completions is None:
        return active if succeeded else parallelism
    return max(0, min(parallelism, completions - succeeded))


class Jobs:
    """The controller."""

    def __init__(self, site: Site) -> None:
        self._site, self._store = site, site.store
        self._store.watch(JOB, self._event)
        self._store.watch(POD, self._pod_event)

    def _event(self, event: str, old: Any, new: Any) -> None:
        if event == ADDED or (event != DELETED and old.metadata.generation != new.metadata.generation):
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, new.metadata.name)

    def _pod_event(self, event: str, old: Any, new: Any) -> None:
        owner = owner_of(new, "Job")
        if owner is not None and event != ADDED:
            self._site.soon(ACTOR, self._sync, new.metadata.namespace, owner.name)

    def resync(self) -> None:
        """Look at all of them."""
        for found in self._store.list(JOB):
            self._site.soon(ACTOR, self._sync, found.metadata.namespace, found.metadata.name)

    def _sync(self, namespace: str, name: str) -> None:
        found = self._store.find(JOB, name, namespace)
        if found is None or found.status.get("completionTime"):
            return
        pods = [pod for pod in self._site.owned(POD, found.metadata.uid) if not is_leaving(pod)]
        succeeded = sum(pod.status.get("phase") == SUCCEEDED for pod in pods)
        active = [pod for pod in pods if not is_finished(pod)]
        parallelism, completions = found.spec.get("parallelism", 1), found.spec.get("completions")
        missing = pods_to_run(parallelism, completions, len(active), succeeded) - len(active)
        for _ in range(self._site.allowance(found, missing, active)):
            self._store.create(pod_of(found, f"{name}-{self._site.suffix()}", {}))
        for pod in first_to_go(active, -missing):
            self._store.delete(POD, pod.metadata.name, namespace)
        self._count(found)

    def _count(self, found: Unstructured) -> None:
        pods = [pod for pod in self._site.owned(POD, found.metadata.uid) if not is_leaving(pod)]
        succeeded = sum(pod.status.get("phase") == SUCCEEDED for pod in pods)
        status = job_status(found, len(pods) - succeeded, sum(map(is_ready, pods)), succeeded, self._site.clock.now())
        if status != found.status:
            self._store.update_status(found.with_status(status))


def job_status(found: Unstructured, active: int, ready: int, succeeded: int, now: float) -> dict[str, Any]:
    """The status of a Job with so many pods; complete when enough have succeeded and none is left."""
    stamp = str(Time(now))
    status: dict[str, Any] = {"startTime": found.status.get("startTime", stamp)}
    completions = found.spec.get("completions")
    if not active and succeeded >= (1 if completions is None else completions):
        # Since 1.31 an API server takes Complete only together with SuccessCriteriaMet.
        met = {"reason": "CompletionsReached", "message": "Reached expected number of succeeded pods"}
        times = {"lastProbeTime": stamp, "lastTransitionTime": stamp}
        status["conditions"] = [
            {"type": type_, "status": "True", **times, **met} for type_ in ("SuccessCriteriaMet", "Complete")
        ]
        status["completionTime"] = stamp
    counts = {"active": active, "succeeded": succeeded}
    status |= {key: value for key, value in counts.items() if value}
    return {**status, "terminating": 0, "ready": ready, "uncountedTerminatedPods": {}}

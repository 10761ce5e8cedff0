"""Load on simulated members: requests a second become cpu of pods, and a metrics API that tells of it.

A load is put on a workload, over the whole fleet or in one member. Its requests are shared evenly by the pods that are
ready there, and each request costs some milliseconds of a core: 100 requests a second of 10 ms keep one core busy,
however many pods share it. A pod never uses more than its limit. Without any load a member has no metrics API, as a
plain Kubernetes has none.

Not modelled: queues, latencies, requests that fail, memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

import msgspec

from karmadalab.api.errors import BadRequest, shortly
from karmadalab.api.hpa import NoMetric, PodMetric
from karmadalab.api.quantity import milli
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.clock import VirtualClock
from karmadalab.environments.member import SimulatedMember
from karmadalab.environments.workloads import is_ready, workload_of

SAMPLE_S = 15.0  # a metrics server looks every fifteen seconds
_MOST_REQUESTS_S, _MOST_CPU_MS = 1_000_000_000, 1_000_000  # far beyond any fleet, and no sum of them overflows
_NO_API = (
    "unable to fetch metrics from resource metrics API: the server could not find the requested resource "
    "(get pods.metrics.k8s.io)"
)


class Load(msgspec.Struct, frozen=True):
    """Requests on one workload.

    Attributes:
        requests_s: how many a second.
        cpu_ms: what each costs, in milliseconds of a core.
        member: where they arrive; "" for the whole fleet.
    """

    requests_s: float
    cpu_ms: float = 10.0
    member: str = ""


class Loads:
    """The loads on a fleet; to controllers, the metrics API of each member."""

    def __init__(self, clock: VirtualClock, members: Mapping[str, SimulatedMember]) -> None:
        self._clock, self._members = clock, members
        self._loads: dict[tuple[str, str, str], Load] = {}

    def put(self, namespace: str, workload: str, load: Load) -> None:
        """Put a load on a workload, in place of the one it had there.

        Raises:
            BadRequest: less than nothing, more than a fleet could ever serve, or no number.
        """
        for name, most in (("requests_s", _MOST_REQUESTS_S), ("cpu_ms", _MOST_CPU_MS)):
            value: object = getattr(load, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
                raise BadRequest(
                    f"load on {workload}: {name} must be a number from 0 to {most:,}, got {shortly(value)}"
                )
        self._loads[namespace, workload, load.member] = load

    def cpu(self, cluster: str, namespace: str) -> Mapping[str, PodMetric]:
        """What the pods of a namespace use in a cluster, in thousandths of a core, as last sampled.

        Raises:
            NoMetric: nobody has put any load on the fleet, so there is no metrics API.
        """
        if not self._loads:
            raise NoMetric(_NO_API)
        now = self._clock.now()
        sampled = now - now % SAMPLE_S
        used = cache(partial(self._used, cluster, namespace))  # the pods of a workload share it evenly
        return {
            pod.metadata.name: PodMetric(_within_limit(used(workload_of(pod)), pod), sampled, SAMPLE_S)
            for pod in self._members[cluster].store.list("Pod", namespace)
            if is_ready(pod)
        }

    def _used(self, cluster: str, namespace: str, workload: str) -> float:
        """What one pod of a workload uses in a cluster, in thousandths of a core, if it has no limit."""
        used = 0.0
        for where in ("", cluster):
            load = self._loads.get((namespace, workload, where))
            if load is not None:
                serving = sum(
                    self._serving(name, namespace, workload) for name in ([where] if where else self._members)
                )
                used += load.requests_s * load.cpu_ms / max(1, serving)
        return used

    def _serving(self, cluster: str, namespace: str, workload: str) -> int:
        member = self._members[cluster]
        if not member.workloads.powered:
            return 0
        pods = member.store.list("Pod", namespace)
        return sum(1 for pod in pods if is_ready(pod) and workload_of(pod) == workload)


def _within_limit(used: float, pod: Unstructured) -> int:
    limit = _limit(pod)
    return round(used if limit is None else min(used, limit))


def _limit(pod: Unstructured) -> int | None:
    """The cpu limit of a pod in thousandths; None when a container has none."""
    limits = [
        ((container.get("resources") or {}).get("limits") or {}).get("cpu")
        for container in pod.spec.get("containers") or ()
    ]
    if not limits or None in limits:
        return None
    return sum(milli(limit) for limit in limits)

"""Who answers requests: replicas that are Ready on machines that run, by cluster, over time.

A Deployment's status is what the control plane last heard: it shows `READY 4/4` while half of the pods are without
power. A load balancer sees something else, and that is counted here: a pod serves from Ready until it terminates, while
its member has power. A member that is only cut off goes on serving.

Not modelled: where requests come from. Whether anybody reaches a cut-off member is a matter of networks we do not see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from karmadalab.analysis.recording import Recording, Source, record
from karmadalab.analysis.steps import Steps


@dataclass(frozen=True)
class Serving:
    """Replicas that serve.

    Attributes:
        by_cluster: cluster -> how many, over time; every member of the run has an entry.
        total: their sum.
        end_s: when the run ended, in seconds since it began.
    """

    by_cluster: Mapping[str, Steps]
    total: Steps
    end_s: float

    def clusters(self) -> list[str]:
        """The clusters that served at some time."""
        return [name for name, steps in self.by_cluster.items() if steps.times]

    def __repr__(self) -> str:
        now = ", ".join(f"{name}:{self.by_cluster[name].at(self.end_s)}" for name in self.clusters())
        return f"<Serving at {self.end_s:g}s {now or 'none'}>"


def serving(source: Source, workload: str | None = None, namespace: str | None = None) -> Serving:
    """How many replicas served, by cluster, over time.

    Args:
        source: a lab, a timeline or its records.
        workload: only the pods of this workload; all by default.
        namespace: only the pods of this namespace; all by default.
    """
    recording = record(source)
    by_cluster = {
        cluster: Steps.of_changes(_changes(recording, cluster, workload, namespace)) for cluster in recording.clusters
    }
    return Serving(by_cluster, Steps.total(by_cluster.values()), recording.end_s)


def _changes(
    recording: Recording, cluster: str, workload: str | None, namespace: str | None
) -> Iterator[tuple[float, int]]:
    ready: set[tuple[str, str]] = set()
    off = 0
    level = 0
    kind = f"Pod@{cluster}"
    for event in recording.events:
        if event.kind == kind:
            if namespace not in (None, event.namespace) or workload not in (None, workload_of(event.name)):
                continue
            if event.what == "Ready":
                ready.add((event.namespace, event.name))
            elif event.what in ("NotReady", "terminating", "deleted"):
                ready.discard((event.namespace, event.name))
        elif event.kind == "fault" and event.name == cluster and isinstance(event.detail, dict):
            off += (event.detail.get("fault") == "power_off") - (event.detail.get("healed") == "power_off")
        now = 0 if off else len(ready)
        if now != level:
            yield event.t, now - level
            level = now


def workload_of(pod: str) -> str:
    """The Deployment that a pod belongs to, by its name.

    >>> workload_of("nginx-c8029064d0-0172f")
    'nginx'
    """
    return pod.rsplit("-", 2)[0]

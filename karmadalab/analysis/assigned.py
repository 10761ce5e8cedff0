"""Where replicas are meant to run: what the bindings say, by cluster, over time.

The scheduler's word and what serves differ for most of an outage: a binding goes on naming a cluster that is long dead,
and a cluster that was given up goes on serving until its copy is deleted. Laid over `serving`, the difference shows.
"""

from __future__ import annotations

from collections.abc import Iterator

from karmadalab.analysis.recording import Recording, Source, record
from karmadalab.analysis.steps import Steps


def assigned(source: Source, workload: str | None = None, namespace: str | None = None) -> dict[str, Steps]:
    """How many replicas the bindings give each cluster, over time; every member of the run has an entry.

    Args:
        source: a lab, a timeline or its records.
        workload: only this workload's binding; all by default.
        namespace: only the bindings of this namespace; all by default.
    """
    recording = record(source)
    return {
        cluster: Steps.of_changes(_changes(recording, cluster, workload, namespace)) for cluster in recording.clusters
    }


def _changes(
    recording: Recording, cluster: str, workload: str | None, namespace: str | None
) -> Iterator[tuple[float, int]]:
    for event in recording.events:
        if event.what != "spec.clusters changed" or namespace not in (None, event.namespace):
            continue
        if workload in (None, event.name.rpartition("-")[0]):
            had, has = (event.detail[side].get(cluster) or 0 for side in ("from", "to"))
            if had != has:
                yield event.t, has - had

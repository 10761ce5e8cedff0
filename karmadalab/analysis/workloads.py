"""The workloads of a run, by the names of its Deployments, bindings and pods."""

from __future__ import annotations

from karmadalab.analysis.recording import Recording
from karmadalab.analysis.serving import workload_of
from karmadalab.api.errors import BadRequest
from karmadalab.api.similar import similar
from karmadalab.core.timeline import Event


def check_workload(recording: Recording, workload: str | None) -> None:
    """See that a run has a workload before its replicas are drawn; None stands for all.

    Raises:
        BadRequest: it never had one of that name; the message offers the nearest, or all there are.
    """
    if workload is None:
        return
    known = sorted({name for event in recording.events if (name := _told_of(event))})
    if workload not in known:
        close = similar(str(workload), known)
        offer = f"did you mean {close[0]}?" if close else f"there is {', '.join(known) or 'none'}"
        raise BadRequest(f"workload: there is no {workload!r} in this run; {offer}")


def _told_of(event: Event) -> str:
    """The workload that an event tells of; empty when it is about something else."""
    if event.kind == "ResourceBinding":
        return event.name.rpartition("-")[0]
    if event.kind.startswith("Pod@"):
        return workload_of(event.name)
    return event.name if event.kind == "Deployment" else ""

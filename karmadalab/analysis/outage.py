"""An outage, taken apart: who waited for what, and for how long.

"The failover took eleven minutes" hides five waits of five different parts. From the fault to the first replacement
that serves they follow each other without a gap:

    detect      fault            -> Ready is not True         (probes or leases, then a threshold)
    wait        Ready not True   -> NoExecute taint           (failover-eviction-timeout)
    evict       NoExecute        -> cluster leaves the binding (tolerationSeconds)
    reschedule  evicted          -> another cluster chosen     (the scheduler)
    start       rescheduled      -> the replacement serves     (Works, images, pods)

and after the repair, `recover`: repaired -> Ready is True again (success threshold).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from karmadalab.analysis.moments import Moments, Span, bindings, placement_before, spans
from karmadalab.analysis.recording import Recording, Source, record
from karmadalab.analysis.serving import serving
from karmadalab.analysis.steps import Steps
from karmadalab.api.naming import binding_name
from karmadalab.api.time import duration

PHASES = ("detect", "wait", "evict", "reschedule", "start")

_ENDS = ("detected_s", "tainted_s", "evicted_s", "rescheduled_s", "started_s")


@dataclass(frozen=True)
class Outage:
    """One member's outage as one workload saw it. Moments are seconds since the run began, None where it never came.

    Attributes:
        cluster, binding, namespace: who failed, and whose replicas were there.
        fault: what was done, in the trace's words.
        fault_s: when it began.
        detected_s: Ready was no longer True.
        tainted_s: the NoExecute taint was added.
        evicted_s: the cluster left `spec.clusters`.
        rescheduled_s: another cluster gained its replicas.
        started_s: all of the gained replicas served.
        released_s: the graceful eviction task was done.
        healed_s: the fault ended.
        recovered_s: Ready was True again after that.
        cleaned_s: the old copy's Work was gone.
        to: cluster -> replicas it gained.
        lost: replica-seconds below the wanted number, until the next outage or the end. Wanted is what served before
            the fault, and in proportion more or less once the template is scaled.
        degraded_s: for how long fewer replicas served than wanted.
        double_s: for how long more replicas served than wanted: the old copy and the new.
    """

    cluster: str
    binding: str
    namespace: str
    fault: str
    fault_s: float
    detected_s: float | None
    tainted_s: float | None
    evicted_s: float | None
    rescheduled_s: float | None
    started_s: float | None
    released_s: float | None
    healed_s: float | None
    recovered_s: float | None
    cleaned_s: float | None
    to: Mapping[str, int]
    lost: float
    degraded_s: float
    double_s: float

    @property
    def phases(self) -> dict[str, float | None]:
        """Phase -> seconds, None for a phase that did not end."""
        marks = [self.fault_s, *(getattr(self, name) for name in _ENDS)]
        spans: dict[str, float | None] = {}
        for phase, (begin, end) in zip(PHASES, pairwise(marks), strict=True):
            spans[phase] = None if begin is None or end is None else round(end - begin, 6)
        return spans

    @property
    def recover_s(self) -> float | None:
        """From the repair to Ready=True, in seconds."""
        if self.healed_s is None or self.recovered_s is None:
            return None
        return round(self.recovered_s - self.healed_s, 6)

    @property
    def total_s(self) -> float | None:
        """From the fault to the replacement that serves, in seconds; None if there was none."""
        return None if self.started_s is None else round(self.started_s - self.fault_s, 6)

    def as_record(self) -> dict[str, Any]:
        """Plain data, phases included."""
        return {**asdict(self), **{f"{phase}_s": span for phase, span in self.phases.items()}, "total_s": self.total_s}

    def __repr__(self) -> str:
        spans = " ".join(f"{p} {duration(s)}" for p, s in self.phases.items() if s is not None) or "never detected"
        return f"<Outage of {self.cluster} for {self.binding} at {duration(self.fault_s)}: {spans}>"


def outages(source: Source) -> list[Outage]:
    """Every outage of a member that had replicas, in the order of time, one a workload.

    Args:
        source: a lab, a timeline or its records.
    """
    recording = record(source)
    found = [
        _outage(recording, span, namespace, binding)
        for cluster in recording.clusters
        for span in spans(recording, cluster)
        for namespace, binding in bindings(recording)
        if cluster in placement_before(recording, namespace, binding, span.begin_s)
    ]
    return sorted(found, key=lambda o: (o.fault_s, o.cluster, o.namespace, o.binding))


def _outage(recording: Recording, span: Span, namespace: str, binding: str) -> Outage:
    served = serving(recording, binding.rpartition("-")[0], namespace)
    spare = served.total.minus(_wanted(recording, span, binding, namespace, served.total.before(span.begin_s)))
    moments = Moments(recording, span, namespace, binding)
    detected, evicted = moments.detected(), moments.evicted()
    rescheduled, to = moments.rescheduled(evicted)
    return Outage(
        cluster=span.cluster,
        binding=binding,
        namespace=namespace,
        fault=span.fault,
        fault_s=span.begin_s,
        detected_s=detected,
        tainted_s=moments.tainted(),
        evicted_s=evicted,
        rescheduled_s=rescheduled,
        started_s=moments.started(served, to, rescheduled),
        released_s=moments.released(evicted),
        healed_s=span.healed_s,
        recovered_s=None if detected is None else moments.recovered(),
        cleaned_s=moments.cleaned(evicted),
        to=to,
        lost=round(spare.lacking(0, span.begin_s, span.end_s), 6),
        degraded_s=round(spare.below(0, span.begin_s, span.end_s), 6),
        double_s=round(spare.above(0, span.begin_s, span.end_s), 6),
    )


def _wanted(recording: Recording, span: Span, binding: str, namespace: str, level: int) -> Steps:
    """How many replicas should serve: as many as before the fault, until somebody scales the template."""
    times, values, first = [span.begin_s], [level], 0
    for event in recording.events:
        if event.what != "spec.replicas changed" or "@" in event.kind or event.t < span.begin_s:
            continue
        if (event.namespace, binding_name(event.kind, event.name)) == (namespace, binding):
            first = first or event.detail["from"] or 0
            times.append(event.t)
            values.append(round(level * event.detail["to"] / first) if first else event.detail["to"])
    return Steps(tuple(times), tuple(values))

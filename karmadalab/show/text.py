"""A run in words: the paragraph below a figure, and the text that stands for it."""

from __future__ import annotations

from karmadalab.analysis import Outage, Recording, Serving, condition_bands, outages, record, serving
from karmadalab.analysis.moments import bindings, moves
from karmadalab.analysis.recording import Source
from karmadalab.show.axis import short

_TAKES = {
    "detect": "{} until Ready is no longer True",
    "wait": "{} until the NoExecute taint",
    "evict": "{} until {binding} gives up {cluster}",
    "reschedule": "{} until another cluster is chosen",
    "start": "{} until the replacement serves",
}


def tell(source: Source) -> str:
    """One paragraph about the outages of a run.

    Args:
        source: a lab, a timeline or its records.
    """
    recording = record(source)
    found = outages(recording)
    if not found:
        return _quiet(recording)
    return " ".join(_story(outage) for outage in found)


def _quiet(recording: Recording) -> str:
    faults = sum(event.kind == "fault" and not event.what.startswith("healed") for event in recording.events)
    what = "no member that has replicas fails" if faults else "no member fails"
    told = [f"In {short(recording.end_s)} of cluster time {what}.", *_moves(recording), _now(serving(recording))]
    return " ".join(told)


def _moves(recording: Recording) -> list[str]:
    """Where each binding went although nothing failed: somebody drained, rebalanced or edited."""
    sentences = []
    for namespace, binding in bindings(recording):
        changes = list(moves(recording, namespace, binding))
        first = next((event for event in changes if event.detail["from"]), None)
        if first is not None:
            # An eviction is two changes, out of one cluster and into another: the last word is where it ends up.
            before, after = ", ".join(first.detail["from"]), ", ".join(changes[-1].detail["to"]) or "none"
            sentences.append(f"{binding} moves from {before} to {after}, beginning at {short(first.t)}.")
    return sentences


def _now(served: Serving) -> str:
    counts = [f"{name} {served.by_cluster[name].at(served.end_s)}" for name in served.clusters()]
    return f"Replicas serving at the end: {', '.join(counts) or 'none'}."


def _story(outage: Outage) -> str:
    fault = outage.fault.partition(":")[0]
    begin = f"{outage.cluster}: {fault} at {short(outage.fault_s)}."
    spans = {phase: span for phase, span in outage.phases.items() if span is not None}
    if not spans:
        return f"{begin} The control plane never notices: Ready stays True. {_cost(outage)}"
    takes = [
        _TAKES[phase].format(short(span), binding=outage.binding, cluster=outage.cluster)
        for phase, span in spans.items()
    ]
    ending = (
        f"The replacement serves {short(outage.total_s)} after the fault."
        if outage.total_s is not None
        else _stuck(outage)
    )
    return " ".join(part for part in (begin, f"Then {', '.join(takes)}.", ending, _cost(outage), _back(outage)) if part)


def _stuck(outage: Outage) -> str:
    if outage.evicted_s is None:
        return "Nothing is evicted."
    if outage.rescheduled_s is None:
        return "No other cluster takes the replicas."
    return f"The replacement on {', '.join(outage.to)} never serves."


def _cost(outage: Outage) -> str:
    lost = f"{outage.lost:,.0f} replica-seconds are lost"
    double = f", and for {short(outage.double_s)} more replicas serve than wanted" if outage.double_s else ""
    return f"{lost}{double}."


def _back(outage: Outage) -> str:
    if outage.recover_s is None:
        return ""
    return f"After the repair {short(outage.recover_s)} pass until Ready is True again."


def alt_of_timeline(recording: Recording, clusters: list[str]) -> str:
    """What the timeline draws, in a sentence or two."""
    hidden = len(recording.clusters) - len(clusters)
    more = f" {hidden} more clusters stay Ready and have no lane." if hidden else ""
    states = "; ".join(f"{name} {_states(recording, name)}" for name in clusters)
    return (
        f"Timeline of {short(recording.end_s)} with a lane a cluster ({states}), "
        f"and below it the replicas serving, stacked by cluster.{more}"
    )


def _states(recording: Recording, name: str) -> str:
    bands = [band for band in condition_bands(recording) if band.cluster == name]
    if len(bands) == 1:
        return f"{bands[0].what} throughout"
    return ", ".join(f"{band.what} from {short(band.begin_s)}" for band in bands)

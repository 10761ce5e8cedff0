"""From which fault an event of the story counts.

"Eleven minutes after the fault" means the fault that the event has to do with. That is the latest one of the member
where it happened, or the one that led to it by causes (a replacement on member3 counts from the fault of member1),
whichever is later. A process of the control plane that fails meanwhile only delays that story, so its fault counts
where no member's does. A repair is not a beginning: what it sets off still counts from its fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from karmadalab.core.timeline import Event, Timeline
from karmadalab.environments.control_plane import CONTROLLER_MANAGER, SCHEDULER

FAULT, HEALED = "fault", "healed: "

_EXECUTION = "karmada-es-"
_PROCESSES = (CONTROLLER_MANAGER, SCHEDULER)
_Began = tuple[bool, float]  # whether it is a member's fault, and when it began: the greater one counts


def with_fault_times(timeline: Timeline) -> Iterator[tuple[Event, float | None]]:
    """Each event with the second at which its fault began, None where it has to do with none."""
    latest: dict[str, _Began] = {}  # by target
    began: dict[tuple[str, str], _Began] = {}  # by target and words: a target may have several faults at once
    led: list[_Began | None] = []  # by place in the timeline
    for event, record in zip(timeline, timeline.records(), strict=True):
        if event.kind == FAULT:
            if not event.what.startswith(HEALED):
                latest[event.name] = began[event.name, event.what] = (event.name not in _PROCESSES, event.t)
            counts = began.get((event.name, event.what.removeprefix(HEALED)))
        else:
            cause = record["cause"]
            causing = None if cause is None else led[cause]
            counts = max((b for b in (latest.get(place_of(event)), causing) if b is not None), default=None)
        led.append(counts)
        yield event, None if counts is None else counts[1]


def place_of(event: Event) -> str:
    """The member (or process) where an event happened; empty for the control plane as such."""
    kind, _, member = event.kind.partition("@")
    if member:
        return member
    if kind == "Work":
        return event.namespace.removeprefix(_EXECUTION)
    named_after_member = kind in (FAULT, "Cluster") or event.what.startswith("probe of")
    return event.name if named_after_member else ""

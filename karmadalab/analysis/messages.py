"""Who told whom, when: the causes of one failover, as messages between actors.

No controller calls another. One writes an object, the other is woken by the change, and between the two may lie a wait
on purpose of five minutes. The trace names the cause of each row, so the way leads back from the last act (the old copy
is given up) to the fault. What led nowhere is left out: a scheduler that a taint woke, and that found nothing to do,
told nobody anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from karmadalab.analysis.activity import CARRIERS
from karmadalab.analysis.outage import Outage, outages
from karmadalab.analysis.recording import the_lab
from karmadalab.api.errors import BadRequest
from karmadalab.core.story import sentence
from karmadalab.core.timeline import Event, events_of, is_important
from karmadalab.core.trace import FAULT, NOTE, Row
from karmadalab.lab import Lab

FAULT_ITSELF = "the fault"


@dataclass(frozen=True)
class Message:
    """Something that one actor did, and that led another to act.

    Attributes:
        t: when the first did it, in seconds since the run began.
        teller, told: who did it and who acted on it; a member stands for all that runs in it. What nobody acted on,
            the end of a chain, is told to "".
        event: what was done: an object and how it changed.
        wait_s: how long the other took until it had done its own part, in seconds.
    """

    t: float
    teller: str
    told: str
    event: Event
    wait_s: float

    def as_record(self) -> dict[str, Any]:
        """Plain data, with the event as a sentence."""
        return {
            "t": self.t,
            "teller": self.teller,
            "told": self.told or None,
            "what": sentence(self.event),
            "wait_s": self.wait_s,
        }


@dataclass
class _Act:
    """What an actor did in one go; the first row names the cause."""

    actor: str
    rows: list[Row]
    leads: bool = False


def messages(lab: Lab, outage: Outage | None = None) -> list[Message]:
    """The messages of one failover, in the order of time.

    Args:
        lab: the run.
        outage: which of its outages; the first by default.

    Raises:
        BadRequest: it is no lab, or no member that has replicas fails in this run.
    """
    outage = outage or next(iter(outages(the_lab(lab, "messages"))), None)
    if outage is None:
        raise BadRequest(
            "messages: no member that has replicas fails in this run; break one, for example with "
            'lab.fault("member1").power_off(), and let time pass'
        )
    rows = _led(lab, outage)
    return sorted(_told(lab, rows, _acts(rows)), key=lambda m: (m.t, m.event.row))


def _led(lab: Lab, outage: Outage) -> dict[int, Row]:
    """The rows on the way from the fault to the ends of the failover, oldest first."""
    ends = {event.row for event in lab.timeline if event.t >= outage.fault_s and _is_end(event, outage)}
    since = lab.clock.epoch + outage.fault_s
    found = {row.id: row for end in ends for row in lab.trace.chain(end) if row.at >= since}
    return dict(sorted(found.items()))


def _is_end(event: Event, outage: Outage) -> bool:
    """Whether a phase of the outage ends here, or the old copy goes."""
    if event.kind == "Cluster" and event.name == outage.cluster:
        return event.t == outage.tainted_s and event.what.endswith(":NoExecute")
    if event.kind == "Work" and event.namespace == f"karmada-es-{outage.cluster}":
        return event.what == "deleted" and event.t == outage.cleaned_s
    if (event.namespace, event.name) != (outage.namespace, outage.binding):
        return False
    if event.what == "spec.clusters changed":
        return event.t in (outage.evicted_s, outage.rescheduled_s)
    return event.what == "gracefulEvictionTasks changed" and event.t == outage.released_s


def _acts(rows: dict[int, Row]) -> list[_Act]:
    """The rows, put together as far as an actor only went on with what it had begun."""
    by_row: dict[int, _Act] = {}
    acts: list[_Act] = []
    for row in rows.values():
        cause = rows.get(-1 if row.cause is None else row.cause)
        if cause is not None and _goes_on(cause, row):
            by_row[row.id] = by_row[cause.id]
            by_row[row.id].rows.append(row)
        else:
            by_row[row.id] = _Act(_who(row), [row])
            acts.append(by_row[row.id])
            if cause is not None:
                by_row[cause.id].leads = True
    return acts


def _goes_on(cause: Row, row: Row) -> bool:
    """A probe's answer or a verdict is no act of its own, nor is what goes on inside a member."""
    return _who(cause) == _who(row) and (cause.verb == NOTE or bool(row.world))


def _who(row: Row) -> str:
    if row.verb == FAULT:
        return FAULT_ITSELF
    return row.world if row.world and row.actor not in CARRIERS else row.actor


def _told(lab: Lab, rows: dict[int, Row], acts: list[_Act]) -> Iterator[Message]:
    for act in acts:
        first, last = act.rows[0], act.rows[-1]
        cause = rows.get(-1 if first.cause is None else first.cause)
        if cause is not None:
            event = _event(lab, cause)
            yield Message(event.t, _who(cause), act.actor, event, round(last.at - cause.at, 6))
        if not act.leads:
            event = _event(lab, last)
            yield Message(event.t, act.actor, "", event, 0.0)


def _event(lab: Lab, row: Row) -> Event:
    """The change of a row that says most."""
    events = list(events_of(row, lab.clock.epoch))
    plain = Event(
        round(row.at - lab.clock.epoch, 6), row.kind.partition(".")[0], row.namespace, row.name, "changed", None, row.id
    )
    return next((event for event in events if is_important(event)), next(iter(events), plain))

"""Who wrote what, and what woke whom: the trace, counted.

Controllers never call each other; they meet in objects. That is easily said and hard to see, for a real control plane
keeps no record of whose write made whom act. Here each row of the trace names its cause, so both can be counted: the
writes of an actor by kind, and the changes of a kind that led an actor to write.

Not counted: a change that woke a controller which then found nothing to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from karmadalab.analysis.recording import the_lab
from karmadalab.api.time import seconds
from karmadalab.core.trace import ERROR, FAULT, NOTE, Row, Trace
from karmadalab.lab import Lab

IN_MEMBERS = "objects in members"
MEMBERS_OWN = "members' controllers"

_NO_WRITES = frozenset((NOTE, ERROR, FAULT))
# Karmada's controllers that write into members; whoever else does belongs to the members.
CARRIERS = frozenset(("execution-controller", "work-status-controller", "user"))


@dataclass(frozen=True)
class Activity:
    """The counts of one span of a run.

    Attributes:
        writes: (actor, kind) -> verb -> how many writes.
        wakes: (kind, actor) -> how many changes of that kind led the actor to write.
        unprompted: actor -> how many of its writes no change within the span led to: its own clock did.
    """

    writes: Mapping[tuple[str, str], Mapping[str, int]]
    wakes: Mapping[tuple[str, str], int]
    unprompted: Mapping[str, int]

    def actors(self) -> list[str]:
        """Whoever wrote something, by name."""
        return sorted({actor for actor, _ in self.writes})

    def kinds(self) -> list[str]:
        """What was written, by name."""
        return sorted({kind for _, kind in self.writes} | {kind for kind, _ in self.wakes})

    def total(self, actor: str) -> int:
        """How much an actor wrote."""
        return sum(sum(verbs.values()) for (who, _), verbs in self.writes.items() if who == actor)

    def records(self) -> list[dict[str, Any]]:
        """A mapping an actor and kind, with what it wrote and how often a change of the kind woke it."""
        pairs = sorted({*self.writes, *((actor, kind) for kind, actor in self.wakes)})
        return [
            {
                "actor": actor,
                "kind": kind,
                "woken": self.wakes.get((kind, actor), 0),
                "wrote": sum(self.writes.get((actor, kind), {}).values()),
                "as": ", ".join(
                    f"{count} {verb}" for verb, count in sorted(self.writes.get((actor, kind), {}).items())
                ),
            }
            for actor, kind in pairs
        ]


def activity(lab: Lab, since: str | float = 0.0, until: str | float | None = None) -> Activity:
    """Count who wrote what, and what woke whom.

    Args:
        lab: the run; its trace is read.
        since, until: a span of it, both ends included; the whole run by default.
    """
    begin = the_lab(lab, "activity").clock.epoch + seconds(since, "since")
    end = lab.clock.now() if until is None else lab.clock.epoch + seconds(until, "until")
    writes: dict[tuple[str, str], Counter[str]] = {}
    wakes: set[tuple[int, str]] = set()
    unprompted: Counter[str] = Counter()
    for row in lab.trace.rows:
        if not begin <= row.at <= end or row.verb in _NO_WRITES:
            continue
        actor = _actor(row)
        writes.setdefault((actor, _kind(row)), Counter())[row.verb] += 1
        cause = _cause(lab.trace, row)
        if cause is not None and cause.at >= begin:
            wakes.add((cause.id, actor))
        elif actor != "user":
            unprompted[actor] += 1
    woken = Counter((_kind(lab.trace.rows[cause]), actor) for cause, actor in sorted(wakes))
    return Activity(writes, woken, unprompted)


def _actor(row: Row) -> str:
    return MEMBERS_OWN if row.world and row.actor not in CARRIERS else row.actor


def _kind(row: Row) -> str:
    return IN_MEMBERS if row.world else row.kind.partition(".")[0]


def _cause(trace: Trace, row: Row) -> Row | None:
    """The nearest write that led here. A note (a verdict, a probe's answer) only passes on what it is due to."""
    at = row.cause
    while at is not None and trace.rows[at].verb in _NO_WRITES:
        at = trace.rows[at].cause
    return None if at is None else trace.rows[at]

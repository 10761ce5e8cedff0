"""The trace in the words of an observer: what changed, when, and what led to it.

One write can mean several things (a cluster leaves `spec.clusters` and a task appears), so each row of the trace
becomes some events. The words are those in which failovers of a real Karmada were recorded, so that a run here and a
run there can be laid side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, overload

from karmadalab.api.scheme import resource_type
from karmadalab.api.time import seconds
from karmadalab.core.changes import changes_of
from karmadalab.core.frames import to_frame
from karmadalab.core.trace import Row, Trace


class Event(NamedTuple):
    """One change.

    Attributes:
        t: seconds after the lab began.
        kind: `Cluster`, `Deployment@member2`, `fault`, ...
        what: the change, `condition Ready True -> False`.
        detail: more about it, as plain data.
        row: the trace row it was read from.
    """

    t: float
    kind: str
    namespace: str
    name: str
    what: str
    detail: Any
    row: int

    @property
    def text(self) -> str:
        """The change in one line, with the part of the detail that a reader wants."""
        return self.what + _short(self.what, self.detail)

    def __str__(self) -> str:
        where = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.t:10.3f}  {self.kind} {where}: {self.text}"


def _short(what: str, detail: Any) -> str:
    """The part of the detail that a reader of one line wants."""
    if not isinstance(detail, dict):
        return ""
    if "from" in detail and "to" in detail:
        return f"  {_brief(detail['from'])} -> {_brief(detail['to'])}"
    if what.startswith("condition ") and detail.get("reason"):
        return f"  ({detail['reason']})"
    if what == "status changed":
        return f"  ready {detail.get('readyReplicas', 0)}/{detail.get('replicas', 0)}"
    return ""


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}:{item}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(i.get("fromCluster", "?") if isinstance(i, dict) else str(i) for i in value) + "]"
    return "none" if value is None else str(value)


def events_of(row: Row, epoch: float) -> Iterator[Event]:
    """The events that a row of the trace means."""
    kind = row.kind.partition(".")[0]
    if row.world:
        kind = f"{kind}@{row.world}"
    t = round(row.at - epoch, 6)
    for what, detail in changes_of(row):
        yield Event(t, kind, row.namespace, row.name, what, detail, row.id)


# --- the timeline -----------------------------------------------------------------------------------------------------


class Timeline(Sequence[Event]):
    """The events of a run, oldest first. Reads like a list; `where` narrows it down.

    Args:
        trace: what happened.
        epoch: the Unix time at which the lab began.
        events: the events to show; None for all since the lab began.
        banner: the settings in one line, for titles.
    """

    def __init__(self, trace: Trace, epoch: float, events: Iterable[Event] | None = None, banner: str = "") -> None:
        self._trace, self._epoch, self.banner = trace, epoch, banner
        self._events = list(events) if events is not None else list(self._read())

    def _read(self) -> Iterator[Event]:
        for row in self._trace.rows:
            if row.at >= self._epoch:
                yield from events_of(row, self._epoch)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Timeline: ...
    def __getitem__(self, index: int | slice) -> Event | Timeline:
        if isinstance(index, slice):
            return self._with(self._events[index])
        return self._events[index]

    def __len__(self) -> int:
        return len(self._events)

    def _with(self, events: Iterable[Event]) -> Timeline:
        return Timeline(self._trace, self._epoch, events, self.banner)

    def where(
        self,
        kind: str | None = None,
        name: str | None = None,
        what: str | None = None,
        since_s: str | float | None = None,
        until_s: str | float | None = None,
        namespace: str | None = None,
    ) -> Timeline:
        """The events of a kind, of an object, whose words begin with `what`, in a span of time (inclusive).

        Args:
            kind: as a person writes it (`rb`, `cluster`), or as events have it (`fault`). Without a member it means the
                control plane's; `deploy@member2` means that member's, `deploy@` all members'. Kinds that only members
                have (`Pod`) need no `@`.
            since_s, until_s: seconds, or `"5m"`.

        Raises:
            BadRequest: there is no such kind, or no such length of time.
        """
        wanted = None if kind is None else self._kind(kind)
        since = None if since_s is None else seconds(since_s, "since_s")
        until = None if until_s is None else seconds(until_s, "until_s")
        return self._with(
            event
            for event in self._events
            if (wanted is None or event.kind == wanted or (wanted.endswith("@") and event.kind.startswith(wanted)))
            and (name is None or event.name == name)
            and (namespace is None or event.namespace == namespace)
            and (what is None or event.what.startswith(what))
            and (since is None or event.t >= since)
            and (until is None or event.t <= until)
        )

    def _kind(self, text: str) -> str:
        """A kind as events have it."""
        known = {event.kind for event in self._events}
        if text in known or text == "fault" or "-" in text:  # a kind of object has no hyphen, an actor has one
            return text
        kind, at, member = text.partition("@")
        if any(event.kind == kind for event in self._events) and not at:
            return kind
        kind = resource_type(kind).kind
        if not at and kind not in known and any(name.startswith(f"{kind}@") for name in known):
            return f"{kind}@"
        return f"{kind}{at}{member}"

    def important(self) -> Timeline:
        """The events that a story is told with: faults, conditions, taints, placements, tasks, pods; no bookkeeping."""
        return self._with(event for event in self._events if is_important(event))

    def records(self) -> list[dict[str, Any]]:
        """Plain data, one mapping an event; `cause` is the place in this list of the event that led to it, or None."""
        place: dict[int, int] = {}
        for index, event in enumerate(self._events):
            place.setdefault(event.row, index)
        return [
            {
                "t": event.t,
                "kind": event.kind,
                "namespace": event.namespace,
                "name": event.name,
                "what": event.what,
                "detail": event.detail,
                "cause": self._cause(event.row, place),
            }
            for event in self._events
        ]

    def _cause(self, row: int, place: dict[int, int]) -> int | None:
        """The nearest cause that is in this timeline."""
        for cause in self._trace.chain(row)[1:]:
            if cause.id in place:
                return place[cause.id]
        return None

    def __repr__(self) -> str:
        head = f"<Timeline {len(self._events)} events{', ' + self.banner if self.banner else ''}>"
        return "\n".join([head, *(str(event) for event in self._events[:200])])

    def _repr_html_(self) -> str:
        from html import escape  # brings a table of two thousand entities, which only a notebook needs

        rows = "".join(
            f"<tr><td style='text-align:right'>{e.t:.3f}</td><td>{escape(e.kind)}</td>"
            f"<td>{escape(f'{e.namespace}/{e.name}' if e.namespace else e.name)}</td>"
            f"<td style='text-align:left'>{escape(e.text)}</td></tr>"
            for e in self._events[:500]
        )
        return (
            f"<p>{len(self._events)} events. {escape(self.banner)}</p><table><thead><tr><th>t (s)</th><th>kind</th>"
            f"<th>object</th><th>what</th></tr></thead><tbody>{rows}</tbody></table>"
        )

    def to_frame(self) -> Any:
        """A pandas data frame with a row an event. Needs the extra `notebooks`."""
        return to_frame(self.records())


def is_important(event: Event) -> bool:
    """Whether a story would mention the event."""
    kind, what = event.kind, event.what
    if kind == "fault":
        return True
    if kind == "Cluster":
        return what.startswith(("condition Ready", "taint"))
    if kind in ("ResourceBinding", "ClusterResourceBinding"):
        return what in ("spec.clusters changed", "gracefulEvictionTasks changed") or what.startswith(
            "condition Scheduled"
        )
    if kind == "Work":
        return what in ("created", "deletionTimestamp set", "deleted", "manifest replicas changed")
    if kind.startswith("Pod@"):
        return what not in ("created",)
    if kind.startswith("Deployment@"):
        return what in ("deleted", "spec.replicas changed")
    return what.startswith("probe of") or (kind == "Deployment" and what != "status changed")

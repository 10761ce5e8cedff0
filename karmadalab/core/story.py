"""Why: from an object back through causes to what began it, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from karmadalab.api.errors import BadRequest, NotFound
from karmadalab.api.naming import binding_name
from karmadalab.api.scheme import resource_type
from karmadalab.api.similar import similar
from karmadalab.api.time import duration
from karmadalab.api.work import ClusterResourceBinding, ResourceBinding
from karmadalab.core.frames import to_frame
from karmadalab.core.timeline import Event, events_of, is_important
from karmadalab.core.trace import DELETE, ERROR, FAULT, NOTE, Row, Trace

# How many of an object's latest changes are traced back.
_ENDS = 8
_FORMS = 3  # how many objects an error offers


class Story:
    """A chain of events, first cause first; shows itself as text, as a list in a notebook, as a data frame.

    Attributes:
        what: what was asked about.
        events: the links of the chain.
        sentences: the same in words.
        scheduling: for a template or a binding, every verdict behind its present placement; else None.
    """

    def __init__(self, what: str, events: list[Event], scheduling: Any = None) -> None:
        self.what = what
        self.events = events
        self.sentences = [sentence(event) for event in events]
        self.scheduling = scheduling

    def __repr__(self) -> str:
        verdicts = ["", repr(self.scheduling)] if self.scheduling is not None else []
        return "\n".join(
            [f"How {self.what} came to be as it is:", *(f"  {text}" for text in self.sentences), *verdicts]
        )

    def _repr_html_(self) -> str:
        from html import escape  # brings a table of two thousand entities, which only a notebook needs

        items = "".join(f"<li>{escape(text)}</li>" for text in self.sentences)
        table: str = self.scheduling._repr_html_() if self.scheduling is not None else ""
        return f"<p>How <b>{escape(self.what)}</b> came to be as it is:</p><ol>{items}</ol>{table}"

    def records(self) -> list[dict[str, Any]]:
        """Plain data, a mapping a link."""
        pairs = zip(self.events, self.sentences, strict=True)
        return [{"t": event.t, "kind": event.kind, "name": event.name, "sentence": text} for event, text in pairs]

    def to_frame(self) -> Any:
        """A pandas data frame with a row a link. Needs the extra `notebooks`."""
        return to_frame(self.records())


def tell(trace: Trace, epoch: float, what: str, scheduling: Any = None) -> Story:
    """The story of an object; see `Lab.explain`."""
    kind, namespace, name, world = parse(what)
    own = [
        row for row in trace.rows if (row.kind, row.namespace, row.name, row.world) == (kind, namespace, name, world)
    ]
    if not own:
        raise NotFound(f"explain: there never was {_spelled(kind, namespace, name, world)}{_near(trace, kind, name)}")
    groups = [own] if world else [own, _binding_rows(trace, kind, namespace, name)]
    ends = [row for group in groups for row in _telling(group, epoch)]
    chain = sorted({row.id for end in ends for row in trace.chain(end.id)})
    events = [event for row_id in chain for event in _links(trace.rows[row_id], epoch)]
    return Story(what, _without_repeats(events), scheduling)


def parse(what: str) -> tuple[str, str, str, str]:
    """`kind/name` or `kind/namespace/name`, with `@member` at the end or, as in a timeline, after the kind.

    Returns:
        The store's kind, the namespace ("" for kinds without), the name, the member ("" for the control plane).

    Raises:
        BadRequest: it is neither, or there is no such kind.
    """
    if not isinstance(what, str) or "/" not in what:
        raise BadRequest(f"explain: write kind/name, for example deployment/nginx or cluster/member1, not {what!r}")
    path, _, world = what.partition("@")
    if "/" in world:  # Pod@member3/default/nginx-...
        world, _, rest = world.partition("/")
        path = f"{path}/{rest}"
    parts = path.split("/")
    if len(parts) > 3 or not all(parts):
        raise BadRequest(f"explain: write kind/name or kind/namespace/name, not {what!r}")
    rt = resource_type(parts[0])
    namespace = (parts[1] if len(parts) == 3 else "default") if rt.namespaced else ""
    return rt.group_kind, namespace, parts[-1], world


def _spelled(kind: str, namespace: str, name: str, world: str) -> str:
    return f"a {kind.partition('.')[0]} {f'{namespace}/' if namespace else ''}{name}{f' in {world}' if world else ''}"


def _near(trace: Trace, kind: str, name: str) -> str:
    """Objects of that kind: of that name elsewhere, or else of a name like it, in the form that can be asked for."""
    found = {(row.name, row.namespace, row.world) for row in trace.rows if row.kind == kind}
    names = sorted({other for other, _, _ in found})
    if name in names:
        return f"; ask for {' or '.join(_forms(kind, found, name)[:_FORMS])}"
    if near := similar(name, names, at_most=_FORMS):
        offer = f"; did you mean {' or '.join(_forms(kind, found, one)[0] for one in near)}?"
    else:
        some = ", ".join(_forms(kind, found, one)[0] for one in names[:_FORMS])
        offer = f"; there were {some};" if some else "; there was none;"
    return f"{offer} lab.timeline, and karmadalab run FILE --format json, name what there was"


def _forms(kind: str, found: set[tuple[str, str, str]], name: str) -> list[str]:
    """The objects of a name as `explain` takes them, the control plane's before the members'."""
    short = kind.partition(".")[0].lower()
    places = sorted((world, space) for other, space, world in found if other == name)
    return [f"{short}/{f'{space}/' if space else ''}{name}{f'@{world}' if world else ''}" for world, space in places]


def _binding_rows(trace: Trace, kind: str, namespace: str, name: str) -> list[Row]:
    """What happened to the binding of a template."""
    bound = binding_name(kind.partition(".")[0], name)
    binding = ResourceBinding.GROUP_KIND if namespace else ClusterResourceBinding.GROUP_KIND
    return [r for r in trace.rows if (r.kind, r.namespace, r.name, r.world) == (binding, namespace, bound, "")]


def _telling(rows: list[Row], epoch: float) -> list[Row]:
    """The rows worth tracing back: the latest that a story would mention, or else the last."""
    writes = [row for row in rows if row.verb not in (NOTE, ERROR)]
    important = [row for row in writes if row.verb == DELETE or any(map(is_important, events_of(row, epoch)))]
    return important[-_ENDS:] or writes[-1:] or rows[-1:]


def _links(row: Row, epoch: float) -> Iterable[Event]:
    """The events of a row that belong into a story; an eviction says more than the placement it leaves."""
    events = list(events_of(row, epoch))
    if row.verb in (FAULT, NOTE):
        return events[:1]
    evictions = [event for event in events if event.what == "gracefulEvictionTasks changed" and _new_tasks(event)]
    chosen = evictions or [event for event in events if is_important(event) and not _is_repetition(event)]
    return chosen or (events[:1] if row.cause is None else [])


def _is_repetition(event: Event) -> bool:
    """What the scheduler's own note, or the eviction before, has said already."""
    if event.what.startswith("condition Scheduled"):
        return True
    if event.what == "spec.clusters changed":
        return bool(set(event.detail["to"]) - set(event.detail["from"]))
    return event.what == "gracefulEvictionTasks changed" and bool(event.detail["to"])


def _without_repeats(events: list[Event]) -> list[Event]:
    seen: set[tuple[float, str, str]] = set()
    kept = []
    for event in sorted(events, key=lambda e: (e.t, e.row)):
        key = (event.t, event.kind, _clause(event))
        if key not in seen:
            seen.add(key)
            kept.append(event)
    return kept


# --- words ------------------------------------------------------------------------------------------------------------


def sentence(event: Event) -> str:
    """An event in words.

    >>> sentence(
    ...     Event(36.7, "Cluster", "", "member1", "condition Ready True -> False", {"reason": "ClusterNotReachable"}, 0)
    ... )
    'At 36.7s cluster member1 went from Ready=True to Ready=False (ClusterNotReachable).'
    """
    when = f"At {duration(event.t)}" if event.t >= 0 else "Before the lab began"
    return f"{when} {_clause(event)}."


def _clause(event: Event) -> str:
    for begins, clause in _CLAUSES:
        if event.what.startswith(begins):
            return clause(event)
    kind, _, world = event.kind.partition("@")
    if event.kind == "fault":
        return f"a fault began on {event.name}: {event.what}"
    if isinstance(event.detail, dict) and "because" in event.detail:
        return _decided(event)
    place = f" in {world}" if world else ""
    verb = _VERBS.get(event.what, f"changed ({event.what})")
    return f"{kind} {event.name}{place} {verb}"


def _decided(event: Event) -> str:
    because, chosen = event.detail["because"], event.detail["clusters"]
    if event.detail["reason"] != "Success":
        return f"the scheduler found no placement for {event.name}: {event.what.rstrip('.')}"
    return f"the scheduler placed {event.name} on {_clusters(chosen)} ({because})"


def _ready(event: Event) -> str:
    before, _, after = event.what.removeprefix("condition Ready ").partition(" -> ")
    return f"cluster {event.name} went from Ready={before} to Ready={after} ({event.detail['reason']})"


def _taint(event: Event) -> str:
    _, word, taint = event.what.split(" ", 2)
    return f"the taint {taint} was {word} {'to' if word == 'added' else 'from'} cluster {event.name}"


def _tasks(event: Event) -> str:
    if new := _new_tasks(event):
        (task, *_) = (task for task in event.detail["to"] if task["fromCluster"] in new)
        reason = f"{event.name} gave up {', '.join(new)} ({task['reason']})"
        return f"{reason}; the copy there stays until its replacement is healthy"
    gone = {task["fromCluster"] for task in event.detail["from"] or ()}
    return f"the eviction of {event.name} from {', '.join(sorted(gone))} was completed"


def _new_tasks(event: Event) -> list[str]:
    before, after = ({task["fromCluster"] for task in event.detail[key] or ()} for key in ("from", "to"))
    return sorted(after - before)


def _clusters(clusters: dict[str, int]) -> str:
    return ", ".join(f"{name} ({replicas})" for name, replicas in clusters.items()) or "no cluster"


_CLAUSES: tuple[tuple[str, Callable[[Event], str]], ...] = (
    ("healed: ", lambda e: f"a fault on {e.name} ended ({e.what.removeprefix('healed: ')})"),
    ("probe of ", lambda e: f"a {e.what}"),
    ("lease of ", lambda e: f"the {e.what}"),
    ("condition Ready added", lambda e: f"cluster {e.name} reported Ready={e.detail['status']} for the first time"),
    ("condition Ready ", _ready),
    ("taint ", _taint),
    (
        "spec.clusters changed",
        lambda e: f"{e.name} went from {_clusters(e.detail['from'])} to {_clusters(e.detail['to'])}",
    ),
    ("gracefulEvictionTasks changed", _tasks),
    ("deletionTimestamp set", lambda e: f"{e.kind} {e.namespace}/{e.name} was marked for deletion".replace(" /", " ")),
)

_VERBS = {
    "created": "was created",
    "deleted": "was deleted",
    "initial": "joined",
    "Ready": "became ready",
    "NotReady": "was no longer ready",
    "terminating": "was told to end",
    "ImagePullBackOff": "could not pull its image",
    "Unschedulable": "found no room on any node",
    "spec changed": "was changed",
}

"""Why: from an object back through causes to the fault that began it, in sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from karmadalab.api.errors import BadRequest, NotFound
from karmadalab.api.naming import binding_name
from karmadalab.api.scheme import resource_type
from karmadalab.api.time import duration
from karmadalab.core.timeline import Event, events_of, is_important
from karmadalab.core.trace import DELETE, ERROR, FAULT, NOTE, Row, Trace


class Explanation:
    """A chain of events, first cause first.

    Attributes:
        what: what was asked about.
        events: the links of the chain.
        sentences: the same in words.
    """

    def __init__(self, what: str, events: list[Event]) -> None:
        self.what = what
        self.events = events
        self.sentences = [sentence(event) for event in events]

    def __repr__(self) -> str:
        return "\n".join([f"Why {self.what} is where it is:", *(f"  {text}" for text in self.sentences)])

    def _repr_html_(self) -> str:
        from html import escape

        items = "".join(f"<li>{escape(text)}</li>" for text in self.sentences)
        return f"<p>Why <b>{escape(self.what)}</b> is where it is:</p><ol>{items}</ol>"

    def to_frame(self) -> Any:
        """A pandas data frame with a row a link. Needs the extra `notebooks`."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install 'karmadalab[notebooks]'") from None
        return pandas.DataFrame(
            [{"t": e.t, "kind": e.kind, "name": e.name, "sentence": s} for e, s in zip(self.events, self.sentences, strict=True)]
        )


def explain(trace: Trace, epoch: float, what: str) -> Explanation:
    """Explain an object; see `Lab.explain`."""
    kind, namespace, name, world = _parse(what)
    rows = [row for row in trace.rows if (row.kind, row.namespace, row.name, row.world) == (kind, namespace, name, world)]
    if not rows:
        raise NotFound(f"explain: there never was a {kind.partition('.')[0]} {namespace + '/' if namespace else ''}{name}"
                       + (f" in {world}" if world else ""))
    about = [rows]
    if not world:
        about += _bindings_rows(trace, kind, namespace, name)
    ends = [row for group in about for row in _telling(group, epoch)]
    chain = sorted({row.id for end in ends for row in trace.chain(end.id)})
    events = [event for row_id in chain for event in _events(trace.rows[row_id], epoch)]
    return Explanation(what, _without_repeats(events))


def _parse(what: str) -> tuple[str, str, str, str]:
    if not isinstance(what, str) or "/" not in what:
        raise BadRequest(f"explain: write kind/name, for example deployment/nginx or cluster/member1, not {what!r}")
    path, _, world = what.partition("@")
    parts = path.split("/")
    rt = resource_type(parts[0])
    if len(parts) > 3 or not all(parts):
        raise BadRequest(f"explain: write kind/name or kind/namespace/name, not {what!r}")
    namespace = (parts[1] if len(parts) == 3 else "default") if rt.namespaced else ""
    return rt.group_kind, namespace, parts[-1], world


def _bindings_rows(trace: Trace, kind: str, namespace: str, name: str) -> list[list[Row]]:
    """What happened to the binding of a template."""
    bound = binding_name(kind.partition(".")[0], name)
    binding_kind = "ResourceBinding.work.karmada.io" if namespace else "ClusterResourceBinding.work.karmada.io"
    rows = [r for r in trace.rows if (r.kind, r.namespace, r.name, r.world) == (binding_kind, namespace, bound, "")]
    return [rows] if rows else []


def _telling(rows: Iterable[Row], epoch: float) -> list[Row]:
    """The rows worth tracing back: the last few that a story would mention, or the last one."""
    rows = list(rows)
    writes = [row for row in rows if row.verb not in (NOTE, ERROR)]
    important = [row for row in writes if any(is_important(event) for event in events_of(row, epoch)) or row.verb == DELETE]
    return important[-8:] or writes[-1:] or rows[-1:]


def _events(row: Row, epoch: float) -> Iterable[Event]:
    events = list(events_of(row, epoch))
    chosen = [event for event in events if is_important(event)]
    if not chosen and row.verb in (FAULT, NOTE):
        chosen = events[:1]
    return chosen or (events[:1] if row.cause is None else [])


def _without_repeats(events: list[Event]) -> list[Event]:
    seen: set[tuple[float, str, str, str]] = set()
    kept = []
    for event in sorted(events, key=lambda e: (e.t, e.row)):
        key = (event.t, event.kind, event.name, event.what)
        if key not in seen:
            seen.add(key)
            kept.append(event)
    return kept


def sentence(event: Event) -> str:
    """An event in words.

    >>> sentence(Event(36.7, "Cluster", "", "member1", "condition Ready True -> False", {"reason": "ClusterNotReachable"}, 0))
    'At 36.7s cluster member1 went from Ready=True to Ready=False (ClusterNotReachable).'
    """
    when = f"At {duration(event.t)}" if event.t >= 0 else "Before the lab began"
    return f"{when} {_clause(event)}."


def _clause(event: Event) -> str:
    kind, name, what, detail = event.kind, event.name, event.what, event.detail
    kind_word, _, world = kind.partition("@")
    if kind == "fault":
        return f"a fault on {name} ended ({what[8:]})" if what.startswith("healed: ") else f"a fault began on {name}: {what}"
    if what.startswith("condition Ready ") and "->" in what:
        before, _, after = what.removeprefix("condition Ready ").split(" ")
        return f"cluster {name} went from Ready={before} to Ready={after} ({detail['reason']})"
    if what.startswith("taint "):
        _, word, taint = what.split(" ", 2)
        return f"the taint {taint} was {word} {'to' if word == 'added' else 'from'} cluster {name}"
    if what == "spec.clusters changed":
        return f"{kind_word} {name} moved from {_clusters(detail['from'])} to {_clusters(detail['to'])}"
    if what == "gracefulEvictionTasks changed":
        return _tasks_clause(name, detail)
    if what.startswith("condition Scheduled") and detail.get("to"):
        status, reason, message = detail["to"]
        verdict = "was scheduled" if status == "True" else f"could not be scheduled ({reason}: {message})"
        return f"{kind_word} {name} {verdict}"
    if kind_word == "Work" and what == "deletionTimestamp set":
        return f"the old copy was marked for deletion (Work {event.namespace}/{name})"
    where = f" in {world}" if world else ""
    return f"{kind_word} {name}{where}: {what}"


def _clusters(clusters: dict[str, int]) -> str:
    return ", ".join(f"{name} ({replicas})" for name, replicas in clusters.items()) or "no cluster"


def _tasks_clause(name: str, detail: dict[str, Any]) -> str:
    before = {task["fromCluster"] for task in detail["from"] or ()}
    after = {task["fromCluster"] for task in detail["to"] or ()}
    if new := sorted(after - before):
        reason = next(t["reason"] for t in detail["to"] if t["fromCluster"] == new[0])
        return f"{name} gave up {', '.join(new)}, gracefully ({reason}): the copy there stays until its replacement is healthy"
    if gone := sorted(before - after):
        return f"the eviction of {name} from {', '.join(gone)} was completed"
    return f"the eviction task of {name} for {', '.join(sorted(after))} was stamped"
